#include "sched/schedule_deps.h"

#include "base/vec.h"
#include "sched/schedule_deps_overlap.h"

#include <stdlib.h>
#include <string.h>

enum {
    /** Nodes with more dependencies are not searched for implied ones, to stay near linear. */
    SEARCHED_MOST = 256
};

/** What rTasks of one node wait for of another, at one candidate of each. */
typedef struct pair {
    struct pair *next;
    uint32_t from, to; /**< candidates */
    bool whole;        /**< each rTask waits for all of the other node; the rest is not set */
    bool exact;        /**< no runs were joined */
    unsigned uses;     /**< RK_BLOCK_...: what decides about an rTask's list */
    uint32_t *first;   /**< list l is runs[first[l] .. first[l + 1]) */
    rk_run *runs;
    uint32_t *numbers; /**< by list: rTasks in it, before any runs were joined */
} pair;

/** What a node's rTasks wait for at one selection. */
typedef struct variant {
    struct variant *next;
    const uint32_t
        *selected;      /**< the node's candidate, then those of the nodes that it depends on */
    const pair **pairs; /**< by edge into the node */
    rk_node_deps deps;
} variant;

struct rk_deps_cache {
    const rk_problem *problem;
    rk_arena *arena;
    uint32_t *into;     /**< edges into node n: [into[n], into[n + 1]) */
    pair **pairs;       /**< by edge */
    variant **variants; /**< by node */
};

/** Ranges under construction. */
typedef RK_VEC(rk_rtask_range) range_list;

/** The assembly of one variant. */
typedef struct {
    rk_deps_cache *cache;
    const uint32_t *selected;
    rk_id node;
    const rk_candidate *candidate;
    range_list ranges;
    bool *implied; /**< by range of a list */
    size_t implied_capacity;
    rk_arena *scratch;
} assembly;

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
                                  .pairs = RK_NEW_ARRAY(arena, pair *, problem->edge_count + 1),
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

/* Lists. */

/** Places of the block indices in a numbering of those lists that `uses` tells apart. */
typedef struct {
    int64_t extent[3];
    uint32_t count;
} numbering;

static numbering lists_of(const rk_candidate *c, unsigned uses)
{
    numbering n = {.count = 1};
    for (int d = 0; d < 3; d++) {
        n.extent[d] = uses >> d & 1 ? c->grid[d] : 1;
        n.count *= (uint32_t)n.extent[d];
    }
    return n;
}

static uint32_t number_of(const numbering *n, const int64_t block[3])
{
    uint32_t number = 0;
    for (int d = 3; d-- > 0;)
        if (n->extent[d] > 1)
            number = number * (uint32_t)n->extent[d] + (uint32_t)block[d];
    return number;
}

static void next_block(int64_t block[3], const int64_t extent[3])
{
    for (int d = 0; d < 3 && ++block[d] == extent[d]; d++)
        block[d] = 0;
}

/* Pairs of nodes. */

static size_t most_touches(const rk_node *node, const rk_candidate *c)
{
    return (c->access ? c->kernel->param_count : 0) + node->input_count + node->output_count + 1;
}

/**
 * Looks for what an earlier node and a later one both touch, one of them writing. NULL when that makes
 * each rTask wait for all, else `*count` searches to make.
 */
static rk_overlap **compare_touches(size_t *count, unsigned *uses, const rk_graph *graph,
                                    const rk_edge *edge, const rk_candidate *from_candidate,
                                    const rk_candidate *to_candidate, rk_arena *scratch)
{
    if (!from_candidate->access || !to_candidate->access)
        return NULL;
    const rk_node *from_node = &graph->nodes[edge->from];
    const rk_node *to_node = &graph->nodes[edge->to];
    rk_touch *from = RK_NEW_ARRAY(scratch, rk_touch, most_touches(from_node, from_candidate));
    rk_touch *to = RK_NEW_ARRAY(scratch, rk_touch, most_touches(to_node, to_candidate));
    size_t from_count = rk_touches_of(from, graph, from_node, from_candidate);
    size_t to_count = rk_touches_of(to, graph, to_node, to_candidate);
    rk_overlap **overlaps = RK_NEW_ARRAY(scratch, rk_overlap *, from_count * to_count + 1);
    for (size_t i = 0; i < from_count; i++) {
        for (size_t k = 0; k < to_count; k++) {
            const rk_touch *a = &from[i];
            const rk_touch *b = &to[k];
            if (a->base != b->base || !(a->write || b->write) ||
                a->offset >= b->offset + b->elements || b->offset >= a->offset + a->elements)
                continue;
            if (!a->access || !b->access)
                return NULL;
            overlaps[(*count)++] = rk_overlap_new(a, from_candidate->grid, b, scratch);
            *uses |= rk_access_uses(b->access);
        }
    }
    return overlaps;
}

static int by_first(const void *a, const void *b)
{
    const rk_run *x = a;
    const rk_run *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/** What the rTask at `block` waits for through any of the overlaps. */
static rk_runs find_runs(rk_overlap **overlaps, size_t count, const int64_t block[3], rk_run *room)
{
    rk_runs all = {.exact = true};
    if (count == 1) {
        rk_overlap_find(&all, overlaps[0], block);
        return all;
    }
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        rk_runs one;
        rk_overlap_find(&one, overlaps[i], block);
        memcpy(&room[found], one.items, one.count * sizeof *room);
        found += one.count;
        all.exact = all.exact && one.exact;
        all.numbers = one.numbers > all.numbers ? one.numbers : all.numbers;
    }
    qsort(room, found, sizeof *room, by_first);
    for (size_t i = 0; i < found; i++)
        rk_runs_add(&all, room[i].first, room[i].end);
    return all;
}

/** Finds the lists, one for each combination of the block indices that matter. */
static void fill_pair(pair *p, rk_overlap **overlaps, size_t overlap_count, const rk_candidate *to,
                      rk_arena *arena, rk_arena *scratch)
{
    numbering lists = lists_of(to, p->uses);
    RK_VEC(rk_run) all = {0};
    rk_run *room = RK_NEW_ARRAY(scratch, rk_run, overlap_count * RK_RUNS_MOST + 1);
    p->first = RK_NEW_ARRAY(arena, uint32_t, (size_t)lists.count + 1);
    p->numbers = RK_NEW_ARRAY(arena, uint32_t, lists.count);
    p->exact = true;
    int64_t block[3] = {0};
    for (uint32_t l = 0; l < lists.count; l++) {
        rk_runs runs = find_runs(overlaps, overlap_count, block, room);
        for (size_t i = 0; i < runs.count; i++)
            *rk_push(scratch, &all) = runs.items[i];
        p->first[l + 1] = (uint32_t)all.count;
        p->numbers[l] = (uint32_t)runs.numbers;
        p->exact = p->exact && runs.exact;
        next_block(block, lists.extent);
    }
    p->runs = rk_arena_copy(arena, all.items, all.count * sizeof *all.items);
}

/** The pair of an edge at that selection. */
static const pair *pair_of(rk_deps_cache *cache, uint32_t edge, const uint32_t *selected)
{
    const rk_edge *e = &cache->problem->edges[edge];
    uint32_t from = selected[e->from];
    uint32_t to = selected[e->to];
    for (pair *p = cache->pairs[edge]; p; p = p->next)
        if (p->from == from && p->to == to)
            return p;
    const rk_node_candidates *nodes = cache->problem->candidates->nodes;
    rk_arena *scratch = rk_arena_new();
    pair *p = RK_NEW(cache->arena, pair);
    *p = (pair){.next = cache->pairs[edge], .from = from, .to = to};
    size_t count = 0;
    rk_overlap **overlaps =
        compare_touches(&count, &p->uses, cache->problem->graph, e, &nodes[e->from].items[from],
                        &nodes[e->to].items[to], scratch);
    p->whole = !overlaps;
    if (overlaps)
        fill_pair(p, overlaps, count, &nodes[e->to].items[to], cache->arena, scratch);
    rk_arena_free(scratch);
    cache->pairs[edge] = p;
    return p;
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
static bool implies(const assembly *s, const variant *v, const rk_rtask_range *via,
                    const rk_rtask_range *range)
{
    const rk_deps_cache *cache = s->cache;
    uint32_t begin = cache->into[via->op];
    uint32_t end = cache->into[via->op + 1];
    for (uint32_t e = begin; e < end; e++)
        if (cache->problem->edges[e].from == range->op && v->pairs[e - begin]->whole)
            return true;
    size_t count;
    const rk_rtask_range *before = rk_deps_of(&v->deps, via->first, &count);
    for (size_t i = 0; i < count; i++)
        if (holds(&before[i], range))
            return true;
    return false;
}

/** Drops the ranges from the `first`th on that another one of them waits for itself. */
static void drop_implied(assembly *s, size_t first)
{
    rk_rtask_range *all = &s->ranges.items[first];
    size_t count = s->ranges.count - first;
    if (count > s->implied_capacity) {
        s->implied_capacity = 2 * count;
        s->implied = RK_NEW_ARRAY(s->scratch, bool, s->implied_capacity);
    }
    bool *implied = s->implied;
    if (count)
        memset(implied, 0, count * sizeof *implied);
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

/** Adds what list `list` of the pair has, as ranges of `node`, which has `rtasks`. */
static void add_ranges(assembly *s, const pair *p, uint32_t list, rk_id node, uint32_t rtasks)
{
    if (p->whole) {
        *rk_push(s->scratch, &s->ranges) = (rk_rtask_range){node, 0, RK_ALL_RTASKS};
        return;
    }
    for (uint32_t i = p->first[list]; i < p->first[list + 1]; i++) {
        rk_run run = p->runs[i];
        uint32_t count = run.end - run.first;
        *rk_push(s->scratch, &s->ranges) =
            (rk_rtask_range){node, run.first, count == rtasks ? RK_ALL_RTASKS : count};
    }
}

/** Dependent pairs of rTasks that remain in the ranges from the `first`th on, for one rTask. */
static uint64_t count_pairs(const assembly *s, const variant *v, size_t first,
                            const numbering *numberings, const int64_t block[3])
{
    const rk_deps_cache *cache = s->cache;
    uint64_t pairs = 0;
    uint32_t edge = cache->into[s->node];
    for (size_t i = first; i < s->ranges.count; i++) {
        rk_id op = s->ranges.items[i].op;
        if (i > first && s->ranges.items[i - 1].op == op)
            continue;
        while (cache->problem->edges[edge].from != op)
            edge++;
        uint32_t at = edge - cache->into[s->node];
        const pair *p = v->pairs[at];
        pairs += p->whole ? cache->problem->candidates->nodes[op].items[s->selected[op]].rtasks
                          : p->numbers[number_of(&numberings[at], block)];
    }
    return pairs;
}

/** By rTask: its list, of those in that numbering. */
static const uint32_t *number_rtasks(const rk_candidate *c, const numbering *lists, rk_arena *arena)
{
    uint32_t *list = RK_NEW_ARRAY(arena, uint32_t, c->rtasks);
    int64_t block[3] = {0};
    for (uint32_t r = 0; r < c->rtasks; r++) {
        list[r] = number_of(lists, block);
        next_block(block, c->grid);
    }
    return list;
}

/** Puts the lists of the pairs together, one for each combination of block indices that matter. */
static void fill_variant(assembly *s, variant *v)
{
    const rk_problem *problem = s->cache->problem;
    uint32_t into = s->cache->into[s->node];
    uint32_t edges = s->cache->into[s->node + 1] - into;
    numbering *numberings = RK_NEW_ARRAY(s->scratch, numbering, edges + 1);
    unsigned uses = 0;
    v->deps.exact = true;
    for (uint32_t e = 0; e < edges; e++) {
        const pair *p = v->pairs[e];
        numberings[e] = lists_of(s->candidate, p->uses);
        uses |= p->uses;
        v->deps.exact = v->deps.exact && (p->whole || p->exact);
    }
    numbering lists = lists_of(s->candidate, uses);
    uint32_t *first = RK_NEW_ARRAY(s->cache->arena, uint32_t, (size_t)lists.count + 1);
    int64_t block[3] = {0};
    for (uint32_t l = 0; l < lists.count; l++) {
        first[l] = (uint32_t)s->ranges.count;
        for (uint32_t e = 0; e < edges; e++) {
            rk_id from = problem->edges[into + e].from;
            add_ranges(s, v->pairs[e], number_of(&numberings[e], block), from,
                       problem->candidates->nodes[from].items[s->selected[from]].rtasks);
        }
        drop_implied(s, first[l]);
        v->deps.pairs += count_pairs(s, v, first[l], numberings, block);
        next_block(block, lists.extent);
    }
    first[lists.count] = (uint32_t)s->ranges.count;
    v->deps.pairs *= s->candidate->rtasks / lists.count;
    v->deps.ranges =
        rk_arena_copy(s->cache->arena, s->ranges.items, s->ranges.count * sizeof *s->ranges.items);
    v->deps.first = first;
    v->deps.list_count = lists.count;
    if (lists.count > 1)
        v->deps.list = number_rtasks(s->candidate, &lists, s->cache->arena);
}

static const variant *new_variant(rk_deps_cache *cache, rk_id node, const uint32_t *selected)
{
    uint32_t into = cache->into[node];
    size_t count = cache->into[node + 1] - into;
    uint32_t *key = RK_NEW_ARRAY(cache->arena, uint32_t, count + 1);
    variant *v = RK_NEW(cache->arena, variant);
    *v = (variant){.next = cache->variants[node],
                   .selected = key,
                   .pairs = RK_NEW_ARRAY(cache->arena, const pair *, count + 1)};
    key[0] = selected[node];
    for (uint32_t e = 0; e < count; e++) {
        key[1 + e] = selected[cache->problem->edges[into + e].from];
        v->pairs[e] = pair_of(cache, into + e, selected);
    }
    assembly s = {.cache = cache,
                  .selected = selected,
                  .node = node,
                  .candidate = &cache->problem->candidates->nodes[node].items[selected[node]],
                  .scratch = rk_arena_new()};
    fill_variant(&s, v);
    rk_arena_free(s.scratch);
    cache->variants[node] = v;
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
