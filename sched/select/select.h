#ifndef RK_SCHED_SELECT_H
#define RK_SCHED_SELECT_H

#include "rkernel_lib/catalog/binding.h"
#include "sched/machine/device.h"
#include "sched/ops/op.h"
#include "sched/plan/rtask_access.h"
#include "sched/profile/profile.h"

/** An argument of an rKernel for one node: a tensor and an element offset, or a scalar's value. */
typedef struct {
    rk_id tensor;    /**< RK_NO_ID for a scalar or a null pointer */
    int64_t offset;  /**< elements */
    double real;     /**< scalars of floating type */
    int64_t integer; /**< other scalars */
} rk_kernel_arg;

/** An rKernel that can run a node: a kernel instance with a launch configuration and arguments. */
typedef struct rk_candidate {
    const rk_kernel *kernel;
    const rk_binding *binding; /**< NULL for a node that names its kernel */
    int64_t grid[3], block[3];
    int64_t shared;            /**< dynamic shared memory, bytes */
    const rk_kernel_arg *args; /**< kernel->param_count */
    /** For each parameter, what an rTask touches through it; NULL: all of it, as for all of NULL. */
    const rk_access *const *access;
    uint32_t rtasks;           /**< grid[0]*grid[1]*grid[2] */
    int residents; /**< vEUs that share an SM, at the demand of all candidates in play */
    rk_demand demand;
    double rtask_ns;      /**< one rTask on a vEU */
    rk_rtask_parts parts; /**< what rtask_ns is made of */
    rk_source source;     /**< where rtask_ns is from */
} rk_candidate;

/** The candidates of one node, in binding order; never empty. */
typedef struct {
    const rk_candidate *items;
    size_t count;
} rk_node_candidates;

/** The candidates of every node. */
typedef struct {
    rk_node_candidates *nodes;
    size_t node_count;
} rk_candidates;

/**
 * Resolves the bindings for each node: conditions, launch configurations, arguments, then the profile's
 * time. A launch of zero or too many blocks or threads is dropped. `only` (NULL: all) keeps kernels
 * whose id contains it, where a node keeps at least one. NULL with, for all nodes at once, RK-S001
 * (no kernel for the op and types, naming what each binding lacked), RK-S002 (dtype), RK-S003 (the
 * kernel needs more than the device has), RK-S004 (unknown kernel or launcher of a kernel node).
 */
const rk_candidates *rk_candidates_find(const rk_graph *graph, const rk_catalog *catalog,
                                        const rk_bindings *bindings, const rk_device *device,
                                        const rk_profile *profile, const char *only,
                                        rk_arena *arena, rk_diag *diag);

/** What candidates are found with, for graphs that are made of one that was planned. */
typedef struct {
    const rk_catalog *catalog;
    const rk_bindings *bindings;
    const rk_profile *profile;
    const char *only;
} rk_kernel_source;

/** The largest threads, registers and shared bytes of all candidates: what a vEU must offer. */
rk_demand rk_candidates_demand(const rk_candidates *candidates);

#endif
