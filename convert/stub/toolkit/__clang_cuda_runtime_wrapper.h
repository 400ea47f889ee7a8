/*
 * What clang includes before a CUDA source, with built-in variables that can be copied, as nvcc's can:
 * `auto t = threadIdx;`. Those of clang's __clang_cuda_builtin_vars.h, whose guard this takes, cannot. The
 * conversions are defined by clang's own wrapper.
 */
#ifndef RK_PARSE_RUNTIME_WRAPPER_H
#define RK_PARSE_RUNTIME_WRAPPER_H

#pragma GCC system_header

#define __CUDA_BUILTIN_VARS_H

struct uint3;
struct dim3;

#define RK_PARSE_VARIABLE(name)                                                                    \
    struct __cuda_builtin_##name##_t {                                                             \
        unsigned int x, y, z;                                                                      \
        __attribute__((device)) operator dim3() const;                                             \
        __attribute__((device)) operator uint3() const;                                            \
    };                                                                                             \
    extern const __attribute__((device)) __attribute__((weak)) __cuda_builtin_##name##_t name

RK_PARSE_VARIABLE(threadIdx);
RK_PARSE_VARIABLE(blockIdx);
RK_PARSE_VARIABLE(blockDim);
RK_PARSE_VARIABLE(gridDim);
__attribute__((device)) const int warpSize = 32;

#undef RK_PARSE_VARIABLE

#endif

#include_next <__clang_cuda_runtime_wrapper.h>
