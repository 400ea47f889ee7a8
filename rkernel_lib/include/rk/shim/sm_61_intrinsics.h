#ifndef RK_SHIM_SM_61_INTRINSICS_H
#define RK_SHIM_SM_61_INTRINSICS_H

/* Stands for CUDA's header of that name; see cuda_runtime.h. */

#include "cuda_runtime.h"

#endif
