#ifndef RK_EMIT_CPU_PROFILE_H
#define RK_EMIT_CPU_PROFILE_H

#include "emit/backend.h"

/**
 * Measures this machine's costs for `costs` (sched/profile/profile_file.h), on as many vEUs as `device` has
 * units: starting and joining an rProgram and a signal between two workers by the clock, each the fastest of
 * very many short runs; by processor time an rTask that does nothing, a barrier, and what it takes each
 * thread of the block. What cannot be told from noise stays
 * 0, as a signal on one processor does. False with RK-M107.
 */
bool rk_cpu_profile_costs(double costs[RK_COST_COUNT], const rk_device *device, rk_diag *diag);

/**
 * Measures the items by processor time, so that what else runs here costs them the caches at most: the
 * fastest run of five batches, between which the other items have theirs. entries[i] is item i's, and
 * spreads[i] by how much of it its slowest batch took longer. `overhead_ns`, the cost of an rTask that
 * does nothing, is taken off. False with RK-M... .
 */
bool rk_cpu_profile_items(rk_profile_entry *entries, double *spreads, const rk_profile_image *image,
                          const rk_catalog *catalog, double overhead_ns,
                          const rk_measure_options *options, rk_diag *diag);

#endif
