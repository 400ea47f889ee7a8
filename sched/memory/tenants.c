#include "sched/memory/tenants.h"

#include "base/vec.h"
#include "sched/plan/memory_layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TENANTS_MOST = 20000,   /**< up to which each is compared with all others */
    ROUNDS = 8,             /**< of improving an order */
    COMPARED_MOST = 8000000 /**< pairs of tenants that these look at, at most */
};

typedef RK_VEC(rk_id) id_list;

bool rk_tenant_is_before(const rk_tenant *a, const rk_tenant *b)
{
    for (size_t i = 0; i < a->node_count; i++)
        if (!(b->before[a->nodes[i] / 64] >> (a->nodes[i] % 64) & 1))
            return false;
    return true;
}

static void note_uses(id_list *uses, rk_arena *arena, const rk_graph *graph, rk_id node,
                      const rk_id *operands, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (operands[i] != RK_NO_ID)
            *rk_push(arena, &uses[graph->tensors[operands[i]].base]) = node;
}

static bool *find_between(const rk_graph *graph, rk_arena *arena)
{
    bool *between = RK_NEW_ARRAY(arena, bool, graph->tensor_count + 1);
    for (rk_id i = 0; i < graph->tensor_count; i++)
        between[i] = graph->tensors[i].base == i && !graph->tensors[i].data;
    for (size_t i = 0; i < graph->input_count; i++)
        between[graph->tensors[graph->inputs[i]].base] = false;
    for (size_t i = 0; i < graph->output_count; i++)
        between[graph->tensors[graph->outputs[i]].base] = false;
    return between;
}

/** What all nodes of the tenant know to have ended. */
static void find_before(rk_tenant *t, const rk_finished *finished, rk_arena *arena)
{
    t->before = RK_NEW_ARRAY(arena, uint64_t, finished->words + 1);
    memset(t->before, 0xff, finished->words * sizeof *t->before);
    for (size_t k = 0; k < t->node_count; k++)
        for (size_t w = 0; w < finished->words; w++)
            t->before[w] &= finished->sets[t->nodes[k] * finished->words + w];
}

bool rk_tenants_find(rk_tenants *out, const rk_problem *problem, const rk_schedule *schedule,
                     rk_arena *arena)
{
    const rk_graph *graph = problem->graph;
    *out = (rk_tenants){0};
    const bool *between = find_between(graph, arena);
    size_t count = 0;
    for (rk_id i = 0; i < graph->tensor_count; i++)
        count += between[i];
    if (count == 0 || count > TENANTS_MOST || schedule->node_count != graph->node_count ||
        !rk_finished_find(&out->finished, schedule, NULL, NULL, arena))
        return false;
    id_list *uses = RK_NEW_ARRAY(arena, id_list, graph->tensor_count + 1);
    for (rk_id n = 0; n < graph->node_count; n++) {
        const rk_node *node = &graph->nodes[n];
        note_uses(uses, arena, graph, n, node->inputs, node->input_count);
        note_uses(uses, arena, graph, n, node->outputs, node->output_count);
    }
    out->items = RK_NEW_ARRAY(arena, rk_tenant, count + 1);
    for (rk_id i = 0; i < graph->tensor_count; i++) {
        if (!between[i])
            continue;
        rk_tenant *t = &out->items[out->count++];
        *t = (rk_tenant){.tensor = i,
                         .bytes = rk_memory_aligned(rk_tensor_bytes(&graph->tensors[i])),
                         .nodes = uses[i].items,
                         .node_count = uses[i].count,
                         .end = INFINITY};
        find_before(t, &out->finished, arena);
    }
    return true;
}

static int64_t larger_first(const rk_tenant *t)
{
    return -t->bytes;
}

/** How many nodes of the graph's order it spans. */
static int64_t span_of(const rk_tenant *t)
{
    return t->node_count ? (int64_t)t->nodes[t->node_count - 1] - (int64_t)t->nodes[0] + 1 : 0;
}

static int64_t larger_and_longer_first(const rk_tenant *t)
{
    return -t->bytes / 256 * span_of(t);
}

/** Orders in which tenants are placed. */
static int64_t (*const keys[])(const rk_tenant *) = {larger_first, larger_and_longer_first};

static int by_key(const void *a, const void *b, void *key)
{
    const rk_tenant *x = a;
    const rk_tenant *y = b;
    int64_t (*const *of)(const rk_tenant *) = key;
    if ((*of)(x) != (*of)(y))
        return (*of)(x) < (*of)(y) ? -1 : 1;
    return (x->tensor > y->tensor) - (x->tensor < y->tensor);
}

static bool may_share(const rk_tenant *a, const rk_tenant *b)
{
    return a->end <= b->begin || b->end <= a->begin || rk_tenant_is_before(a, b) ||
           rk_tenant_is_before(b, a);
}

/** The smallest gap between those in its way that holds it, the lowest of several. `placed` is sorted by offset. */
static int64_t best_fit(const rk_tenant *t, rk_tenant *const *placed, size_t count)
{
    int64_t best = -1, least = INT64_MAX, end = 0;
    for (size_t i = 0; i < count; i++) {
        const rk_tenant *other = placed[i];
        if (may_share(t, other))
            continue;
        const int64_t gap = other->offset - end;
        if (gap >= t->bytes && gap < least) {
            best = end;
            least = gap;
        }
        end = other->offset + other->bytes > end ? other->offset + other->bytes : end;
    }
    return best < 0 ? end : best;
}

/** Places them in an order; returns where the last of them ends. */
static int64_t place_in_order(rk_tenant *items, size_t count, rk_tenant **placed)
{
    int64_t end = 0;
    for (size_t i = 0; i < count; i++) {
        rk_tenant *t = &items[i];
        t->offset = best_fit(t, placed, i);
        end = t->offset + t->bytes > end ? t->offset + t->bytes : end;
        size_t at = i;
        for (; at > 0 && placed[at - 1]->offset > t->offset; at--)
            placed[at] = placed[at - 1];
        placed[at] = t;
    }
    return end;
}

/** An order of tenants that is being improved. */
typedef struct {
    rk_tenant *items;
    rk_tenant **placed;
    rk_tenants *best;
    int64_t least;
} placing;

static int64_t try_order(placing *p)
{
    const size_t count = p->best->count;
    const int64_t end = place_in_order(p->items, count, p->placed);
    if (end < p->least)
        memcpy(p->best->items, p->items, count * sizeof *p->items);
    p->least = end < p->least ? end : p->least;
    return end;
}

/** Moves those that end highest before all others. */
static void highest_first(placing *p, int64_t end)
{
    rk_tenant highest;
    for (size_t i = 0; i < p->best->count; i++) {
        if (p->items[i].offset + p->items[i].bytes < end)
            continue;
        highest = p->items[i];
        memmove(&p->items[1], &p->items[0], i * sizeof *p->items);
        p->items[0] = highest;
    }
}

int64_t rk_tenants_place(rk_tenants *tenants, rk_arena *scratch)
{
    const size_t count = tenants->count;
    placing p = {.placed = RK_NEW_ARRAY(scratch, rk_tenant *, count + 1),
                 .best = tenants,
                 .least = INT64_MAX};
    p.items = rk_arena_copy(scratch, tenants->items, (count + 1) * sizeof *tenants->items);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        qsort_r(p.items, count, sizeof *p.items, by_key, (void *)&keys[i]);
        int64_t end = try_order(&p);
        for (size_t round = 0; round < ROUNDS && count * count * round < COMPARED_MOST; round++) {
            highest_first(&p, end);
            end = try_order(&p);
        }
    }
    return p.least;
}
