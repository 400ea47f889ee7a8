#ifndef RK_SCHED_PLAN_RESIDENCY_H
#define RK_SCHED_PLAN_RESIDENCY_H

#include "sched/graph/graph.h"
#include "sched/machine/device.h"

/**
 * From where the L2 and the memory serve what nodes touch, when the same run is repeated: a buffer that a node touches
 * is in the L2 when no more than the L2 holds was touched since it was touched before, in this run or the one
 * before. Constants of equal content that no node updates are one buffer, as they are in an image.
 */
typedef struct rk_residency rk_residency;

/** What the nodes of the graph touch, by the device's L2. */
const rk_residency *rk_residency_new(const rk_graph *graph, const rk_device *device,
                                     rk_arena *arena);

/** Whether all that a run touches fits the L2: then the memory serves nothing, in any order. */
bool rk_residency_fits(const rk_residency *residency);

/** The part of a node's bytes that the memory serves whatever the order of nodes is. */
double rk_residency_least(const rk_residency *residency, rk_id node);

/** By node, into `memory`: the part of its bytes that the memory serves when nodes run in that order. */
void rk_residency_of_order(double *memory, const rk_residency *residency, const rk_id *order);

/** By tensor, the first constant with the same bytes, in whose place it can be: itself for what is no constant, what a
    node updates, and zeros, whose contents are not looked at. */
const rk_id *rk_equal_constants(const rk_graph *graph, rk_arena *arena);

#endif
