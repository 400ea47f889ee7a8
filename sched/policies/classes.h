#ifndef RK_SCHED_POLICIES_CLASSES_H
#define RK_SCHED_POLICIES_CLASSES_H

#include "sched/policies/policy_steps.h"

/** Nodes that a search gives one kernel: class c is nodes[first[c]] .. nodes[first[c + 1] - 1]. */
typedef struct {
    rk_id *nodes;
    uint32_t *first;
    size_t count;
} rk_classes;

/**
 * Sorts the nodes that have several candidates into classes: those with the same candidates that are read
 * by the same kinds of nodes at the same places, where many vEUs work and where few do (`pressure`, by
 * node, is the part of them that does). The classes of the most work with `kernels` come first.
 */
void rk_classes_find(rk_classes *out, const rk_problem *problem, const uint32_t *kernels,
                     const double *pressure, rk_arena *arena);

#endif
