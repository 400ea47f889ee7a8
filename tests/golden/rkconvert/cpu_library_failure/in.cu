#include <cuda_runtime.h>
__global__ void lanes(unsigned *x)
{
    unsigned lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    x[threadIdx.x] = lane;
}
void launch(unsigned *x) { lanes<<<1, 32>>>(x); }
