#include "sched/policies/list_core.h"

static const rk_policy_option options[] = {
    {"efficiency", 50, 0, 1000,
     "percent of a kernel's work over the vEUs that counts against its finishing early"},
    {NULL},
};

/**
 * List scheduling after HEFT (Topcuoglu, Hariri and Wu, 2002): upward ranks, and for each operator the
 * kernel, and for each rTask the vEU, with which it ends first.
 */
static bool run(rk_builder *builder, const rk_problem *problem, rk_diag *diag)
{
    (void)diag;
    rk_arena *scratch = rk_arena_new();
    double *rank = RK_NEW_ARRAY(scratch, double, problem->graph->node_count + 1);
    rk_upward_ranks(rank, problem, NULL, rk_builder_veus(builder));
    rk_deps *deps = rk_deps_of_problem(problem, scratch);
    rk_listing listing = {.priority = rank, .efficiency = 0.01 * (double)problem->options[0]};
    rk_list_rtasks(builder, problem, deps, &listing);
    rk_arena_free(scratch);
    return true;
}

const rk_policy rk_policy_list = {
    .name = "list",
    .summary = "list scheduling of rTasks by upward rank, with kernel selection inside",
    .options = options,
    .run = run,
};
