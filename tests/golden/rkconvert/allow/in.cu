#include <cuda_runtime.h>

__device__ int elsewhere(int x);
__device__ int factorial(int n) { return n < 2 ? threadIdx.x : n * factorial(n - 1); }

__global__ void calls(int *x) { x[threadIdx.x] = elsewhere(x[threadIdx.x]); }
__global__ void recurses(int *x) { x[threadIdx.x] = factorial(5); }

// decoupled look-back: block n waits for block n - 1
__global__ void waits(volatile int *flag, int *x)
{
    volatile int *before = flag + blockIdx.x - 1;
    if (threadIdx.x == 0 && blockIdx.x > 0)
        while (*before == 0)
            ;
    __syncthreads();
    x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    __threadfence();
    if (threadIdx.x == 0)
        flag[blockIdx.x] = 1;
}

void launch(int *x)
{
    calls<<<1, 32>>>(x);
    recurses<<<1, 32>>>(x);
    waits<<<4, 32>>>(x, x);
}
