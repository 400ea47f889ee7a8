#ifndef RK_SCHED_MEMORY_MEMORY_PLAN_H
#define RK_SCHED_MEMORY_MEMORY_PLAN_H

#include "sched/plan/memory_layout.h"
#include "sched/plan/schedule.h"

/**
 * Places the buffers. Two that share memory are never live at once under this schedule: one's last
 * use is in an earlier rProgram than the other's first. Inputs and outputs share with none; constants that no node
 * updates share with those of the same bytes.
 */
const rk_memory *rk_memory_plan(const rk_problem *problem, const rk_schedule *schedule,
                                rk_arena *arena);

#endif
