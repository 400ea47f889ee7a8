#ifndef RK_CONVERT_RKERNEL_CATALOG_BUILD_H
#define RK_CONVERT_RKERNEL_CATALOG_BUILD_H

#include "convert/run/record.h"
#include "convert/unit/unit.h"

typedef RK_VEC(rk_kernel) rk_kernel_vec;

/** Adds the unit's kernel instances, converted and refused. `cpu_library` is NULL when there is none. */
void rk_catalog_add(rk_kernel_vec *out, const rk_unit *unit, const char *cpu_library);

/** A catalog of the kernels, ordered by id, as text. */
char *rk_catalog_text(const rk_kernel_vec *kernels, rk_arena *arena);

/** The catalog of a run, from those of its sources. */
typedef struct {
    rk_arena *arena;
    rk_kernel_vec kernels;
    RK_VEC(rk_place) places; /**< of each kernel: its definition, by a path without links */
} rk_catalog_join;

/**
 * Adds the kernels of a source's record. One of a header that a source before it has is there once, with the
 * launches of both; another kernel of an id that is there already is diagnosed as RK-V205 and left out. False when
 * the record's catalog cannot be read.
 */
bool rk_catalog_join_add(rk_catalog_join *join, const rk_record *record, rk_diag *diag);

/** Writes the kernels, ordered by id. */
bool rk_catalog_save(rk_kernel_vec *kernels, const char *path, rk_arena *arena, rk_diag *diag);

#endif
