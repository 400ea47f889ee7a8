#ifndef RK_EMIT_CUDA_PROFILE_H
#define RK_EMIT_CUDA_PROFILE_H

#include "emit/backend.h"

/**
 * Writes a CMake project whose program `measure` writes the profile, in the order of the items: the
 * converted kernels, a persistent kernel for each, tables of the work, the runtime headers. False with
 * RK-F... or RK-M... .
 */
bool rk_cuda_profile_emit(const rk_measure_request *request, rk_arena *arena, rk_diag *diag);

#endif
