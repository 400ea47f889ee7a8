#ifndef RK_CPU_PROGRAM_H
#define RK_CPU_PROGRAM_H

/*
 * What a CUDA program that was made for the CPU includes first: what nvcc includes and defines by itself.
 */

#include "cpu/cpu_print.h" /* first */
#include "cpu/cpu_abs.h"

#include "cpu/cpu_cuda.h"
#include "cpu/cpu_program_fission.h"
#include "cpu/cpu_ptx.h"
#include "cuda/cuda_hooks.h"
#include "shim/cuda_runtime.h"

#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#ifndef __NVCC__
#define __NVCC__ 1
#endif
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1

#endif
