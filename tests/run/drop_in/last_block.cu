// Blocks that find out which of them is the last one, run after run.
#include <cstdio>

__device__ unsigned int wrapped = 0, stored = 0;

__global__ void by_wrapping(int *to, const int *from)
{
    __shared__ bool last;
    if (threadIdx.x == 0)
        to[1 + blockIdx.x] = from[blockIdx.x];
    __threadfence();
    if (threadIdx.x == 0)
        last = atomicInc(&wrapped, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            sum += ((volatile int *)to)[1 + i];
        to[0] = sum;
    }
}

__global__ void by_storing(int *to, const int *from)
{
    __shared__ bool last;
    if (threadIdx.x >= 40)
        return;
    to[1 + blockIdx.x * 40 + threadIdx.x] = from[blockIdx.x] * threadIdx.x;
    __threadfence();
    if (threadIdx.x == 0)
        last = atomicAdd(&stored, 1u) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned i = 0; i < gridDim.x * 40; i++)
            sum += ((volatile int *)to)[1 + i];
        to[0] = sum;
        stored = 0;
    }
}

int main()
{
    int *from, *to;
    cudaMallocManaged(&from, 64 * sizeof *from);
    cudaMallocManaged(&to, 1024 * sizeof *to);
    for (int i = 0; i < 64; i++)
        from[i] = i * 37 % 101;
    for (int run = 0; run < 3; run++) {
        by_wrapping<<<20 + run, 48>>>(to, from);
        cudaDeviceSynchronize();
        printf("%d\n", to[0]);
        by_storing<<<20 - run, 50>>>(to, from);
        cudaDeviceSynchronize();
        printf("%d\n", to[0]);
    }
    return 0;
}
