#ifndef RK_SCHED_SCHEDULE_DEPS_H
#define RK_SCHED_SCHEDULE_DEPS_H

#include "sched/plan/schedule.h"

/** What the rTasks of one node wait for, at one selection of kernels. rTasks share lists. */
typedef struct {
    const rk_rtask_range *ranges;
    const uint32_t *first; /**< list l is ranges[first[l] .. first[l + 1]) */
    const uint32_t *list;  /**< by rTask: its list; NULL: list 0 is everyone's */
    uint32_t list_count;   /**< at least 1 */
    bool exact;            /**< no range has rTasks that need not be waited for */
    uint64_t pairs; /**< of an rTask and one that it needs; without what others in its list imply */
} rk_node_deps;

/** Ranges that depend on the kernels selected, found when they are asked for and kept. */
typedef struct rk_deps_cache rk_deps_cache;

/**
 * What nodes wait for as wholes: node n waits for ranges[first[n] .. first[n + 1]), whole nodes, in
 * graph order; and what their rTasks wait for, through rk_deps_node.
 */
typedef struct rk_deps {
    uint32_t *first;
    rk_rtask_range *ranges;
    rk_deps_cache *cache;
} rk_deps;

/**
 * From problem->edges. The whole-node lists leave out a node that another one in the same list waits
 * for itself: where each rTask waits for all of its list, the shorter lists order the same pairs. What
 * rk_deps_node finds later goes to `arena` too.
 */
void rk_deps_build(rk_deps *out, const rk_problem *problem, rk_arena *arena);

/** The problem's own, or new ones in `arena`. */
rk_deps *rk_deps_of_problem(const rk_problem *problem, rk_arena *arena);

/**
 * What each rTask of `node` waits for, when `selected` has the candidate of the node and of all nodes
 * before it, by node (rk_builder_selected). Two rTasks depend on each other where their access ranges
 * (sched/plan/rtask_access.h) overlap and one writes; without ranges, nodes depend as wholes. Ordered by node,
 * then first rTask; without what others in the list wait for. Found once for each combination of
 * kernels; near linear in rTasks and dependent pairs.
 */
const rk_node_deps *rk_deps_node(rk_deps *deps, rk_id node, const uint32_t *selected);

/** What each rTask of a later node waits for of an earlier one, at least, and all of them together. */
typedef struct {
    uint32_t fewest; /**< rTasks that each of them waits for, at least */
    uint32_t back;   /**< of them, those that wait for each rTask of the earlier node, at least */
    bool covers;     /**< each rTask of the earlier node is waited for by some */
} rk_deps_edge;

/**
 * Of problem->edges[edge] at those candidates, as the access ranges say: neither ranges that were joined
 * to keep lists short nor what other edges imply count. `covers` may be false although all are waited
 * for; where it is true `back` is 1 at least.
 */
rk_deps_edge rk_deps_of_edge(rk_deps *deps, size_t edge, uint32_t from, uint32_t to);

/** The ranges that rTask `rtask` of the node waits for, for rk_wait and its like. */
static inline const rk_rtask_range *rk_deps_of(const rk_node_deps *node, uint32_t rtask,
                                               size_t *count)
{
    uint32_t list = node->list ? node->list[rtask] : 0;
    *count = node->first[list + 1] - node->first[list];
    return &node->ranges[node->first[list]];
}

#endif
