#include <cuda_runtime.h>

__device__ unsigned int never = 0;
__device__ unsigned int wrapped = 0, stored = 0;

__device__ bool is_last(unsigned int *count)
{
    __threadfence();
    return atomicAdd(count, 1) == gridDim.x - 1;
}

// counts on and on: the second run has no last block
__global__ void never_back(float *x) { if (atomicAdd(&never, 1u) == 1) __threadfence(), x[0] = 1; }

__global__ void by_wrapping(float *x)
{
    __shared__ bool last;
    x[blockIdx.x] = 1;
    __threadfence();
    if (threadIdx.x == 0)
        last = atomicInc(&wrapped, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (last)
        x[threadIdx.x] += 1;
}

__global__ void by_storing(float *x)
{
    __shared__ bool last;
    x[blockIdx.x] = 1;
    __threadfence();
    if (threadIdx.x == 0)
        last = atomicAdd(&stored, 1u) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        x[threadIdx.x] += 1;
        stored = 0;
    }
}

__global__ void in_a_helper(float *x, unsigned int *count)
{
    x[blockIdx.x] = 1;
    if (threadIdx.x == 0 && is_last(count))
        x[0] += 1;
}

// adds, and fences; finds nothing
__global__ void sums(float *x)
{
    atomicAdd(x, 1.0f);
    __threadfence();
}

void launch(float *x, unsigned int *count)
{
    never_back<<<2, 32>>>(x);
    by_wrapping<<<2, 32>>>(x);
    by_storing<<<2, 32>>>(x);
    in_a_helper<<<2, 32>>>(x, count);
    sums<<<2, 32>>>(x);
}
