#ifndef RK_SCHED_MEMORY_REUSE_H
#define RK_SCHED_MEMORY_REUSE_H

#include "sched/plan/schedule.h"

/** What buffers of a schedule share memory for. */
typedef struct {
    int64_t bytes_before, bytes; /**< of the buffers between nodes, without and with the waits */
    size_t waits;                /**< items that barrier-rTasks wait for besides */
    const struct rk_tenant
        *placed; /**< where they lie in these bytes; NULL where that was not found */
    size_t placed_count;
} rk_reuse;

/**
 * The schedule with waits by which more buffers may share memory (rk_memory_plan): where the simulator has one done with
 * before another begins, the nodes that write the other wait for those that touch the first, which have ended by then, so
 * that nothing starts later in a simulated run. rTasks stay where they are. The schedule itself where that saves
 * less than a twentieth of the memory, or less than looking for the waits reads (32 bytes an item), and where it does not
 * run as a vDevice or has rTasks that wait for lower-numbered ones.
 */
rk_schedule *rk_memory_reuse(rk_reuse *out, const rk_problem *problem, rk_schedule *schedule,
                             rk_arena *arena);

#endif
