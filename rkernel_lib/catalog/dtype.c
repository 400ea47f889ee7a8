#include "rkernel_lib/catalog/dtype.h"

#include <string.h>

static const struct {
    const char *name;
    size_t size;
} dtypes[RK_DTYPE_COUNT] = {
    [RK_F32] = {"f32", 4}, [RK_F64] = {"f64", 8}, [RK_F16] = {"f16", 2}, [RK_BF16] = {"bf16", 2},
    [RK_I8] = {"i8", 1},   [RK_U8] = {"u8", 1},   [RK_I16] = {"i16", 2}, [RK_U16] = {"u16", 2},
    [RK_I32] = {"i32", 4}, [RK_U32] = {"u32", 4}, [RK_I64] = {"i64", 8}, [RK_U64] = {"u64", 8},
    [RK_BOOL] = {"bool", 1},
    [RK_F8E4M3] = {"f8e4m3", 1},
    [RK_F8E4M3UZ] = {"f8e4m3uz", 1},
    [RK_F8E5M2] = {"f8e5m2", 1},
    [RK_F8E5M2UZ] = {"f8e5m2uz", 1},
    [RK_F8E8M0] = {"f8e8m0", 1},
    [RK_F4E2M1] = {"f4e2m1", 1},
    [RK_I4] = {"i4", 1},
    [RK_U4] = {"u4", 1},
    [RK_I2] = {"i2", 1},
    [RK_U2] = {"u2", 1},
};

size_t rk_dtype_size(rk_dtype dtype)
{
    return dtype < RK_DTYPE_COUNT ? dtypes[dtype].size : 0;
}

const char *rk_dtype_name(rk_dtype dtype)
{
    return dtype < RK_DTYPE_COUNT ? dtypes[dtype].name : "none";
}

rk_dtype rk_dtype_of(const char *name)
{
    for (int i = 0; i < RK_DTYPE_COUNT; i++)
        if (strcmp(dtypes[i].name, name) == 0)
            return (rk_dtype)i;
    return RK_DTYPE_NONE;
}

bool rk_dtype_is_float(rk_dtype dtype)
{
    return dtype <= RK_BF16 || (dtype >= RK_F8E4M3 && dtype <= RK_F4E2M1);
}

int rk_dtype_bits(rk_dtype dtype)
{
    switch (dtype) {
    case RK_F4E2M1:
    case RK_I4:
    case RK_U4:
        return 4;
    case RK_I2:
    case RK_U2:
        return 2;
    default:
        return 8 * (int)rk_dtype_size(dtype);
    }
}

rk_dtype rk_dtype_stored(rk_dtype dtype)
{
    if (dtype < RK_F8E4M3 || dtype >= RK_DTYPE_COUNT)
        return dtype;
    return dtype == RK_I4 || dtype == RK_I2 ? RK_I8 : RK_U8;
}
