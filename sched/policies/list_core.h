#ifndef RK_SCHED_POLICIES_LIST_CORE_H
#define RK_SCHED_POLICIES_LIST_CORE_H

#include "sched/policies/place.h"

/** No kernel yet. */
#define RK_UNCHOSEN UINT32_MAX

/** How rTasks are listed. */
typedef struct {
    const double *priority; /**< by node: of those that could start, the highest first */
    const uint32_t
        *kernels; /**< by node; NULL or RK_UNCHOSEN: it is chosen as the node's turn comes */
    /**
     * How a kernel is chosen: the least of the time at which the node has ended, plus this times the
     * node's work over the vEUs, which the rTasks after it have to do without.
     */
    double efficiency;
    const double *pressure; /**< by node: times `efficiency`; NULL: 1 */
    double until;           /**< gives up once it must end later than this, in ns; 0: never */
} rk_listing;

/** Lists the rTasks of one problem, as often as one likes: its times may change from one to the next. */
typedef struct rk_lister rk_lister;

rk_lister *rk_lister_new(const rk_problem *problem, rk_deps *deps, uint32_t veus, rk_arena *arena);

/**
 * Lists all rTasks in one rProgram: of the nodes whose predecessors are placed and that could start
 * by the time a vEU is free, the one with the highest priority places its next rTask; if there is
 * none, the one that could start first. Each goes where it could start earliest. False when it gave up.
 */
bool rk_lister_run(rk_lister *lister, const rk_listing *listing);

/** What the last run placed. */
const rk_places *rk_lister_places(const rk_lister *lister);

/**
 * Whether another candidate of the node leaves no reason to take this one: it takes no longer for one rTask,
 * for all on all vEUs, and in all; of equals the first stays.
 */
bool rk_is_dominated(const rk_problem *problem, rk_id node, uint32_t candidate, uint32_t veus);

/**
 * HEFT's upward ranks: for each node the longest time from its start to the end, of operators over all
 * vEUs and the signals between them. `kernels` NULL: the fastest ones.
 */
void rk_upward_ranks(double *rank, const rk_problem *problem, const uint32_t *kernels,
                     uint32_t veus);

#endif
