#ifndef RK_SCHED_SELECT_SELECT_H
#define RK_SCHED_SELECT_SELECT_H

#include "sched/plan/candidate.h"
#include "sched/profile/profile.h"

/** rTasks that a schedule holds; with all that is kept of one, they are some GB. */
enum { RK_RTASKS_MOST = 1 << 25 };

/**
 * Resolves the bindings for each node: conditions, launch configurations, arguments, then the profile's
 * time. A launch of zero or too many blocks or threads is dropped. `only` (NULL: all) keeps kernels
 * whose id contains it, where a node keeps at least one. NULL with, for all nodes at once, RK-S001
 * (no kernel for the op and types, naming what each binding lacked), RK-S002 (dtype), RK-S003 (the
 * kernel needs more than the device has), RK-S004 (unknown kernel or launcher of a kernel node),
 * RK-S012 (more than RK_RTASKS_MOST rTasks).
 */
const rk_candidates *rk_candidates_find(const rk_graph *graph, const rk_catalog *catalog,
                                        const rk_bindings *bindings, const rk_device *device,
                                        const rk_profile *profile, const char *only,
                                        rk_arena *arena, rk_diag *diag);

/** What candidates are found with, for graphs that are made of one that was planned, and for vDevices of another size. */
typedef struct rk_kernel_source {
    const rk_catalog *catalog;
    const rk_bindings *bindings;
    const rk_profile *profile;
    const char *only;
    /**
     * vEUs that are to share a unit at least: kernels that let fewer be resident are dropped where a node keeps another. 0:
     * as many as all kernels allow.
     */
    int residents;
} rk_kernel_source;

/** rk_candidates_find, by a source. */
const rk_candidates *rk_candidates_of(const rk_graph *graph, const rk_kernel_source *from,
                                      const rk_device *device, rk_arena *arena, rk_diag *diag);

/** How many vEUs share a unit when these are in play. */
int rk_candidates_residents(const rk_candidates *candidates);

#endif
