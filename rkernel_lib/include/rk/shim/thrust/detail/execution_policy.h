#ifndef RK_SHIM_THRUST_DETAIL_EXECUTION_POLICY_H
#define RK_SHIM_THRUST_DETAIL_EXECUTION_POLICY_H

/* Thrust's own header of that name, which all its algorithms include, and the exceptions that come with them
 * by its CUDA system. */

#include_next <thrust/detail/execution_policy.h>

#include <thrust/system_error.h>

#endif
