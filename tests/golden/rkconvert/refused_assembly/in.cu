#include <cuda_runtime.h>
#define WARP_ID(out) asm("mov.u32 %0, %%warpid;" : "=r"(out))
__global__ void by_tid(unsigned *x)
{
    unsigned t;
    asm("mov.u32 %0, %%tid.x;" : "=r"(t));
    x[t] = 1;
}
__global__ void barrier() { asm volatile("bar.sync 1, 32;"); }
__global__ void in_macro(unsigned *x)
{
    unsigned w;
    WARP_ID(w);
    x[w] = 1;
}
void launch(unsigned *x)
{
    by_tid<<<1, 32>>>(x);
    barrier<<<1, 32>>>();
    in_macro<<<1, 32>>>(x);
}
