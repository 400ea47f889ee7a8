// A kernel that a macro makes, in namespaces that macros open, is one kernel in original and drop-in.
#include <cstdio>
#define LIB_BEGIN namespace lib { inline namespace v1 {
#define LIB_END }}
#define LIB_KERNEL(name, ...) template <__VA_ARGS__> __global__ void name

LIB_BEGIN
LIB_KERNEL(scale, int N)(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= N;
}
__global__ void add(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += 1;
}
cudaError_t triple(const cudaLaunchConfig_t &config, float *x, int n)
{
    return cudaLaunchKernelEx(&config, scale<3>, x, n);
}
LIB_END

int main()
{
    const int n = 100;
    float *x;
    cudaMallocManaged(&x, n * sizeof *x);
    for (int i = 0; i < n; i++)
        x[i] = i;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(4);
    config.blockDim = dim3(32);
    lib::triple(config, x, n);
    lib::add<<<4, 32>>>(x, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        if (x[i] != 3 * i + 1)
            return 1;
    cudaFree(x);
}
