#include <cuda_runtime.h>
__global__ void branches(float *x)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    x[threadIdx.x] = 9;
#else
    x[threadIdx.x] = 8;
#endif
}
__global__ void harmless(float *x)
{
    const int t = threadIdx.x;
#ifdef __CUDA_ARCH__
    x[t] = 9;
#else
    x[t] = 8;
#endif
}
void launch(float *x)
{
    branches<<<1, 32>>>(x);
    harmless<<<1, 32>>>(x);
}
