#ifndef RK_SCHED_SCHEDULE_INTERNAL_H
#define RK_SCHED_SCHEDULE_INTERNAL_H

#include "sched/schedule.h"

/** vDevice of a schedule: how large a vEU is and how many are resident. */
typedef struct {
    uint32_t veus;
    int threads;       /**< V */
    int64_t shared;    /**< bytes of a vEU's shared buffer */
    int blocks_per_sm; /**< vEUs that share an SM */
} rk_vdevice;

/** A builder of `veus` vEUs with nothing appended; schedules go to `arena`. */
rk_builder *rk_builder_new(const rk_problem *problem, uint32_t veus, rk_arena *arena);

/** What was built, as data; the builder is not used again. */
rk_schedule *rk_builder_finish(rk_builder *builder);

#endif
