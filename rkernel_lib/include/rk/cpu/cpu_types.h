#ifndef RK_CPU_TYPES_H
#define RK_CPU_TYPES_H

/*
 * CUDA's qualifiers and built-in types for a host compiler: what rKernels and legacy kernels share.
 * Qualifiers mean nothing here, except that __shared__ belongs to legacy programs (rk/cpu/cpu_cuda.h), and that
 * an instance of a kernel template is there for other sources, as nvcc makes it, though all calls are inlined.
 * C and C++17.
 */

#include "cpu_abs.h" /* first */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <cstddef>
#include <cstdint>
#include <memory> /* libstdc++'s own uses of __noinline__ come before the macro */
#endif

#define __host__
#define __device__
#define __global__ __attribute__((used))
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __block_size__(...)
#define __nv_pure__
#define __device_builtin__
#define __forceinline__ inline __attribute__((always_inline))
#define __inline_hint__
#undef __noinline__
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI
#define CUDA_CB

#ifdef __cplusplus
#define RK_CPU_CONSTEXPR constexpr
#else
#define RK_CPU_CONSTEXPR static inline
#endif

/** CUDA's vector types: `T1` to `T4` with their make functions, aligned as CUDA aligns them. */
#define RK_CPU_VECTOR4(type, T, align)                                                             \
    typedef struct __align__(align) T {                                                            \
        type x, y, z, w;                                                                           \
    } T;                                                                                           \
    RK_CPU_CONSTEXPR T make_##T(type x, type y, type z, type w)                                    \
    {                                                                                              \
        T v = {x, y, z, w};                                                                        \
        return v;                                                                                  \
    }
#define RK_CPU_VECTOR(type, T, align1, align2, align3, align4)                                     \
    typedef struct __align__(align1) T##1 {                                                        \
        type x;                                                                                    \
    } T##1;                                                                                        \
    typedef struct __align__(align2) T##2 {                                                        \
        type x, y;                                                                                 \
    } T##2;                                                                                        \
    typedef struct __align__(align3) T##3 {                                                        \
        type x, y, z;                                                                              \
    } T##3;                                                                                        \
    RK_CPU_CONSTEXPR T##1 make_##T##1(type x)                                                      \
    {                                                                                              \
        T##1 v = {x};                                                                              \
        return v;                                                                                  \
    }                                                                                              \
    RK_CPU_CONSTEXPR T##2 make_##T##2(type x, type y)                                              \
    {                                                                                              \
        T##2 v = {x, y};                                                                           \
        return v;                                                                                  \
    }                                                                                              \
    RK_CPU_CONSTEXPR T##3 make_##T##3(type x, type y, type z)                                      \
    {                                                                                              \
        T##3 v = {x, y, z};                                                                        \
        return v;                                                                                  \
    }                                                                                              \
    RK_CPU_VECTOR4(type, T##4, align4)

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

/* The names that say their alignment, of CUDA 13. */
RK_CPU_VECTOR4(long, long4_16a, 16)
RK_CPU_VECTOR4(long, long4_32a, 32)
RK_CPU_VECTOR4(unsigned long, ulong4_16a, 16)
RK_CPU_VECTOR4(unsigned long, ulong4_32a, 32)
RK_CPU_VECTOR4(long long, longlong4_16a, 16)
RK_CPU_VECTOR4(long long, longlong4_32a, 32)
RK_CPU_VECTOR4(unsigned long long, ulonglong4_16a, 16)
RK_CPU_VECTOR4(unsigned long long, ulonglong4_32a, 32)
RK_CPU_VECTOR4(double, double4_16a, 16)
RK_CPU_VECTOR4(double, double4_32a, 32)
#undef RK_CPU_VECTOR
#undef RK_CPU_VECTOR4
#undef RK_CPU_CONSTEXPR

typedef struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
        : x(vx), y(vy), z(vz)
    {
    }
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
} dim3;

#ifdef __cplusplus
constexpr int warpSize = 32;
#endif

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;

#endif
