#ifndef RK_SCHED_SCHEDULE_OVERLAP_H
#define RK_SCHED_SCHEDULE_OVERLAP_H

#include "sched/plan/candidate.h"

/** What the rTasks of a node touch of one buffer, through one parameter or as a whole operand. */
typedef struct {
    rk_id base;
    int64_t offset;          /**< of its first element in the buffer */
    int64_t elements;        /**< of the array that it touches */
    const rk_access *access; /**< NULL: each rTask may touch all of it */
    bool write;
    bool first_only; /**< of what an rTask touches its first element alone counts */
} rk_touch;

/**
 * What the node touches when `candidate` runs it, into out[0 .. returned); there is room for all
 * parameters and operands. An operand that no parameter stands for counts as touched by all.
 */
size_t rk_touches_of(rk_touch *out, const rk_graph *graph, const rk_node *node,
                     const rk_candidate *candidate);

/** [first, end) */
typedef struct {
    uint32_t first, end;
} rk_run;

/** Runs that are kept of one node; the nearest ones are joined, which waits for more. */
enum { RK_RUNS_MOST = 8 };

/** A set of numbers, such as rTasks, as runs: rising and apart. */
typedef struct {
    size_t count;
    rk_run items[RK_RUNS_MOST + 1]; /**< the last one is scratch */
    uint64_t numbers;               /**< in the set, before any runs were joined over gaps */
    bool exact;                     /**< none were */
} rk_runs;

/** Adds [first, end), whose first is no less than any other's before. */
void rk_runs_add(rk_runs *runs, uint32_t first, uint32_t end);

/**
 * One touch of an earlier node and one of a later one, of the same buffer, both with an access: finds
 * the earlier rTasks whose boxes may overlap a later rTask's.
 */
typedef struct rk_overlap rk_overlap;

/**
 * Prepares the search over the rTasks of `from`, of that grid; lives in `scratch`. Boxes are compared in the
 * dimensions of both arrays, or where `flat` is set, or these do not nest, by their first and last elements.
 */
rk_overlap *rk_overlap_new(const rk_touch *from, const int64_t from_grid[3], const rk_touch *to,
                           bool flat, rk_arena *scratch);

/**
 * The rTasks of the earlier node whose boxes overlap that of the later rTask at `block`. Near linear in
 * the blocks along each of the earlier grid's axes, whatever their product is.
 */
void rk_overlap_find(rk_runs *out, rk_overlap *overlap, const int64_t block[3]);

/**
 * How many rTasks of the earlier node share something with the later one at `block`, at least, where it is
 * known that of whatever that touches some of them touch each element; 0 when it touches nothing. Both boxes
 * are products over the axes, so that each axis has one place at least, which is all that counts of an axis
 * where a box was widened. Where of what the earlier node touches only the first elements are looked at, the
 * place that touches the first element of the box is one more, unless it begins there.
 */
uint64_t rk_overlap_least(rk_overlap *overlap, const int64_t block[3]);

/**
 * Whether any box so far had to be widened to compare it, so that rTasks may have been found that share
 * nothing with the later one.
 */
bool rk_overlap_is_loose(const rk_overlap *overlap);

#endif
