#include "sched/policies/list_core.h"
#include "sched/policies/policy.h"
#include "sched/policies/timed.h"

static const rk_policy_option options[] = {
    {"efficiency", 50, 0, 1000,
     "percent of a kernel's work over the vEUs that counts against its finishing early"},
    {"contention", 100, 0, 100,
     "percent of what the vEU's share of the bandwidth adds to an rTask's time alone"},
    {NULL},
};
enum { EFFICIENCY, CONTENTION };

/**
 * List scheduling after HEFT (Topcuoglu, Hariri and Wu, 2002): upward ranks, and for each operator the
 * kernel, and for each rTask the vEU, with which it ends first.
 */
static bool run(rk_builder *builder, const rk_problem *problem, rk_diag *diag)
{
    (void)diag;
    uint32_t veus = rk_builder_veus(builder);
    rk_arena *scratch = rk_arena_new();
    double *rank = RK_NEW_ARRAY(scratch, double, problem->graph->node_count + 1);
    rk_timed timed;
    rk_timed_init(&timed, problem, scratch);
    double *share = RK_NEW_ARRAY(scratch, double, problem->graph->node_count + 1);
    for (size_t i = 0; i < problem->graph->node_count; i++)
        share[i] = 0.01 * (double)problem->options[CONTENTION];
    rk_timed_mix(&timed, share);
    rk_upward_ranks(rank, &timed.problem, NULL, veus);
    rk_deps *deps = rk_deps_of_problem(problem, scratch);
    rk_listing listing = {.priority = rank,
                          .efficiency = 0.01 * (double)problem->options[EFFICIENCY]};
    rk_lister *lister = rk_lister_new(&timed.problem, deps, veus, scratch);
    rk_lister_run(lister, &listing);
    rk_builder *own = rk_builder_new(&timed.problem, veus, scratch);
    rk_places_build(rk_lister_places(lister), own);
    rk_builder_copy(builder, rk_builder_finish(own));
    rk_arena_free(scratch);
    return true;
}

static const rk_policy_turn turns[] = {
    {20, {200, 50}}, {40, {50, 100}}, {50, {50, 0}}, {60, {800, 50}}, {0},
};

const rk_policy rk_policy_list = {
    .name = "list",
    .summary = "list scheduling of rTasks by upward rank, with kernel selection inside",
    .options = options,
    .turns = turns,
    .run = run,
};
