#include "net.h"
#include <cuda_runtime.h>

static __global__ void helper(float *y, const float *x, const float *w, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] * w[i];
}
__global__ void net::scale(float *y, float a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] *= a;
}
void layer(float *y, float *x, int n)
{
    helper<<<(n + 31) / 32, 32>>>(y, x, weights, n);
    helper<<<(n + 31) / 32, 32>>>(x, y, weights, n);
}
