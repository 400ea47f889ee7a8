#ifndef RK_CPU_MATH_H
#define RK_CPU_MATH_H

/*
 * CUDA's math functions and integer and bit intrinsics that the C library lacks. Intrinsics that are
 * approximate on the GPU are the exact functions here.
 */

#include "cpu_defined.h"
#include "cpu_types.h"

#include <cassert>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <math.h>
#include <stdlib.h>
#include <type_traits>
#include "cpu_address.h"
#include "cpu_atomic.h"
#include "cpu_device.h"
#include "cpu_math_functions.h"
#include "cpu_math_rounded.h"
#include "cpu_math_simd.h"

namespace rk__ {

template <class To, class From>
inline To bits_as(From from)
{
    static_assert(sizeof(To) == sizeof(From), "");
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

} // namespace rk__

/*
 * The C library's, in line: loops over threads that call none are vectorised. Of a number and no number the number; of
 * two zeros the second.
 */
#define RK_CPU_IN_LINE extern "C" inline __attribute__((gnu_inline, always_inline))
RK_CPU_IN_LINE float fmaxf(float a, float b) noexcept { return b != b ? a : a > b ? a : b; }
RK_CPU_IN_LINE float fminf(float a, float b) noexcept { return b != b ? a : a < b ? a : b; }
RK_CPU_IN_LINE double fmax(double a, double b) noexcept { return b != b ? a : a > b ? a : b; }
RK_CPU_IN_LINE double fmin(double a, double b) noexcept { return b != b ? a : a < b ? a : b; }
#undef RK_CPU_IN_LINE

#ifdef RK_CPU_FUSED
#include "cpu_math_fused.h"
#endif

/* Minimum and maximum, with CUDA's overloads for mixed signedness. */

#define RK_CPU_MINMAX(A, B, R)                                                                     \
    constexpr R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; }                                \
    constexpr R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }

RK_CPU_MINMAX(int, int, int)
RK_CPU_MINMAX(unsigned int, unsigned int, unsigned int)
RK_CPU_MINMAX(int, unsigned int, unsigned int)
RK_CPU_MINMAX(unsigned int, int, unsigned int)
RK_CPU_MINMAX(long, long, long)
RK_CPU_MINMAX(unsigned long, unsigned long, unsigned long)
RK_CPU_MINMAX(long, unsigned long, unsigned long)
RK_CPU_MINMAX(unsigned long, long, unsigned long)
RK_CPU_MINMAX(long long, long long, long long)
RK_CPU_MINMAX(unsigned long long, unsigned long long, unsigned long long)
RK_CPU_MINMAX(long long, unsigned long long, unsigned long long)
RK_CPU_MINMAX(unsigned long long, long long, unsigned long long)
#undef RK_CPU_MINMAX

inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(a, b); }
inline double min(double a, float b) { return fmin(a, b); }
inline double max(double a, float b) { return fmax(a, b); }
inline unsigned int umin(unsigned int a, unsigned int b) { return a < b ? a : b; }
inline unsigned int umax(unsigned int a, unsigned int b) { return a > b ? a : b; }
inline long long llmin(long long a, long long b) { return a < b ? a : b; }
inline long long llmax(long long a, long long b) { return a > b ? a : b; }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }

/* Functions. */

inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

/* The C library declares functions of these names, without defining all of them. */
#define __expf(x) (::expf(x))
#define __exp10f(x) (::exp10f(x))
#define __logf(x) (::logf(x))
#define __log2f(x) (::log2f(x))
#define __log10f(x) (::log10f(x))
#define __sinf(x) (::sinf(x))
#define __cosf(x) (::cosf(x))
#define __tanf(x) (::tanf(x))
#define __tanhf(x) (::tanhf(x))
#define __powf(x, y) (::powf(x, y))
#define __sincosf(x, s, c) (::sincosf(x, s, c))

/** The programming guide has it that a divisor above 2^126 gives 0, and NaN for what is infinite. */
inline float __fdividef(float x, float y)
{
    const float size = std::fabs(y);
    return size > 0x1p126f && size <= std::numeric_limits<float>::max() ? x * 0.0f : x / y;
}

/* Conversions. */

inline int __float_as_int(float x) { return rk__::bits_as<int>(x); }
inline unsigned int __float_as_uint(float x) { return rk__::bits_as<unsigned int>(x); }
inline float __int_as_float(int x) { return rk__::bits_as<float>(x); }
inline float __uint_as_float(unsigned int x) { return rk__::bits_as<float>(x); }
inline long long __double_as_longlong(double x) { return rk__::bits_as<long long>(x); }
inline double __longlong_as_double(long long x) { return rk__::bits_as<double>(x); }
inline int __double2hiint(double x) { return int(rk__::bits_as<long long>(x) >> 32); }
inline int __double2loint(double x) { return int(rk__::bits_as<long long>(x)); }
inline double __hiloint2double(int hi, int lo)
{
    return rk__::bits_as<double>((unsigned long long)(unsigned int)hi << 32 | (unsigned int)lo);
}

#define RK_CPU_CONVERT(from, From, to, To)                                                         \
    inline To __##from##2##to##_rn(From x) { return rk__::saturated<To>(std::nearbyint(x)); }      \
    inline To __##from##2##to##_rz(From x) { return rk__::saturated<To>(std::trunc(x)); }          \
    inline To __##from##2##to##_ru(From x) { return rk__::saturated<To>(std::ceil(x)); }           \
    inline To __##from##2##to##_rd(From x) { return rk__::saturated<To>(std::floor(x)); }
RK_CPU_CONVERT(float, float, int, int)
RK_CPU_CONVERT(float, float, uint, unsigned int)
RK_CPU_CONVERT(float, float, ll, long long)
RK_CPU_CONVERT(float, float, ull, unsigned long long)
RK_CPU_CONVERT(double, double, int, int)
RK_CPU_CONVERT(double, double, uint, unsigned int)
RK_CPU_CONVERT(double, double, ll, long long)
RK_CPU_CONVERT(double, double, ull, unsigned long long)
#undef RK_CPU_CONVERT

/* Integers and bits. */

inline int __popc(unsigned int x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz((unsigned int)x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned int __brev(unsigned int x)
{
    x = (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
    x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
    return __builtin_bswap32(x);
}
inline unsigned long long __brevll(unsigned long long x)
{
    return (unsigned long long)__brev((unsigned int)x) << 32 | __brev((unsigned int)(x >> 32));
}
inline int __mul24(int x, int y)
{
    return int((unsigned int)(int((unsigned int)x << 8) >> 8) *
               (unsigned int)(int((unsigned int)y << 8) >> 8));
}
inline unsigned int __umul24(unsigned int x, unsigned int y)
{
    return (x & 0xffffffu) * (y & 0xffffffu);
}
inline int __mulhi(int x, int y) { return int((long long)x * y >> 32); }
inline unsigned int __umulhi(unsigned int x, unsigned int y)
{
    return (unsigned int)((unsigned long long)x * y >> 32);
}
__extension__ typedef __int128 rk_cpu_int128;
__extension__ typedef unsigned __int128 rk_cpu_uint128;
inline long long __mul64hi(long long x, long long y)
{
    return (long long)((rk_cpu_int128)x * y >> 64);
}
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    return (unsigned long long)((rk_cpu_uint128)x * y >> 64);
}
inline int __hadd(int x, int y) { return int(((long long)x + y) >> 1); }
inline int __rhadd(int x, int y) { return int(((long long)x + y + 1) >> 1); }
inline unsigned int __uhadd(unsigned int x, unsigned int y)
{
    return (unsigned int)(((unsigned long long)x + y) >> 1);
}
inline unsigned int __sad(int x, int y, unsigned int z)
{
    return z + (x > y ? (unsigned int)x - (unsigned int)y : (unsigned int)y - (unsigned int)x);
}
inline unsigned int __usad(unsigned int x, unsigned int y, unsigned int z)
{
    return z + (x > y ? x - y : y - x);
}
/** Of each half byte of the selector three bits count: nvcc clears the fourth, which prmt would take. */
inline unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector)
{
    unsigned long long bytes = (unsigned long long)y << 32 | x;
    unsigned int result = 0;
    for (int i = 0; i < 4; i++)
        result |= ((unsigned int)(bytes >> (8 * (selector >> (4 * i) & 7))) & 0xff) << (8 * i);
    return result;
}
inline unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int shift)
{
    unsigned long long both = (unsigned long long)hi << 32 | lo;
    return (unsigned int)(both << (shift & 31) >> 32);
}
inline unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int shift)
{
    unsigned long long both = (unsigned long long)hi << 32 | lo;
    return (unsigned int)(both >> (shift & 31));
}
inline int __dp4a(int a, int b, int c)
{
    for (int i = 0; i < 4; i++)
        c += int((signed char)(a >> (8 * i))) * int((signed char)(b >> (8 * i)));
    return c;
}
inline unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c)
{
    for (int i = 0; i < 4; i++)
        c += (a >> (8 * i) & 0xff) * (b >> (8 * i) & 0xff);
    return c;
}

inline unsigned int __urhadd(unsigned int x, unsigned int y)
{
    return (unsigned int)(((unsigned long long)x + y + 1) >> 1);
}
inline unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int shift)
{
    return shift >= 32 ? lo : __funnelshift_l(lo, hi, shift);
}
inline unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int shift)
{
    return shift >= 32 ? hi : __funnelshift_r(lo, hi, shift);
}
/** Two halves of `a` times two bytes of `b`, its lower or its upper ones. */
#define RK_CPU_DP2A(name, shift)                                                                   \
    inline int name(int a, int b, int c)                                                           \
    {                                                                                              \
        return c + (short)a * (signed char)(b >> (shift)) +                                        \
               (short)(a >> 16) * (signed char)(b >> ((shift) + 8));                               \
    }                                                                                              \
    inline unsigned int name(unsigned int a, unsigned int b, unsigned int c)                       \
    {                                                                                              \
        return c + (a & 0xffff) * (b >> (shift) & 0xff) + (a >> 16) * (b >> ((shift) + 8) & 0xff); \
    }
RK_CPU_DP2A(__dp2a_lo, 0)
RK_CPU_DP2A(__dp2a_hi, 16)
#undef RK_CPU_DP2A
inline int __dp4a(char4 a, char4 b, int c)
{
    return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
inline unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c)
{
    return c + (unsigned int)(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
}
inline int __dp2a_lo(short2 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y; }
inline int __dp2a_hi(short2 a, char4 b, int c) { return c + a.x * b.z + a.y * b.w; }
inline unsigned int __dp2a_lo(ushort2 a, uchar4 b, unsigned int c)
{
    return c + (unsigned int)(a.x * b.x + a.y * b.y);
}
inline unsigned int __dp2a_hi(ushort2 a, uchar4 b, unsigned int c)
{
    return c + (unsigned int)(a.x * b.z + a.y * b.w);
}
/** Place of the `offset`-th bit of `mask` that is set, from `base` on, down when it is negative. */
inline unsigned int __fns(unsigned int mask, unsigned int base, int offset)
{
    if (offset == 0)
        return base < 32 && (mask >> base & 1) ? base : 0xffffffffu;
    for (int i = int(base); i >= 0 && i < 32; i += offset > 0 ? 1 : -1)
        if ((mask >> i & 1) && (offset += offset > 0 ? -1 : 1) == 0)
            return (unsigned int)i;
    return 0xffffffffu;
}

/* Memory with cache hints, and others. */

#define RK_CPU_LOAD(name)                                                                          \
    template <class T>                                                                             \
    inline T name(const T *address)                                                                \
    {                                                                                              \
        return *address;                                                                           \
    }
#define RK_CPU_STORE(name)                                                                         \
    template <class T>                                                                             \
    inline void name(T *address, T value)                                                          \
    {                                                                                              \
        *address = value;                                                                          \
    }
RK_CPU_LOAD(__ldg)
RK_CPU_LOAD(__ldca)
RK_CPU_LOAD(__ldcg)
RK_CPU_LOAD(__ldcs)
RK_CPU_LOAD(__ldcv)
RK_CPU_LOAD(__ldlu)
RK_CPU_STORE(__stcg)
RK_CPU_STORE(__stcs)
RK_CPU_STORE(__stwb)
RK_CPU_STORE(__stwt)
#undef RK_CPU_LOAD
#undef RK_CPU_STORE

inline void __trap() { rk__::device_fault(719, "__trap was called"); } /* cudaErrorLaunchFailure */
inline void __brkpt() {}
inline void __nanosleep(unsigned int) { rk__::spin(); }
inline void __prof_trigger(int) {}
inline long long clock64()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

#include "cpu_math_dpx.h"

#if !defined(__clang__)
#define __builtin_assume(condition) ((condition) ? (void)0 : __builtin_unreachable())
#endif

#endif
