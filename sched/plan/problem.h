#ifndef RK_SCHED_PLAN_PROBLEM_H
#define RK_SCHED_PLAN_PROBLEM_H

#include "sched/plan/candidate.h"

struct rk_deps;
struct rk_kernel_source;

/** Something that a policy tried on its way, for reports. */
typedef struct {
    const char *by;     /**< "list:efficiency=25" */
    bool merged;        /**< on the graph with operators merged */
    double makespan_ns; /**< simulated */
    size_t rtasks;      /**< that were placed in its schedules, as budgets count them */
} rk_tried;

/** What was tried, in order. */
typedef struct rk_tries {
    rk_arena *arena; /**< of all in it */
    rk_tried *items;
    size_t count, capacity;
} rk_tries;

/** What is to be scheduled: what a policy is given, and what a schedule is checked against. */
typedef struct {
    const rk_graph *graph;
    const rk_candidates *candidates;
    const rk_device *device;
    const rk_edge *edges; /**< rk_graph_edges: sorted by (to, from) */
    size_t edge_count;
    uint32_t max_veus;      /**< 0: as many as the occupancy allows */
    const int64_t *options; /**< of the policy, in its order; NULL: their defaults */
    struct rk_deps *deps; /**< kept from one policy to the next (sched/schedule/deps.h), or NULL */
    const struct rk_kernel_source *source; /**< NULL: no operators are merged */
    rk_tries *tries; /**< policies that try others note them there; NULL: they are not noted */
} rk_problem;

#endif
