#include "sched/schedule/deps.h"

#include "base/vec.h"
#include "sched/schedule/numbering.h"
#include "sched/schedule/overlap.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum {
    /** Nodes with more dependencies are not searched for implied ones, to stay near linear. */
    SEARCHED_MOST = 256,
    /** Buckets of lists at least; no fewer than edges, whose lists may all differ. */
    KEPT = 1024
};

/** Lists of what rTasks of one node wait for of another, shared by all edges where that is alike. */
typedef struct edge_lists {
    struct edge_lists *next; /**< in the same bucket */
    const int64_t *key;      /**< what decides about the rest */
    size_t key_count;
    unsigned uses;       /**< RK_BLOCK_...: what decides about an rTask's list */
    uint32_t begin, end; /**< all lists but these are empty */
    uint32_t *first;     /**< list begin + l is runs[first[l] .. first[l + 1]) */
    rk_run *runs;
    uint32_t *numbers; /**< by list, from `begin` on: rTasks in it, before any runs were joined */
    bool exact;          /**< no runs were joined */
    rk_deps_edge edge;   /**< with `sure`: what is sure of all lists */
    bool sure;
} edge_lists;

/** What two nodes touch alike, one of them writing. */
typedef struct {
    const rk_touch *from, *to;
} meeting;

typedef RK_VEC(meeting) meeting_list;

/** For each list of a node's rTasks, from which element of an array to behind which one they touch it. */
typedef struct spans {
    struct spans *next;
    const rk_access *access;
    int64_t grid[3];
    unsigned uses;
    rk_interval *items;
} spans;

/** What rTasks of one node wait for of another, at one candidate of each. */
typedef struct pair {
    struct pair *next;
    uint32_t from, to; /**< candidates */
    edge_lists *lists; /**< NULL: each rTask waits for all of the other node */
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
    uint32_t *into;    /**< edges into node n: [into[n], into[n + 1]) */
    pair **pairs;      /**< by edge */
    edge_lists **kept; /**< buckets, a power of two */
    size_t kept_mask;
    variant **variants; /**< by node */
    spans *spans;       /**< those that were asked for last come first */
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
    size_t buckets = KEPT;
    while (buckets < problem->edge_count)
        buckets *= 2;
    out->cache = RK_NEW(arena, rk_deps_cache);
    *out->cache = (rk_deps_cache){.problem = problem,
                                  .arena = arena,
                                  .into = into,
                                  .pairs = RK_NEW_ARRAY(arena, pair *, problem->edge_count + 1),
                                  .kept = RK_NEW_ARRAY(arena, edge_lists *, buckets),
                                  .kept_mask = buckets - 1,
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

/** Empty where nothing is touched. */
static rk_interval span_of(const rk_access *access, const int64_t block[3])
{
    rk_interval box[RK_MAX_RANK];
    rk_interval span = {0};
    if (!rk_access_box(box, access, block))
        return span;
    for (int d = 0; d < access->rank; d++) {
        span.first = span.first * access->dims[d].extent + box[d].first;
        span.end = span.end * access->dims[d].extent + box[d].end - 1;
    }
    span.end++;
    return span;
}

static const rk_interval *spans_of(rk_deps_cache *cache, const rk_access *access,
                                   const rk_candidate *c, unsigned uses)
{
    const rk_numbering places = rk_numbering_of(c, uses);
    spans **at = &cache->spans;
    while (*at && ((*at)->access != access || (*at)->uses != uses ||
                   memcmp((*at)->grid, c->grid, sizeof c->grid) != 0))
        at = &(*at)->next;
    spans *found = *at;
    if (found) {
        *at = found->next;
    } else {
        found = RK_NEW(cache->arena, spans);
        *found = (spans){.access = access, .uses = uses};
        memcpy(found->grid, c->grid, sizeof c->grid);
        found->items = RK_NEW_ARRAY(cache->arena, rk_interval, places.count);
        for (uint32_t l = 0; l < places.count; l++) {
            int64_t block[3];
            rk_numbering_block(block, &places, l);
            found->items[l] = span_of(access, block);
        }
    }
    found->next = cache->spans;
    cache->spans = found;
    return found->items;
}

/* Pairs of nodes. */

static size_t most_touches(const rk_node *node, const rk_candidate *c)
{
    return (c->access ? c->kernel->param_count : 0) + node->input_count + node->output_count + 1;
}

/** The meetings of an edge, into `out`; false when one of them makes each rTask wait for all. */
static bool find_meetings(meeting_list *out, const rk_graph *graph, const rk_edge *edge,
                          const rk_candidate *from_candidate, const rk_candidate *to_candidate,
                          rk_arena *scratch)
{
    if (!from_candidate->access || !to_candidate->access)
        return false;
    const rk_node *from_node = &graph->nodes[edge->from];
    const rk_node *to_node = &graph->nodes[edge->to];
    rk_touch *from = RK_NEW_ARRAY(scratch, rk_touch, most_touches(from_node, from_candidate));
    rk_touch *to = RK_NEW_ARRAY(scratch, rk_touch, most_touches(to_node, to_candidate));
    size_t from_count = rk_touches_of(from, graph, from_node, from_candidate);
    size_t to_count = rk_touches_of(to, graph, to_node, to_candidate);
    for (size_t i = 0; i < from_count; i++) {
        for (size_t k = 0; k < to_count; k++) {
            const rk_touch *a = &from[i];
            const rk_touch *b = &to[k];
            if (a->base != b->base || !(a->write || b->write) ||
                a->offset >= b->offset + b->elements || b->offset >= a->offset + a->elements)
                continue;
            if (!a->access || !b->access)
                return false;
            *rk_push(scratch, out) = (meeting){a, b};
        }
    }
    return true;
}

/** All that the lists of an edge depend on: the same numbers give the same lists. */
static size_t key_of(int64_t **key, const meeting_list *meetings, const rk_candidate *from,
                     const rk_candidate *to, rk_arena *scratch)
{
    int64_t *k = *key = RK_NEW_ARRAY(scratch, int64_t, 6 + 6 * meetings->count);
    for (int d = 0; d < 3; d++) {
        *k++ = from->grid[d];
        *k++ = to->grid[d];
    }
    for (size_t i = 0; i < meetings->count; i++) {
        const meeting *m = &meetings->items[i];
        *k++ = (int64_t)(intptr_t)m->from->access;
        *k++ = (int64_t)(intptr_t)m->to->access;
        *k++ = m->from->offset;
        *k++ = m->to->offset;
        *k++ = m->from->elements;
        *k++ = m->to->elements;
    }
    return (size_t)(k - *key);
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

/** Whether each rTask of the later node touches something, and nothing that the earlier one does not write. */
static bool is_enclosed(const meeting *m, const rk_candidate *to)
{
    if (!m->from->write || m->to->offset < m->from->offset ||
        m->to->offset + m->to->elements > m->from->offset + m->from->elements)
        return false;
    rk_numbering places = rk_numbering_of(to, rk_access_uses(m->to->access));
    int64_t block[3] = {0};
    for (uint32_t l = 0; l < places.count; l++) {
        rk_interval box[RK_MAX_RANK];
        if (!rk_access_box(box, m->to->access, block))
            return false;
        rk_next_block(block, places.extent);
    }
    return true;
}

/** Whether dimension d of the access, over those block indices alone, is touched from end to end. */
static bool is_swept_along(const rk_access *access, int d, unsigned uses, const int64_t grid[3])
{
    rk_access one = {.rank = 1, .dims = {access->dims[d]}};
    int64_t extent[3];
    for (int i = 0; i < 3; i++)
        extent[i] = uses >> i & 1 ? grid[i] : 1;
    int64_t end = 0;
    int64_t block[3] = {0};
    for (int64_t left = extent[0] * extent[1] * extent[2]; left > 0; left--) {
        rk_interval box;
        if (rk_access_box(&box, &one, block) && box.first <= end && box.end > end)
            end = box.end;
        rk_next_block(block, extent);
    }
    return end == one.dims[0].extent;
}

/**
 * Whether the later node's rTasks together touch all that the earlier one writes: where no two dimensions
 * depend on one block index, the boxes are all combinations of what each dimension has.
 */
static bool is_swept(const meeting *m, const rk_candidate *to)
{
    const rk_access *access = m->to->access;
    if (!m->from->write || m->to->offset > m->from->offset ||
        m->to->offset + m->to->elements < m->from->offset + m->from->elements)
        return false;
    unsigned used = 0;
    for (int d = 0; d < access->rank; d++) {
        rk_access one = {.rank = 1, .dims = {access->dims[d]}};
        unsigned uses = rk_access_uses(&one);
        for (int i = 0; i < 3; i++)
            uses &= to->grid[i] == 1 ? ~(1u << i) : ~0u;
        if (used & uses || !is_swept_along(access, d, uses, to->grid))
            return false;
        used |= uses;
    }
    return true;
}

/** A touch of one node, by a candidate's rTasks. */
typedef struct {
    const rk_touch *touch;
    const rk_candidate *candidate;
    bool first_only; /**< of what they touch the first element alone counts, which no box widens */
} side;

/**
 * How many of `counted` each rTask of `each` shares something with, at least, as seen in the dimensions of
 * both or by first and last elements. 0 when not sure. `some`: of whatever those of `each` touch, some of
 * `counted` touch each element.
 */
static uint32_t fewest_shared(side counted, side each, bool some, bool flat, rk_arena *scratch)
{
    rk_touch from = *counted.touch;
    rk_touch to = *each.touch;
    from.first_only = counted.first_only;
    to.first_only = each.first_only;
    rk_overlap *overlap = rk_overlap_new(&from, counted.candidate->grid, &to, flat, scratch);
    rk_numbering places = rk_numbering_of(each.candidate, rk_access_uses(to.access));
    int64_t block[3] = {0};
    uint64_t fewest = UINT32_MAX;
    for (uint32_t l = 0; l < places.count && fewest > 0; l++) {
        rk_runs runs;
        if (flat && rk_overlap_is_loose(overlap))
            return 0;
        if (!some)
            rk_overlap_find(&runs, overlap, block);
        uint64_t here = some ? rk_overlap_least(overlap, block) : runs.numbers;
        fewest = here < fewest ? here : fewest;
        rk_next_block(block, places.extent);
    }
    return !some && rk_overlap_is_loose(overlap) ? 0 : (uint32_t)fewest;
}

/** What is sure of an edge through one meeting, whatever boxes had to be widened for the lists. */
static rk_deps_edge sure_of(const meeting *m, const rk_candidate *from, const rk_candidate *to,
                            rk_arena *scratch)
{
    bool enclosed = is_enclosed(m, to);
    bool swept = is_swept(m, to);
    side earlier = {m->from, from, false};
    side later = {m->to, to, false};
    side earlier_first = {m->from, from, true};
    side later_first = {m->to, to, true};
    rk_deps_edge edge = {0};
    for (int flat = 0; flat < 2 && edge.fewest < from->rtasks; flat++) {
        uint32_t fewest = fewest_shared(earlier_first, later, enclosed, flat, scratch);
        edge.fewest = fewest > edge.fewest ? fewest : edge.fewest;
        uint32_t back = fewest_shared(later, earlier_first, swept, flat, scratch);
        edge.back = back > edge.back ? back : edge.back;
        back = swept ? fewest_shared(later_first, earlier, true, flat, scratch) : 0;
        edge.back = back > edge.back ? back : edge.back;
    }
    if (edge.fewest == from->rtasks)
        edge.back = to->rtasks;
    edge.covers = edge.back > 0;
    return edge;
}

/** The lists whose rTasks may touch what the earlier node does: no others do. */
static void span_lists(edge_lists *out, rk_deps_cache *cache, const meeting_list *meetings,
                       const rk_candidate *to)
{
    const uint32_t count = rk_numbering_of(to, out->uses).count;
    out->begin = count;
    for (size_t i = 0; i < meetings->count; i++) {
        const meeting *m = &meetings->items[i];
        const rk_interval *touched = spans_of(cache, m->to->access, to, out->uses);
        const int64_t low = m->from->offset - m->to->offset;
        const int64_t high = low + m->from->elements;
        uint32_t begin = 0, end = count;
        while (begin < out->begin && (touched[begin].end <= low || touched[begin].first >= high))
            begin++;
        while (end > begin && end > out->end &&
               (touched[end - 1].end <= low || touched[end - 1].first >= high))
            end--;
        out->begin = begin < out->begin ? begin : out->begin;
        out->end = end > out->end ? end : out->end;
    }
    if (out->begin >= out->end)
        out->begin = out->end = 0;
}

/** Finds the lists, one for each combination of the block indices that matter. */
static void fill_lists(edge_lists *out, rk_deps_cache *cache, const meeting_list *meetings,
                       const rk_candidate *from, const rk_candidate *to, rk_arena *scratch)
{
    rk_overlap **overlaps = RK_NEW_ARRAY(scratch, rk_overlap *, meetings->count + 1);
    for (size_t i = 0; i < meetings->count; i++) {
        const meeting *m = &meetings->items[i];
        overlaps[i] = rk_overlap_new(m->from, from->grid, m->to, false, scratch);
        out->uses |= rk_access_uses(m->to->access);
    }
    const rk_numbering places = rk_numbering_of(to, out->uses);
    span_lists(out, cache, meetings, to);
    const uint32_t count = out->end - out->begin;
    RK_VEC(rk_run) all = {0};
    rk_run *room = RK_NEW_ARRAY(scratch, rk_run, meetings->count * RK_RUNS_MOST + 1);
    out->first = RK_NEW_ARRAY(cache->arena, uint32_t, (size_t)count + 1);
    out->numbers = RK_NEW_ARRAY(cache->arena, uint32_t, (size_t)count + 1);
    out->exact = true;
    for (uint32_t l = 0; l < count; l++) {
        int64_t block[3];
        rk_numbering_block(block, &places, out->begin + l);
        rk_runs runs = find_runs(overlaps, meetings->count, block, room);
        for (size_t i = 0; i < runs.count; i++)
            *rk_push(scratch, &all) = runs.items[i];
        out->first[l + 1] = (uint32_t)all.count;
        out->numbers[l] = (uint32_t)runs.numbers;
        out->exact = out->exact && runs.exact;
    }
    bool loose = false;
    for (size_t i = 0; i < meetings->count; i++)
        loose = loose || rk_overlap_is_loose(overlaps[i]);
    for (uint32_t l = 0; l < count && count == places.count && !loose; l++)
        if (l == 0 || out->numbers[l] < out->edge.fewest)
            out->edge.fewest = out->numbers[l];
    out->runs = rk_arena_copy(cache->arena, all.items, all.count * sizeof *all.items);
}

/** The lists of an edge between nodes of those candidates; NULL: each rTask waits for all. */
static edge_lists *lists_of_edge(rk_deps_cache *cache, const rk_edge *edge,
                                 const rk_candidate *from, const rk_candidate *to)
{
    rk_arena *scratch = rk_arena_new();
    meeting_list meetings = {0};
    edge_lists *found = NULL;
    if (find_meetings(&meetings, cache->problem->graph, edge, from, to, scratch)) {
        int64_t *key;
        size_t count = key_of(&key, &meetings, from, to, scratch);
        edge_lists **bucket =
            &cache->kept[XXH3_64bits(key, count * sizeof *key) & cache->kept_mask];
        edge_lists *at = *bucket;
        while (at && (at->key_count != count || memcmp(at->key, key, count * sizeof *key) != 0))
            at = at->next;
        if (!at) {
            at = RK_NEW(cache->arena, edge_lists);
            *at = (edge_lists){.next = *bucket, .key_count = count};
            at->key = rk_arena_copy(cache->arena, key, count * sizeof *key);
            fill_lists(at, cache, &meetings, from, to, scratch);
            *bucket = at;
        }
        found = at;
    }
    rk_arena_free(scratch);
    return found;
}

/** The pair of an edge at those candidates. */
static const pair *pair_of(rk_deps_cache *cache, uint32_t edge, uint32_t from, uint32_t to)
{
    const rk_edge *e = &cache->problem->edges[edge];
    for (pair *p = cache->pairs[edge]; p; p = p->next)
        if (p->from == from && p->to == to)
            return p;
    const rk_node_candidates *nodes = cache->problem->candidates->nodes;
    pair *p = RK_NEW(cache->arena, pair);
    *p = (pair){.next = cache->pairs[edge], .from = from, .to = to};
    p->lists = lists_of_edge(cache, e, &nodes[e->from].items[from], &nodes[e->to].items[to]);
    cache->pairs[edge] = p;
    return p;
}

/** Adds what each meeting of the edge makes sure of. */
static void make_sure(edge_lists *l, const rk_graph *graph, const rk_edge *edge,
                      const rk_candidate *from, const rk_candidate *to)
{
    rk_arena *scratch = rk_arena_new();
    meeting_list meetings = {0};
    find_meetings(&meetings, graph, edge, from, to, scratch);
    for (size_t i = 0; i < meetings.count; i++) {
        rk_deps_edge sure = sure_of(&meetings.items[i], from, to, scratch);
        l->edge.fewest = sure.fewest > l->edge.fewest ? sure.fewest : l->edge.fewest;
        l->edge.back = sure.back > l->edge.back ? sure.back : l->edge.back;
        l->edge.covers = l->edge.covers || sure.covers;
    }
    l->sure = true;
    rk_arena_free(scratch);
}

rk_deps_edge rk_deps_of_edge(rk_deps *deps, size_t edge, uint32_t from, uint32_t to)
{
    const rk_problem *problem = deps->cache->problem;
    const rk_edge *e = &problem->edges[edge];
    const rk_candidate *first = &problem->candidates->nodes[e->from].items[from];
    const rk_candidate *second = &problem->candidates->nodes[e->to].items[to];
    const pair *p = pair_of(deps->cache, (uint32_t)edge, from, to);
    if (!p->lists)
        return (rk_deps_edge){.fewest = first->rtasks, .back = second->rtasks, .covers = true};
    if (!p->lists->sure)
        make_sure(p->lists, problem->graph, e, first, second);
    return p->lists->edge;
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
        if (cache->problem->edges[e].from == range->op && !v->pairs[e - begin]->lists)
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
    if (!p->lists) {
        *rk_push(s->scratch, &s->ranges) = (rk_rtask_range){node, 0, RK_ALL_RTASKS};
        return;
    }
    if (list < p->lists->begin || list >= p->lists->end)
        return;
    list -= p->lists->begin;
    for (uint32_t i = p->lists->first[list]; i < p->lists->first[list + 1]; i++) {
        rk_run run = p->lists->runs[i];
        uint32_t count = run.end - run.first;
        *rk_push(s->scratch, &s->ranges) =
            (rk_rtask_range){node, run.first, count == rtasks ? RK_ALL_RTASKS : count};
    }
}

/** By list of a node, the edges that may add to it, in order: edges[first[l] .. first[l + 1]). */
typedef struct {
    uint32_t *first, *edges;
} edges_by_list;

/** The lists of the node to which an edge may add, where they are numbered in `uses`. */
static void span_of_edge(uint32_t *begin, uint32_t *end, const pair *p, unsigned uses,
                         uint32_t count)
{
    const bool alike = p->lists && p->lists->uses == uses;
    *begin = alike ? p->lists->begin : 0;
    *end = alike ? p->lists->end : count;
}

static edges_by_list find_edges_by_list(assembly *s, const variant *v, uint32_t edges,
                                        unsigned uses, uint32_t count)
{
    edges_by_list by = {.first = RK_NEW_ARRAY(s->scratch, uint32_t, (size_t)count + 2)};
    uint32_t begin, end;
    for (uint32_t e = 0; e < edges; e++) {
        span_of_edge(&begin, &end, v->pairs[e], uses, count);
        for (uint32_t l = begin; l < end; l++)
            by.first[l + 2]++;
    }
    for (uint32_t l = 0; l < count; l++)
        by.first[l + 2] += by.first[l + 1];
    by.edges = RK_NEW_ARRAY(s->scratch, uint32_t, by.first[count + 1] + 1);
    for (uint32_t e = 0; e < edges; e++) {
        span_of_edge(&begin, &end, v->pairs[e], uses, count);
        for (uint32_t l = begin; l < end; l++)
            by.edges[by.first[l + 1]++] = e;
    }
    return by;
}

/** Dependent pairs of rTasks that remain in the ranges from the `first`th on, for one rTask, to whose list `edge` and those behind it add. */
static uint64_t count_pairs(const assembly *s, const variant *v, size_t first, const uint32_t *edge,
                            const rk_numbering *numberings, const int64_t block[3])
{
    const rk_deps_cache *cache = s->cache;
    const uint32_t into = cache->into[s->node];
    uint64_t pairs = 0;
    for (size_t i = first; i < s->ranges.count; i++) {
        rk_id op = s->ranges.items[i].op;
        if (i > first && s->ranges.items[i - 1].op == op)
            continue;
        while (cache->problem->edges[into + *edge].from != op)
            edge++;
        const pair *p = v->pairs[*edge];
        pairs += p->lists ? p->lists->numbers[rk_numbering_number(&numberings[*edge], block) - p->lists->begin]
                          : cache->problem->candidates->nodes[op].items[s->selected[op]].rtasks;
    }
    return pairs;
}

/** By rTask: its list, of those in that numbering. */
static const uint32_t *number_rtasks(const rk_candidate *c, const rk_numbering *lists, rk_arena *arena)
{
    uint32_t *list = RK_NEW_ARRAY(arena, uint32_t, c->rtasks);
    int64_t block[3] = {0};
    for (uint32_t r = 0; r < c->rtasks; r++) {
        list[r] = rk_numbering_number(lists, block);
        rk_next_block(block, c->grid);
    }
    return list;
}

/** Puts the lists of the pairs together, one for each combination of block indices that matter. */
static void fill_variant(assembly *s, variant *v)
{
    const rk_problem *problem = s->cache->problem;
    uint32_t into = s->cache->into[s->node];
    uint32_t edges = s->cache->into[s->node + 1] - into;
    rk_numbering *numberings = RK_NEW_ARRAY(s->scratch, rk_numbering, edges + 1);
    unsigned uses = 0;
    v->deps.exact = true;
    for (uint32_t e = 0; e < edges; e++) {
        const pair *p = v->pairs[e];
        unsigned own = p->lists ? p->lists->uses : 0;
        numberings[e] = rk_numbering_of(s->candidate, own);
        uses |= own;
        v->deps.exact = v->deps.exact && (!p->lists || p->lists->exact);
    }
    rk_numbering lists = rk_numbering_of(s->candidate, uses);
    const edges_by_list by = find_edges_by_list(s, v, edges, uses, lists.count);
    uint32_t *first = RK_NEW_ARRAY(s->cache->arena, uint32_t, (size_t)lists.count + 1);
    int64_t block[3] = {0};
    for (uint32_t l = 0; l < lists.count; l++) {
        first[l] = (uint32_t)s->ranges.count;
        for (uint32_t i = by.first[l]; i < by.first[l + 1]; i++) {
            const uint32_t e = by.edges[i];
            rk_id from = problem->edges[into + e].from;
            add_ranges(s, v->pairs[e], rk_numbering_number(&numberings[e], block), from,
                       problem->candidates->nodes[from].items[s->selected[from]].rtasks);
        }
        drop_implied(s, first[l]);
        v->deps.pairs += count_pairs(s, v, first[l], &by.edges[by.first[l]], numberings, block);
        rk_next_block(block, lists.extent);
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
        v->pairs[e] = pair_of(cache, into + e, key[1 + e], key[0]);
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
