#include "alu.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

/* Half precision and bfloat16, alone and in pairs. Sums and products of halves are exact in double precision. */

typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

double half_to_double(uint16_t bits)
{
    const int exponent = bits >> 10 & 31;
    const double fraction = bits & 1023, sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 31)
        return fraction != 0 ? (double)NAN : sign * (double)INFINITY;
    return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

double bfloat_to_double(uint16_t bits)
{
    const u32 wide = (u32)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return (double)value;
}

/** A number with `digits` binary digits and exponents from `least` on, the largest being `most`. */
static double narrow(double value, int digits, int least, double most)
{
    int exponent;
    if (value == 0 || !isfinite(value))
        return value;
    frexp(value, &exponent);
    const int unit = (exponent - digits > least ? exponent - digits : least);
    /* rint rounds in the current direction. */
    const double rounded = ldexp(rint(ldexp(value, -unit)), unit);
    if (fabs(rounded) <= most)
        return rounded;
    const int direction = fegetround();
    const bool away = direction == FE_TONEAREST || (direction == FE_UPWARD && value > 0) ||
                      (direction == FE_DOWNWARD && value < 0);
    return copysign(away ? (double)INFINITY : most, value);
}

uint16_t double_to_half(double value)
{
    if (isnan(value))
        return 0x7FFF;
    const u16 sign = signbit(value) ? 0x8000 : 0;
    const double v = fabs(narrow(value, 11, -24, 65504));
    int exponent;
    if (isinf(v))
        return sign | 0x7C00;
    if (v < ldexp(1, -14))
        return (u16)(sign | (u16)ldexp(v, 24));
    const double fraction = frexp(v, &exponent);
    return (u16)(sign | (u16)((exponent + 14) << 10) | ((u16)ldexp(fraction, 11) & 1023));
}

uint16_t double_to_bfloat(double value)
{
    u32 bits;
    if (isnan(value))
        return 0x7FFF;
    const float v = (float)narrow(value, 8, -133, ldexp(255, 120));
    memcpy(&bits, &v, sizeof bits);
    return (u16)(bits >> 16);
}

/** a + b, whose last digit tells whether it is exact, so that it may be rounded once more. */
static double odd_sum(double a, double b)
{
    const double s = a + b, rest = s - a, error = (a - (s - rest)) + (b - rest);
    u64 bits;
    if (error == 0 || !isfinite(s))
        return s;
    memcpy(&bits, &s, sizeof bits);
    if (bits & 1)
        return s;
    return nextafter(s, error > 0 ? (double)INFINITY : -(double)INFINITY);
}

static double least(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a < b || (a == b && signbit(a)) ? a : b;
}
static double most(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a > b || (a == b && !signbit(a)) ? a : b;
}
static double least_nan(double a, double b)
{
    return isnan(a) || isnan(b) ? (double)NAN : least(a, b);
}
static double most_nan(double a, double b)
{
    return isnan(a) || isnan(b) ? (double)NAN : most(a, b);
}

/** All have three operands; what needs fewer leaves the last out. */
#define LANE(name, from, to, W, n, expression)                                                     \
    static void name(run *c, const insn *i, uint32_t mask)                                         \
    {                                                                                              \
        W *const d = at(c, i->o[0]);                                                               \
        const W *const pa = at(c, i->o[1]);                                                        \
        const W *const pb = n > 1 ? at(c, i->o[2]) : pa;                                           \
        const W *const pe = n > 2 ? at(c, i->o[3]) : pa;                                           \
        for (u32 k = mask; k; k &= k - 1) {                                                        \
            const int l = __builtin_ctz(k);                                                        \
            W r = 0;                                                                               \
            for (int h = 0; h < (int)(8 * sizeof(W)); h += 16) {                                   \
                const double a = from((u16)(pa[l] >> h)), b = from((u16)(pb[l] >> h));             \
                const double e = from((u16)(pe[l] >> h));                                          \
                (void)b;                                                                           \
                (void)e;                                                                           \
                r = (W)(r | (W)((W)to(expression) << h));                                          \
            }                                                                                      \
            d[l] = r;                                                                              \
        }                                                                                          \
    }
#define BITWISE(name, W, expression)                                                               \
    static void name(run *c, const insn *i, uint32_t mask)                                         \
    {                                                                                              \
        W *const d = at(c, i->o[0]);                                                               \
        const W *const pa = at(c, i->o[1]);                                                        \
        EACH_LANE(const W a = pa[l]; d[l] = (W)(expression);)                                      \
    }
#define ARITHMETIC(T, from, to, W)                                                                 \
    LANE(add_##T, from, to, W, 2, odd_sum(a, b))                                                   \
    LANE(sub_##T, from, to, W, 2, odd_sum(a, -b))                                                  \
    LANE(mul_##T, from, to, W, 2, a *b)                                                            \
    LANE(fma_##T, from, to, W, 3, odd_sum(a *b, e))                                                \
    LANE(fma_relu_##T, from, to, W, 3, most(odd_sum(a *b, e), 0))                                  \
    LANE(min_##T, from, to, W, 2, least(a, b))                                                     \
    LANE(max_##T, from, to, W, 2, most(a, b))                                                      \
    LANE(min_nan_##T, from, to, W, 2, least_nan(a, b))                                             \
    LANE(max_nan_##T, from, to, W, 2, most_nan(a, b))                                              \
    LANE(ex2_##T, from, to, W, 1, exp2(a))                                                         \
    LANE(tanh_##T, from, to, W, 1, tanh(a))                                                        \
    BITWISE(neg_##T, W, a ^ (W)0x80008000u)                                                        \
    BITWISE(abs_##T, W, a &(W)0x7FFF7FFFu)
ARITHMETIC(f16, half_to_double, double_to_half, u16)
ARITHMETIC(f16x2, half_to_double, double_to_half, u32)
ARITHMETIC(bf16, bfloat_to_double, double_to_bfloat, u16)
ARITHMETIC(bf16x2, bfloat_to_double, double_to_bfloat, u32)

#define COMPARE(name, from, pair, ...)                                                             \
    static void setp_##name(run *c, const insn *i, uint32_t mask)                                  \
    {                                                                                              \
        u32 *const d = at(c, i->o[0]), *const q = at(c, i->o[1]);                                  \
        for (u32 k = mask; k; k &= k - 1) {                                                        \
            const int l = __builtin_ctz(k);                                                        \
            for (int h = 0; h < (pair ? 2 : 1); h++) {                                             \
                const u16 *const pa = at(c, i->o[2]), *const pb = at(c, i->o[3]);                  \
                const double a = from(pa[pair ? 2 * l + h : l]);                                   \
                const double b = from(pb[pair ? 2 * l + h : l]);                                   \
                const bool r = (__VA_ARGS__);                                                      \
                u32 *const to = h ? q : d;                                                         \
                *to = (*to & ~(1u << l)) | (u32)r << l;                                            \
                if (!pair && q != d)                                                               \
                    *q = (*q & ~(1u << l)) | (u32)!r << l;                                         \
            }                                                                                      \
        }                                                                                          \
    }
#define COMPARES(T, from, pair)                                                                    \
    COMPARE(eq_##T, from, pair, a == b)                                                            \
    COMPARE(ne_##T, from, pair, a<b || a> b)                                                       \
    COMPARE(lt_##T, from, pair, a < b)                                                             \
    COMPARE(le_##T, from, pair, a <= b)                                                            \
    COMPARE(gt_##T, from, pair, a > b)                                                             \
    COMPARE(ge_##T, from, pair, a >= b)                                                            \
    COMPARE(equ_##T, from, pair, !(a < b || a > b))                                                \
    COMPARE(neu_##T, from, pair, a != b)                                                           \
    COMPARE(ltu_##T, from, pair, !(a >= b))                                                        \
    COMPARE(leu_##T, from, pair, !(a > b))                                                         \
    COMPARE(gtu_##T, from, pair, !(a <= b))                                                        \
    COMPARE(geu_##T, from, pair, !(a < b))                                                         \
    COMPARE(num_##T, from, pair, a == a && b == b)                                                 \
    COMPARE(nan_##T, from, pair, a != a || b != b)
COMPARES(f16, half_to_double, false)
COMPARES(bf16, bfloat_to_double, false)
COMPARES(f16x2, half_to_double, true)
COMPARES(bf16x2, bfloat_to_double, true)

#define ROWS(T, w)                                                                                 \
    {"add." #T, add_##T, w w w}, {"sub." #T, sub_##T, w w w}, {"mul." #T, mul_##T, w w w},         \
        {"fma." #T, fma_##T, w w w w}, {"fma.relu." #T, fma_relu_##T, w w w w},                    \
        {"min." #T, min_##T, w w w}, {"max." #T, max_##T, w w w},                                  \
        {"min.NaN." #T, min_nan_##T, w w w}, {"max.NaN." #T, max_nan_##T, w w w},                  \
        {"ex2.approx." #T, ex2_##T, w w}, {"tanh.approx." #T, tanh_##T, w w},                      \
        {"neg." #T, neg_##T, w w}, {"abs." #T, abs_##T, w w},                                      \
        {"setp.eq." #T, setp_eq_##T, "pp" w w}, {"setp.ne." #T, setp_ne_##T, "pp" w w},            \
        {"setp.lt." #T, setp_lt_##T, "pp" w w}, {"setp.le." #T, setp_le_##T, "pp" w w},            \
        {"setp.gt." #T, setp_gt_##T, "pp" w w}, {"setp.ge." #T, setp_ge_##T, "pp" w w},            \
        {"setp.equ." #T, setp_equ_##T, "pp" w w}, {"setp.neu." #T, setp_neu_##T, "pp" w w},        \
        {"setp.ltu." #T, setp_ltu_##T, "pp" w w}, {"setp.leu." #T, setp_leu_##T, "pp" w w},        \
        {"setp.gtu." #T, setp_gtu_##T, "pp" w w}, {"setp.geu." #T, setp_geu_##T, "pp" w w},        \
        {"setp.num." #T, setp_num_##T, "pp" w w},                                                  \
    {                                                                                              \
        "setp.nan." #T, setp_nan_##T, "pp" w w                                                     \
    }

static const alu_op ops[] = {ROWS(f16, "2"), ROWS(bf16, "2"), ROWS(f16x2, "4"), ROWS(bf16x2, "4")};

const alu_op *alu_find_half(const char *name)
{
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(ops[i].name, name) == 0)
            return &ops[i];
    return NULL;
}
