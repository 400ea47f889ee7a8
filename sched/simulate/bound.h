#ifndef RK_SCHED_SIMULATE_BOUND_H
#define RK_SCHED_SIMULATE_BOUND_H

#include "sched/plan/schedule.h"

/**
 * What no schedule of a problem on `veus` vEUs goes below, in ns, whatever kernels it selects, as
 * rk_simulate counts for a vDevice: each term takes the least over the candidates of a node. All include one launch.
 */
typedef struct {
    double work_ns;  /**< all rTasks, each as fast as alone, over the vEUs */
    double path_ns;  /**< the longest chain of rTasks and signals, with the work that must be done
                        before and after each point of it */
    double bytes_ns; /**< all bytes over the bandwidth of the memory that they come from */
    double total_ns; /**< the largest, or more: below it some node has no candidate left */
    double
        plain_ns; /**< the largest of work_ns, bytes_ns and the longest chain of rTasks and signals
                        alone; a yardstick, never above total_ns */
} rk_bound;

void rk_bound_find(rk_bound *out, const rk_problem *problem, uint32_t veus);

#endif
