/*
 * What rkconvert parses in place of CUDA's own headers where no toolkit is installed: enough of the
 * language and of the runtime's interface for plain kernels and their launches. Declarations only.
 */
#ifndef RK_PARSE_CUDA_RUNTIME_H
#define RK_PARSE_CUDA_RUNTIME_H

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "host_defines.h"
#include "vector_types.h"

/* Built-in variables. */

extern const __device__ uint3 threadIdx;
extern const __device__ uint3 blockIdx;
extern const __device__ dim3 blockDim;
extern const __device__ dim3 gridDim;
extern const __device__ int warpSize;

/* Barriers, fences and warp operations. */

__device__ void __syncthreads();
__device__ int __syncthreads_count(int);
__device__ int __syncthreads_and(int);
__device__ int __syncthreads_or(int);
__device__ void __syncwarp(unsigned = 0xffffffffu);
__device__ void __threadfence();
__device__ void __threadfence_block();
__device__ void __threadfence_system();
template <class T> __device__ T __shfl_sync(unsigned, T, int, int = 32);
template <class T> __device__ T __shfl_up_sync(unsigned, T, unsigned, int = 32);
template <class T> __device__ T __shfl_down_sync(unsigned, T, unsigned, int = 32);
template <class T> __device__ T __shfl_xor_sync(unsigned, T, int, int = 32);
__device__ unsigned __ballot_sync(unsigned, int);
__device__ int __any_sync(unsigned, int);
__device__ int __all_sync(unsigned, int);
__device__ unsigned __activemask();
template <class T> __device__ unsigned __match_any_sync(unsigned, T);
template <class T> __device__ unsigned __match_all_sync(unsigned, T, int *);
template <class T> __device__ T __reduce_add_sync(unsigned, T);
template <class T> __device__ T __reduce_min_sync(unsigned, T);
template <class T> __device__ T __reduce_max_sync(unsigned, T);
__device__ unsigned __reduce_and_sync(unsigned, unsigned);
__device__ unsigned __reduce_or_sync(unsigned, unsigned);
__device__ unsigned __reduce_xor_sync(unsigned, unsigned);
__device__ void __nanosleep(unsigned);
__device__ size_t __cvta_generic_to_shared(const void *);
__device__ size_t __cvta_generic_to_global(const void *);
__device__ void *__cvta_shared_to_generic(size_t);
__device__ void *__cvta_global_to_generic(size_t);
__device__ unsigned __isShared(const void *);
__device__ unsigned __isGlobal(const void *);
__device__ void __trap();
__device__ long long clock64();
__device__ clock_t clock();

/* Memory. */

template <class T> __device__ T __ldg(const T *);
template <class T> __device__ T __ldcs(const T *);
template <class T> __device__ T __ldca(const T *);
template <class T> __device__ T __ldcg(const T *);
template <class T> __device__ void __stcs(T *, T);
template <class T> __device__ void __stcg(T *, T);

#define RK_PARSE_ATOMIC(T, name)                                                                   \
    __device__ T name(T *, T);                                                                     \
    __device__ T name##_block(T *, T);                                                             \
    __device__ T name##_system(T *, T);
#define RK_PARSE_ATOMICS(name)                                                                     \
    RK_PARSE_ATOMIC(int, name)                                                                     \
    RK_PARSE_ATOMIC(unsigned, name)                                                                \
    RK_PARSE_ATOMIC(unsigned long long, name)
RK_PARSE_ATOMICS(atomicAdd)
RK_PARSE_ATOMIC(float, atomicAdd)
RK_PARSE_ATOMIC(double, atomicAdd)
RK_PARSE_ATOMIC(int, atomicSub)
RK_PARSE_ATOMIC(unsigned, atomicSub)
RK_PARSE_ATOMICS(atomicExch)
RK_PARSE_ATOMIC(float, atomicExch)
RK_PARSE_ATOMICS(atomicMin)
RK_PARSE_ATOMICS(atomicMax)
RK_PARSE_ATOMIC(long long, atomicMin)
RK_PARSE_ATOMIC(long long, atomicMax)
RK_PARSE_ATOMICS(atomicAnd)
RK_PARSE_ATOMICS(atomicOr)
RK_PARSE_ATOMICS(atomicXor)
RK_PARSE_ATOMIC(unsigned, atomicInc)
RK_PARSE_ATOMIC(unsigned, atomicDec)
__device__ int atomicCAS(int *, int, int);
__device__ unsigned atomicCAS(unsigned *, unsigned, unsigned);
__device__ unsigned long long atomicCAS(unsigned long long *, unsigned long long,
                                        unsigned long long);

/* Arithmetic. */

#define RK_PARSE_DEVICE1(name)                                                                     \
    __device__ float name##f(float);                                                               \
    __device__ double name(double);                                                                \
    __device__ float name(float);
#define RK_PARSE_DEVICE2(name)                                                                     \
    __device__ float name##f(float, float);                                                        \
    __device__ double name(double, double);                                                        \
    __device__ float name(float, float);
RK_PARSE_DEVICE1(acos) RK_PARSE_DEVICE1(acosh) RK_PARSE_DEVICE1(asin) RK_PARSE_DEVICE1(asinh)
RK_PARSE_DEVICE1(atan) RK_PARSE_DEVICE1(atanh) RK_PARSE_DEVICE1(cbrt) RK_PARSE_DEVICE1(ceil)
RK_PARSE_DEVICE1(cos) RK_PARSE_DEVICE1(cosh) RK_PARSE_DEVICE1(erf) RK_PARSE_DEVICE1(erfc)
RK_PARSE_DEVICE1(exp) RK_PARSE_DEVICE1(exp2) RK_PARSE_DEVICE1(expm1) RK_PARSE_DEVICE1(fabs)
RK_PARSE_DEVICE1(floor) RK_PARSE_DEVICE1(lgamma) RK_PARSE_DEVICE1(log) RK_PARSE_DEVICE1(log10)
RK_PARSE_DEVICE1(log1p) RK_PARSE_DEVICE1(log2) RK_PARSE_DEVICE1(nearbyint) RK_PARSE_DEVICE1(rint)
RK_PARSE_DEVICE1(round) RK_PARSE_DEVICE1(sin) RK_PARSE_DEVICE1(sinh) RK_PARSE_DEVICE1(sqrt)
RK_PARSE_DEVICE1(tan) RK_PARSE_DEVICE1(tanh) RK_PARSE_DEVICE1(tgamma) RK_PARSE_DEVICE1(trunc)
RK_PARSE_DEVICE2(atan2) RK_PARSE_DEVICE2(copysign) RK_PARSE_DEVICE2(fdim) RK_PARSE_DEVICE2(fmax)
RK_PARSE_DEVICE2(fmin) RK_PARSE_DEVICE2(fmod) RK_PARSE_DEVICE2(hypot) RK_PARSE_DEVICE2(pow)
__host__ __device__ float rsqrtf(float);
__host__ __device__ double rsqrt(double);
__device__ float rsqrt(float);
__device__ float fmaf(float, float, float);
__device__ double fma(double, double, double);
__device__ float pow(float, int);
__device__ double pow(double, int);
__device__ int abs(int);
__device__ long abs(long);
__device__ long long abs(long long);
__device__ float abs(float);
__device__ double abs(double);
__device__ bool isnan(float);
__device__ bool isnan(double);
__device__ bool isinf(float);
__device__ bool isinf(double);
__device__ bool isfinite(float);
__device__ bool isfinite(double);
__device__ float ldexpf(float, int);
__device__ float normcdff(float);
__device__ double normcdf(double);
__device__ void sincosf(float, float *, float *);
__device__ void sincos(double, double *, double *);
__device__ float __saturatef(float);
__device__ float __expf(float);
__device__ float __exp10f(float);
__device__ float __logf(float);
__device__ float __log2f(float);
__device__ float __sinf(float);
__device__ float __cosf(float);
__device__ float __tanf(float);
__device__ float __powf(float, float);
__device__ float __fdividef(float, float);
__device__ float __frsqrt_rn(float);
__device__ float __fsqrt_rn(float);
__device__ float __fadd_rn(float, float);
__device__ float __fmul_rn(float, float);
__device__ float __fdiv_rn(float, float);
__device__ float __frcp_rn(float);
__device__ float __fmaf_rn(float, float, float);
__device__ double __dadd_rn(double, double);
__device__ double __dmul_rn(double, double);
__device__ int __float_as_int(float);
__device__ unsigned __float_as_uint(float);
__device__ float __int_as_float(int);
__device__ float __uint_as_float(unsigned);
__device__ long long __double_as_longlong(double);
__device__ double __longlong_as_double(long long);
__device__ int __float2int_rn(float);
__device__ int __float2int_rd(float);
__device__ int __float2int_rz(float);
__device__ float __int2float_rn(int);
__device__ int __popc(unsigned);
__device__ int __popcll(unsigned long long);
__device__ int __clz(int);
__device__ int __clzll(long long);
__device__ int __ffs(int);
__device__ int __ffsll(long long);
__device__ unsigned __brev(unsigned);
__device__ int __mulhi(int, int);
__device__ unsigned __umulhi(unsigned, unsigned);
__device__ int __mul24(int, int);
__device__ unsigned __umul24(unsigned, unsigned);
__device__ int __dp4a(int, int, int);
__device__ unsigned __funnelshift_l(unsigned, unsigned, unsigned);
__device__ unsigned __funnelshift_r(unsigned, unsigned, unsigned);
__device__ unsigned __byte_perm(unsigned, unsigned, unsigned);

#define RK_PARSE_MINMAX(T)                                                                         \
    __device__ T min(T, T);                                                                        \
    __device__ T max(T, T);
RK_PARSE_MINMAX(int)
RK_PARSE_MINMAX(unsigned)
RK_PARSE_MINMAX(long)
RK_PARSE_MINMAX(unsigned long)
RK_PARSE_MINMAX(long long)
RK_PARSE_MINMAX(unsigned long long)
RK_PARSE_MINMAX(float)
RK_PARSE_MINMAX(double)
__device__ unsigned min(int, unsigned);
__device__ unsigned min(unsigned, int);
__device__ unsigned max(int, unsigned);
__device__ unsigned max(unsigned, int);

extern "C" __device__ int printf(const char *, ...);
extern "C" __device__ void *malloc(size_t) RK_PARSE_NOTHROW;
extern "C" __device__ void free(void *) RK_PARSE_NOTHROW;
extern "C" __device__ void *memcpy(void *, const void *, size_t) RK_PARSE_NOTHROW;
extern "C" __device__ void *memset(void *, int, size_t) RK_PARSE_NOTHROW;
extern "C" __device__ void __assert_fail(const char *, const char *, unsigned,
                                         const char *) RK_PARSE_NOTHROW;

#include "cuda_runtime_api.h"

#endif
