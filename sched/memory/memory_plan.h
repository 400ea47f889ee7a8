#ifndef RK_SCHED_MEMORY_H
#define RK_SCHED_MEMORY_H

#include "sched/plan/schedule.h"

/**
 * Where each buffer lies in the vDevice's one block of memory. Constants come first, in [0,
 * constant_bytes); offsets are multiples of 256.
 */
typedef struct {
    int64_t *offsets; /**< by tensor; a view has its base's offset plus its own */
    int64_t constant_bytes;
    int64_t total_bytes;
} rk_memory;

/**
 * Places the buffers. Two that share memory are never live at once under this schedule: one's last
 * use is in an earlier rProgram than the other's first. Inputs, outputs and constants share with none.
 */
const rk_memory *rk_memory_plan(const rk_problem *problem, const rk_schedule *schedule,
                                rk_arena *arena);

#endif
