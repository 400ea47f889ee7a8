// A kernel with a return before its barrier, one without, and one whose barrier counts: which barriers their
// vDevices take by the block's threads is in their PTX, which barriers.sh reads.
#include <cstdio>
#include <vector>

constexpr int MOST = 256;

__global__ void early(int *to, int n)
{
    __shared__ int values[MOST];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    values[threadIdx.x] = i;
    __syncthreads();
    to[i] = values[0];
}

__global__ void plain(int *to)
{
    __shared__ __align__(128) int values[MOST];
    values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    to[blockIdx.x * blockDim.x + threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}

__global__ void counted(int *to)
{
    const int odd = __syncthreads_count(threadIdx.x & 1);
    to[blockIdx.x * blockDim.x + threadIdx.x] = odd;
}

int main()
{
    int *to, wrong = 0;
    cudaMalloc((void **)&to, 3 * MOST * sizeof *to);
    // At most a warp, whole warps, and neither.
    for (const int threads : {20, 32, 64, 77, 96, MOST}) {
        const int n = 3 * threads - 5;
        std::vector<int> out(3 * threads);
        early<<<3, threads>>>(to, n);
        cudaMemcpy(out.data(), to, n * sizeof(int), cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; i++)
            wrong += out[i] != i / threads * threads;
        plain<<<3, threads>>>(to);
        cudaMemcpy(out.data(), to, 3 * threads * sizeof(int), cudaMemcpyDeviceToHost);
        for (int i = 0; i < 3 * threads; i++)
            wrong += out[i] != threads - 1 - i % threads;
        counted<<<3, threads>>>(to);
        cudaMemcpy(out.data(), to, 3 * threads * sizeof(int), cudaMemcpyDeviceToHost);
        for (int i = 0; i < 3 * threads; i++)
            wrong += out[i] != threads / 2;
    }
    cudaFree(to);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
