#include <cuda_runtime.h>
__device__ float block_sum(float v)
{
    __shared__ float s[32];
    s[threadIdx.x] = v;
    __syncthreads();
    return s[0] + s[31];
}
__global__ void branches(float *x)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    x[threadIdx.x] = block_sum(9);
#else
    x[threadIdx.x] = 8;
#endif
}
__global__ void old_devices(float *x, int n)
{
#ifdef __CUDA_ARCH__
    if (n > 3)
        return;
#endif
#if __CUDA_ARCH__ >= 750
    __syncthreads();
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
    x[threadIdx.x] = 1;
#endif
    x[blockIdx.x] = 2;
}
void launch(float *x)
{
    branches<<<1, 32>>>(x);
    old_devices<<<1, 32>>>(x, 3);
}
