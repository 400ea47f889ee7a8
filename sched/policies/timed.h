#ifndef RK_SCHED_POLICIES_TIMED_H
#define RK_SCHED_POLICIES_TIMED_H

#include "sched/plan/schedule.h"

/**
 * A problem with times of its own for its rTasks, for builders that are to place them by those. All
 * else, and the times that a schedule is simulated by, are of the problem that it was made from.
 */
typedef struct {
    rk_problem problem;
    const rk_problem *from;
    rk_candidate **items; /**< by node: the candidates of `problem` */
} rk_timed;

void rk_timed_init(rk_timed *timed, const rk_problem *from, rk_arena *arena);

/** Times of node n's rTasks alone, and share[n] of what their vEUs' share of the bandwidth adds. */
void rk_timed_mix(rk_timed *timed, const double *share);

#endif
