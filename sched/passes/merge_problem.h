#ifndef RK_SCHED_PASSES_MERGE_PROBLEM_H
#define RK_SCHED_PASSES_MERGE_PROBLEM_H

#include "sched/passes/merge.h"
#include "sched/plan/schedule.h"

/**
 * The problem with operators merged: their graph, its candidates by problem->source, and its edges; all
 * else is as it was. NULL with RK-G017, or what rk_candidates_find says.
 */
const rk_problem *rk_merge_problem(const rk_problem *problem, const rk_merge_groups *groups,
                                   rk_arena *arena, rk_diag *diag);

#endif
