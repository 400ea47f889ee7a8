#ifndef RK_CONVERT_CATALOG_BUILD_H
#define RK_CONVERT_CATALOG_BUILD_H

#include "convert/convert_internal.h"

typedef RK_VEC(rk_kernel) rk_kernel_vec;

/**
 * Adds the unit's kernel instances, converted and refused. `cpu_library` is NULL when there is
 * none. An id that is there already, from another source, is diagnosed as RK-V005 and left out.
 */
void rk_catalog_add(rk_kernel_vec *out, const rk_unit *unit, const char *cpu_library);

/** Writes the kernels, ordered by id. */
bool rk_catalog_save(rk_kernel_vec *kernels, const char *path, rk_arena *arena, rk_diag *diag);

#endif
