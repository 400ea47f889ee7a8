#include <cuda_runtime.h>
__host__ __device__ inline int taken()
{
#ifdef __CUDA_ARCH__
    return __CUDA_ARCH__;
#else
    return 0;
#endif
}
__global__ void kernel(int *x)
{
#if __CUDA_ARCH__ >= 800
    x[threadIdx.x] = taken() + 1;
#else
    x[threadIdx.x] = 2;
#endif
}
void launch(int *x)
{
    kernel<<<1, 32>>>(x);
}
