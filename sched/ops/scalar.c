#include "sched/ops/scalar.h"

#include "sched/ops/narrow.h"

#include <math.h>
#include <string.h>

rk_domain rk_domain_of(rk_dtype dtype)
{
    switch (dtype) {
    case RK_F64:
        return RK_DOMAIN_F64;
    case RK_U8:
    case RK_U16:
    case RK_U32:
    case RK_U64:
    case RK_U4:
    case RK_U2:
        return RK_DOMAIN_U64;
    case RK_BOOL:
    case RK_I8:
    case RK_I16:
    case RK_I32:
    case RK_I64:
    case RK_I4:
    case RK_I2:
        return RK_DOMAIN_I64;
    default:
        return RK_DOMAIN_F32;
    }
}

bool rk_domain_is_real(rk_domain domain)
{
    return domain == RK_DOMAIN_F32 || domain == RK_DOMAIN_F64;
}

bool rk_domain_named(rk_domain *out, const char *name)
{
    static const char *const names[] = {"f32", "f64", "i64", "u64"};
    for (int i = 0; i < 4; i++)
        if (strcmp(names[i], name) == 0) {
            *out = (rk_domain)i;
            return true;
        }
    return false;
}

float rk_half_to_float(uint16_t bits)
{
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    double size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    if (exponent == 31)
        size = fraction ? (double)NAN : (double)INFINITY;
    return (float)(bits & 0x8000 ? -size : size);
}

uint16_t rk_half_of(float value)
{
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    const double size = fabs((double)value);
    if (isnan(value))
        return sign | 0x7e00;
    if (size >= 65520)
        return sign | 0x7c00;
    int exponent;
    frexp(size, &exponent);
    if (size == 0 || exponent < -13)
        exponent = -13; /* below lie the subnormal numbers, and zero */
    const double steps = nearbyint(ldexp(size, 11 - exponent));
    return (uint16_t)(sign | ((uint16_t)((exponent + 13) << 10) + (uint16_t)steps));
}

float rk_bfloat_to_float(uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

uint16_t rk_bfloat_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (isnan(value))
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/** As what the type of the element is. */
static rk_scalar load_real(const void *p, rk_dtype dtype, int64_t i)
{
    switch (dtype) {
    case RK_F64:
        return (rk_scalar){.d = ((const double *)p)[i]};
    case RK_F16:
        return (rk_scalar){.d = (double)rk_half_to_float(((const uint16_t *)p)[i])};
    case RK_BF16:
        return (rk_scalar){.d = (double)rk_bfloat_to_float(((const uint16_t *)p)[i])};
    case RK_F32:
        return (rk_scalar){.d = (double)((const float *)p)[i]};
    default:
        return (rk_scalar){.d = (double)rk_narrow_to_float(dtype, ((const uint8_t *)p)[i])};
    }
}

static rk_scalar load_integer(const void *p, rk_dtype dtype, int64_t i)
{
    switch (dtype) {
    case RK_BOOL:
    case RK_U8:
    case RK_U4:
    case RK_U2:
        return (rk_scalar){.i = ((const uint8_t *)p)[i]};
    case RK_I8:
    case RK_I4:
    case RK_I2:
        return (rk_scalar){.i = ((const int8_t *)p)[i]};
    case RK_U16:
        return (rk_scalar){.i = ((const uint16_t *)p)[i]};
    case RK_I16:
        return (rk_scalar){.i = ((const int16_t *)p)[i]};
    case RK_U32:
        return (rk_scalar){.i = ((const uint32_t *)p)[i]};
    case RK_I32:
        return (rk_scalar){.i = ((const int32_t *)p)[i]};
    default:
        return (rk_scalar){.i = ((const int64_t *)p)[i]};
    }
}

static int64_t to_integer(double value)
{
    if (!(value > -9223372036854775808.0))
        return isnan(value) ? 0 : INT64_MIN;
    return value < 9223372036854775808.0 ? (int64_t)value : INT64_MAX;
}

static uint64_t to_unsigned(double value)
{
    if (value < 0)
        return (uint64_t)to_integer(value);
    return value < 18446744073709551616.0 ? (uint64_t)value : UINT64_MAX;
}

rk_scalar rk_scalar_load(const void *elements, rk_dtype dtype, int64_t i, rk_domain domain)
{
    if (rk_dtype_is_float(dtype)) {
        const rk_scalar v = load_real(elements, dtype, i);
        if (rk_domain_is_real(domain))
            return v;
        return domain == RK_DOMAIN_I64 ? (rk_scalar){.i = to_integer(v.d)}
                                       : (rk_scalar){.u = isnan(v.d) ? 0 : to_unsigned(v.d)};
    }
    const rk_scalar v = load_integer(elements, dtype, i);
    if (!rk_domain_is_real(domain))
        return v;
    return (rk_scalar){.d = dtype == RK_U64 ? (double)v.u : (double)v.i};
}

static void store_real(void *p, rk_dtype dtype, int64_t i, double value)
{
    switch (dtype) {
    case RK_F64:
        ((double *)p)[i] = value;
        return;
    case RK_F16:
        ((uint16_t *)p)[i] = rk_half_of((float)value);
        return;
    case RK_BF16:
        ((uint16_t *)p)[i] = rk_bfloat_of((float)value);
        return;
    case RK_F32:
        ((float *)p)[i] = (float)value;
        return;
    default:
        ((uint8_t *)p)[i] = rk_narrow_of(dtype, (float)value);
        return;
    }
}

static void store_integer(void *p, rk_dtype dtype, int64_t i, uint64_t value)
{
    switch (rk_dtype_size(dtype)) {
    case 1:
        ((uint8_t *)p)[i] = (uint8_t)rk_narrow_integer(dtype, (int64_t)value);
        return;
    case 2:
        ((uint16_t *)p)[i] = (uint16_t)value;
        return;
    case 4:
        ((uint32_t *)p)[i] = (uint32_t)value;
        return;
    default:
        ((uint64_t *)p)[i] = value;
        return;
    }
}

void rk_scalar_store(void *elements, rk_dtype dtype, int64_t i, rk_scalar value, rk_domain domain)
{
    const bool real = rk_domain_is_real(domain);
    if (rk_dtype_is_float(dtype))
        store_real(elements, dtype, i,
                   real                      ? value.d
                   : domain == RK_DOMAIN_U64 ? (double)value.u
                                             : (double)value.i);
    else if (dtype == RK_BOOL)
        ((uint8_t *)elements)[i] = real ? value.d != 0 : value.u != 0;
    else if (!real)
        store_integer(elements, dtype, i, value.u);
    else
        store_integer(elements, dtype, i,
                      dtype == RK_U64 ? isnan(value.d) ? 0 : to_unsigned(value.d)
                                      : (uint64_t)to_integer(value.d));
}

void rk_scalar_extreme(void *element, rk_dtype dtype, bool largest)
{
    const int bits = dtype == RK_BOOL ? 1 : rk_dtype_bits(dtype);
    const uint64_t all = ~UINT64_C(0) >> (64 - bits);
    if (rk_dtype_is_float(dtype))
        rk_scalar_store(element, dtype, 0, (rk_scalar){.d = largest ? INFINITY : -INFINITY},
                        RK_DOMAIN_F64);
    else if (rk_domain_of(dtype) == RK_DOMAIN_U64 || dtype == RK_BOOL)
        rk_scalar_store(element, dtype, 0, (rk_scalar){.u = largest ? all : 0}, RK_DOMAIN_U64);
    else
        rk_scalar_store(element, dtype, 0, (rk_scalar){.u = largest ? all >> 1 : ~(all >> 1)},
                        RK_DOMAIN_I64);
}

rk_scalar rk_scalar_of(double value, rk_domain domain)
{
    if (rk_domain_is_real(domain))
        return (rk_scalar){.d = value};
    return domain == RK_DOMAIN_I64 ? (rk_scalar){.i = to_integer(value)}
                                   : (rk_scalar){.u = to_unsigned(value)};
}
