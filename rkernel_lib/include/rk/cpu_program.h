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
#include "nvcc.h" /* last */

#endif
