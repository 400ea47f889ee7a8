#ifndef RK_HIP_CUDA_H
#define RK_HIP_CUDA_H

#include <hip/hip_runtime.h>

#endif
