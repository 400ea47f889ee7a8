#include "base/file.h"
#include "base/vec.h"
#include "sched/files/schedule_internal.h"
#include "sched/policies/policy.h"

#include <string.h>

uint64_t rk_schedule_graph_hash(const rk_graph *graph)
{
    uint64_t h = 0;
    for (size_t i = 0; i < graph->tensor_count; i++) {
        const rk_tensor *t = &graph->tensors[i];
        int64_t facts[] = {t->dtype, t->rank, t->base, t->offset, t->data != NULL};
        h = rk_hash(facts, sizeof facts, h);
        h = rk_hash(t->shape, (size_t)t->rank * sizeof *t->shape, h);
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        const rk_node *n = &graph->nodes[i];
        const char *what = n->op_name ? n->op_name : n->kernel;
        h = rk_hash(n->name, strlen(n->name), h);
        h = rk_hash(what, strlen(what), h);
        h = rk_hash(n->inputs, n->input_count * sizeof *n->inputs, h);
        h = rk_hash(n->outputs, n->output_count * sizeof *n->outputs, h);
    }
    return h;
}

static bool same_launch(const rk_candidate *a, const rk_candidate *b)
{
    return a->kernel == b->kernel && a->binding == b->binding && a->shared == b->shared &&
           memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0;
}

size_t rk_schedule_launches(rk_launch_facts **launches, uint32_t *which,
                            const rk_schedule *schedule, const rk_problem *problem, rk_arena *arena)
{
    RK_VEC(const rk_candidate *) met = {0};
    RK_VEC(rk_launch_facts) facts = {0};
    for (size_t i = 0; i < schedule->node_count; i++) {
        uint32_t candidate = schedule->selected[i];
        const rk_candidate *c = &problem->candidates->nodes[i].items[candidate];
        uint32_t at = 0;
        while (at < met.count && !same_launch(met.items[at], c))
            at++;
        which[i] = at;
        if (at < met.count)
            continue;
        *rk_push(arena, &met) = c;
        rk_launch_facts *f = rk_push(arena, &facts);
        *f =
            (rk_launch_facts){.kernel = c->kernel->id, .candidate = candidate, .shared = c->shared};
        memcpy(f->grid, c->grid, sizeof f->grid);
        memcpy(f->block, c->block, sizeof f->block);
    }
    *launches = facts.items;
    return facts.count;
}

static bool is_launch(const rk_candidate *c, const rk_launch_facts *l)
{
    return strcmp(c->kernel->id, l->kernel) == 0 && c->shared == l->shared &&
           memcmp(c->grid, l->grid, sizeof l->grid) == 0 &&
           memcmp(c->block, l->block, sizeof l->block) == 0;
}

bool rk_schedule_match(uint32_t *out, const rk_node_candidates *all, const rk_launch_facts *l)
{
    if (l->candidate >= 0 && (uint64_t)l->candidate < all->count &&
        is_launch(&all->items[l->candidate], l)) {
        *out = (uint32_t)l->candidate;
        return true;
    }
    for (*out = 0; *out < all->count; ++*out)
        if (is_launch(&all->items[*out], l))
            return true;
    return false;
}
