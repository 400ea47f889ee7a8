#ifndef RK_CPU_HALF_H
#define RK_CPU_HALF_H

/*
 * CUDA's __half and __half2 for a host compiler: storage as IEEE binary16, arithmetic in float rounded
 * to nearest even, which is exact for + - * / and the square root.
 */

#include "cpu_math.h"
#include "cpu_types.h"

#include <cstdint>

namespace rk {

inline std::uint16_t half_from_float(float value)
{
    const std::uint32_t bits = bits_as<std::uint32_t>(value);
    const std::uint32_t sign = bits >> 16 & 0x8000u;
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return 0x7fff;
    if (magnitude >= 0x47800000u)
        return std::uint16_t(sign | 0x7c00u);
    const int exponent = int(magnitude >> 23) - 127;
    if (exponent < -25)
        return std::uint16_t(sign);
    const std::uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
    const int shift = exponent < -14 ? -exponent - 1 : 13;
    const std::uint32_t rest = significand & ((1u << shift) - 1), tie = 1u << (shift - 1);
    std::uint32_t half = significand >> shift;
    if (exponent >= -14)
        half += std::uint32_t(exponent + 14) << 10;
    half += rest > tie || (rest == tie && (half & 1));
    return std::uint16_t(sign | half);
}

inline float half_to_float(std::uint16_t half)
{
    const std::uint32_t sign = (half & 0x8000u) << 16;
    const std::uint32_t exponent = half >> 10 & 31u, fraction = half & 0x3ffu;
    if (exponent == 31)
        return bits_as<float>(sign | 0x7f800000u | fraction << 13);
    if (exponent)
        return bits_as<float>(sign | (exponent + 112) << 23 | fraction << 13);
    const float small = float(fraction) * 0x1p-24f;
    return sign ? -small : small;
}

} // namespace rk

struct __half_raw {
    unsigned short x;
};

struct __align__(2) __half {
    unsigned short __x;

    __half() = default;
    __half(__half_raw raw) : __x(raw.x) {}
    __half(float value) : __x(rk::half_from_float(value)) {}
    __half(double value) : __x(rk::half_from_float(float(value))) {}
    __half(int value) : __x(rk::half_from_float(float(value))) {}
    __half(unsigned int value) : __x(rk::half_from_float(float(value))) {}
    operator float() const { return rk::half_to_float(__x); }
    operator __half_raw() const { return __half_raw{__x}; }
};

struct __align__(4) __half2 {
    __half x, y;
    __half2() = default;
    __half2(__half a, __half b) : x(a), y(b) {}
};

typedef __half half;
typedef __half2 half2;

inline __half __float2half(float x) { return __half(x); }
inline __half __float2half_rn(float x) { return __half(x); }
inline __half __double2half(double x) { return __half(x); }
inline float __half2float(__half x) { return float(x); }
inline __half __int2half_rn(int x) { return __half(x); }
inline __half __uint2half_rn(unsigned int x) { return __half(x); }
inline int __half2int_rn(__half x) { return __float2int_rn(float(x)); }
inline int __half2int_rz(__half x) { return __float2int_rz(float(x)); }
inline unsigned short __half_as_ushort(__half x) { return x.__x; }
inline short __half_as_short(__half x) { return short(x.__x); }
inline __half __ushort_as_half(unsigned short x) { return __half(__half_raw{x}); }
inline __half __short_as_half(short x) { return __half(__half_raw{(unsigned short)x}); }

inline __half2 make_half2(__half x, __half y) { return __half2(x, y); }
inline __half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
inline __half2 __half2half2(__half x) { return __half2(x, x); }
inline __half2 __float2half2_rn(float x) { return __half2(__half(x), __half(x)); }
inline __half2 __floats2half2_rn(float x, float y) { return __half2(__half(x), __half(y)); }
inline __half2 __float22half2_rn(float2 v) { return __half2(__half(v.x), __half(v.y)); }
inline float2 __half22float2(__half2 v) { return make_float2(float(v.x), float(v.y)); }
inline float __low2float(__half2 v) { return float(v.x); }
inline float __high2float(__half2 v) { return float(v.y); }
inline __half __low2half(__half2 v) { return v.x; }
inline __half __high2half(__half2 v) { return v.y; }

/** An operator, its assignment and the intrinsics of that name, for one half and for two. */
#define RK_CPU_HALF_ARITHMETIC(op, name)                                                           \
    inline __half operator op(__half a, __half b) { return __half(float(a) op float(b)); }         \
    inline __half &operator op##=(__half &a, __half b) { return a = a op b; }                      \
    inline __half2 operator op(__half2 a, __half2 b) { return __half2(a.x op b.x, a.y op b.y); }   \
    inline __half2 &operator op##=(__half2 &a, __half2 b) { return a = a op b; }                   \
    inline __half __h##name(__half a, __half b) { return a op b; }                                 \
    inline __half2 __h##name##2(__half2 a, __half2 b) { return a op b; }
RK_CPU_HALF_ARITHMETIC(+, add)
RK_CPU_HALF_ARITHMETIC(-, sub)
RK_CPU_HALF_ARITHMETIC(*, mul)
RK_CPU_HALF_ARITHMETIC(/, div)
#undef RK_CPU_HALF_ARITHMETIC
inline __half2 __h2div(__half2 a, __half2 b) { return a / b; }

#define RK_CPU_HALF_COMPARE(op, name)                                                              \
    inline bool operator op(__half a, __half b) { return float(a) op float(b); }                   \
    inline bool __h##name(__half a, __half b) { return float(a) op float(b); }
RK_CPU_HALF_COMPARE(==, eq)
RK_CPU_HALF_COMPARE(!=, ne)
RK_CPU_HALF_COMPARE(<, lt)
RK_CPU_HALF_COMPARE(<=, le)
RK_CPU_HALF_COMPARE(>, gt)
RK_CPU_HALF_COMPARE(>=, ge)
#undef RK_CPU_HALF_COMPARE

inline __half operator-(__half a) { return __ushort_as_half(a.__x ^ 0x8000u); }
inline __half2 operator-(__half2 a) { return __half2(-a.x, -a.y); }
inline __half __hneg(__half a) { return -a; }
inline __half2 __hneg2(__half2 a) { return -a; }
inline __half __habs(__half a) { return __ushort_as_half(a.__x & 0x7fffu); }
inline __half __hfma(__half a, __half b, __half c)
{
    return __half(float(fma(double(float(a)), double(float(b)), double(float(c)))));
}
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
inline __half __hmax(__half a, __half b) { return __half(fmaxf(float(a), float(b))); }
inline __half __hmin(__half a, __half b) { return __half(fminf(float(a), float(b))); }
inline __half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
inline __half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
inline bool __hisnan(__half a) { return (a.__x & 0x7fffu) > 0x7c00u; }
inline int __hisinf(__half a) { return a.__x == 0x7c00u ? 1 : a.__x == 0xfc00u ? -1 : 0; }

/** Functions of one half and of two. */
#define RK_CPU_HALF_FUNCTION(name, f)                                                              \
    inline __half h##name(__half a) { return __half(f(float(a))); }                                \
    inline __half2 h2##name(__half2 a) { return __half2(h##name(a.x), h##name(a.y)); }
RK_CPU_HALF_FUNCTION(exp, expf)
RK_CPU_HALF_FUNCTION(exp2, exp2f)
RK_CPU_HALF_FUNCTION(exp10, exp10f)
RK_CPU_HALF_FUNCTION(log, logf)
RK_CPU_HALF_FUNCTION(log2, log2f)
RK_CPU_HALF_FUNCTION(log10, log10f)
RK_CPU_HALF_FUNCTION(sin, sinf)
RK_CPU_HALF_FUNCTION(cos, cosf)
RK_CPU_HALF_FUNCTION(tanh, tanhf)
RK_CPU_HALF_FUNCTION(sqrt, sqrtf)
RK_CPU_HALF_FUNCTION(rsqrt, rsqrtf)
RK_CPU_HALF_FUNCTION(rcp, 1.0f /)
RK_CPU_HALF_FUNCTION(floor, floorf)
RK_CPU_HALF_FUNCTION(ceil, ceilf)
RK_CPU_HALF_FUNCTION(trunc, truncf)
RK_CPU_HALF_FUNCTION(rint, rintf)
#undef RK_CPU_HALF_FUNCTION

#endif
