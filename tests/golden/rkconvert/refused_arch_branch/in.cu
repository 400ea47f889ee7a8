#include <cuda_runtime.h>
__device__ float own(const float *x) { return x[threadIdx.x]; }
__global__ void one_device(float *x)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 800
    x[threadIdx.x] = 8;
#elif defined(__CUDA_ARCH__)
    x[0] = own(x);
#endif
}
__global__ void harmless(float *x)
{
    const int t = threadIdx.x;
#if __CUDA_ARCH__ == 800
    x[t] = 9;
#else
    x[t] = 8;
#endif
}
/* Of names that this text does not tell any value counts; nvcc's version is known. */
__global__ void some_build(float *x)
{
#if defined(ODD_BUILD) && __CUDA_ARCH__ == 800
    x[0] = own(x);
#endif
}
__global__ void no_build(float *x)
{
#if __CUDACC_VER_MAJOR__ < 9 && __CUDA_ARCH__ == 800
    x[0] = own(x);
#endif
}
void launch(float *x)
{
    one_device<<<1, 32>>>(x);
    harmless<<<1, 32>>>(x);
    some_build<<<1, 32>>>(x);
    no_build<<<1, 32>>>(x);
}
