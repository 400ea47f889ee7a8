#ifndef RK_SHIM_CUDA_FP8_H
#define RK_SHIM_CUDA_FP8_H

/* Stands for CUDA's header when programs are compiled for the CPU. */

#include "../cpu/cpu_fp8.h"

#endif
