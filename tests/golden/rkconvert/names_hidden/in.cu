#include <cuda_runtime.h>

__global__ void hidden(float *x, int dim0, int dim3)
{
    const int blockDim_x = blockDim.x;
    x[threadIdx.x + blockIdx.x * blockDim_x] = dim0 + dim3;
}

void launch(float *x)
{
    const int gridDim = 2, blockDim = 32, threadIdx = 1;
    hidden<<<gridDim, blockDim>>>(x, threadIdx, 3);
}
