#ifndef RK_SHIM_MMA_H
#define RK_SHIM_MMA_H

/* Stands for CUDA's header of that name. */

#include "cuda_runtime.h"

/* Matrix functions are made of warp operations, which only a program's device code has. */
#if defined(RK_CPU_CUDA_H)
#include "../cuda/cuda_mma.h"
#elif defined(RK_CPU_UNREACHED_H)
#error "the warp matrix functions of mma.h are not there in a catalog's library for the CPU"
#else
namespace nvcuda {
}
#endif

#endif
