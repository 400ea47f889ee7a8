#ifndef RK_SHIM_CUDA_H
#define RK_SHIM_CUDA_H

/* Stands for CUDA's driver header: its types only. A driver call does not compile. */

#include "cuda_runtime.h"

#define CUDA_VERSION 13000

typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef unsigned long long CUdeviceptr;

#endif
