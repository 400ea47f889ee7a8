#ifndef RK_SCHED_PLAN_RTASK_ACCESS_H
#define RK_SCHED_PLAN_RTASK_ACCESS_H

#include "rkernel_lib/catalog/binding_access.h"
#include "sched/graph/graph.h"

/**
 * What one rTask reads or writes through one pointer: a box of a row-major array of `rank` dimensions
 * that begins where the pointer does. The array need not have the tensor's shape: an element-wise
 * kernel sees one dimension. Of dimension d the rTask touches no more than [first, end), cut to
 * [0, extent).
 */
typedef struct {
    int64_t extent;
    const rk_block_expr *first, *end; /**< NULL: the whole dimension */
} rk_access_dim;

typedef struct {
    int rank; /**< at least 1 */
    rk_access_dim dims[RK_MAX_RANK];
} rk_access;

/** [first, end), empty when they are equal. */
typedef struct {
    int64_t first, end;
} rk_interval;

/**
 * Fills out[0 .. rank) with what the rTask at `block` touches, each within its extent. False when that
 * is nothing. Where an expression has no value, the whole dimension counts.
 */
bool rk_access_box(rk_interval *out, const rk_access *access, const int64_t block[3]);

/** The block indices that any of its expressions reads: RK_BLOCK_.... */
unsigned rk_access_uses(const rk_access *access);

#endif
