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
#define MEET "bar.sync 0;"
#define NOW(what) asm volatile(what ::: "memory")
__global__ void by_string(unsigned *x)
{
    x[0] = 1;
    asm volatile("membar.cta;" MEET ::: "memory");
}
__global__ void by_argument(unsigned *x)
{
    x[0] = 1;
    NOW("bar.sync 0;");
}
__global__ void uniform(unsigned *x)
{
    asm("ldu.global.u32 %0, [%1];" : "=r"(x[1]) : "l"(x));
}
__global__ void gathered(unsigned long long t, float *x)
{
    asm("tld4.r.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %5}];"
        : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])
        : "l"(t), "f"(0.5f));
}
__global__ void everywhere(unsigned *x)
{
    asm("multimem.red.relaxed.sys.global.add.u32 [%0], %1;" ::"l"(x), "r"(1) : "memory");
}
void launch(unsigned *x, int *y)
{
    by_string<<<1, 32>>>(x);
    by_argument<<<1, 32>>>(x);
    uniform<<<1, 1>>>(x);
    gathered<<<1, 1>>>(0, (float *)x);
    everywhere<<<1, 1>>>(x);
    by_tid<<<1, 32>>>(x);
    whole_block<<<1, 32>>>();
    by_register<<<1, 32>>>(3);
    after_return<<<1, 64>>>(y, 32);
    in_macro<<<1, 32>>>(x);
}
