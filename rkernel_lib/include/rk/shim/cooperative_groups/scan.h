#ifndef RK_SHIM_COOPERATIVE_GROUPS_SCAN_H
#define RK_SHIM_COOPERATIVE_GROUPS_SCAN_H

/* Stands for CUDA's header when programs are compiled for the CPU. */

#include "reduce.h"

#endif
