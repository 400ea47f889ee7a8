#include "alu.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

/*
 * Floating-point instructions on f32 and f64. They run in the thread's rounding direction: what asks for another one is
 * wrapped (decode.c). The approximations are computed in double precision, which is nearer than the hardware is.
 */

typedef uint32_t u32;
typedef uint64_t u64;

#define ONE(name, T, ...)                                                                          \
    static void name(run *c, const insn *i, uint32_t mask)                                         \
    {                                                                                              \
        T *const d = at(c, i->o[0]);                                                               \
        const T *const pa = at(c, i->o[1]);                                                        \
        EACH_LANE(const T a = pa[l]; d[l] = (T)(__VA_ARGS__);)                                     \
    }
#define TWO(name, T, ...)                                                                          \
    static void name(run *c, const insn *i, uint32_t mask)                                         \
    {                                                                                              \
        T *const d = at(c, i->o[0]);                                                               \
        const T *const pa = at(c, i->o[1]);                                                        \
        const T *const pb = at(c, i->o[2]);                                                        \
        EACH_LANE(const T a = pa[l]; const T b = pb[l]; d[l] = (T)(__VA_ARGS__);)                  \
    }
#define THREE(name, T, ...)                                                                        \
    static void name(run *c, const insn *i, uint32_t mask)                                         \
    {                                                                                              \
        T *const d = at(c, i->o[0]);                                                               \
        const T *const pa = at(c, i->o[1]);                                                        \
        const T *const pb = at(c, i->o[2]);                                                        \
        const T *const pe = at(c, i->o[3]);                                                        \
        EACH_LANE(const T a = pa[l]; const T b = pb[l]; const T e = pe[l];                         \
                  d[l] = (T)(__VA_ARGS__);)                                                        \
    }

static inline float canonical(float v)
{
    const u32 bits = 0x7FFFFFFF;
    float nan;
    memcpy(&nan, &bits, sizeof nan);
    return v != v ? nan : v;
}

/** Of -0 and +0 the least is -0; a NaN gives the other. */
#define LEAST(a, b, T)                                                                             \
    ((a) != (a)   ? (b)                                                                            \
     : (b) != (b) ? (a)                                                                            \
     : (a) < (b)  ? (a)                                                                            \
     : (b) < (a)  ? (b)                                                                            \
     : signbit(a) ? (a)                                                                            \
                  : (b))
#define MOST(a, b, T)                                                                              \
    ((a) != (a)   ? (b)                                                                            \
     : (b) != (b) ? (a)                                                                            \
     : (a) > (b)  ? (a)                                                                            \
     : (b) > (a)  ? (b)                                                                            \
     : signbit(a) ? (b)                                                                            \
                  : (a))

#define FLOATS(T, C, m)                                                                            \
    TWO(add_##T, C, a + b)                                                                         \
    TWO(sub_##T, C, a - b)                                                                         \
    TWO(mul_##T, C, a *b)                                                                          \
    TWO(div_##T, C, a / b)                                                                         \
    THREE(fma_##T, C, __builtin_fma##m(a, b, e))                                                   \
    ONE(rcp_##T, C, (C)1 / a)                                                                      \
    ONE(sqrt_##T, C, __builtin_sqrt##m(a))                                                         \
    ONE(neg_##T, C, -a)                                                                            \
    ONE(abs_##T, C, __builtin_fabs##m(a))                                                          \
    TWO(copysign_##T, C, __builtin_copysign##m(b, a))
FLOATS(f32, float, f)
FLOATS(f64, double, )
TWO(min_f32, float, canonical(LEAST(a, b, float)))
TWO(max_f32, float, canonical(MOST(a, b, float)))
TWO(min_nan_f32, float, canonical(a != a ? a : b != b ? b : LEAST(a, b, float)))
TWO(max_nan_f32, float, canonical(a != a ? a : b != b ? b : MOST(a, b, float)))
TWO(min_f64, double, LEAST(a, b, double))
TWO(max_f64, double, MOST(a, b, double))
ONE(rcp_approx_f32, float, 1.0 / a)
TWO(div_approx_f32, float, (double)a / b)
ONE(sqrt_approx_f32, float, sqrt((double)a))
ONE(rsqrt_approx_f32, float, 1.0 / sqrt((double)a))
ONE(rsqrt_approx_f64, double, 1.0 / sqrt(a))
ONE(rcp_approx_f64, double, 1.0 / a)
ONE(sin_approx_f32, float, sin((double)a))
ONE(cos_approx_f32, float, cos((double)a))
ONE(lg2_approx_f32, float, log2((double)a))
ONE(ex2_approx_f32, float, exp2((double)a))
ONE(tanh_approx_f32, float, tanh((double)a))

#define TEST(name, T, ...)                                                                         \
    static void testp_##name(run *c, const insn *i, uint32_t mask)                                 \
    {                                                                                              \
        u32 *const d = at(c, i->o[0]);                                                             \
        const T *const pa = at(c, i->o[1]);                                                        \
        u32 r = 0;                                                                                 \
        for (int l = 0; l < LANES; l++) {                                                          \
            const T a = pa[l];                                                                     \
            r |= (u32)((__VA_ARGS__) != 0) << l;                                                   \
        }                                                                                          \
        *d = (*d & ~mask) | (r & mask);                                                            \
    }
#define TESTS(T, C)                                                                                \
    TEST(finite_##T, C, isfinite(a))                                                               \
    TEST(infinite_##T, C, isinf(a))                                                                \
    TEST(number_##T, C, !isnan(a))                                                                 \
    TEST(notanumber_##T, C, isnan(a))                                                              \
    TEST(normal_##T, C, isnormal(a))                                                               \
    TEST(subnormal_##T, C, fpclassify(a) == FP_SUBNORMAL)
TESTS(f32, float)
TESTS(f64, double)

#define ROWS(T, w)                                                                                 \
    {"add." #T, add_##T, w w w}, {"sub." #T, sub_##T, w w w}, {"mul." #T, mul_##T, w w w},         \
        {"div." #T, div_##T, w w w}, {"fma." #T, fma_##T, w w w w}, {"mad." #T, fma_##T, w w w w}, \
        {"rcp." #T, rcp_##T, w w}, {"sqrt." #T, sqrt_##T, w w}, {"neg." #T, neg_##T, w w},         \
        {"abs." #T, abs_##T, w w}, {"copysign." #T, copysign_##T, w w w},                          \
        {"min." #T, min_##T, w w w}, {"max." #T, max_##T, w w w},                                  \
        {"testp.finite." #T, testp_finite_##T, "p" w},                                             \
        {"testp.infinite." #T, testp_infinite_##T, "p" w},                                         \
        {"testp.number." #T, testp_number_##T, "p" w},                                             \
        {"testp.notanumber." #T, testp_notanumber_##T, "p" w},                                     \
        {"testp.normal." #T, testp_normal_##T, "p" w},                                             \
    {                                                                                              \
        "testp.subnormal." #T, testp_subnormal_##T, "p" w                                          \
    }

static const alu_op ops[] = {
    ROWS(f32, "4"),
    ROWS(f64, "8"),
    {"min.NaN.f32", min_nan_f32, "444"},
    {"max.NaN.f32", max_nan_f32, "444"},
    {"rcp.approx.f32", rcp_approx_f32, "44"},
    {"rcp.approx.f64", rcp_approx_f64, "88"},
    {"div.approx.f32", div_approx_f32, "444"},
    {"div.full.f32", div_approx_f32, "444"},
    {"sqrt.approx.f32", sqrt_approx_f32, "44"},
    {"rsqrt.approx.f32", rsqrt_approx_f32, "44"},
    {"rsqrt.approx.f64", rsqrt_approx_f64, "88"},
    {"sin.approx.f32", sin_approx_f32, "44"},
    {"cos.approx.f32", cos_approx_f32, "44"},
    {"lg2.approx.f32", lg2_approx_f32, "44"},
    {"ex2.approx.f32", ex2_approx_f32, "44"},
    {"tanh.approx.f32", tanh_approx_f32, "44"},
};

const alu_op *alu_find_float(const char *name)
{
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(ops[i].name, name) == 0)
            return &ops[i];
    return NULL;
}
