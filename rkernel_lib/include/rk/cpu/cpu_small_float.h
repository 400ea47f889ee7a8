#ifndef RK_CPU_SMALL_FLOAT_H
#define RK_CPU_SMALL_FLOAT_H

/*
 * What __half and __nv_bfloat16 have in common: 16-bit formats whose arithmetic is that of a wider one,
 * rounded once. The macros write CUDA's functions for a type H and the pair type H2 of that name.
 */

#include "cpu_atomic.h"
#include "cpu_math.h"
#include "cpu_types.h"

#include <cfenv>

namespace rk__ {

enum class rounding { nearest, zero, up, down };

/**
 * `value` in the format with this many exponent and fraction bits, rounded once. NaN gives 0x7fff; what is
 * too large the infinity or, where the rounding goes the other way, the largest number.
 */
inline std::uint16_t small_from_double(double value, int exponent_bits, int fraction_bits,
                                       rounding mode)
{
    const std::uint64_t bits = bits_as<std::uint64_t>(value);
    const std::uint16_t sign = std::uint16_t(bits >> 48 & 0x8000);
    const std::uint64_t fraction = bits & 0xfffffffffffffu;
    const int given = int(bits >> 52 & 0x7ff);
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const std::uint16_t infinity = std::uint16_t(((1 << exponent_bits) - 1) << fraction_bits);
    if (given == 0x7ff)
        return fraction ? 0x7fff : std::uint16_t(sign | infinity);
    /* The significand in units of 2^(exponent - 52), and what of it is below the last place. */
    const std::uint64_t significand = given ? fraction | 1ull << 52 : fraction;
    const int least = 1 - bias, actual = (given ? given : 1) - 1023;
    const int exponent = actual < least ? least : actual;
    const int lost = 52 - fraction_bits + exponent - actual, shift = lost > 62 ? 62 : lost;
    const std::uint64_t rest = significand & ((1ull << shift) - 1), tie = 1ull << (shift - 1);
    std::uint64_t kept = significand >> shift;
    const bool away = mode == (sign ? rounding::down : rounding::up);
    kept += mode == rounding::nearest ? rest > tie || (rest == tie && (kept & 1)) : away && rest > 0;
    const std::uint64_t rounded = kept + (std::uint64_t(exponent + bias - 1) << fraction_bits);
    if (rounded >= infinity)
        return std::uint16_t(sign | (mode == rounding::nearest || away ? infinity : infinity - 1));
    return std::uint16_t(sign | rounded);
}

/** a + b in double, rounded to odd, so that rounding it again gives what rounding once would. */
inline double add_to_odd(double a, double b)
{
    const double sum = a + b;
    if (!std::isfinite(sum))
        return sum;
    const double part = sum - a;
    const double error = (a - (sum - part)) + (b - part);
    std::uint64_t bits = bits_as<std::uint64_t>(sum);
    if (error == 0 || (bits & 1))
        return sum;
    bits += (error > 0) == (sum > 0) ? 1 : -1;
    return bits_as<double>(bits);
}

/** Integers with a rounding, from a number that a float holds. */
template <class To>
inline To small_to_integer(float value, rounding mode)
{
    return saturated<To>(mode == rounding::nearest ? std::nearbyint(value)
                           : mode == rounding::zero  ? std::trunc(value)
                           : mode == rounding::up    ? std::ceil(value)
                                                     : std::floor(value));
}

/** A 64-bit integer as a double that rounds to 16 bits as the integer does. */
template <class From>
inline double integer_to_odd(From value)
{
    const double high = double(static_cast<long double>(value));
    const long double rest = static_cast<long double>(value) - high;
    return add_to_odd(high, double(rest));
}

inline float saturate_unit(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline float not_negative(float x) { return x != x || x > 0.0f ? x : 0.0f; }
/** The larger; the other one when one is NaN, and of zeros the positive one. */
inline float larger(float a, float b)
{
    return a != a ? b : b != b ? a : a > b || (a == b && !std::signbit(a)) ? a : b;
}
inline float smaller(float a, float b)
{
    return a != a ? b : b != b ? a : a < b || (a == b && std::signbit(a)) ? a : b;
}

} // namespace rk__

/** Members: conversions to and from C's types. */
#define RK_SMALL_MEMBERS(H, FROM, TO)                                                              \
    H(float value) : __x(FROM(value, rk__::rounding::nearest)) {}                                    \
    H(double value) : __x(FROM(value, rk__::rounding::nearest)) {}                                   \
    H(short value) : __x(FROM(value, rk__::rounding::nearest)) {}                                    \
    H(unsigned short value) : __x(FROM(value, rk__::rounding::nearest)) {}                           \
    H(int value) : __x(FROM(value, rk__::rounding::nearest)) {}                                      \
    H(unsigned int value) : __x(FROM(value, rk__::rounding::nearest)) {}                             \
    H(long value) : __x(FROM(rk__::integer_to_odd(value), rk__::rounding::nearest)) {}                 \
    H(unsigned long value) : __x(FROM(rk__::integer_to_odd(value), rk__::rounding::nearest)) {}        \
    H(long long value) : __x(FROM(rk__::integer_to_odd(value), rk__::rounding::nearest)) {}            \
    H(unsigned long long value) : __x(FROM(rk__::integer_to_odd(value), rk__::rounding::nearest)) {}   \
    operator float() const { return TO(__x); }                                                     \
    operator bool() const { return (__x & 0x7fff) != 0; }                                          \
    RK_SMALL_TO_INTEGER(signed char)                                                               \
    RK_SMALL_TO_INTEGER(unsigned char)                                                             \
    RK_SMALL_TO_INTEGER(char)                                                                      \
    RK_SMALL_TO_INTEGER(short)                                                                     \
    RK_SMALL_TO_INTEGER(unsigned short)                                                            \
    RK_SMALL_TO_INTEGER(int)                                                                       \
    RK_SMALL_TO_INTEGER(unsigned int)                                                              \
    RK_SMALL_TO_INTEGER(long)                                                                      \
    RK_SMALL_TO_INTEGER(unsigned long)                                                             \
    RK_SMALL_TO_INTEGER(long long)                                                                 \
    RK_SMALL_TO_INTEGER(unsigned long long)
#define RK_SMALL_TO_INTEGER(T)                                                                     \
    operator T() const { return rk__::small_to_integer<T>(float(*this), rk__::rounding::zero); }

/** Conversions with each rounding: `name` is half or bfloat16, BITS makes one of its bits. */
#define RK_SMALL_ROUNDINGS(H, name, FROM, BITS, suffix, mode)                                      \
    inline H __float2##name##_##suffix(float x) { return BITS(FROM(x, mode)); }                    \
    RK_SMALL_INTEGER(H, name, FROM, BITS, suffix, mode, short, short)                              \
    RK_SMALL_INTEGER(H, name, FROM, BITS, suffix, mode, ushort, unsigned short)                    \
    RK_SMALL_INTEGER(H, name, FROM, BITS, suffix, mode, int, int)                                  \
    RK_SMALL_INTEGER(H, name, FROM, BITS, suffix, mode, uint, unsigned int)                        \
    RK_SMALL_INTEGER(H, name, FROM, BITS, suffix, mode, ll, long long)                             \
    RK_SMALL_INTEGER(H, name, FROM, BITS, suffix, mode, ull, unsigned long long)
#define RK_SMALL_INTEGER(H, name, FROM, BITS, suffix, mode, integer, T)                            \
    inline T __##name##2##integer##_##suffix(H x)                                                  \
    {                                                                                              \
        return rk__::small_to_integer<T>(float(x), mode);                                            \
    }                                                                                              \
    inline H __##integer##2##name##_##suffix(T x)                                                  \
    {                                                                                              \
        return BITS(FROM(rk__::integer_to_odd(x), mode));                                            \
    }
#define RK_SMALL_CONVERSIONS(H, name, FROM, BITS)                                                  \
    RK_SMALL_ROUNDINGS(H, name, FROM, BITS, rn, rk__::rounding::nearest)                             \
    RK_SMALL_ROUNDINGS(H, name, FROM, BITS, rz, rk__::rounding::zero)                                \
    RK_SMALL_ROUNDINGS(H, name, FROM, BITS, ru, rk__::rounding::up)                                  \
    RK_SMALL_ROUNDINGS(H, name, FROM, BITS, rd, rk__::rounding::down)                                \
    inline H __float2##name(float x) { return H(x); }                                              \
    inline H __double2##name(double x) { return H(x); }                                            \
    inline float __##name##2float(H x) { return float(x); }                                        \
    inline signed char __##name##2char_rz(H x)                                                     \
    {                                                                                              \
        return rk__::small_to_integer<signed char>(float(x), rk__::rounding::zero);                    \
    }                                                                                              \
    inline unsigned char __##name##2uchar_rz(H x)                                                  \
    {                                                                                              \
        return rk__::small_to_integer<unsigned char>(float(x), rk__::rounding::zero);                  \
    }                                                                                              \
    inline unsigned short __##name##_as_ushort(H x) { return x.__x; }                              \
    inline short __##name##_as_short(H x) { return short(x.__x); }                                 \
    inline H __ushort_as_##name(unsigned short x) { return BITS(x); }                              \
    inline H __short_as_##name(short x) { return BITS((unsigned short)x); }

/** Pairs: `one` is half or bfloat16, `two` half2 or bfloat162. */
#define RK_SMALL_PAIRS(H, H2, one, two)                                                            \
    inline H2 make_##two(H x, H y) { return H2(x, y); }                                            \
    inline H2 __halves2##two(H x, H y) { return H2(x, y); }                                        \
    inline H2 __##one##2##two(H x) { return H2(x, x); }                                            \
    inline H2 __float2##two##_rn(float x) { return H2(H(x), H(x)); }                               \
    inline H2 __floats2##two##_rn(float x, float y) { return H2(H(x), H(y)); }                     \
    inline H2 __float22##two##_rn(float2 v) { return H2(H(v.x), H(v.y)); }                         \
    inline float2 __##two##2float2(H2 v) { return make_float2(float(v.x), float(v.y)); }           \
    inline float __low2float(H2 v) { return float(v.x); }                                          \
    inline float __high2float(H2 v) { return float(v.y); }                                         \
    inline H __low2##one(H2 v) { return v.x; }                                                     \
    inline H __high2##one(H2 v) { return v.y; }                                                    \
    inline H2 __low2##two(H2 v) { return H2(v.x, v.x); }                                           \
    inline H2 __high2##two(H2 v) { return H2(v.y, v.y); }                                          \
    inline H2 __lows2##two(H2 a, H2 b) { return H2(a.x, b.x); }                                    \
    inline H2 __highs2##two(H2 a, H2 b) { return H2(a.y, b.y); }                                   \
    inline H2 __lowhigh2highlow(H2 v) { return H2(v.y, v.x); }

/** One operator, its assignment, and its intrinsics with their forms. */
#define RK_SMALL_OPERATOR(H, H2, op, name)                                                         \
    inline H operator op(const H &a, const H &b) { return H(float(a) op float(b)); }               \
    inline H &operator op##=(H &a, const H &b) { return a = a op b; }                              \
    inline H2 operator op(const H2 &a, const H2 &b) { return H2(a.x op b.x, a.y op b.y); }         \
    inline H2 &operator op##=(H2 &a, const H2 &b) { return a = a op b; }                           \
    inline H __h##name(H a, H b) { return a op b; }                                                \
    inline H2 __h##name##2(H2 a, H2 b) { return a op b; }                                          \
    inline H __h##name##_rn(H a, H b) { return a op b; }                                           \
    inline H2 __h##name##2_rn(H2 a, H2 b) { return a op b; }                                       \
    inline H __h##name##_sat(H a, H b) { return H(rk__::saturate_unit(float(a op b))); }             \
    inline H2 __h##name##2_sat(H2 a, H2 b)                                                         \
    {                                                                                              \
        return H2(__h##name##_sat(a.x, b.x), __h##name##_sat(a.y, b.y));                           \
    }

/**
 * A comparison: of one, of pairs (1.0 where it holds), of both at once, as a mask. With `u` NaN compares true, without
 * it false, but for != of C++.
 */
#define RK_SMALL_COMPARE(H, H2, op, name)                                                          \
    inline bool operator op(const H &a, const H &b) { return float(a) op float(b); }               \
    RK_SMALL_COMPARE_FORMS(H, H2, name,                                                            \
                           float(a) op float(b) && float(a) == float(a) && float(b) == float(b))   \
    RK_SMALL_COMPARE_FORMS(H, H2, name##u,                                                         \
                           float(a) op float(b) || float(a) != float(a) || float(b) != float(b))   \
    inline bool operator op(const H2 &a, const H2 &b) { return a.x op b.x && a.y op b.y; }
#define RK_SMALL_COMPARE_FORMS(H, H2, name, ...)                                                   \
    inline bool __h##name(H a, H b) { return __VA_ARGS__; }                                        \
    inline H2 __h##name##2(H2 a, H2 b)                                                             \
    {                                                                                              \
        return H2(H(__h##name(a.x, b.x) ? 1.0f : 0.0f), H(__h##name(a.y, b.y) ? 1.0f : 0.0f));     \
    }                                                                                              \
    inline bool __hb##name##2(H2 a, H2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }   \
    inline unsigned __h##name##2_mask(H2 a, H2 b)                                                  \
    {                                                                                              \
        return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u);    \
    }

/** A function of each element of one to three values, named for one and for pairs. */
#define RK_SMALL_1(H, H2, one, two, ...)                                                           \
    inline H one(H a) { return __VA_ARGS__; }                                                      \
    inline H2 two(H2 a) { return H2(one(a.x), one(a.y)); }
#define RK_SMALL_2(H, H2, one, two, ...)                                                           \
    inline H one(H a, H b) { return __VA_ARGS__; }                                                 \
    inline H2 two(H2 a, H2 b) { return H2(one(a.x, b.x), one(a.y, b.y)); }
#define RK_SMALL_3(H, H2, one, two, ...)                                                           \
    inline H one(H a, H b, H c) { return __VA_ARGS__; }                                            \
    inline H2 two(H2 a, H2 b, H2 c) { return H2(one(a.x, b.x, c.x), one(a.y, b.y, c.y)); }

#define RK_SMALL_FUNCTION(H, H2, name, f) RK_SMALL_1(H, H2, h##name, h2##name, H(f(float(a))))

/** All operators and intrinsics of a type. BITS makes one of its bits, INF is those of infinity. */
#define RK_SMALL_ARITHMETIC(H, H2, BITS, FROM, INF)                                                \
    RK_SMALL_OPERATOR(H, H2, +, add)                                                               \
    RK_SMALL_OPERATOR(H, H2, -, sub)                                                               \
    RK_SMALL_OPERATOR(H, H2, *, mul)                                                               \
    RK_SMALL_OPERATOR(H, H2, /, div)                                                               \
    inline H2 __h2div(H2 a, H2 b) { return a / b; }                                                \
    RK_SMALL_COMPARE(H, H2, ==, eq)                                                                \
    RK_SMALL_COMPARE(H, H2, !=, ne)                                                                \
    RK_SMALL_COMPARE(H, H2, <, lt)                                                                 \
    RK_SMALL_COMPARE(H, H2, <=, le)                                                                \
    RK_SMALL_COMPARE(H, H2, >, gt)                                                                 \
    RK_SMALL_COMPARE(H, H2, >=, ge)                                                                \
    RK_SMALL_1(H, H2, __hneg, __hneg2, BITS((unsigned short)(a.__x ^ 0x8000u)))                    \
    RK_SMALL_1(H, H2, __habs, __habs2, BITS((unsigned short)(a.__x & 0x7fffu)))                    \
    inline H operator-(const H &a) { return __hneg(a); }                                           \
    inline H operator+(const H &a) { return a; }                                                   \
    inline H2 operator-(const H2 &a) { return __hneg2(a); }                                        \
    inline H2 operator+(const H2 &a) { return a; }                                                 \
    inline H &operator++(H &a) { return a = a + H(1.0f); }                                         \
    inline H &operator--(H &a) { return a = a - H(1.0f); }                                         \
    inline H operator++(H &a, int) { H old = a; ++a; return old; }                                 \
    inline H operator--(H &a, int) { H old = a; --a; return old; }                                 \
    /* Inlined, each would take a compiler 0.06 s. */                                              \
    __attribute__((noinline))                                                                      \
    RK_SMALL_3(H, H2, __hfma, __hfma2,                                                             \
               BITS(FROM(rk__::add_to_odd(double(float(a)) * double(float(b)), double(float(c))),    \
                         rk__::rounding::nearest)))                                                  \
    RK_SMALL_3(H, H2, __hfma_sat, __hfma2_sat, H(rk__::saturate_unit(float(__hfma(a, b, c)))))       \
    RK_SMALL_3(H, H2, __hfma_relu, __hfma2_relu, H(rk__::not_negative(float(__hfma(a, b, c)))))      \
    /* a b + c of complex numbers. */                                                              \
    inline H2 __hcmadd(H2 a, H2 b, H2 c)                                                           \
    {                                                                                              \
        return H2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)),                                 \
                  __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));                                        \
    }                                                                                              \
    RK_SMALL_2(H, H2, __hmax, __hmax2, H(rk__::larger(float(a), float(b))))                          \
    RK_SMALL_2(H, H2, __hmin, __hmin2, H(rk__::smaller(float(a), float(b))))                         \
    inline bool __hisnan(H a) { return (a.__x & 0x7fffu) > INF; }                                  \
    inline int __hisinf(H a) { return a.__x == INF ? 1 : a.__x == (INF | 0x8000u) ? -1 : 0; }      \
    inline H2 __hisnan2(H2 a)                                                                      \
    {                                                                                              \
        return H2(H(__hisnan(a.x) ? 1.0f : 0.0f), H(__hisnan(a.y) ? 1.0f : 0.0f));                 \
    }                                                                                              \
    RK_SMALL_2(H, H2, __hmax_nan, __hmax2_nan,                                                     \
               __hisnan(a) || __hisnan(b) ? BITS(0x7fff) : __hmax(a, b))                           \
    RK_SMALL_2(H, H2, __hmin_nan, __hmin2_nan,                                                     \
               __hisnan(a) || __hisnan(b) ? BITS(0x7fff) : __hmin(a, b))                           \
    RK_SMALL_FUNCTION(H, H2, exp, ::expf)                                                          \
    RK_SMALL_FUNCTION(H, H2, exp2, ::exp2f)                                                        \
    RK_SMALL_FUNCTION(H, H2, exp10, ::exp10f)                                                      \
    RK_SMALL_FUNCTION(H, H2, log, ::logf)                                                          \
    RK_SMALL_FUNCTION(H, H2, log2, ::log2f)                                                        \
    RK_SMALL_FUNCTION(H, H2, log10, ::log10f)                                                      \
    RK_SMALL_FUNCTION(H, H2, sin, ::sinf)                                                          \
    RK_SMALL_FUNCTION(H, H2, cos, ::cosf)                                                          \
    RK_SMALL_FUNCTION(H, H2, tanh, ::tanhf)                                                        \
    RK_SMALL_FUNCTION(H, H2, tanh_approx, ::tanhf)                                                 \
    RK_SMALL_FUNCTION(H, H2, sqrt, ::sqrtf)                                                        \
    RK_SMALL_FUNCTION(H, H2, rsqrt, 1.0 / ::sqrt)                                                  \
    RK_SMALL_FUNCTION(H, H2, rcp, 1.0f /)                                                          \
    RK_SMALL_FUNCTION(H, H2, floor, ::floorf)                                                      \
    RK_SMALL_FUNCTION(H, H2, ceil, ::ceilf)                                                        \
    RK_SMALL_FUNCTION(H, H2, trunc, ::truncf)                                                      \
    RK_SMALL_FUNCTION(H, H2, rint, ::rintf)

#endif
