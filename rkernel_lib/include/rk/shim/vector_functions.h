#ifndef RK_SHIM_VECTOR_FUNCTIONS_H
#define RK_SHIM_VECTOR_FUNCTIONS_H

/* Stands for CUDA's header of that name. */

#include "../cpu/cpu_types.h"

#endif
