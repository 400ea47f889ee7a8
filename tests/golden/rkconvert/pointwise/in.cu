// Comments and   odd spacing stay as they are.
#include <cuda_runtime.h>

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void scale(float *y, const float *__restrict__ x, float a, int n)
{
    int i = INDEX; /* through a macro */
    if (i < n)
        y[i]   =  a * x[i];
}

void launch_scale(float *y, const float *x, float a, int n, cudaStream_t stream)
{
    scale<<<(n + 255) / 256, 256, 0, stream>>>(y, x, a, n);
}
