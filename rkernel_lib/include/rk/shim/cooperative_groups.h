#ifndef RK_SHIM_COOPERATIVE_GROUPS_H
#define RK_SHIM_COOPERATIVE_GROUPS_H

/* Stands for CUDA's header when programs are compiled for the CPU. */

#include "cuda_runtime.h"

/* Groups are made of barriers and warp operations, which only device code has. */
#if defined(RK_CPU_CUDA_H) || defined(RK_CPU_UNREACHED_H)
#include "../cuda/cuda_groups.h"
#else
namespace cooperative_groups {
}
#endif

#endif
