#ifndef RK_CUDA_VERSION_H
#define RK_CUDA_VERSION_H

/*
 * The version of CUDA that a source is told: by the headers of CUDA's API here, and as nvcc's own by rk/nvcc.h. rkconvert
 * gives another one where it parses with a toolkit that has another one. C and C++.
 */
#ifndef RK_CUDA_VERSION
#define RK_CUDA_VERSION 13000
#endif

/** __CUDA_ARCH__ of device code on the CPU: in programs, in catalogs' libraries, and what cudaFuncGetAttributes says. */
#define RK_CUDA_ARCH 800

#endif
