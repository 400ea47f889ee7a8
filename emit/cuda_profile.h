#ifndef RK_EMIT_CUDA_PROFILE_H
#define RK_EMIT_CUDA_PROFILE_H

#include "emit/image_profile.h"

/** What a program that measures on a GPU is made of. */
typedef struct {
    rk_profile_image *const *images; /**< of one device, each with other residents */
    size_t image_count;
    const rk_device *device;
    const rk_catalog *catalog;
    const char *dir;         /**< an existing, empty folder to write into */
    const char *runtime_dir; /**< where the runtime headers are */
} rk_cuda_profile_request;

/**
 * Writes a CMake project whose program `measure` writes the profile, in the order of the items: the
 * converted kernels, a persistent kernel for each, tables of the work, the runtime headers. False with
 * RK-F... or RK-M... .
 */
bool rk_cuda_profile_emit(const rk_cuda_profile_request *request, rk_arena *arena, rk_diag *diag);

#endif
