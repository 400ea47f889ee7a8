#ifndef RK_NVCC_H
#define RK_NVCC_H

/*
 * What nvcc defines by itself. rkconvert's parse, programs for the CPU and the CPU libraries of catalogs include it behind
 * their own headers, so that a source which asks is compiled as it was parsed.
 */
#include "cuda/cuda_version.h"

#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#ifndef __NVCC__
#define __NVCC__ 1
#endif
#ifndef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ (RK_CUDA_VERSION / 1000)
#define __CUDACC_VER_MINOR__ (RK_CUDA_VERSION % 1000 / 10)
#define __CUDACC_VER_BUILD__ 0
#endif
#ifndef __CUDACC_EXTENDED_LAMBDA__
#define __CUDACC_EXTENDED_LAMBDA__ 1
#endif
#ifndef __CUDACC_RELAXED_CONSTEXPR__
#define __CUDACC_RELAXED_CONSTEXPR__ 1
#endif

#endif
