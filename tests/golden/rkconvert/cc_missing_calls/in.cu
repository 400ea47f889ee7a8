#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <curand_kernel.h>

__global__ void kernel()
{
    __cluster_barrier_wait();
    __isShared(nullptr);
    curand_discrete(nullptr, nullptr);
}

int main()
{
    kernel<<<1, 1>>>();
    cudaMallocMipmappedArray(nullptr, nullptr, cudaExtent(), 1, 0);
    cudaIpcGetMemHandle(nullptr, nullptr);
    cudaGraphDebugDotPrint(nullptr, "", 0);
    cuMemAlloc(nullptr, 4);
    cublasSsyrkx(nullptr);
}
