#ifndef RK_SCHED_PLAN_CANDIDATE_H
#define RK_SCHED_PLAN_CANDIDATE_H

#include "rkernel_lib/catalog/binding.h"
#include "sched/plan/residency.h"
#include "sched/plan/rtask_access.h"
#include "sched/plan/rtask_price.h"

/** Where a time is from; every report says which (section 3.3 of the Rammer paper: the profiler). */
typedef enum { RK_MODELLED, RK_MEASURED } rk_source;
const char *rk_source_name(rk_source source);

/** An argument of an rKernel for one node: a tensor and an element offset, or a scalar's value. */
typedef struct {
    rk_id tensor;    /**< RK_NO_ID for a scalar or a null pointer */
    int64_t offset;  /**< elements */
    double real;     /**< scalars of floating type */
    int64_t integer; /**< other scalars */
} rk_kernel_arg;

/** What of a launch depends on open dimensions; NULL where it is the candidate's number. */
typedef struct {
    rk_sym grid[3];
    rk_sym *args; /**< by parameter: a scalar's value, or a pointer's offset in elements */
} rk_open_launch;

/** An rKernel that can run a node: a kernel instance with a launch configuration and arguments. */
typedef struct rk_candidate {
    const rk_kernel *kernel;
    const rk_binding *binding; /**< NULL for a node that names its kernel */
    int64_t grid[3], block[3];
    int64_t shared;            /**< dynamic shared memory, bytes */
    const rk_kernel_arg *args; /**< kernel->param_count */
    /** For each parameter, what an rTask touches through it; NULL: all of it, as for all of NULL. */
    const rk_access *const *access;
    const rk_open_launch *
        open; /**< of a node with open extents, where all that is open has an expression; else NULL */
    uint32_t rtasks; /**< grid[0]*grid[1]*grid[2] */
    int residents;   /**< vEUs that share an SM, at the demand of all candidates in play */
    rk_demand demand;
    double rtask_ns;      /**< one rTask on a vEU */
    rk_rtask_parts parts; /**< what rtask_ns is made of */
    rk_rtask_needs needs; /**< by which the model priced it, where its data is taken to be */
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
    const rk_residency *residency; /**< NULL: the parts of candidates hold wherever data is */
} rk_candidates;

/** Whether its rTasks may wait for lower-numbered ones: a schedule has these begin before them. */
bool rk_candidate_is_ordered(const rk_candidate *candidate);

/** Parts of an rTask whose node has that part of its bytes from the memory; the candidate's own where it has no needs. */
rk_rtask_parts rk_candidate_parts(const rk_candidate *candidate, const rk_device *device,
                                  double memory);

/** Whether where data is, and so times, depend on the order in which nodes run. */
bool rk_candidates_depend_on_order(const rk_candidates *candidates);

/** The part of a node's bytes that the memory serves in every order. */
double rk_candidates_least_memory(const rk_candidates *candidates, rk_id node);

/** The largest threads, registers and shared bytes of all candidates: what a vEU must offer. */
rk_demand rk_candidates_demand(const rk_candidates *candidates);

#endif
