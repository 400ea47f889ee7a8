#ifndef RK_SHIM_SURFACE_TYPES_H
#define RK_SHIM_SURFACE_TYPES_H

/* Stands for CUDA's header of that name; see cuda_runtime.h. */

#include "cuda_runtime.h"

#endif
