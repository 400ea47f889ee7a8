// Lanes that return one by one before warp operations and barriers, in blocks that are no multiple of a
// warp.
#include <cstdio>
#include <cuda_runtime.h>

#define FULL 0xffffffffu
#define STOP_IF(c)                                                                                 \
    if (c)                                                                                         \
    return

__device__ int sum(int v)
{
    for (int o = 16; o > 0; o /= 2)
        v += __shfl_down_sync(FULL, v, o);
    return v;
}

__global__ void nested(int *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n > 0) {
        if (threadIdx.x % 7 == 3)
            return;
        x[i] += 1;
    }
    const unsigned here = __ballot_sync(FULL, x[i] & 1);
    x[i] += __popc(here);
}

// Each round takes a lane from the warp, until none is left.
__global__ void shrinking(int *x)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned round = 0;; round++) {
        const unsigned present = __ballot_sync(FULL, 1);
        x[i] = x[i] * 3 + (int)__popc(present);
        __syncwarp();
        if (__ffs(present) - 1 == (int)(threadIdx.x % 32))
            return;
    }
}

__global__ void with_barriers(int *x, int n)
{
    __shared__ int tile[128];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = x[i];
    __syncthreads();
    for (int k = 0; k < n; k++) {
        STOP_IF(tile[(threadIdx.x + k) % blockDim.x] % 29 == k);
        x[i] += __any_sync(FULL, tile[threadIdx.x] % 5 == k) + 2 * __all_sync(FULL, x[i] >= 0);
        if (k % 2)
            x[i] += __syncthreads_count(x[i] & 1);
    }
    x[i] += __syncthreads_or(x[i] % 64 == 5) + (sum(1) >= 0);
}

// No thread returns before these.
__global__ void turned(int *x)
{
    __shared__ int tile[128];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = x[i];
    __syncthreads();
    x[i] += tile[blockDim.x - 1 - threadIdx.x] & 255;
}

// Masks of half a warp, in which one half's lanes return.
__global__ void halves(int *x)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (lane < 16) {
        if (x[i] % 3 == 0)
            return;
        x[i] += __popc(__ballot_sync(0xffffu, 1));
    } else {
        x[i] -= __popc(__ballot_sync(0xffff0000u, x[i] % 2));
    }
    x[i] = x[i] * 2 + (int)__popc(__ballot_sync(FULL, x[i] & 2));
}

int main()
{
    const int n = 9600, blocks[] = {32, 48, 100, 33, 96, 1, 128};
    static int host[n];
    int *x;
    for (int i = 0; i < n; i++)
        host[i] = i * 37 % 101;
    cudaMalloc(&x, sizeof host);
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    for (int b : blocks) {
        nested<<<n / b, b>>>(x, 1);
        shrinking<<<n / b, b>>>(x);
        with_barriers<<<n / b, b>>>(x, 6);
        halves<<<n / b, b>>>(x);
        turned<<<n / b, b>>>(x);
    }
    cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i += 97)
        printf("%d%c", host[i], i % 5 ? ' ' : '\n');
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
