#include <cuda_runtime.h>
#define WARP_ID(out) asm("mov.u32 %0, %%warpid;" : "=r"(out))
__global__ void by_tid(unsigned *x)
{
    unsigned t;
    asm("mov.u32 %0, %%tid.x;" : "=r"(t));
    x[t] = 1;
}
__global__ void whole_block() { asm volatile("bar.sync 1;"); }
__global__ void by_register(int id) { asm volatile("bar.sync %0, 32;" ::"r"(id)); }
__global__ void after_return(int *x, int n)
{
    if (threadIdx.x >= n)
        return;
    asm volatile("bar.sync 1, 32;");
    x[threadIdx.x] = 1;
}
__global__ void in_macro(unsigned *x)
{
    unsigned w;
    WARP_ID(w);
    x[w] = 1;
}
void launch(unsigned *x, int *y)
{
    by_tid<<<1, 32>>>(x);
    whole_block<<<1, 32>>>();
    by_register<<<1, 32>>>(3);
    after_return<<<1, 64>>>(y, 32);
    in_macro<<<1, 32>>>(x);
}
