#include <cuda_runtime.h>

// Kernels of one name: namespaces tell them apart, and the parameters of overloads.
namespace a {
__global__ void k(float *x) { x[threadIdx.x] += 1.0f; }
}
namespace b {
__global__ void k(float *x) { x[threadIdx.x] += 2.0f; }
}
__global__ void k(float *x) { x[threadIdx.x] += 3.0f; }
__global__ void k(int *x) { x[threadIdx.x] += 4; }

void launch(float *f, int *i)
{
    a::k<<<1, 32>>>(f);
    b::k<<<1, 32>>>(f);
    k<<<1, 32>>>(f);
    k<<<1, 32>>>(i);
}
