#include "sched/policies/attempt.h"
#include "sched/policies/exact_core.h"
#include "sched/policies/trains.h"
#include "sched/simulate/bound.h"
#include "sched/simulate/simulate.h"

#include <stdio.h>

static const rk_policy_option options[] = {
    {"effort", 10000, 1, 1000000000,
     "thousands of rTasks that are placed at most in all attempts; built and simulated ones count six"},
    {"ms", 0, 0, 86400000, "stop searching after this many milliseconds; 0: never"},
    {"seed", 1, 0, INT64_MAX, "seed of the search"},
    {"merge", 1, 0, 1, "1: operators that read the same data may become one; 0: none do"},
    {"size", 1, 0, 1, "1: vEUs may be smaller, and more, than all kernels allow; 0: they are not"},
    {"trains", 1, 0, 1, "1: rTasks that need one of an operator before may run behind it as one; 0: they do not"},
    {NULL},
};
enum { EFFORT, MS, SEED, MERGE, SIZE, TRAINS };

/** Moves of the search at most, and partial schedules of the exact one. */
enum { MOVES_MOST = 2000, EXACT_STEPS = 1000000 };

/** Of the effort, the part that an attempt may be for sizes of the vDevice to be compared by attempts. */
enum { ATTEMPTED_PART = 20 };

/** rTasks of a graph up to which the lower bound, which costs as much as some attempts, may end the search. */
enum { BOUND_MOST = 10000 };

/** rTasks of all nodes with their fastest kernels. */
static size_t count_rtasks(const rk_problem *problem, uint32_t veus)
{
    size_t count = 0;
    for (rk_id i = 0; i < problem->graph->node_count; i++)
        count += rk_rtasks_of(problem, i, rk_fastest_kernel(problem, i, veus));
    return count;
}

/** The one policy that there is time for. */
static bool run_quickly(rk_builder *builder, const rk_problem *problem, rk_diag *diag)
{
    const rk_policy *policy = rk_policy_find("wavefront");
    int64_t defaults[RK_POLICY_MAX_OPTIONS] = {0};
    rk_policy_defaults(defaults, policy);
    rk_problem given = *problem;
    given.options = defaults;
    rk_builder_credit(builder, policy->name);
    return policy->run(builder, &given, diag);
}

/** What the best attempt with trains is; the schedule is of the problem that they make. */
typedef struct {
    const rk_trains *trains; /**< NULL: there are none, or it is faster without */
    rk_problem given;        /**< theirs */
    rk_attempt best;
} trained;

/** Takes the attempt as a schedule of the problem itself, where that is faster than the best; whether it is. */
static bool take_trained(rk_attempt *best, const trained *t, const rk_problem *problem)
{
    rk_arena *arena = rk_arena_new();
    char by[sizeof best->by];
    const rk_schedule *schedule = rk_trains_expand(t->trains, t->best.schedule, arena);
    const double time = rk_simulate_time(schedule, problem);
    snprintf(by, sizeof by, "%.*s, trains", (int)sizeof by - 9, t->best.by);
    rk_attempt_note(problem, by, time, rk_attempt_cost(schedule, problem));
    return rk_attempt_take(best, schedule, time, by, arena);
}

/**
 * One attempt with trains, which may become the best. It comes on top of the effort, so that where it does not, all is as
 * without it.
 */
static void attempt_trains(trained *out, rk_attempt *best, const rk_problem *problem,
                           uint32_t veus, size_t effort, rk_arena *arena, rk_diag *diag)
{
    const bool small = rk_attempt_cost(best->schedule, problem) < effort;
    const rk_trains *trains = small ? rk_trains_find(problem, veus, arena) : NULL;
    if (!trains)
        return;
    *out = (trained){.trains = trains, .given = *rk_trains_problem(trains)};
    out->given.deps = rk_deps_of_problem(&out->given, arena);
    rk_attempt_policy(&out->best, rk_policy_find("list"), NULL, &out->given, veus, diag);
    if (!out->best.schedule || !take_trained(best, out, problem)) {
        rk_attempt_free(&out->best);
        out->trains = NULL;
    }
}

/**
 * The best of the others as the simulator says, then the search from it, as far as the budget goes;
 * small graphs exactly.
 */
static bool run(rk_builder *builder, const rk_problem *problem, rk_diag *diag)
{
    uint32_t veus = rk_builder_veus(builder);
    size_t effort = (size_t)problem->options[EFFORT] * 1000;
    size_t rtasks = count_rtasks(problem, veus);
    if (rtasks * (1 + RK_BUILT_COST) > effort)
        return run_quickly(builder, problem, diag);
    rk_attempt best = {0};
    rk_arena *scratch = rk_arena_new();
    rk_problem given = *problem;
    given.deps = rk_deps_of_problem(problem, scratch);
    effort = rk_attempt_usual(&best, &given, veus, effort, diag);
    trained as_trains = {0};
    if (problem->options[TRAINS])
        attempt_trains(&as_trains, &best, &given, veus, effort, scratch, diag);
    rk_bound bound = {0};
    if (rtasks <= BOUND_MOST)
        rk_bound_find(&bound, &given, veus);
    rk_search how = {.moves = MOVES_MOST,
                     .rtasks = effort,
                     .ms = (double)problem->options[MS],
                     .enough = bound.total_ns * 1.001,
                     .seed = (uint64_t)problem->options[SEED]};
    if (as_trains.trains) {
        rk_search_from(&as_trains.best, &as_trains.given, veus, &how);
        take_trained(&best, &as_trains, &given);
        rk_attempt_free(&as_trains.best);
    } else {
        rk_search_from(&best, &given, veus, &how);
    }
    if (rk_exact_fits(problem))
        rk_exact_from(&best, &given, veus, EXACT_STEPS);
    rk_builder_copy(builder, best.schedule);
    rk_builder_credit(builder, best.by);
    rk_attempt_free(&best);
    rk_arena_free(scratch);
    return true;
}

/** As the budget lets it: what is planned quickly is not merged. */
static bool merge(rk_merge_groups *groups, const rk_problem *problem, rk_arena *arena,
                  rk_diag *diag)
{
    if (!problem->options[MERGE] ||
        count_rtasks(problem, 1) * (1 + RK_BUILT_COST) > (size_t)problem->options[EFFORT] * 1000)
        return true;
    return rk_attempt_merge(groups, problem, arena, diag);
}

/** As the budget lets it, too: an attempt with each size where it is small beside the effort. */
static const rk_problem *resize(const rk_problem *problem, rk_arena *arena, rk_diag *diag)
{
    const size_t cost = count_rtasks(problem, 1) * (1 + RK_BUILT_COST);
    const size_t effort = (size_t)problem->options[EFFORT] * 1000;
    if (!problem->options[SIZE] || cost > effort)
        return problem;
    return rk_attempt_size(problem, cost <= effort / ATTEMPTED_PART, arena, diag);
}

const rk_policy rk_policy_auto = {
    .name = "auto",
    .summary = "the best of the other policies as simulated, then a search from it, in a budget",
    .options = options,
    .searches = true,
    .merge = merge,
    .resize = resize,
    .run = run,
};
