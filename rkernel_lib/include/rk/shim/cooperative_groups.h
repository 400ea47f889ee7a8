#ifndef RK_SHIM_COOPERATIVE_GROUPS_H
#define RK_SHIM_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

/** A converted kernel's block group is its context's; what is left in its text are namespace names. */
namespace cooperative_groups {
}

#endif
