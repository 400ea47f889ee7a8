#ifndef RK_SCHED_FILES_SCHEDULE_FILES_H
#define RK_SCHED_FILES_SCHEDULE_FILES_H

#include "sched/plan/schedule.h"

/** Writes JSON, or the binary form when the path ends in ".bin". */
bool rk_schedule_write(const rk_schedule *schedule, const rk_problem *problem, const char *path,
                       rk_arena *arena, rk_diag *diag);
/**
 * Reads either form and matches it to the problem. NULL with RK-S006 (it is another graph's, device's
 * or catalog's), RK-S007 (a malformed entry), RK-S008 (a binary file that was cut or changed).
 */
rk_schedule *rk_schedule_read(const char *path, const rk_problem *problem, rk_arena *arena,
                              rk_diag *diag);

/** What a schedule was made for, beside the graph: the problem that it is read for is to be the same. */
typedef struct {
    const struct rk_merged
        *merged; /**< nodes that became one before it was made, by name (sched/passes/merge.h) */
    size_t merged_count;
    int residents; /**< vEUs that share a unit (rk_kernel_source.residents) */
} rk_schedule_setting;

/** RK-S007 or RK-S008 as above. */
bool rk_schedule_read_setting(rk_schedule_setting *out, const char *path, rk_arena *arena,
                              rk_diag *diag);

/** Whether the file begins as a binary schedule does. */
bool rk_schedule_is_binary(const char *path);
/** The name of the device that a binary schedule is for; NULL with RK-S008 as above. */
const char *rk_schedule_binary_device(const char *path, rk_arena *arena, rk_diag *diag);

#endif
