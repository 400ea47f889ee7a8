#ifndef RK_SCHED_SIMULATE_MEASURED_H
#define RK_SCHED_SIMULATE_MEASURED_H

#include "base/diag.h"
#include "sched/simulate/simulate.h"

/** A run of a schedule whose times were taken while it ran. */
typedef struct {
    const char *device;   /**< as the file names it */
    rk_sim_event *events; /**< rTasks and waits, by rProgram, vEU and then time; no causes, no launches */
    size_t count;
    double end_ns; /**< of the last, since the first began */
} rk_measured;

/**
 * Reads times that `rammer run --trace` or an emitted program's `<name>_trace` took of a run of `schedule`, in the Trace
 * Event Format. RK-U014 when the file holds no measured times, or the run's rTasks are not, vEU for vEU and in their
 * order, those of the schedule.
 */
bool rk_measured_read(rk_measured *out, const char *path, const rk_schedule *schedule, const rk_problem *problem,
                      rk_arena *arena, rk_diag *diag);

#endif
