#ifndef RK_SHIM_CUDA_PROFILER_API_H
#define RK_SHIM_CUDA_PROFILER_API_H

/* Stands for CUDA's header of that name: cudaProfilerStart and cudaProfilerStop. */

#include "cuda_runtime.h"

#endif
