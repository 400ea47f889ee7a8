#ifndef RK_SCHED_SCHEDULE_DEPS_H
#define RK_SCHED_SCHEDULE_DEPS_H

#include "sched/schedule.h"

/**
 * What the rTasks of each node wait for: those of node n are ranges[first[n] .. first[n + 1]), whole
 * nodes, in graph order.
 */
typedef struct {
    uint32_t *first;
    rk_rtask_range *ranges;
} rk_deps;

/**
 * From problem->edges. Leaves out a node that another one in the same list waits for itself: where
 * each rTask waits for all of its list, the shorter lists order the same pairs.
 */
void rk_deps_build(rk_deps *out, const rk_problem *problem, rk_arena *arena);

#endif
