#ifndef RK_CPU_TYPES_H
#define RK_CPU_TYPES_H

/*
 * CUDA's qualifiers and built-in types for a host C++17 compiler: what rKernels and legacy kernels
 * share. Qualifiers mean nothing here, except that __shared__ belongs to legacy programs
 * (rk/cpu_cuda.h).
 */

#include <cstddef>
#include <cstdint>
#include <memory> /* libstdc++'s own uses of __noinline__ come before the macro */

#define __host__
#define __device__
#define __global__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __inline_hint__
#undef __noinline__
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define CUDARTAPI
#define CUDART_CB

/** CUDA's vector types: `T2` to `T4` with their make functions, aligned as CUDA aligns them. */
#define RK_CPU_VECTOR(type, T, align1, align2, align3, align4)                                     \
    struct __align__(align1) T##1 { type x; };                                                     \
    struct __align__(align2) T##2 { type x, y; };                                                  \
    struct __align__(align3) T##3 { type x, y, z; };                                               \
    struct __align__(align4) T##4 { type x, y, z, w; };                                            \
    inline T##1 make_##T##1(type x) { return T##1{x}; }                                            \
    inline T##2 make_##T##2(type x, type y) { return T##2{x, y}; }                                 \
    inline T##3 make_##T##3(type x, type y, type z) { return T##3{x, y, z}; }                      \
    inline T##4 make_##T##4(type x, type y, type z, type w) { return T##4{x, y, z, w}; }

RK_CPU_VECTOR(signed char, char, 1, 2, 1, 4)
RK_CPU_VECTOR(unsigned char, uchar, 1, 2, 1, 4)
RK_CPU_VECTOR(short, short, 2, 4, 2, 8)
RK_CPU_VECTOR(unsigned short, ushort, 2, 4, 2, 8)
RK_CPU_VECTOR(int, int, 4, 8, 4, 16)
RK_CPU_VECTOR(unsigned int, uint, 4, 8, 4, 16)
RK_CPU_VECTOR(long, long, 8, 16, 8, 16)
RK_CPU_VECTOR(unsigned long, ulong, 8, 16, 8, 16)
RK_CPU_VECTOR(long long, longlong, 8, 16, 8, 16)
RK_CPU_VECTOR(unsigned long long, ulonglong, 8, 16, 8, 16)
RK_CPU_VECTOR(float, float, 4, 8, 4, 16)
RK_CPU_VECTOR(double, double, 8, 16, 8, 16)
#undef RK_CPU_VECTOR

struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
        : x(vx), y(vy), z(vz)
    {
    }
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
};

constexpr int warpSize = 32;

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;

#endif
