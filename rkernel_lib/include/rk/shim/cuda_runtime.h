#ifndef RK_SHIM_CUDA_RUNTIME_H
#define RK_SHIM_CUDA_RUNTIME_H

/* Stands for CUDA's header when programs are compiled for the CPU. C and C++. */

#include "../cuda/cuda_api.h"

/* Programs ask with it whether the runtime API is there. */
#define __CUDA_RUNTIME_H__

#ifdef __cplusplus
#include "../cpu/cpu_atomic.h"
#include "../cpu/cpu_host.h"
#include "../cpu/cpu_math.h"
#include "../cuda/cuda_texture.h"

#include <assert.h>
#endif

#endif
