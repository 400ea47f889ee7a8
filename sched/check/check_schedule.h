#ifndef RK_SCHED_CHECK_CHECK_SCHEDULE_H
#define RK_SCHED_CHECK_CHECK_SCHEDULE_H

#include "sched/plan/memory_layout.h"
#include "sched/plan/schedule.h"

/**
 * Proves a schedule, sharing no code with the policies or the builder: each rTask of each node's
 * selected candidate exactly once (RK-K001 missing, RK-K002 twice, RK-K003 no such rTask); every pair
 * of rTasks that touch overlapping memory, one writing, ordered by program order, waits or rProgram
 * boundaries (RK-K004, naming both rTasks); waits for steps that exist (RK-K005) and no cycle among
 * them, so no deadlock (RK-K006); all vEUs resident at once, threads, registers and shared memory
 * within the device (RK-K007); buffers inside the memory and, where they share it, never live at once
 * (RK-K008). Hazards through shared memory are judged on addresses, after planning. Time is near
 * linear in entries and wait items times vEUs.
 */
bool rk_check(const rk_schedule *schedule, const rk_memory *memory, const rk_problem *problem,
              rk_arena *scratch, rk_diag *diag);

#endif
