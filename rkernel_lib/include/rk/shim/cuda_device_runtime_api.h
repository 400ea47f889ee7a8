#ifndef RK_SHIM_CUDA_DEVICE_RUNTIME_API_H
#define RK_SHIM_CUDA_DEVICE_RUNTIME_API_H

/* Stands for CUDA's header of that name; see cuda_runtime.h. */

#include "cuda_runtime.h"

#endif
