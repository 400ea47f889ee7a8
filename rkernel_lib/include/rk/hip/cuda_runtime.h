#ifndef RK_HIP_CUDA_RUNTIME_H
#define RK_HIP_CUDA_RUNTIME_H

#include <hip/hip_runtime.h>

#endif
