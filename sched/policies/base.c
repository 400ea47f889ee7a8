#include "sched/schedule.h"

/** The candidate that runs the whole op soonest on `veus` vEUs. */
static uint32_t fastest(const rk_problem *problem, rk_id op, uint32_t veus)
{
    const rk_node_candidates *all = &problem->candidates->nodes[op];
    uint32_t best = 0;
    double least = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        uint32_t rounds = (all->items[i].rtasks + veus - 1) / veus;
        double time = rounds * (all->items[i].rtask_ns + problem->device->rtask_overhead_ns);
        if (i == 0 || time < least) {
            best = i;
            least = time;
        }
    }
    return best;
}

/** Each operator is a kernel of its own over all vEUs, in graph order, as a framework launches them. */
static bool run(rk_builder *builder, const rk_problem *problem, rk_diag *diag)
{
    (void)diag;
    uint32_t veus = rk_builder_veus(builder);
    for (rk_id op = 0; op < problem->graph->node_count; op++) {
        uint32_t candidate = fastest(problem, op, veus);
        rk_begin_rprogram(builder);
        rk_select(builder, op, candidate);
        uint32_t rtasks = problem->candidates->nodes[op].items[candidate].rtasks;
        for (uint32_t r = 0; r < rtasks; r++)
            rk_append(builder, (rk_rtask){op, r}, rk_builder_earliest(builder, NULL, 0));
    }
    return true;
}

const rk_policy rk_policy_base = {
    .name = "base",
    .summary = "RammerBase: one operator at a time over all vEUs, each an rProgram of its own",
    .run = run,
};
