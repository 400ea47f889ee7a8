// Launches whose configuration is in a struct: attributes, such as clusters, are not followed.
#include <cuda_runtime.h>
__global__ void k(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }
template <typename T> __global__ void t(T *x) { x[threadIdx.x] = 1; }
void a(float *x, int n, cudaStream_t s)
{
    cudaLaunchConfig_t config = {0};
    config.gridDim = dim3((n + 127) / 128);
    config.blockDim = 128;
    config.stream = s;
    cudaLaunchKernelEx(&config, k, x, n);
    config.dynamicSmemBytes = 64;
    void *args[] = {&x, &n};
    cudaLaunchKernelExC(&config, (const void *)k, args);
    cudaLaunchKernelEx(&config, t<float>, x);
}
void b(float *x, int n)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    config.gridDim = 2;
    config.blockDim = dim3(32);
    config.attrs = attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, k, x, n);
}
