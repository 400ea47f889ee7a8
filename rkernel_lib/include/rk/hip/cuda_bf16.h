#ifndef RK_HIP_CUDA_BF16_H
#define RK_HIP_CUDA_BF16_H

#include <hip/hip_runtime.h>

/* What kernels that store bfloat16 and compute in float use of CUDA's header; HIP's own has other names. */

struct __nv_bfloat16 {
    unsigned short bits;
};

__host__ __device__ inline float __bfloat162float(__nv_bfloat16 v)
{
    union {
        unsigned whole;
        float value;
    } u = {(unsigned)v.bits << 16};
    return u.value;
}

/** To the nearest, ties to even; NaN is CUDA's. */
__host__ __device__ inline __nv_bfloat16 __float2bfloat16_rn(float v)
{
    union {
        float value;
        unsigned whole;
    } u = {v};
    if (v != v)
        return {0x7fff};
    return {(unsigned short)((u.whole + 0x7fff + (u.whole >> 16 & 1)) >> 16)};
}

__host__ __device__ inline __nv_bfloat16 __float2bfloat16(float v)
{
    return __float2bfloat16_rn(v);
}

#endif
