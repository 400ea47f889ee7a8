#include "sched/policies/policy.h"
#include "sched/policies/policy_steps.h"

/** Each operator is a kernel of its own over all vEUs, in graph order, as a framework launches them. */
static bool run(rk_builder *builder, const rk_problem *problem, rk_diag *diag)
{
    (void)diag;
    uint32_t veus = rk_builder_veus(builder);
    for (rk_id op = 0; op < problem->graph->node_count; op++) {
        uint32_t candidate = rk_fastest_kernel(problem, op, veus);
        rk_begin_rprogram(builder);
        rk_select(builder, op, candidate);
        for (uint32_t r = 0; r < rk_rtasks_of(problem, op, candidate); r++)
            rk_append(builder, (rk_rtask){op, r}, rk_builder_earliest(builder, NULL, 0));
    }
    return true;
}

static rk_run_form form(const int64_t *options)
{
    (void)options;
    return RK_RUNS_AS_LAUNCHES;
}

const rk_policy rk_policy_base = {
    .name = "base",
    .summary = "RammerBase: one operator at a time over all vEUs, each an rProgram of its own",
    .form = form,
    .run = run,
};
