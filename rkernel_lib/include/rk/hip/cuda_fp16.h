#ifndef RK_HIP_CUDA_FP16_H
#define RK_HIP_CUDA_FP16_H

#include <hip/hip_fp16.h>

#endif
