#ifndef RK_SHIM_MATH_FUNCTIONS_DBL_PTX3_H
#define RK_SHIM_MATH_FUNCTIONS_DBL_PTX3_H

/* Stands for CUDA's header of that name; see cuda_runtime.h. */

#include "cuda_runtime.h"

#endif
