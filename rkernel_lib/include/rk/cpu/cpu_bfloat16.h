#ifndef RK_CPU_BFLOAT16_H
#define RK_CPU_BFLOAT16_H

/*
 * CUDA's __nv_bfloat16 and __nv_bfloat162 for a host compiler: the upper half of a float, results as if
 * computed exactly and rounded once.
 */

#include "cpu_half.h"

namespace rk__ {

inline std::uint16_t bfloat16_from(double value, rounding mode)
{
    return small_from_double(value, 8, 7, mode);
}
inline std::uint16_t bfloat16_from(float value, rounding mode)
{
    if (mode != rounding::nearest || value != value)
        return bfloat16_from(double(value), mode);
    const std::uint32_t bits = bits_as<std::uint32_t>(value);
    return std::uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
template <class Integer>
inline std::uint16_t bfloat16_from(Integer value, rounding mode)
{
    return bfloat16_from(double(value), mode);
}

inline float bfloat16_to_float(std::uint16_t bits)
{
    return bits_as<float>(std::uint32_t(bits) << 16);
}

} // namespace rk__

struct __nv_bfloat16_raw {
    unsigned short x;
};
struct __nv_bfloat162_raw {
    unsigned short x, y;
};

struct __align__(2) __nv_bfloat16 {
    unsigned short __x;

    __nv_bfloat16() = default;
    constexpr __nv_bfloat16(__nv_bfloat16_raw raw) : __x(raw.x) {}
    explicit __nv_bfloat16(__half value) : __nv_bfloat16(float(value)) {}
    RK_SMALL_MEMBERS(__nv_bfloat16, rk__::bfloat16_from, rk__::bfloat16_to_float)
    operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
};

struct __align__(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    constexpr __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
    constexpr __nv_bfloat162(__nv_bfloat162_raw raw)
        : x(__nv_bfloat16_raw{raw.x}), y(__nv_bfloat16_raw{raw.y})
    {
    }
    operator __nv_bfloat162_raw() const { return __nv_bfloat162_raw{x.__x, y.__x}; }
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

namespace rk__ {

constexpr __nv_bfloat16 bfloat16_of(unsigned bits)
{
    return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)bits});
}

} // namespace rk__

RK_SMALL_CONVERSIONS(__nv_bfloat16, bfloat16, rk__::bfloat16_from, rk__::bfloat16_of)
RK_SMALL_PAIRS(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162)
RK_SMALL_ARITHMETIC(__nv_bfloat16, __nv_bfloat162, rk__::bfloat16_of, rk__::bfloat16_from, 0x7f80u)

#endif
