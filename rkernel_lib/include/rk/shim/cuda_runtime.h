#ifndef RK_SHIM_CUDA_RUNTIME_H
#define RK_SHIM_CUDA_RUNTIME_H

/* Stands for CUDA's header when programs are compiled for the CPU. C and C++. */

#include "../cuda_api.h"

/* Programs ask with it whether the runtime API is there. */
#define __CUDA_RUNTIME_H__

#ifdef __cplusplus
#include "../cpu_atomic.h"
#include "../cpu_host.h"
#include "../cpu_math.h"
#include "../cuda_texture.h"

#include <assert.h>
#endif

#endif
