#ifndef RK_CATALOG_DTYPE_H
#define RK_CATALOG_DTYPE_H

#include <stdbool.h>
#include <stddef.h>

/** Element types of tensors and kernel parameters. */
typedef enum {
    RK_F32,
    RK_F64,
    RK_F16,
    RK_BF16,
    RK_I8,
    RK_U8,
    RK_I16,
    RK_U16,
    RK_I32,
    RK_U32,
    RK_I64,
    RK_U64,
    RK_BOOL,
    /* Of fewer bits than they take: one element a byte. E and M say bits of exponent and fraction; UZ is without a negative zero. */
    RK_F8E4M3,
    RK_F8E4M3UZ,
    RK_F8E5M2,
    RK_F8E5M2UZ,
    RK_F8E8M0,
    RK_F4E2M1,
    RK_I4,
    RK_U4,
    RK_I2,
    RK_U2,
    RK_DTYPE_COUNT,
    RK_DTYPE_NONE = RK_DTYPE_COUNT /**< a type that is none of these, such as a struct */
} rk_dtype;

/** Bytes of one element; 0 for RK_DTYPE_NONE. */
size_t rk_dtype_size(rk_dtype dtype);

/** "f32", "i64", ...; "none" for RK_DTYPE_NONE. */
const char *rk_dtype_name(rk_dtype dtype);

/** The type of that name; RK_DTYPE_NONE when there is none. */
rk_dtype rk_dtype_of(const char *name);

/** Whether its elements are real numbers: f32, f64, f16, bf16, and those of 8 and 4 bits. */
bool rk_dtype_is_float(rk_dtype dtype);

/** Bits of an element that say something: 4 of i4, 8 of each byte of most. */
int rk_dtype_bits(rk_dtype dtype);

/** As what a file of NumPy or safetensors keeps it: itself, or u8 or i8 for the types from RK_F8E4M3 on. */
rk_dtype rk_dtype_stored(rk_dtype dtype);

#endif
