#ifndef RK_CPU_FP8_H
#define RK_CPU_FP8_H

/*
 * cuda_fp8.h on a CPU: numbers of 8 bits, one, two or four in a word, and their conversions. Those of 8 exponent bits
 * (e8m0) are left out.
 */

#include "cpu_bfloat16.h"
#include "cpu_byte_float.h"
#include "cpu_half.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                 __nv_fp8_interpretation_t format)
{
    const bool saturates = saturate == __NV_SATFINITE;
    return format == __NV_E4M3 ? rk__::e4m3::stored(x, saturates) : rk__::e5m2::stored(x, saturates);
}
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t format)
{
    return __half(format == __NV_E4M3 ? rk__::e4m3::value(x) : rk__::e5m2::value(x));
}
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                              __nv_fp8_interpretation_t format)
{
    return {__nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t(x), format).x,
            __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t(x >> 8), format).x};
}

/** From One to one number, and from a pair of them; `value` and the `pair`'s elements are what a double can hold. */
#define RK_FP8_FROM(name, One, value, pair_name, Pair, low, high)                                  \
    inline __nv_fp8_storage_t __nv_cvt_##name##_to_fp8(One x, __nv_saturation_t saturate,          \
                                                       __nv_fp8_interpretation_t format)           \
    {                                                                                              \
        return __nv_cvt_double_to_fp8(value, saturate, format);                                    \
    }                                                                                              \
    RK_FP8_FROM_PAIR(pair_name, Pair, low, high)
#define RK_FP8_FROM_PAIR(name, Pair, low, high)                                                    \
    inline __nv_fp8x2_storage_t __nv_cvt_##name##_to_fp8x2(Pair x, __nv_saturation_t saturate,     \
                                                           __nv_fp8_interpretation_t format)       \
    {                                                                                              \
        const unsigned above = __nv_cvt_double_to_fp8(high, saturate, format);                     \
        return __nv_fp8x2_storage_t(__nv_cvt_double_to_fp8(low, saturate, format) | above << 8);   \
    }
RK_FP8_FROM_PAIR(double2, double2, x.x, x.y)
RK_FP8_FROM(float, float, x, float2, float2, x.x, x.y)
RK_FP8_FROM(halfraw, __half_raw, float(__half(x)), halfraw2, __half2_raw,
            float(__half(__half_raw{x.x})), float(__half(__half_raw{x.y})))
RK_FP8_FROM(bfloat16raw, __nv_bfloat16_raw, float(__nv_bfloat16(x)), bfloat16raw2,
            __nv_bfloat162_raw, float(__nv_bfloat16(__nv_bfloat16_raw{x.x})),
            float(__nv_bfloat16(__nv_bfloat16_raw{x.y})))
#undef RK_FP8_FROM
#undef RK_FP8_FROM_PAIR

#define RK_FP8_INTEGER(H, format, T)                                                               \
    explicit H(T value) : __x(rk__::format::stored(double(value), true)) {}                        \
    explicit operator T() const                                                                    \
    {                                                                                              \
        return rk__::small_to_integer<T>(float(*this), rk__::rounding::zero);                      \
    }
#define RK_FP8_TYPES(H, H2, H4, format)                                                            \
    struct __align__(1) H {                                                                        \
        __nv_fp8_storage_t __x;                                                                    \
        H() = default;                                                                             \
        explicit H(__half value) : H(float(value)) {}                                              \
        explicit H(__nv_bfloat16 value) : H(float(value)) {}                                       \
        explicit H(float value) : __x(rk__::format::stored(value, true)) {}                        \
        explicit H(double value) : __x(rk__::format::stored(value, true)) {}                       \
        RK_FP8_INTEGER(H, format, unsigned short)                                                  \
        RK_FP8_INTEGER(H, format, unsigned)                                                        \
        RK_FP8_INTEGER(H, format, unsigned long)                                                   \
        RK_FP8_INTEGER(H, format, unsigned long long)                                              \
        RK_FP8_INTEGER(H, format, short)                                                           \
        RK_FP8_INTEGER(H, format, int)                                                             \
        RK_FP8_INTEGER(H, format, long)                                                            \
        RK_FP8_INTEGER(H, format, long long)                                                       \
        explicit operator __half() const { return __half(float(*this)); }                          \
        explicit operator __nv_bfloat16() const { return __nv_bfloat16(float(*this)); }            \
        explicit operator float() const { return rk__::format::value(__x); }                       \
        explicit operator double() const { return rk__::format::value(__x); }                      \
        explicit operator bool() const { return (__x & 0x7f) != 0; }                               \
        explicit operator unsigned char() const                                                    \
        {                                                                                          \
            return rk__::small_to_integer<unsigned char>(float(*this), rk__::rounding::zero);      \
        }                                                                                          \
        explicit operator signed char() const                                                      \
        {                                                                                          \
            return rk__::small_to_integer<signed char>(float(*this), rk__::rounding::zero);        \
        }                                                                                          \
        explicit operator char() const                                                             \
        {                                                                                          \
            return rk__::small_to_integer<char>(float(*this), rk__::rounding::zero);               \
        }                                                                                          \
    };                                                                                             \
    struct __align__(2) H2 {                                                                       \
        __nv_fp8x2_storage_t __x;                                                                  \
        H2() = default;                                                                            \
        explicit H2(__half2 v) : H2(__half22float2(v)) {}                                          \
        explicit H2(__nv_bfloat162 v) : H2(__bfloat1622float2(v)) {}                               \
        explicit H2(float2 v) : H2(make_double2(v.x, v.y)) {}                                      \
        explicit H2(double2 v)                                                                     \
            : __x(__nv_fp8x2_storage_t(rk__::format::stored(v.x, true) |                           \
                                       unsigned(rk__::format::stored(v.y, true)) << 8))            \
        {                                                                                          \
        }                                                                                          \
        explicit operator float2() const                                                           \
        {                                                                                          \
            return make_float2(rk__::format::value(std::uint8_t(__x)),                             \
                               rk__::format::value(std::uint8_t(__x >> 8)));                       \
        }                                                                                          \
        explicit operator __half2() const { return __float22half2_rn(float2(*this)); }             \
        explicit operator __nv_bfloat162() const { return __float22bfloat162_rn(float2(*this)); }  \
    };                                                                                             \
    struct __align__(4) H4 {                                                                       \
        __nv_fp8x4_storage_t __x;                                                                  \
        H4() = default;                                                                            \
        explicit H4(__half2 low, __half2 high) : __x(H2(low).__x | unsigned(H2(high).__x) << 16)   \
        {                                                                                          \
        }                                                                                          \
        explicit H4(__nv_bfloat162 low, __nv_bfloat162 high)                                       \
            : __x(H2(low).__x | unsigned(H2(high).__x) << 16)                                      \
        {                                                                                          \
        }                                                                                          \
        explicit H4(float4 v)                                                                      \
            : __x(H2(make_float2(v.x, v.y)).__x | unsigned(H2(make_float2(v.z, v.w)).__x) << 16)   \
        {                                                                                          \
        }                                                                                          \
        explicit H4(double4 v)                                                                     \
            : __x(H2(make_double2(v.x, v.y)).__x |                                                 \
                  unsigned(H2(make_double2(v.z, v.w)).__x) << 16)                                  \
        {                                                                                          \
        }                                                                                          \
        explicit operator float4() const                                                           \
        {                                                                                          \
            return make_float4(rk__::format::value(std::uint8_t(__x)),                             \
                               rk__::format::value(std::uint8_t(__x >> 8)),                        \
                               rk__::format::value(std::uint8_t(__x >> 16)),                       \
                               rk__::format::value(std::uint8_t(__x >> 24)));                      \
        }                                                                                          \
    };
RK_FP8_TYPES(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, e4m3)
RK_FP8_TYPES(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, e5m2)
#undef RK_FP8_TYPES
#undef RK_FP8_INTEGER

#endif
