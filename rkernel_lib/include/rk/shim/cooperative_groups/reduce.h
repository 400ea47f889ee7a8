#ifndef RK_SHIM_COOPERATIVE_GROUPS_REDUCE_H
#define RK_SHIM_COOPERATIVE_GROUPS_REDUCE_H

/* Stands for CUDA's header when programs are compiled for the CPU. */

#include "../cooperative_groups.h"

#include "../../cuda/cuda_groups_reduce.h"

#endif
