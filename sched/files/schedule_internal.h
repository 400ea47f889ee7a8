#ifndef RK_SCHED_FILES_SCHEDULE_INTERNAL_H
#define RK_SCHED_FILES_SCHEDULE_INTERNAL_H

#include "sched/files/schedule_files.h"

#include <float.h>

/* What either form takes: more vEUs and shared bytes no device has. */
enum { MOST_VEUS = 1 << 20 };
#define MOST_SHARED (INT64_C(1) << 40)

/** Whether a schedule may take this long: not NaN, not endless, not less than nothing. */
static inline bool rk_schedule_is_makespan(double ns)
{
    return ns >= 0 && ns <= DBL_MAX;
}

/** A launch as a file has it. */
typedef struct {
    const char *kernel; /**< its id */
    int64_t candidate, shared;
    int64_t grid[3], block[3];
} rk_launch_facts;

/** Of all that a schedule depends on in a graph. */
uint64_t rk_schedule_graph_hash(const rk_graph *graph);

/**
 * The launches in use, each once, and for each node which one, into which[0 .. nodes). Returns their
 * number; *launches is in the arena.
 */
size_t rk_schedule_launches(rk_launch_facts **launches, uint32_t *which,
                            const rk_schedule *schedule, const rk_problem *problem,
                            rk_arena *arena);

/** The node's candidate with that launch, the one of the same number if it has it. */
bool rk_schedule_match(uint32_t *out, const rk_node_candidates *all, const rk_launch_facts *launch);

bool rk_schedule_write_binary(const rk_schedule *schedule, const rk_problem *problem,
                              const char *path, rk_arena *arena, rk_diag *diag);
rk_schedule *rk_schedule_read_binary(const char *path, const rk_problem *problem, rk_arena *arena,
                                     rk_diag *diag);
bool rk_schedule_read_setting_binary(rk_schedule_setting *out, const char *path, rk_arena *arena,
                                     rk_diag *diag);

#endif
