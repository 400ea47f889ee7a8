#ifndef RK_SCHED_MEMORY_TENANTS_H
#define RK_SCHED_MEMORY_TENANTS_H

#include "sched/memory/finished.h"

/** A buffer between nodes: no constant, input or output. */
typedef struct rk_tenant {
    rk_id tensor;
    int64_t bytes, offset;
    const rk_id *nodes; /**< that touch it, in order of the graph */
    size_t node_count;
    uint64_t *before;  /**< a set: nodes that surely end before any of them begins */
    double begin, end; /**< when it lives; 0 and infinite where that is not known */
} rk_tenant;

typedef struct {
    rk_tenant *items;
    size_t count;
    rk_finished finished;
} rk_tenants;

/** Those of a schedule. False when there are none, or too many to compare each with all others. */
bool rk_tenants_find(rk_tenants *out, const rk_problem *problem, const rk_schedule *schedule,
                     rk_arena *arena);

/** Whether the schedule's waits say that all use of one is over before the other's begins. */
bool rk_tenant_is_before(const rk_tenant *a, const rk_tenant *b);

/**
 * Gives each an offset from 0 on, apart from those that may live beside it: neither is before the other, and
 * neither ends before the other begins. Larger ones first, each in the smallest gap that holds it. Returns where the last
 * of them ends.
 */
int64_t rk_tenants_place(rk_tenants *tenants, rk_arena *scratch);

#endif
