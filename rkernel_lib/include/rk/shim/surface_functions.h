#ifndef RK_SHIM_SURFACE_FUNCTIONS_H
#define RK_SHIM_SURFACE_FUNCTIONS_H

/* Stands for CUDA's header of that name; see cuda_runtime.h. */

#include "cuda_runtime.h"

#endif
