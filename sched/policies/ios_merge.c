#include "sched/passes/merge_problem.h"
#include "sched/policies/ios_core.h"
#include "sched/select/select.h"

#include <math.h>

/** Takes the prices of a family's sets, which follow each other from `prices` on. */
static void fill_family(rk_ios_family *family, const rk_ios_node **prices)
{
    size_t count = family->group.count;
    for (size_t i = 0; i < count; i++)
        family->least_span[i] = family->least_work[i] = INFINITY;
    for (unsigned set = 1; set < 1U << count; set++) {
        int size = __builtin_popcount(set);
        if (size < 2)
            continue;
        const rk_ios_node *one = (*prices)++;
        family->merged[set] = *one;
        for (size_t i = 0; i < count; i++)
            if (set >> i & 1) {
                double span = fmin(one->span[0], one->span[1]);
                double work = fmin(one->work[0], one->work[1]) / size;
                family->least_span[i] = fmin(family->least_span[i], span);
                family->least_work[i] = fmin(family->least_work[i], work);
            }
    }
}

/** Adds all sets of two or more of a group's nodes. */
static void add_sets(rk_merge_groups *out, const rk_merge_group *group, rk_arena *arena)
{
    for (unsigned set = 1; set < 1U << group->count; set++) {
        if (__builtin_popcount(set) < 2)
            continue;
        rk_merge_group *part = rk_push(arena, out);
        for (size_t i = 0; i < group->count; i++)
            if (set >> i & 1)
                part->nodes[part->count++] = group->nodes[i];
    }
}

void rk_ios_find_families(const rk_ios_family **families, size_t *count, const rk_problem *problem,
                          uint32_t veus, rk_arena *arena)
{
    const rk_kernel_source *from = problem->source;
    rk_merge_groups groups = {0};
    rk_merge_groups sets = {0};
    rk_diag *unsaid = rk_diag_new(arena);
    *count = 0;
    rk_merge_find(&groups, problem->graph, arena);
    for (size_t g = 0; g < groups.count; g++)
        add_sets(&sets, &groups.items[g], arena);
    if (sets.count == 0)
        return;
    rk_problem sampled = *problem;
    sampled.graph = rk_merge_sample(problem->graph, &sets, arena, unsaid);
    sampled.candidates = sampled.graph
                             ? rk_candidates_of(sampled.graph, from, problem->device, arena, unsaid)
                             : NULL;
    if (!sampled.candidates)
        return;
    const rk_ios_node *prices = rk_ios_price(&sampled, veus, false, arena) + problem->graph->node_count;
    rk_ios_family *all = RK_NEW_ARRAY(arena, rk_ios_family, groups.count);
    for (size_t g = 0; g < groups.count; g++) {
        all[g].group = groups.items[g];
        fill_family(&all[g], &prices);
    }
    *families = all;
    *count = groups.count;
}
