// What rKernels for AMD's GPUs have, and what they cannot have.
#include <cuda_runtime.h>

__global__ void scale(float *x, float s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    x[i] *= s;
}

__global__ void reverse(float *x)
{
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void returns_first(float *x, int n)
{
    if (threadIdx.x >= n)
        return;
    __syncthreads();
    x[threadIdx.x] = 0;
}

__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    return v;
}

__global__ void sums(float *x)
{
    x[threadIdx.x] = warp_sum(x[threadIdx.x]);
}

__global__ void counts(int *x)
{
    x[threadIdx.x] = __syncthreads_count(x[threadIdx.x]);
}

__global__ void assembly(int *x)
{
    asm("add.s32 %0, %0, 1;" : "+r"(x[threadIdx.x]));
}

void host(float *x, int *y)
{
    scale<<<10, 100>>>(x, 2.0f, 1000);
    reverse<<<1, 64>>>(x);
    returns_first<<<1, 64>>>(x, 50);
    sums<<<1, 64>>>(x);
    counts<<<1, 64>>>(y);
    assembly<<<1, 64>>>(y);
}
