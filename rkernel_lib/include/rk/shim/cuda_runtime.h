#ifndef RK_SHIM_CUDA_RUNTIME_H
#define RK_SHIM_CUDA_RUNTIME_H

/* Stands for CUDA's header when kernels are compiled for the CPU. */

#include "../cpu_atomic.h"
#include "../cpu_host.h"
#include "../cpu_math.h"
#include "../cpu_types.h"

#endif
