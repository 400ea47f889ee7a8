#ifndef RK_HIP_CUDA_RUNTIME_API_H
#define RK_HIP_CUDA_RUNTIME_API_H

#include <hip/hip_runtime.h>

#endif
