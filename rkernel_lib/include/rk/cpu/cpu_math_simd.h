#ifndef RK_CPU_MATH_SIMD_H
#define RK_CPU_MATH_SIMD_H

/* CUDA's SIMD intrinsics: two halves or four bytes of a 32-bit word, each worked on by itself. */

#include <cstdint>
#include <cstdlib>

namespace rk__ {

/** f of each element, sign- or zero-extended as T, cut to its bits. */
template <class T, class F>
inline unsigned int each_lane(unsigned int a, unsigned int b, F f)
{
    constexpr unsigned bits = 8 * sizeof(T), mask = (1u << bits) - 1;
    unsigned int result = 0;
    for (unsigned i = 0; i < 32; i += bits)
        result |= (unsigned(f(int(T(a >> i)), int(T(b >> i)))) & mask) << i;
    return result;
}

template <class T>
inline int lane_saturate(int x)
{
    constexpr int low = T(-1) < 0 ? -(1 << (8 * sizeof(T) - 1)) : 0;
    constexpr int high = T(-1) < 0 ? (1 << (8 * sizeof(T) - 1)) - 1 : (1 << 8 * sizeof(T)) - 1;
    return x < low ? low : x > high ? high : x;
}

/** The sum of f over the elements. */
template <class T, class F>
inline unsigned int sum_lanes(unsigned int a, unsigned int b, F f)
{
    unsigned int sum = 0;
    for (unsigned i = 0; i < 32; i += 8 * sizeof(T))
        sum += unsigned(f(int(T(a >> i)), int(T(b >> i))));
    return sum;
}

} // namespace rk__

/** One intrinsic for halves and bytes: S and U are the signed and the unsigned element. */
#define RK_SIMD_2(name, kind, expression)                                                          \
    RK_SIMD_ONE(name##2, kind##16_t, expression)                                                   \
    RK_SIMD_ONE(name##4, kind##8_t, expression)
#define RK_SIMD_ONE(name, T, expression)                                                           \
    inline unsigned int name(unsigned int a, unsigned int b)                                       \
    {                                                                                              \
        using element [[maybe_unused]] = std::T;                                                   \
        return rk__::each_lane<std::T>(a, b, [](int x, int y) { return expression; });               \
    }
#define RK_SIMD_SUFFIX(name, suffix, kind, expression)                                             \
    RK_SIMD_ONE(name##2, kind##16_t, expression)                                                   \
    RK_SIMD_ONE(name##4, kind##8_t, expression)

RK_SIMD_2(__vadd, uint, x + y)
RK_SIMD_2(__vsub, uint, x - y)
RK_SIMD_2(__vmaxs, int, x > y ? x : y)
RK_SIMD_2(__vmins, int, x < y ? x : y)
RK_SIMD_2(__vmaxu, uint, x > y ? x : y)
RK_SIMD_2(__vminu, uint, x < y ? x : y)
RK_SIMD_2(__vabsdiffs, int, x > y ? x - y : y - x)
RK_SIMD_2(__vabsdiffu, uint, x > y ? x - y : y - x)
RK_SIMD_2(__vaddss, int, rk__::lane_saturate<element>(x + y))
RK_SIMD_2(__vaddus, uint, rk__::lane_saturate<element>(x + y))
RK_SIMD_2(__vsubss, int, rk__::lane_saturate<element>(x - y))
RK_SIMD_2(__vsubus, uint, rk__::lane_saturate<element>(x - y))
RK_SIMD_2(__vavgs, int, (x + y + (x + y >= 0)) >> 1)
RK_SIMD_2(__vavgu, uint, (x + y + 1) >> 1)
RK_SIMD_2(__vhaddu, uint, (x + y) >> 1)

/** Comparisons, as all bits of an element and as its lowest one. */
#define RK_SIMD_COMPARE(name, kind, op)                                                            \
    RK_SIMD_2(__vcmp##name, kind, x op y ? -1 : 0)                                                 \
    RK_SIMD_2(__vset##name, kind, x op y ? 1 : 0)
RK_SIMD_COMPARE(eq, uint, ==)
RK_SIMD_COMPARE(ne, uint, !=)
RK_SIMD_COMPARE(gts, int, >)
RK_SIMD_COMPARE(ges, int, >=)
RK_SIMD_COMPARE(lts, int, <)
RK_SIMD_COMPARE(les, int, <=)
RK_SIMD_COMPARE(gtu, uint, >)
RK_SIMD_COMPARE(geu, uint, >=)
RK_SIMD_COMPARE(ltu, uint, <)
RK_SIMD_COMPARE(leu, uint, <=)
#undef RK_SIMD_COMPARE

/** Of one operand. */
#define RK_SIMD_1(name, expression)                                                                \
    RK_SIMD_1_ONE(name##2, std::int16_t, expression)                                               \
    RK_SIMD_1_ONE(name##4, std::int8_t, expression)
#define RK_SIMD_1_ONE(name, T, expression)                                                         \
    inline unsigned int name(unsigned int a)                                                       \
    {                                                                                              \
        using element [[maybe_unused]] = T;                                                        \
        return rk__::each_lane<T>(a, a, [](int x, int) { return expression; });                      \
    }
RK_SIMD_1(__vabs, x < 0 ? -x : x)
RK_SIMD_1(__vneg, -x)
RK_SIMD_1(__vabsss, rk__::lane_saturate<element>(x < 0 ? -x : x))
RK_SIMD_1(__vnegss, rk__::lane_saturate<element>(-x))
#undef RK_SIMD_1_ONE
#undef RK_SIMD_1
#undef RK_SIMD_SUFFIX
#undef RK_SIMD_ONE
#undef RK_SIMD_2

#define RK_SIMD_SAD(name, T)                                                                       \
    inline unsigned int name(unsigned int a, unsigned int b)                                       \
    {                                                                                              \
        return rk__::sum_lanes<T>(a, b, [](int x, int y) { return x > y ? x - y : y - x; });         \
    }
RK_SIMD_SAD(__vsads2, std::int16_t)
RK_SIMD_SAD(__vsads4, std::int8_t)
RK_SIMD_SAD(__vsadu2, std::uint16_t)
RK_SIMD_SAD(__vsadu4, std::uint8_t)
#undef RK_SIMD_SAD

#endif
