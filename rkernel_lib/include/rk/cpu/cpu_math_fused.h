#ifndef RK_CPU_MATH_FUSED_H
#define RK_CPU_MATH_FUSED_H

/*
 * expf, tanhf and erff in line, for libraries of a level of processors (RK_CPU_FUSED), in which products are fused with sums
 * and whose bytes are the level's own: loops over threads that call them are vectorised. Errors are below 2 units in the last
 * place where the compiler fuses. Both sides of each choice are computed, as a vector's lanes do.
 */

#include <cstdint>
#include <cstring>
#include <math.h>

namespace rk__
{

inline std::int32_t fused_bits(float x)
{
    std::int32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

inline float fused_float(std::int32_t bits)
{
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

/** a where `first`, else b. */
inline float fused_pick(bool first, float a, float b)
{
    const std::int32_t mask = -std::int32_t(first);
    return fused_float((fused_bits(a) & mask) | (fused_bits(b) & ~mask));
}

/** The size of `size`, the sign of `sign`. */
inline float fused_sign(float size, float sign)
{
    const std::int32_t top = INT32_MIN;
    return fused_float((fused_bits(size) & ~top) | (fused_bits(sign) & top));
}

/** 2^n e^r for x = n ln 2 + r, |r| at most ln 2 / 2; 2^n in two factors, so that none is out of range. */
inline float fused_exp(float x)
{
    const float least = fused_pick(x < -104.0f, -104.0f, x);
    const float t = fused_pick(least > 89.0f, 89.0f, least);
    const float shifted = t * 1.44269504088896341f + 12582912.0f; /* 1.5 2^23: the bits below are n */
    const float n = shifted - 12582912.0f;
    const float r = n * -1.42860677e-6f + (n * -0.693145752f + t);
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    const float e = (p * (r * r) + r) + 1.0f;
    const std::int32_t whole = fused_bits(shifted) - 0x4b400000, half = whole >> 1;
    return e * fused_float((half + 127) << 23) * fused_float((whole - half + 127) << 23);
}

inline float fused_tanh(float x)
{
    const float size = fused_sign(x, 0.0f), s = x * x;
    float p = -5.70498872745e-3f;
    p = p * s + 2.06390887954e-2f;
    p = p * s - 5.37397155531e-2f;
    p = p * s + 1.33314422036e-1f;
    p = p * s - 3.33332819422e-1f;
    const float near = (p * s) * x + x;
    const float far = 1.0f - 2.0f / (fused_exp(2.0f * size) + 1.0f);
    return fused_sign(fused_pick(size < 0.625f, near, far), x);
}

inline float fused_erf(float x)
{
    const float size = fused_sign(x, 0.0f), s = x * x;
    float far = (-1.72853470e-5f * size + 3.83197126e-4f) * s;
    far = far + (-3.88396438e-3f * size + 2.42546219e-2f);
    far = far * size - 1.06777877e-1f;
    far = far * size - 6.34846687e-1f;
    far = far * size - 1.28717512e-1f;
    far = far * size - size;
    far = 1.0f - fused_exp(far);
    float near = -5.96761703e-4f;
    near = near * s + 4.99119423e-3f;
    near = near * s - 2.67681349e-2f;
    near = near * s + 1.12819925e-1f;
    near = near * s - 3.76125336e-1f;
    near = near * s + 1.28379166e-1f;
    near = near * x + x;
    return fused_pick(size > 0.927734375f, fused_sign(far, x), near);
}

} // namespace rk__

#define RK_CPU_IN_LINE extern "C" inline __attribute__((gnu_inline, always_inline))
RK_CPU_IN_LINE float expf(float x) noexcept { return rk__::fused_exp(x); }
RK_CPU_IN_LINE float tanhf(float x) noexcept { return rk__::fused_tanh(x); }
RK_CPU_IN_LINE float erff(float x) noexcept { return rk__::fused_erf(x); }
#undef RK_CPU_IN_LINE

#endif
