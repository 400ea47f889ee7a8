#include "sched/passes/merge_problem.h"
#include "sched/policies/attempt.h"
#include "sched/select/select.h"
#include "sched/simulate/simulate.h"

#include <math.h>
#include <string.h>

/** How much more work operators may be as one: they start together, and wait once. */
static const double work_most = 1.02;

/** Work of a node with its most efficient kernel, in ns of one vEU. */
static double work_of(const rk_problem *problem, rk_id node)
{
    uint32_t kernel = rk_efficient_kernel(problem, node);
    const rk_candidate *c = &problem->candidates->nodes[node].items[kernel];
    return c->rtasks * rk_rtask_time(problem, c);
}

/** Whether the weights of two nodes of a group are alike but for their channels: they need no padding. */
static bool same_window(const rk_graph *graph, rk_id a, rk_id b)
{
    const rk_tensor *x = &graph->tensors[graph->nodes[a].inputs[1]];
    const rk_tensor *y = &graph->tensors[graph->nodes[b].inputs[1]];
    for (int d = 2; d < x->rank && d < y->rank; d++)
        if (x->shape[d] != y->shape[d])
            return false;
    return x->rank == y->rank;
}

/** Adds the parts of a group that need no padding, of two nodes or more. */
static void add_parts(rk_merge_groups *out, const rk_graph *graph, const rk_merge_group *group,
                      rk_arena *arena)
{
    bool taken[RK_MERGE_MOST] = {0};
    for (size_t i = 0; i < group->count; i++) {
        rk_merge_group part = {0};
        for (size_t j = i; j < group->count; j++)
            if (!taken[j] && same_window(graph, group->nodes[i], group->nodes[j])) {
                taken[j] = true;
                part.nodes[part.count++] = group->nodes[j];
            }
        if (part.count > 1)
            *rk_push(arena, out) = part;
    }
}

/** A group as one: the work that it saves, a little allowed for; no more than 0 where it saves none. */
static double saving(const rk_problem *problem, const rk_problem *sampled,
                     const rk_merge_groups *tried, size_t at)
{
    double apart = 0;
    for (size_t i = 0; i < tried->items[at].count; i++)
        apart += work_of(problem, tried->items[at].nodes[i]);
    return work_most * apart - work_of(sampled, (rk_id)(problem->graph->node_count + at));
}

/**
 * Of each group all of it, or its parts that need no padding, whichever saves more work. None where
 * some have no kernel as one.
 */
static void find_groups(rk_merge_groups *out, const rk_problem *problem, rk_arena *arena)
{
    const rk_kernel_source *from = problem->source;
    rk_merge_groups groups = {0};
    rk_merge_groups tried = {0};
    rk_diag *unsaid = rk_diag_new(arena);
    rk_merge_find(&groups, problem->graph, arena);
    size_t *first = RK_NEW_ARRAY(arena, size_t, groups.count + 1);
    for (size_t g = 0; g < groups.count; g++) {
        *rk_push(arena, &tried) = groups.items[g];
        add_parts(&tried, problem->graph, &groups.items[g], arena);
        first[g + 1] = tried.count;
    }
    rk_problem sampled = *problem;
    if (tried.count)
        sampled.graph = rk_merge_sample(problem->graph, &tried, arena, unsaid);
    if (tried.count && sampled.graph)
        sampled.candidates = rk_candidates_of(sampled.graph, from, problem->device, arena, unsaid);
    if (!tried.count || !sampled.graph || !sampled.candidates)
        return;
    for (size_t g = 0; g < groups.count; g++) {
        double parts = 0;
        for (size_t i = first[g] + 1; i < first[g + 1]; i++)
            parts += fmax(0, saving(problem, &sampled, &tried, i));
        double whole = saving(problem, &sampled, &tried, first[g]);
        size_t end = whole >= parts ? first[g] + 1 : first[g + 1];
        for (size_t i = whole >= parts ? first[g] : first[g] + 1; i < end; i++)
            if (saving(problem, &sampled, &tried, i) > 0)
                *rk_push(arena, out) = tried.items[i];
    }
}

bool rk_attempt_merge(rk_merge_groups *groups, const rk_problem *problem, rk_arena *arena,
                      rk_diag *diag)
{
    rk_arena *scratch = rk_arena_new();
    rk_merge_groups found = {0};
    bool good = true;
    find_groups(&found, problem, scratch);
    if (found.count) {
        const rk_problem *merged = rk_merge_problem(problem, &found, scratch, diag);
        double apart = rk_attempt_quickly(problem, "", scratch, diag);
        double as_one = merged ? rk_attempt_quickly(merged, "", scratch, diag) : -1;
        good = apart >= 0 && as_one >= 0;
        if (good && as_one < apart) {
            *groups = found;
            groups->items = rk_arena_copy(arena, found.items, found.count * sizeof *found.items);
        }
    }
    rk_arena_free(scratch);
    return good;
}
