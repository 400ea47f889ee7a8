#ifndef RK_SHIM_THRUST_SYSTEM_CUDA_EXECUTION_POLICY_H
#define RK_SHIM_THRUST_SYSTEM_CUDA_EXECUTION_POLICY_H

/* Stands for Thrust's header of that name. */

#include <thrust/execution_policy.h>

#endif
