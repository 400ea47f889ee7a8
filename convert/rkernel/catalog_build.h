#ifndef RK_CONVERT_RKERNEL_CATALOG_BUILD_H
#define RK_CONVERT_RKERNEL_CATALOG_BUILD_H

#include "convert/unit/unit.h"

typedef RK_VEC(rk_kernel) rk_kernel_vec;

/** Adds the unit's kernel instances, converted and refused. `cpu_library` is NULL when there is none. */
void rk_catalog_add(rk_kernel_vec *out, const rk_unit *unit, const char *cpu_library);

/** A catalog of the kernels, ordered by id, as text. */
char *rk_catalog_text(const rk_kernel_vec *kernels, rk_arena *arena);

/** Writes the kernels, ordered by id. */
bool rk_catalog_save(rk_kernel_vec *kernels, const char *path, rk_arena *arena, rk_diag *diag);

#endif
