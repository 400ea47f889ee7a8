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
void launch(float *x, int n) { stops<<<1, 32>>>(x, n); }
