#ifndef RK_SCHED_OPS_SCALAR_H
#define RK_SCHED_OPS_SCALAR_H

#include "rkernel_lib/catalog/dtype.h"

#include <stdint.h>

/** In what an operator computes: elements are converted to it when they are read, and from it when they are written. */
typedef enum { RK_DOMAIN_F32, RK_DOMAIN_F64, RK_DOMAIN_I64, RK_DOMAIN_U64 } rk_domain;

/** A number of a domain: `d` of the first two. Definitions compute f32 in double too. */
typedef union {
    double d;
    int64_t i;
    uint64_t u;
} rk_scalar;

/** f32 for f16, bf16, f32 and the real numbers of 8 and 4 bits; i64 for bool and the signed integers, u64 for the unsigned ones. */
rk_domain rk_domain_of(rk_dtype dtype);
bool rk_domain_is_real(rk_domain domain);

/** "f32", "f64", "i64", "u64"; false for another name. */
bool rk_domain_named(rk_domain *out, const char *name);

/** Element `i` of row-major elements of that type. */
rk_scalar rk_scalar_load(const void *elements, rk_dtype dtype, int64_t i, rk_domain domain);

/**
 * Writes it. Integers keep their low bits; reals that become integers lose their fraction, and saturate at 64 bits
 * first; a bool is whether it is not 0.
 */
void rk_scalar_store(void *elements, rk_dtype dtype, int64_t i, rk_scalar value, rk_domain domain);

/** The largest or the least number of the type, which is an infinity where it has one; true and false of bool. */
void rk_scalar_extreme(void *element, rk_dtype dtype, bool largest);

rk_scalar rk_scalar_of(double value, rk_domain domain);

float rk_half_to_float(uint16_t bits);
/** To the nearest, ties to even. */
uint16_t rk_half_of(float value);
float rk_bfloat_to_float(uint16_t bits);
uint16_t rk_bfloat_of(float value);

#endif
