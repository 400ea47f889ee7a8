#ifndef RK_SCHED_MEMORY_FINISHED_H
#define RK_SCHED_MEMORY_FINISHED_H

#include "sched/plan/schedule.h"

/** By node, a set: nodes all of whose rTasks have finished before any of its own begins, by the schedule's waits. */
typedef struct {
    size_t words; /**< 64-bit words of a set */
    const uint64_t *sets;
} rk_finished;

/** Told of the rTasks of a node that run one after another on a vEU, before the first of them: the set of nodes that have surely finished before it. */
typedef void rk_finished_watcher(void *data, rk_id node, uint32_t veu, const uint64_t *finished);

/**
 * Plays the schedule, and finds of each node those that are surely there: maybe not all that are. False when the
 * schedule is too large for that, or cannot be played. `watcher` may be NULL.
 */
bool rk_finished_find(rk_finished *out, const rk_schedule *schedule, rk_finished_watcher *watcher,
                      void *data, rk_arena *arena);

static inline bool rk_finished_before(const rk_finished *f, rk_id node, rk_id other)
{
    return f->sets[other * f->words + node / 64] >> (node % 64) & 1;
}

#endif
