#include <cuda_runtime.h>

#define SYNC() __syncthreads()
#define TID (threadIdx.x + blockDim.x * threadIdx.y)
#define AT(p) p[index_of(1)]
#define CHECKED(x) (x)

__device__ int index_of(int k) { return TID + k; }
__device__ int index_here() { return TID; }

__global__ void macros(float *x)
{
    AT(x) = 1;
    SYNC();
    x[CHECKED(index_here())] = AT(x);
}

void launch(float *x) { macros<<<1, dim3(8, 8)>>>(x); }
