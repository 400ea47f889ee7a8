#ifndef RK_CONVERT_RKERNEL_HIP_H
#define RK_CONVERT_RKERNEL_HIP_H

#include "convert/unit/unit.h"

/**
 * Refuses, with RK-V129, what rKernels for AMD's GPUs cannot have (rk/hip/hip_context.h says why): warp
 * operations, barriers that count or that a returned thread misses, assembly, textures. Part of
 * rk_decide: `uses`, `reach` and the returns are known.
 */
void rk_hip_decide(rk_unit *unit);

#endif
