#include <cuda_runtime.h>
__global__ void broken(float *x)
{
    x[threadIdx.x] = 1
}
