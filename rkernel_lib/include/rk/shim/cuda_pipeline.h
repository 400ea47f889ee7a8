#ifndef RK_SHIM_CUDA_PIPELINE_H
#define RK_SHIM_CUDA_PIPELINE_H

/* Stands for CUDA's header when programs are compiled for the CPU. */

#include "cuda/pipeline"

#endif
