#include "sched/schedule_deps.h"

#include "base/vec.h"
#include "sched/schedule_deps_overlap.h"

#include <stdlib.h>
#include <string.h>

enum {
    /** Nodes with more dependencies are not searched for implied ones, to stay near linear. */
    SEARCHED_MOST = 256,
    /** Ranges of one rTask on one node; the nearest ones are joined, which waits for more. */
    RANGES_MOST = 8
};

/** What a node's rTasks wait for at one selection. */
typedef struct variant {
    struct variant *next;
    const uint32_t
        *selected;     /**< the node's candidate, then those of the nodes that it depends on */
    const bool *whole; /**< by edge into the node: each rTask waits for all of the other */
    rk_node_deps deps;
} variant;

struct rk_deps_cache {
    const rk_problem *problem;
    rk_arena *arena;
    uint32_t *into;     /**< edges into node n: [into[n], into[n + 1]) */
    variant **variants; /**< by node */
};

/** Ranges under construction. */
typedef RK_VEC(rk_rtask_range) range_list;

/** A node that another depends on, and where their boxes may overlap. */
typedef struct {
    rk_id node;
    uint32_t rtasks;
    bool whole; /**< each rTask waits for all of it */
    rk_overlap **overlaps;
    size_t overlap_count;
} producer;

/** The search for one variant. */
typedef struct {
    rk_deps_cache *cache;
    const uint32_t *selected;
    rk_id node;
    const rk_candidate *candidate;
    producer *producers; /**< in the order of the edges into the node */
    size_t producer_count;
    unsigned uses; /**< RK_BLOCK_...: what decides about an rTask's list */
    uint32_t *hits;
    range_list ranges;
    rk_arena *scratch;
} search;

/* Whole nodes. */

/** first[n] .. first[n + 1]: the edges into n; they are sorted by `to`. */
static uint32_t *edges_by_node(const rk_problem *problem, rk_arena *arena)
{
    size_t n = problem->graph->node_count;
    uint32_t *first = RK_NEW_ARRAY(arena, uint32_t, n + 2);
    for (size_t i = 0; i < problem->edge_count; i++)
        first[problem->edges[i].to + 1]++;
    for (size_t i = 0; i < n; i++)
        first[i + 1] += first[i];
    return first;
}

void rk_deps_build(rk_deps *out, const rk_problem *problem, rk_arena *arena)
{
    size_t n = problem->graph->node_count;
    const rk_edge *edges = problem->edges;
    uint32_t *into = edges_by_node(problem, arena);
    rk_id *implied_for = RK_NEW_ARRAY(arena, rk_id, n + 1);
    for (size_t i = 0; i < n; i++)
        implied_for[i] = RK_NO_ID;
    out->first = RK_NEW_ARRAY(arena, uint32_t, n + 1);
    out->ranges = RK_NEW_ARRAY(arena, rk_rtask_range, problem->edge_count + 1);
    out->cache = RK_NEW(arena, rk_deps_cache);
    *out->cache = (rk_deps_cache){.problem = problem,
                                  .arena = arena,
                                  .into = into,
                                  .variants = RK_NEW_ARRAY(arena, variant *, n + 1)};
    uint32_t count = 0;
    for (rk_id node = 0; node < n; node++) {
        for (uint32_t e = into[node]; e < into[node + 1]; e++) {
            rk_id via = edges[e].from;
            if (into[via + 1] - into[via] > SEARCHED_MOST)
                continue;
            for (uint32_t f = into[via]; f < into[via + 1]; f++)
                implied_for[edges[f].from] = node;
        }
        out->first[node] = count;
        for (uint32_t e = into[node]; e < into[node + 1]; e++)
            if (implied_for[edges[e].from] != node)
                out->ranges[count++] = (rk_rtask_range){edges[e].from, 0, RK_ALL_RTASKS};
    }
    out->first[n] = count;
}

/* Ranges. */

static const rk_candidate *candidate_of(const search *s, rk_id node)
{
    return &s->cache->problem->candidates->nodes[node].items[s->selected[node]];
}

static size_t most_touches(const rk_node *node, const rk_candidate *c)
{
    return (c->access ? c->kernel->param_count : 0) + node->input_count + node->output_count + 1;
}

/** Looks for what an earlier node and this one both touch, one of them writing. */
static void compare_touches(search *s, producer *p, const rk_touch *to, size_t to_count)
{
    const rk_graph *graph = s->cache->problem->graph;
    const rk_candidate *c = candidate_of(s, p->node);
    rk_touch *from = RK_NEW_ARRAY(s->scratch, rk_touch, most_touches(&graph->nodes[p->node], c));
    size_t from_count = rk_touches_of(from, graph, &graph->nodes[p->node], c);
    p->overlaps = RK_NEW_ARRAY(s->scratch, rk_overlap *, from_count * to_count + 1);
    for (size_t i = 0; i < from_count && !p->whole; i++) {
        for (size_t k = 0; k < to_count && !p->whole; k++) {
            const rk_touch *a = &from[i];
            const rk_touch *b = &to[k];
            if (a->base != b->base || !(a->write || b->write) ||
                a->offset >= b->offset + b->elements || b->offset >= a->offset + a->elements)
                continue;
            p->whole = !a->access || !b->access;
            if (p->whole)
                continue;
            p->overlaps[p->overlap_count++] = rk_overlap_new(a, c->grid, b, s->scratch);
            s->uses |= rk_access_uses(b->access);
        }
    }
}

static void find_producers(search *s)
{
    const rk_problem *problem = s->cache->problem;
    const rk_node *node = &problem->graph->nodes[s->node];
    const rk_edge *edges = &problem->edges[s->cache->into[s->node]];
    s->producer_count = s->cache->into[s->node + 1] - s->cache->into[s->node];
    s->producers = RK_NEW_ARRAY(s->scratch, producer, s->producer_count + 1);
    rk_touch *to = RK_NEW_ARRAY(s->scratch, rk_touch, most_touches(node, s->candidate));
    size_t to_count = rk_touches_of(to, problem->graph, node, s->candidate);
    size_t most = 0;
    for (size_t i = 0; i < s->producer_count; i++) {
        producer *p = &s->producers[i];
        const rk_candidate *c = candidate_of(s, edges[i].from);
        *p = (producer){.node = edges[i].from, .rtasks = c->rtasks};
        p->whole = !c->access || !s->candidate->access;
        if (!p->whole)
            compare_touches(s, p, to, to_count);
        most = p->rtasks * p->overlap_count > most ? p->rtasks * p->overlap_count : most;
    }
    s->hits = RK_NEW_ARRAY(s->scratch, uint32_t, most + 1);
}

static int by_value(const void *a, const void *b)
{
    const uint32_t *x = a;
    const uint32_t *y = b;
    return (*x > *y) - (*x < *y);
}

/** Sorted and each once; returns how many are left. */
static size_t sort_hits(uint32_t *hits, size_t count)
{
    bool rising = true;
    bool falling = true;
    for (size_t i = 1; i < count; i++) {
        rising = rising && hits[i - 1] < hits[i];
        falling = falling && hits[i - 1] > hits[i];
    }
    for (size_t i = 0; falling && i < count / 2; i++) {
        uint32_t swapped = hits[i];
        hits[i] = hits[count - 1 - i];
        hits[count - 1 - i] = swapped;
    }
    if (rising || falling)
        return count;
    qsort(hits, count, sizeof *hits, by_value);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || hits[i] != hits[kept - 1])
            hits[kept++] = hits[i];
    return kept;
}

static uint32_t gap_after(const rk_rtask_range *range)
{
    return range[1].first - (range[0].first + range[0].count);
}

/**
 * Joins neighbours among the ranges from the `first`th on, so that few are left: all but the widest
 * gaps are filled. Linear in the ranges.
 */
static void join_ranges(range_list *list, size_t first)
{
    enum { GAPS = RANGES_MOST - 1 };
    size_t count = list->count - first;
    if (count <= RANGES_MOST)
        return;
    rk_rtask_range *all = &list->items[first];
    size_t widest[GAPS]; /* ranges before the widest gaps, by falling width */
    size_t found = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        size_t at = found < GAPS ? found++ : GAPS;
        for (; at > 0 && gap_after(&all[widest[at - 1]]) <= gap_after(&all[i]); at--)
            if (at < GAPS)
                widest[at] = widest[at - 1];
        if (at < GAPS)
            widest[at] = i;
    }
    size_t from = 0;
    for (size_t kept = 0; kept < RANGES_MOST; kept++) {
        size_t last = count - 1;
        for (size_t k = 0; k < GAPS; k++)
            if (widest[k] >= from && widest[k] < last)
                last = widest[k];
        uint32_t end = all[last].first + all[last].count;
        all[kept] = (rk_rtask_range){all[from].op, all[from].first, end - all[from].first};
        from = last + 1;
    }
    list->count = first + RANGES_MOST;
}

/** Adds what the rTask at `block` waits for of one producer. */
static void add_ranges(search *s, const producer *p, const int64_t block[3])
{
    if (p->whole) {
        *rk_push(s->scratch, &s->ranges) = (rk_rtask_range){p->node, 0, RK_ALL_RTASKS};
        return;
    }
    size_t first = s->ranges.count;
    size_t count = 0;
    for (size_t i = 0; i < p->overlap_count; i++)
        rk_overlap_find(s->hits, &count, p->overlaps[i], block);
    count = sort_hits(s->hits, count);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && s->hits[end] == s->hits[end - 1] + 1;)
            end++;
        *rk_push(s->scratch, &s->ranges) =
            (rk_rtask_range){p->node, s->hits[i], (uint32_t)(end - i)};
    }
    join_ranges(&s->ranges, first);
    rk_rtask_range *only = &s->ranges.items[first];
    if (s->ranges.count == first + 1 && only->count == p->rtasks)
        only->count = RK_ALL_RTASKS;
}

/* Variants. */

static bool same_selection(const rk_deps_cache *cache, const variant *v, rk_id node,
                           const uint32_t *selected)
{
    const rk_edge *edges = &cache->problem->edges[cache->into[node]];
    size_t count = cache->into[node + 1] - cache->into[node];
    if (v->selected[0] != selected[node])
        return false;
    for (size_t i = 0; i < count; i++)
        if (v->selected[1 + i] != selected[edges[i].from])
            return false;
    return true;
}

static const variant *find_variant(const rk_deps_cache *cache, rk_id node, const uint32_t *selected)
{
    const variant *v = cache->variants[node];
    while (v && !same_selection(cache, v, node, selected))
        v = v->next;
    return v;
}

static bool holds(const rk_rtask_range *outer, const rk_rtask_range *inner)
{
    if (outer->op != inner->op)
        return false;
    if (outer->count == RK_ALL_RTASKS || inner->count == RK_ALL_RTASKS)
        return outer->count == RK_ALL_RTASKS;
    return outer->first <= inner->first &&
           inner->first + inner->count <= outer->first + outer->count;
}

/** Whether the first rTask of `via` comes after all of `range` in any case. */
static bool implies(const search *s, const variant *v, const rk_rtask_range *via,
                    const rk_rtask_range *range)
{
    const rk_deps_cache *cache = s->cache;
    uint32_t begin = cache->into[via->op];
    uint32_t end = cache->into[via->op + 1];
    for (uint32_t e = begin; e < end; e++)
        if (cache->problem->edges[e].from == range->op && v->whole[e - begin])
            return true;
    size_t count;
    const rk_rtask_range *before = rk_deps_of(&v->deps, via->first, &count);
    for (size_t i = 0; i < count; i++)
        if (holds(&before[i], range))
            return true;
    return false;
}

/** Drops the ranges from the `first`th on that another one of them waits for itself. */
static void drop_implied(search *s, size_t first)
{
    rk_rtask_range *all = &s->ranges.items[first];
    size_t count = s->ranges.count - first;
    bool *implied = RK_NEW_ARRAY(s->scratch, bool, count + 1);
    for (size_t k = 0; k < count && count <= SEARCHED_MOST; k++) {
        const rk_deps_cache *cache = s->cache;
        rk_id via = all[k].op;
        const variant *v = k > 0 && all[k - 1].op == via && all[k].count == RK_ALL_RTASKS
                               ? NULL
                               : find_variant(cache, via, s->selected);
        if (!v || cache->into[via + 1] - cache->into[via] > SEARCHED_MOST)
            continue;
        for (size_t i = 0; i < k; i++)
            implied[i] = implied[i] || (all[i].op < via && implies(s, v, &all[k], &all[i]));
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!implied[i])
            all[kept++] = all[i];
    s->ranges.count = first + kept;
}

/** Finds all lists, one for each combination of the block indices that matter. */
static void find_lists(search *s, variant *v)
{
    int64_t extents[3];
    for (int d = 0; d < 3; d++)
        extents[d] = s->uses >> d & 1 ? s->candidate->grid[d] : 1;
    rk_arena *arena = s->cache->arena;
    uint32_t lists = (uint32_t)(extents[0] * extents[1] * extents[2]);
    uint32_t *first = RK_NEW_ARRAY(arena, uint32_t, (size_t)lists + 1);
    int64_t block[3] = {0};
    for (uint32_t l = 0; l < lists; l++) {
        first[l] = (uint32_t)s->ranges.count;
        for (size_t i = 0; i < s->producer_count; i++)
            add_ranges(s, &s->producers[i], block);
        drop_implied(s, first[l]);
        for (int d = 0; d < 3 && ++block[d] == extents[d]; d++)
            block[d] = 0;
    }
    first[lists] = (uint32_t)s->ranges.count;
    v->deps = (rk_node_deps){
        .ranges = rk_arena_copy(arena, s->ranges.items, s->ranges.count * sizeof(rk_rtask_range)),
        .first = first,
        .list_count = lists};
    if (lists == 1)
        return;
    uint32_t *list = RK_NEW_ARRAY(arena, uint32_t, s->candidate->rtasks);
    int64_t steps[3] = {extents[0] > 1, extents[1] > 1 ? extents[0] : 0,
                        extents[2] > 1 ? extents[0] * extents[1] : 0};
    for (uint32_t r = 0; r < s->candidate->rtasks; r++)
        list[r] = (uint32_t)(r % s->candidate->grid[0] * steps[0] +
                             r / s->candidate->grid[0] % s->candidate->grid[1] * steps[1] +
                             r / s->candidate->grid[0] / s->candidate->grid[1] * steps[2]);
    v->deps.list = list;
}

static variant *new_variant(rk_deps_cache *cache, rk_id node, const uint32_t *selected)
{
    const rk_edge *edges = &cache->problem->edges[cache->into[node]];
    size_t count = cache->into[node + 1] - cache->into[node];
    search s = {.cache = cache,
                .selected = selected,
                .node = node,
                .candidate = &cache->problem->candidates->nodes[node].items[selected[node]],
                .scratch = rk_arena_new()};
    uint32_t *key = RK_NEW_ARRAY(cache->arena, uint32_t, count + 1);
    bool *whole = RK_NEW_ARRAY(cache->arena, bool, count + 1);
    find_producers(&s);
    key[0] = selected[node];
    for (size_t i = 0; i < count; i++) {
        key[1 + i] = selected[edges[i].from];
        whole[i] = s.producers[i].whole;
    }
    variant *v = RK_NEW(cache->arena, variant);
    *v = (variant){.next = cache->variants[node], .selected = key, .whole = whole};
    find_lists(&s, v);
    cache->variants[node] = v;
    rk_arena_free(s.scratch);
    return v;
}

rk_deps *rk_deps_of_problem(const rk_problem *problem, rk_arena *arena)
{
    if (problem->deps)
        return problem->deps;
    rk_deps *deps = RK_NEW(arena, rk_deps);
    rk_deps_build(deps, problem, arena);
    return deps;
}

const rk_node_deps *rk_deps_node(rk_deps *deps, rk_id node, const uint32_t *selected)
{
    const variant *v = find_variant(deps->cache, node, selected);
    return v ? &v->deps : &new_variant(deps->cache, node, selected)->deps;
}
