#include "sched/ops/narrow.h"

#include <math.h>
#include <string.h>

/** A format with a sign: bits of the fraction, the exponent's bias, the code of the largest number and what follows it. */
typedef struct {
    int fraction, bias;
    uint8_t sign, most, above, nan;
    bool one_zero; /**< the code of minus zero is that of no number */
} format;

static const format formats[] = {
    [RK_F8E4M3 - RK_F8E4M3] = {3, 7, 0x80, 0x7e, 0x7f, 0x7f, false},
    [RK_F8E4M3UZ - RK_F8E4M3] = {3, 8, 0x80, 0x7f, 0x80, 0x80, true},
    [RK_F8E5M2 - RK_F8E4M3] = {2, 15, 0x80, 0x7b, 0x7c, 0x7e, false},
    [RK_F8E5M2UZ - RK_F8E4M3] = {2, 16, 0x80, 0x7f, 0x80, 0x80, true},
    [RK_F8E8M0 - RK_F8E4M3] = {0, 127, 0, 0xfe, 0xff, 0xff, false},
    [RK_F4E2M1 - RK_F8E4M3] = {1, 1, 0x08, 0x07, 0x07, 0x00, false},
};

static const format *format_of(rk_dtype dtype)
{
    return &formats[dtype - RK_F8E4M3];
}

float rk_narrow_to_float(rk_dtype dtype, uint8_t bits)
{
    const format *f = format_of(dtype);
    if (dtype == RK_F8E8M0)
        return bits == f->nan ? NAN : ldexpf(1, bits - f->bias);
    const uint8_t code = bits & (uint8_t)(f->sign - 1);
    const bool negative = bits & f->sign;
    if (f->one_zero && bits == f->nan)
        return NAN;
    if (!f->one_zero && code > f->most)
        return f->above != f->nan && code == f->above ? (negative ? -INFINITY : INFINITY) : NAN;
    const int exponent = code >> f->fraction;
    const int steps = (code & ((1 << f->fraction) - 1)) + (exponent ? 1 << f->fraction : 0);
    const float size = ldexpf((float)steps, (exponent ? exponent : 1) - f->bias - f->fraction);
    return negative ? -size : size;
}

/** A power of two that is not less than the number, which is not negative. */
static uint8_t power_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t exponent = bits >> 23;
    const uint32_t rest = bits & 0x7fffff;
    if (exponent == 0)
        return rest > 0x400000; /* the code 0 is 2^-127, half of the least normal number */
    return (uint8_t)(exponent + (rest != 0));
}

uint8_t rk_narrow_of(rk_dtype dtype, float value)
{
    const format *f = format_of(dtype);
    if (isnan(value) || (dtype == RK_F8E8M0 && value < 0))
        return f->nan;
    if (dtype == RK_F8E8M0)
        return isinf(value) ? f->nan : power_of(value);
    const uint8_t sign = signbit(value) ? f->sign : 0;
    const float size = fabsf(value);
    uint8_t code = f->above;
    if (!isinf(size)) {
        int exponent = 0;
        frexpf(size, &exponent);
        exponent = size == 0 || exponent - 1 < 1 - f->bias ? 1 - f->bias : exponent - 1;
        const float steps = nearbyintf(ldexpf(size, f->fraction - exponent));
        const float whole = (float)((exponent + f->bias - 1) << f->fraction) + steps;
        code = whole > (float)f->most ? f->above : (uint8_t)whole;
    }
    if (f->one_zero && (code == 0 || code == f->nan))
        return code;
    return code | sign;
}

float rk_narrow_most(rk_dtype dtype)
{
    return rk_narrow_to_float(dtype, format_of(dtype)->most);
}

int64_t rk_narrow_integer(rk_dtype dtype, int64_t value)
{
    const uint64_t low = (uint64_t)value;
    switch (dtype) {
    case RK_I4:
        return (int64_t)(low & 7) - (int64_t)(low & 8);
    case RK_I2:
        return (int64_t)(low & 1) - (int64_t)(low & 2);
    case RK_U4:
        return (int64_t)(low & 15);
    case RK_U2:
        return (int64_t)(low & 3);
    default:
        return value;
    }
}
