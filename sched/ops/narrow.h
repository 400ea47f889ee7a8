#ifndef RK_SCHED_OPS_NARROW_H
#define RK_SCHED_OPS_NARROW_H

#include "rkernel_lib/catalog/dtype.h"

#include <stdint.h>

/* Elements of f8e4m3 to f4e2m1, as OCP's formats of 8 bits and microscaling have them; the interpreting kernels do the same. */

float rk_narrow_to_float(rk_dtype dtype, uint8_t bits);

/**
 * To the nearest, ties to even; f8e8m0 to the power of two that is not less. What is larger than the largest becomes infinity
 * where the type has one, else no number where it has that, else the largest.
 */
uint8_t rk_narrow_of(rk_dtype dtype, float value);

/** The largest number of the type. */
float rk_narrow_most(rk_dtype dtype);

/** An integer of 4 or 2 bits from the low bits of a number; of other types all bits. */
int64_t rk_narrow_integer(rk_dtype dtype, int64_t value);

#endif
