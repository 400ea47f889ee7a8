#include <cuda_runtime.h>
#include <curand_kernel.h>

__global__ void scale(float *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] *= SCALE_OF_THIS_TOOLKIT;
}
void launch(float *y, int n)
{
    scale<<<(n + 255) / 256, 256>>>(y, n);
}
