#ifndef RK_SCHED_POLICIES_PLACE_H
#define RK_SCHED_POLICIES_PLACE_H

#include "sched/policies/policy_steps.h"

/**
 * Where the rTasks of one rProgram go and when: what a builder that is given the same rTasks in the same
 * order says, to the bit, without its lists and waits. Policies that look at many schedules make those
 * with it, and only the good ones with a builder.
 */
typedef struct rk_places rk_places;

/** Nothing is placed. Times are read from the problem as nodes are selected; the builder's veus > 0. */
rk_places *rk_places_new(const rk_problem *problem, rk_deps *deps, uint32_t veus, rk_arena *arena);

/** Forgets what was placed and selected. */
void rk_places_clear(rk_places *places);

/** Says which candidate runs a node, once all that it depends on is placed. */
void rk_places_select(rk_places *places, rk_id node, uint32_t candidate);

/** By node: its candidate, or what it was before rk_places_clear. */
const uint32_t *rk_places_selected(const rk_places *places);

/** Whether all rTasks of a selected node wait for the same. */
bool rk_places_alike(const rk_places *places, rk_id node);

/** When the node's next rTask could start; before a candidate is selected, after all of its predecessors. */
double rk_places_ready(rk_places *places, rk_id node);

/** Places the next rTask of a selected node where it could start first; whether it was the last. */
bool rk_places_append(rk_places *places, rk_id node);

/** When the node would have ended with that candidate if all its rTasks were placed next. */
double rk_places_try(rk_places *places, rk_id node, uint32_t candidate);

/** When the first vEU is free. */
double rk_places_now(const rk_places *places);

/** When all that was placed has ended, with the launch, in ns. */
double rk_places_end(const rk_places *places);

/** Time that vEUs spent waiting before rTasks, all together, in ns. */
double rk_places_idle(const rk_places *places);

/** rTasks placed. */
size_t rk_places_count(const rk_places *places);

/** Does the same with an empty builder, of as many vEUs. */
void rk_places_build(const rk_places *places, rk_builder *builder);

#endif
