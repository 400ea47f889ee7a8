#ifndef RK_PARSE_CUDA_FP16_H
#define RK_PARSE_CUDA_FP16_H

#include "cuda_runtime.h"

struct __align__(2) __half {
    unsigned short bits;
    __half() = default;
    __host__ __device__ __half(float);
    __host__ __device__ __half(double);
    __host__ __device__ __half(int);
    __host__ __device__ operator float() const;
};
struct __align__(4) __half2 {
    __half x, y;
};
typedef __half half;
typedef __half2 half2;

__host__ __device__ __half __float2half(float);
__host__ __device__ __half __float2half_rn(float);
__host__ __device__ float __half2float(__half);
__host__ __device__ __half2 __floats2half2_rn(float, float);
__host__ __device__ float2 __half22float2(__half2);
__device__ __half __hadd(__half, __half);
__device__ __half __hmul(__half, __half);
__device__ __half __hfma(__half, __half, __half);
__device__ __half2 __hadd2(__half2, __half2);
__device__ __half2 __hmul2(__half2, __half2);
__device__ __half2 __hfma2(__half2, __half2, __half2);

#endif
