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
    RK_DTYPE_COUNT,
    RK_DTYPE_NONE = RK_DTYPE_COUNT /**< a type that is none of these, such as a struct */
} rk_dtype;

/** Bytes of one element; 0 for RK_DTYPE_NONE. */
size_t rk_dtype_size(rk_dtype dtype);

/** "f32", "i64", ...; "none" for RK_DTYPE_NONE. */
const char *rk_dtype_name(rk_dtype dtype);

/** The type of that name; RK_DTYPE_NONE when there is none. */
rk_dtype rk_dtype_of(const char *name);

/** Whether it is f32, f64, f16 or bf16. */
bool rk_dtype_is_float(rk_dtype dtype);

#endif
