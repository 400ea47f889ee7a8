#ifndef RK_SCHED_POLICIES_EXACT_CORE_H
#define RK_SCHED_POLICIES_EXACT_CORE_H

#include "sched/policies/attempt.h"

/** rTasks, each node with the candidate that has the most, of the graphs that are small. */
enum { RK_EXACT_MOST = 32 };

bool rk_exact_fits(const rk_problem *problem);

/**
 * Branch and bound from the best attempt, which it improves: all kernels, all orders and all vEUs of
 * the rTasks of one rProgram (where launches cost no less than signals, more cannot help), each rTask
 * as soon as it can. True when it has seen them all within `steps` partial schedules.
 */
bool rk_exact_from(rk_attempt *best, const rk_problem *problem, uint32_t veus, size_t steps);

#endif
