#include <cuda_runtime.h>
#define STOP_AT(n)                                                                                 \
    if (threadIdx.x >= n)                                                                          \
    return
__global__ void stops(float *x, int n)
{
    STOP_AT(n);
    x[threadIdx.x] = 1;
    __syncthreads();
    x[threadIdx.x] += x[0];
}
// Shares the macro, and with it what the macro's return says.
__global__ void stops_too(float *x, int n)
{
    __syncthreads();
    STOP_AT(n);
    x[threadIdx.x] = 1;
}
void launch(float *x, int n)
{
    stops<<<1, 32>>>(x, n);
    stops_too<<<1, 32>>>(x, n);
}
