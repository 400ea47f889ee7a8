#ifndef RK_SCHED_POLICIES_TRAINS_H
#define RK_SCHED_POLICIES_TRAINS_H

#include "sched/plan/schedule.h"

/**
 * Trains: operators of which each rTask needs, of those before it in the train, the rTask of its own number alone, so that
 * rTask r of all of them run one behind another on one vEU, without a signal or a wait between. To a policy a train is
 * one node, whose rTask is theirs together.
 */
typedef struct rk_trains rk_trains;

/** The trains of two operators and more that the edges allow; NULL when there is none. */
const rk_trains *rk_trains_find(const rk_problem *problem, uint32_t veus, rk_arena *arena);

/** The problem with each train as one node, for policies alone: its graph, candidates and edges are made up. */
const rk_problem *rk_trains_problem(const rk_trains *trains);

/** A schedule of rk_trains_problem as one of the problem itself, in which nothing waits for an rTask inside a train. */
const rk_schedule *rk_trains_expand(const rk_trains *trains, const rk_schedule *schedule,
                                    rk_arena *arena);

#endif
