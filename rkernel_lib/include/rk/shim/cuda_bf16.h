#ifndef RK_SHIM_CUDA_BF16_H
#define RK_SHIM_CUDA_BF16_H

/* Stands for CUDA's header when programs are compiled for the CPU. */

#include "../cpu/cpu_bfloat16.h"

#endif
