#include <cuda_runtime.h>
#define LOAD_FUNC "ld.global.nc.L1::no_allocate.L2::256B"
#define NC ".nc"
#ifdef OLD
#define LAST
#else
#define LAST ".nc"
#endif
__device__ __forceinline__ int4 load(const int4 *p)
{
    int4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.s32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p));
    return v;
}
__device__ __forceinline__ int by_macro(const int *p)
{
    int v;
    asm volatile(LOAD_FUNC ".s32 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
}
__device__ __forceinline__ float in_parts(const float *p)
{
    float v;
    asm("{ .reg .b32 r;\n ld.global" NC ".f32 %0, [%1];}" : "=f"(v) : "l"(p));
    return v;
}
template <class T> __device__ T last(const T *p)
{
    T v;
    asm("ld.global" LAST ".u32 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
}
__global__ void sum(const int4 *x, const int *y, const float *z, const unsigned *u, float *out)
{
    const int4 v = load(x + threadIdx.x);
    out[threadIdx.x] = v.x + v.y + v.z + v.w + by_macro(y) + in_parts(z) + last(u);
}
void launch(const int4 *x, const int *y, const float *z, const unsigned *u, float *out)
{
    sum<<<1, 32>>>(x, y, z, u, out);
}
