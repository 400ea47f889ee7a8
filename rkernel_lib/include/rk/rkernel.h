#ifndef RK_RKERNEL_H
#define RK_RKERNEL_H

/*
 * The first include of every converted file (*.rk.cu): the context type that takes the place of the
 * hardware's thread and block. One source serves all targets; the compiler decides which context.
 */
#if (defined(__CUDACC__) || defined(__CUDA__)) && !defined(__HIP__)
#include "gpu/cuda_context.cuh"
#elif defined(__HIP__)
#include "hip/hip_context.h"
#else
#include "cpu/cpu_context.h"
#include "cpu/cpu_unreached.h"
#endif

#endif
