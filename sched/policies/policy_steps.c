#include "sched/policies/policy_steps.h"

double rk_rtask_time(const rk_problem *problem, const rk_candidate *candidate)
{
    return candidate->rtask_ns + problem->device->rtask_overhead_ns;
}

uint32_t rk_fastest_kernel(const rk_problem *problem, rk_id op, uint32_t veus)
{
    const rk_node_candidates *all = &problem->candidates->nodes[op];
    uint32_t best = 0;
    double least = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        uint32_t rounds = (all->items[i].rtasks + veus - 1) / veus;
        double time = rounds * rk_rtask_time(problem, &all->items[i]);
        if (i == 0 || time < least) {
            best = i;
            least = time;
        }
    }
    return best;
}

uint32_t rk_efficient_kernel(const rk_problem *problem, rk_id op)
{
    const rk_node_candidates *all = &problem->candidates->nodes[op];
    uint32_t best = 0;
    double least = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        double work = all->items[i].rtasks * rk_rtask_time(problem, &all->items[i]);
        if (i == 0 || work < least) {
            best = i;
            least = work;
        }
    }
    return best;
}

uint32_t rk_rtasks_of(const rk_problem *problem, rk_id op, uint32_t candidate)
{
    return problem->candidates->nodes[op].items[candidate].rtasks;
}

uint32_t rk_choose_veu(const rk_builder *builder, const rk_rtask_range *ranges, size_t count)
{
    return rk_builder_earliest(builder, ranges, count);
}

double rk_append_node(rk_builder *builder, const rk_problem *problem, rk_deps *deps, rk_id op)
{
    double end = 0;
    const uint32_t *selected = rk_builder_selected(builder);
    const rk_node_deps *node = rk_deps_node(deps, op, selected);
    uint32_t rtasks = rk_rtasks_of(problem, op, selected[op]);
    for (uint32_t r = 0; r < rtasks; r++) {
        size_t count;
        const rk_rtask_range *before = rk_deps_of(node, r, &count);
        rk_rtask task = {op, r};
        uint32_t veu = rk_choose_veu(builder, before, count);
        rk_wait(builder, task, veu, before, count);
        rk_append(builder, task, veu);
        if (rk_builder_veu_end(builder, veu) > end)
            end = rk_builder_veu_end(builder, veu);
    }
    return end;
}
