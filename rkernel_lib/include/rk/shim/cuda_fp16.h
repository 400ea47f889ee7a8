#ifndef RK_SHIM_CUDA_FP16_H
#define RK_SHIM_CUDA_FP16_H

/* Stands for CUDA's header when kernels are compiled for the CPU. */

#include "../cpu/cpu_half.h"

#endif
