#include <cuda_runtime.h>
__device__ int next(int k = threadIdx.x) { return k + 1; }
__global__ void qualified(float *x) { x[::threadIdx.x] = ::blockIdx.x; }
__global__ void by_default(float *x) { x[next()] = 1; }
void launch(float *x)
{
    qualified<<<1, 32>>>(x);
    by_default<<<1, 32>>>(x);
}
