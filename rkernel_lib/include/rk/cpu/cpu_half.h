#ifndef RK_CPU_HALF_H
#define RK_CPU_HALF_H

/*
 * CUDA's __half and __half2 for a host compiler: storage as IEEE binary16, results as if computed exactly
 * and rounded once.
 */

#include "cpu_small_float.h"

namespace rk__ {

/** To nearest, without going through double: the way that kernels take most. */
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

inline std::uint16_t half_from(double value, rounding mode)
{
    return small_from_double(value, 5, 10, mode);
}
inline std::uint16_t half_from(float value, rounding mode)
{
    return mode == rounding::nearest ? half_from_float(value) : half_from(double(value), mode);
}
template <class Integer>
inline std::uint16_t half_from(Integer value, rounding mode)
{
    return half_from(double(value), mode);
}

inline float half_to_float(std::uint16_t half)
{
    const std::uint32_t sign = (half & 0x8000u) << 16;
    const std::uint32_t exponent = half >> 10 & 31u, fraction = half & 0x3ffu;
    if (exponent == 31)
        return bits_as<float>(fraction ? 0x7fffffffu : sign | 0x7f800000u);
    if (exponent)
        return bits_as<float>(sign | (exponent + 112) << 23 | fraction << 13);
    const float small = float(fraction) * 0x1p-24f;
    return sign ? -small : small;
}

} // namespace rk__

struct __half_raw {
    unsigned short x;
};
struct __half2_raw {
    unsigned short x, y;
};

struct __align__(2) __half {
    unsigned short __x;

    __half() = default;
    constexpr __half(__half_raw raw) : __x(raw.x) {}
    RK_SMALL_MEMBERS(__half, rk__::half_from, rk__::half_to_float)
    operator __half_raw() const { return __half_raw{__x}; }
};

struct __align__(4) __half2 {
    __half x, y;
    __half2() = default;
    constexpr __half2(__half a, __half b) : x(a), y(b) {}
    constexpr __half2(__half2_raw raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
    operator __half2_raw() const { return __half2_raw{x.__x, y.__x}; }
};

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

namespace rk__ {

constexpr __half half_of(unsigned bits) { return __half(__half_raw{(unsigned short)bits}); }

} // namespace rk__

RK_SMALL_CONVERSIONS(__half, half, rk__::half_from, rk__::half_of)
RK_SMALL_PAIRS(__half, __half2, half, half2)
RK_SMALL_ARITHMETIC(__half, __half2, rk__::half_of, rk__::half_from, 0x7c00u)

#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)
#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001)

#endif
