#include <cuda_runtime.h>

__device__ unsigned int retired = 0;

__global__ void last_block(float *out, const float *in)
{
    __shared__ bool last;
    out[1 + blockIdx.x] = in[blockIdx.x];
    __threadfence();
    if (threadIdx.x == 0)
        last = atomicInc(&retired, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0)
        for (unsigned i = 0; i < gridDim.x; i++)
            out[0] += out[1 + i];
}

__global__ void assembly(unsigned *x)
{
    unsigned lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    x[threadIdx.x] = lane;
}

void launch(float *out, const float *in, unsigned *x)
{
    last_block<<<8, 32>>>(out, in);
    assembly<<<1, 32>>>(x);
}
