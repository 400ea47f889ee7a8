#ifndef RK_CONVERT_RUN_CATALOG_JOIN_H
#define RK_CONVERT_RUN_CATALOG_JOIN_H

#include "convert/rkernel/catalog_build.h"
#include "convert/run/record.h"

/** The catalog of a run, from those of its sources. */
typedef struct {
    rk_arena *arena;
    rk_kernel_vec kernels;
    RK_VEC(rk_place) places; /**< of each kernel: its definition, by a path without links */
} rk_catalog_join;

/**
 * Adds the kernels of a source's record. One of a header that a source before it has is there once, with the
 * launches of both; others are all kept, whatever they are called. False when
 * the record's catalog cannot be read.
 */
bool rk_catalog_join_add(rk_catalog_join *join, const rk_record *record, rk_diag *diag);

/** Tells kernels of one id apart, when all are there: each is `id@source`, and of one source `id@source#hash`. */
void rk_catalog_join_finish(rk_catalog_join *join);

#endif
