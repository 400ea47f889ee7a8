#include "sched/policies/classes.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

typedef struct {
    uint64_t colour;
    double work; /**< of its class, once they are summed up */
    rk_id node;
} coloured;

static int by_colour(const void *a, const void *b)
{
    const coloured *x = a;
    const coloured *y = b;
    if (x->colour != y->colour)
        return x->colour < y->colour ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static int by_work(const void *a, const void *b)
{
    const coloured *x = a;
    const coloured *y = b;
    if (x->work != y->work)
        return x->work > y->work ? -1 : 1;
    return by_colour(a, b);
}

/** What the node's candidates are. */
static uint64_t hash_candidates(const rk_node_candidates *all)
{
    uint64_t hash = all->count;
    for (size_t i = 0; i < all->count; i++) {
        struct {
            uint64_t before;
            double ns, rtasks;
        } key = {hash, all->items[i].rtask_ns, all->items[i].rtasks};
        hash = XXH3_64bits(&key, sizeof key);
    }
    return hash;
}

/** By node: its candidates, those of its readers and its place among what they read. */
static uint64_t *find_colours(const rk_problem *problem, const double *pressure, rk_arena *arena)
{
    size_t nodes = problem->graph->node_count;
    uint64_t *own = RK_NEW_ARRAY(arena, uint64_t, nodes + 1);
    uint64_t *colours = RK_NEW_ARRAY(arena, uint64_t, nodes + 1);
    for (size_t i = 0; i < nodes; i++) {
        own[i] = hash_candidates(&problem->candidates->nodes[i]);
        colours[i] = own[i] + (pressure && pressure[i] >= 0.5);
    }
    uint64_t place = 0;
    for (size_t e = problem->edge_count; e-- > 0;) {
        const rk_edge *edge = &problem->edges[e];
        bool last = e + 1 == problem->edge_count || problem->edges[e + 1].to != edge->to;
        place = last ? 0 : place + 1;
        uint64_t key[] = {own[edge->to], place};
        colours[edge->from] += XXH3_64bits(key, sizeof key);
    }
    return colours;
}

void rk_classes_find(rk_classes *out, const rk_problem *problem, const uint32_t *kernels,
                     const double *pressure, rk_arena *arena)
{
    size_t nodes = problem->graph->node_count;
    const uint64_t *colours = find_colours(problem, pressure, arena);
    coloured *all = RK_NEW_ARRAY(arena, coloured, nodes + 1);
    size_t count = 0;
    for (rk_id i = 0; i < nodes; i++) {
        const rk_node_candidates *c = &problem->candidates->nodes[i];
        const rk_candidate *selected = &c->items[kernels[i]];
        if (c->count > 1)
            all[count++] = (coloured){.colour = colours[i],
                                      .work = selected->rtasks * rk_rtask_time(problem, selected),
                                      .node = i};
    }
    if (count)
        qsort(all, count, sizeof *all, by_colour);
    for (size_t i = 0, end; i < count; i = end) {
        double work = 0;
        for (end = i; end < count && all[end].colour == all[i].colour; end++)
            work += all[end].work;
        for (size_t k = i; k < end; k++)
            all[k].work = work;
    }
    if (count)
        qsort(all, count, sizeof *all, by_work);
    *out = (rk_classes){.nodes = RK_NEW_ARRAY(arena, rk_id, count + 1),
                        .first = RK_NEW_ARRAY(arena, uint32_t, count + 2)};
    for (size_t i = 0; i < count; i++) {
        out->nodes[i] = all[i].node;
        if (i == 0 || all[i].colour != all[i - 1].colour)
            out->first[out->count++] = (uint32_t)i;
    }
    out->first[out->count] = (uint32_t)count;
}
