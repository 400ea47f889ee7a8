#ifndef RK_SCHED_SCHEDULE_DEPS_OVERLAP_H
#define RK_SCHED_SCHEDULE_DEPS_OVERLAP_H

#include "sched/select.h"

/** What the rTasks of a node touch of one buffer, through one parameter or as a whole operand. */
typedef struct {
    rk_id base;
    int64_t offset;          /**< of its first element in the buffer */
    int64_t elements;        /**< of the array that it touches */
    const rk_access *access; /**< NULL: each rTask may touch all of it */
    bool write;
} rk_touch;

/**
 * What the node touches when `candidate` runs it, into out[0 .. returned); there is room for all
 * parameters and operands. An operand that no parameter stands for counts as touched by all.
 */
size_t rk_touches_of(rk_touch *out, const rk_graph *graph, const rk_node *node,
                     const rk_candidate *candidate);

/**
 * One touch of an earlier node and one of a later one, of the same buffer, both with an access: finds
 * the earlier rTasks whose boxes may overlap a later rTask's.
 */
typedef struct rk_overlap rk_overlap;

/** Prepares the search over the rTasks of `from`, of that grid; lives in `scratch`. */
rk_overlap *rk_overlap_new(const rk_touch *from, const int64_t from_grid[3], const rk_touch *to,
                           rk_arena *scratch);

/**
 * Adds to hits[*count ...] the rTasks of the earlier node whose boxes overlap that of the later rTask at
 * `block`, in no order; there is room for all rTasks of the earlier node.
 */
void rk_overlap_find(uint32_t *hits, size_t *count, rk_overlap *overlap, const int64_t block[3]);

#endif
