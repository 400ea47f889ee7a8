#ifndef RK_SCHED_MEMORY_MEMORY_PLAN_H
#define RK_SCHED_MEMORY_MEMORY_PLAN_H

#include "sched/memory/reuse.h"
#include "sched/plan/memory_layout.h"

/**
 * Places the buffers. Two that share memory are never live at once under this schedule: all rTasks of all nodes
 * that touch one have ended, by the order of rPrograms and by waits that the schedule has anyway, before any of the other's
 * begins. Inputs and outputs share with none; constants that no node updates share with those of
 * the same bytes, and lie in larger ones that have their bytes at a place.
 */
const rk_memory *rk_memory_plan(const rk_problem *problem, const rk_schedule *schedule,
                                rk_arena *arena);

/** The same, of a schedule that rk_memory_reuse gave: what it found out is not found again. */
const rk_memory *rk_memory_plan_reused(const rk_problem *problem, const rk_schedule *schedule,
                                       const rk_reuse *reuse, rk_arena *arena);

#endif
