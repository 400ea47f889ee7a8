#ifndef RK_SCHED_POLICIES_ATTEMPT_H
#define RK_SCHED_POLICIES_ATTEMPT_H

#include "sched/passes/merge.h"
#include "sched/policies/list_core.h"
#include "sched/policies/policy.h"

/** The best schedule so far, by simulation. It begins zeroed and is given back with rk_attempt_free. */
typedef struct {
    const rk_schedule *schedule; /**< NULL: none */
    double time;
    char by[64];     /**< what made it: "list:efficiency=25" */
    rk_arena *arena; /**< of the schedule */
} rk_attempt;

/**
 * Runs a policy on `veus` vEUs of its own, keeps what it makes if that is faster than the best, and says
 * whether it is. `options` NULL: the policy's defaults.
 */
bool rk_attempt_policy(rk_attempt *best, const rk_policy *policy, const int64_t *options,
                       const rk_problem *problem, uint32_t veus, rk_diag *diag);

/** "list:efficiency=25": the policy's name and the options that are not its defaults. */
const char *rk_attempt_name(const rk_policy *policy, const int64_t *options, rk_arena *arena);

/**
 * Policies that are tried before others build on the best of them (rk_policy.turns): all that cost no
 * more than a part of `effort` together, and two at least. Returns what is left of the effort.
 */
enum { RK_USUAL_PART = 3 };
size_t rk_attempt_usual(rk_attempt *best, const rk_problem *problem, uint32_t veus, size_t effort,
                        rk_diag *diag);

/** Notes for reports that something was tried, once. `by` is copied. */
void rk_attempt_note(const rk_problem *problem, const char *by, double time, size_t rtasks);

/** Takes a finished schedule and its arena, when it is faster than the best; else frees the arena. */
bool rk_attempt_take(rk_attempt *best, const rk_schedule *schedule, double time, const char *by,
                     rk_arena *arena);

void rk_attempt_free(rk_attempt *attempt);

/**
 * rk_policy.merge of policies that try others: operators that are little more work as one, or less, where an
 * attempt is faster for it, as simulated.
 */
bool rk_attempt_merge(rk_merge_groups *groups, const rk_problem *problem, rk_arena *arena,
                      rk_diag *diag);

/**
 * One attempt that favours kernels of little work, as simulated; negative: it failed. It is noted with `what` behind its
 * name. It stands for all that could be made of a problem, beside another.
 */
double rk_attempt_quickly(const rk_problem *problem, const char *what, rk_arena *scratch,
                          rk_diag *diag);

/**
 * The problem for a vDevice of smaller vEUs, of which more share a unit, without the kernels that need larger ones, where
 * that is faster, as one attempt with each size says, or without `attempts` work and longest path; else `problem`. NULL when
 * that fails. The problem has a source.
 */
const rk_problem *rk_attempt_size(const rk_problem *problem, bool attempts, rk_arena *arena,
                                  rk_diag *diag);

/** What placing, building and simulating a schedule once costs of a budget. */
size_t rk_attempt_cost(const rk_schedule *schedule, const rk_problem *problem);

/** What building and simulating an rTask costs of a budget, beside the 1 for placing it. */
enum { RK_BUILT_COST = 5 };

/** How long a local search goes on. */
typedef struct {
    size_t moves;
    size_t rtasks; /**< placed in all moves, about, and what building costs beside */
    double ms;     /**< 0: no limit */
    double enough; /**< a time that need not be beaten, as a lower bound is */
    uint64_t seed;
} rk_search;

/**
 * Local search (search.c) from the best attempt, which it improves: moves change kernels and
 * priorities, the list scheduler makes a schedule of them, the simulator says its time.
 */
void rk_search_from(rk_attempt *best, const rk_problem *problem, uint32_t veus,
                    const rk_search *how);

#endif
