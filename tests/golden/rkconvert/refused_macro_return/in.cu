#include <cuda_runtime.h>
#define STOP_AT(n)                                                                                 \
    if (threadIdx.x >= n)                                                                          \
    return
__device__ void set(float *x, int n)
{
    STOP_AT(n);
    x[threadIdx.x] = 1;
}
__global__ void stops(float *x, int n)
{
    STOP_AT(n);
    set(x, n);
    __syncthreads();
    x[threadIdx.x] += x[0];
}
void launch(float *x, int n) { stops<<<1, 32>>>(x, n); }
