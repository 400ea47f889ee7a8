#ifndef RK_CPU_MATH_DPX_H
#define RK_CPU_MATH_DPX_H

/*
 * CUDA's intrinsics for dynamic programming (DPX): minima and maxima of sums and of three, of 32-bit
 * integers and of the two halves of a word. rk/cpu/cpu_math.h includes it once what it builds on is there.
 */

namespace rk__
{

/** Wraps, as the sums of these intrinsics do. */
inline int add_wrapping(int a, int b)
{
    return int((unsigned int)a + (unsigned int)b);
}
inline unsigned int add_wrapping(unsigned int a, unsigned int b)
{
    return a + b;
}

} // namespace rk__

/** For integers of type T: their sum, their minimum, their maximum. */
#define RK_DPX(T, suffix, SUM, MIN, MAX)                                                           \
    inline T __viaddmax_##suffix(T a, T b, T c)                                                    \
    {                                                                                              \
        return MAX(SUM(a, b), c);                                                                  \
    }                                                                                              \
    inline T __viaddmin_##suffix(T a, T b, T c)                                                    \
    {                                                                                              \
        return MIN(SUM(a, b), c);                                                                  \
    }                                                                                              \
    inline T __vimax3_##suffix(T a, T b, T c)                                                      \
    {                                                                                              \
        return MAX(MAX(a, b), c);                                                                  \
    }                                                                                              \
    inline T __vimin3_##suffix(T a, T b, T c)                                                      \
    {                                                                                              \
        return MIN(MIN(a, b), c);                                                                  \
    }
RK_DPX(int, s32, rk__::add_wrapping, min, max)
RK_DPX(unsigned int, u32, rk__::add_wrapping, umin, umax)
RK_DPX(unsigned int, s16x2, __vadd2, __vmins2, __vmaxs2)
RK_DPX(unsigned int, u16x2, __vadd2, __vminu2, __vmaxu2)
#undef RK_DPX

/** The same of signed ones, and 0 where that is negative. */
#define RK_DPX_RELU(T, suffix, MIN, MAX)                                                           \
    inline T __viaddmax_##suffix##_relu(T a, T b, T c)                                             \
    {                                                                                              \
        return MAX(__viaddmax_##suffix(a, b, c), 0);                                               \
    }                                                                                              \
    inline T __viaddmin_##suffix##_relu(T a, T b, T c)                                             \
    {                                                                                              \
        return MAX(__viaddmin_##suffix(a, b, c), 0);                                               \
    }                                                                                              \
    inline T __vimax3_##suffix##_relu(T a, T b, T c)                                               \
    {                                                                                              \
        return MAX(__vimax3_##suffix(a, b, c), 0);                                                 \
    }                                                                                              \
    inline T __vimin3_##suffix##_relu(T a, T b, T c)                                               \
    {                                                                                              \
        return MAX(__vimin3_##suffix(a, b, c), 0);                                                 \
    }                                                                                              \
    inline T __vimax_##suffix##_relu(T a, T b)                                                     \
    {                                                                                              \
        return MAX(MAX(a, b), 0);                                                                  \
    }                                                                                              \
    inline T __vimin_##suffix##_relu(T a, T b)                                                     \
    {                                                                                              \
        return MAX(MIN(a, b), 0);                                                                  \
    }
RK_DPX_RELU(int, s32, min, max)
RK_DPX_RELU(unsigned int, s16x2, __vmins2, __vmaxs2)
#undef RK_DPX_RELU

/** Minimum and maximum, and whether it is the first one. */
#define RK_DPX_WHICH(name, T, op)                                                                  \
    inline T name(T a, T b, bool *first)                                                           \
    {                                                                                              \
        *first = a op b;                                                                           \
        return *first ? a : b;                                                                     \
    }
RK_DPX_WHICH(__vibmax_s32, int, >=)
RK_DPX_WHICH(__vibmax_u32, unsigned int, >=)
RK_DPX_WHICH(__vibmin_s32, int, <=)
RK_DPX_WHICH(__vibmin_u32, unsigned int, <=)
#undef RK_DPX_WHICH

#define RK_DPX_WHICH_2(name, pick, compare)                                                        \
    inline unsigned int name(unsigned int a, unsigned int b, bool *high, bool *low)                \
    {                                                                                              \
        const unsigned int first = compare(a, b);                                                  \
        *high = first >> 16 != 0;                                                                  \
        *low = (first & 0xffff) != 0;                                                              \
        return pick(a, b);                                                                         \
    }
RK_DPX_WHICH_2(__vibmax_s16x2, __vmaxs2, __vcmpges2)
RK_DPX_WHICH_2(__vibmax_u16x2, __vmaxu2, __vcmpgeu2)
RK_DPX_WHICH_2(__vibmin_s16x2, __vmins2, __vcmples2)
RK_DPX_WHICH_2(__vibmin_u16x2, __vminu2, __vcmpleu2)
#undef RK_DPX_WHICH_2

#endif
