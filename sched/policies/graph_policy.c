#include "sched/policies/policy.h"
#include "sched/policies/policy_steps.h"

/**
 * Kernels in graph order, each on the vEUs that are free first: what a GPU's block scheduler does with
 * branches of a captured graph. The time between kernels is the simulator's (RK_RUNS_AS_GRAPH).
 */
static bool run(rk_builder *builder, const rk_problem *problem, rk_diag *diag)
{
    (void)diag;
    rk_arena *scratch = rk_arena_new();
    uint32_t veus = rk_builder_veus(builder);
    rk_deps *deps = rk_deps_of_problem(problem, scratch);
    for (rk_id op = 0; op < problem->graph->node_count; op++) {
        rk_select(builder, op, rk_fastest_kernel(problem, op, veus));
        rk_append_node(builder, problem, deps, op);
    }
    rk_arena_free(scratch);
    return true;
}

static rk_run_form form(const int64_t *options)
{
    (void)options;
    return RK_RUNS_AS_GRAPH;
}

const rk_policy rk_policy_graph = {
    .name = "graph",
    .summary = "a yardstick: each operator a kernel of one CUDA graph, simulated as such",
    .form = form,
    .run = run,
};
