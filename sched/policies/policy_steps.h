#ifndef RK_SCHED_POLICIES_POLICY_STEPS_H
#define RK_SCHED_POLICIES_POLICY_STEPS_H

#include "sched/schedule/builder.h"
#include "sched/schedule/deps.h"

/** Time of one rTask of a candidate as the builder counts it, overhead included. */
double rk_rtask_time(const rk_problem *problem, const rk_candidate *candidate);

/** The candidate that runs the whole op soonest on `veus` vEUs: the fastest of section 3.3. */
uint32_t rk_fastest_kernel(const rk_problem *problem, rk_id op, uint32_t veus);

/** The candidate with the smallest product of an rTask's time and the number of rTasks. */
uint32_t rk_efficient_kernel(const rk_problem *problem, rk_id op);

/** How many rTasks the op has with that candidate. */
uint32_t rk_rtasks_of(const rk_problem *problem, rk_id op, uint32_t candidate);

/**
 * SelectvEU, preferring among equal starts a vEU that one of the ranges' last rTasks runs on: program
 * order then takes the place of a wait.
 */
uint32_t rk_choose_veu(const rk_builder *builder, const rk_rtask_range *ranges, size_t count);

/** Appends all rTasks of a node that is selected, each after what it waits for; when they have ended. */
double rk_append_node(rk_builder *builder, const rk_problem *problem, rk_deps *deps, rk_id op);

#endif
