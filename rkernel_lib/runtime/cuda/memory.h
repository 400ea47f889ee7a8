#ifndef RK_RKERNEL_LIB_CUDA_MEMORY_H
#define RK_RKERNEL_LIB_CUDA_MEMORY_H

/** The memory of a CUDA program that runs on the CPU: `rk_cpu_memory_*` and `rk_cpu_symbol_add`. */
#include "rkernel_lib/include/rk/cuda/cuda_hooks.h"

#endif
