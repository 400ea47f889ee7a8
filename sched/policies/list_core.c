#include "sched/policies/list_core.h"

/** A node by a key; heaps have the least key on top, of equal ones the first node. */
typedef struct {
    double key;
    rk_id node;
} keyed;

typedef struct {
    keyed *items;
    size_t count;
} node_heap;

typedef struct {
    rk_builder *builder;
    const rk_problem *problem;
    rk_deps *deps;
    const rk_listing *listing;
    uint32_t veus;
    uint32_t *first; /**< the edges out of node n are to[first[n] .. first[n + 1]) */
    rk_id *to;
    uint32_t *before;  /**< by node: predecessors that are not appended */
    uint32_t *next;    /**< by node: its next rTask */
    bool *chosen;      /**< by node: its kernel is selected */
    node_heap waiting; /**< nodes by when they could start */
    node_heap ready;   /**< nodes that could start by now, by falling priority */
} lister;

static bool precedes(keyed a, keyed b)
{
    return a.key < b.key || (a.key == b.key && a.node < b.node);
}

static void heap_push(node_heap *heap, double key, rk_id node)
{
    keyed item = {key, node};
    size_t at = heap->count++;
    for (; at > 0 && precedes(item, heap->items[(at - 1) / 2]); at = (at - 1) / 2)
        heap->items[at] = heap->items[(at - 1) / 2];
    heap->items[at] = item;
}

static rk_id heap_pop(node_heap *heap)
{
    rk_id node = heap->items[0].node;
    keyed last = heap->items[--heap->count];
    size_t at = 0;
    for (size_t child = 1; child < heap->count; child = 2 * at + 1) {
        if (child + 1 < heap->count && precedes(heap->items[child + 1], heap->items[child]))
            child++;
        if (!precedes(heap->items[child], last))
            break;
        heap->items[at] = heap->items[child];
        at = child;
    }
    heap->items[at] = last;
    return node;
}

static void find_successors(lister *l, rk_arena *scratch)
{
    size_t nodes = l->problem->graph->node_count;
    l->first = RK_NEW_ARRAY(scratch, uint32_t, nodes + 2);
    l->to = RK_NEW_ARRAY(scratch, rk_id, l->problem->edge_count + 1);
    l->before = RK_NEW_ARRAY(scratch, uint32_t, nodes + 1);
    for (size_t i = 0; i < l->problem->edge_count; i++) {
        l->first[l->problem->edges[i].from + 2]++;
        l->before[l->problem->edges[i].to]++;
    }
    for (size_t i = 0; i < nodes; i++)
        l->first[i + 2] += l->first[i + 1];
    for (size_t i = 0; i < l->problem->edge_count; i++)
        l->to[l->first[l->problem->edges[i].from + 1]++] = l->problem->edges[i].to;
}

static size_t candidates_of(const lister *l, rk_id node)
{
    return l->problem->candidates->nodes[node].count;
}

static void choose(lister *l, rk_id node, uint32_t candidate)
{
    rk_select(l->builder, node, candidate);
    l->chosen[node] = true;
}

/** When the node has ended with that candidate, on trial, and what its work takes from the rest. */
static double price(lister *l, rk_id node, uint32_t candidate)
{
    const rk_candidate *c = &l->problem->candidates->nodes[node].items[candidate];
    rk_trial_begin(l->builder);
    rk_select(l->builder, node, candidate);
    double end = rk_append_node(l->builder, l->problem, l->deps, node);
    rk_trial_rollback(l->builder);
    double weight =
        l->listing->efficiency * (l->listing->pressure ? l->listing->pressure[node] : 1);
    return end + weight * c->rtasks * rk_rtask_time(l->problem, c) / l->veus;
}

/** Whether `a` takes no longer than `b` for one rTask, for all on all vEUs, and in all. */
static bool is_no_worse(const rk_problem *problem, const rk_candidate *a, const rk_candidate *b,
                        uint32_t veus)
{
    double each[] = {rk_rtask_time(problem, a), rk_rtask_time(problem, b)};
    uint32_t rounds[] = {(a->rtasks + veus - 1) / veus, (b->rtasks + veus - 1) / veus};
    return each[0] <= each[1] && rounds[0] * each[0] <= rounds[1] * each[1] &&
           a->rtasks * each[0] <= b->rtasks * each[1];
}

bool rk_is_dominated(const rk_problem *problem, rk_id node, uint32_t candidate, uint32_t veus)
{
    const rk_candidate *items = problem->candidates->nodes[node].items;
    for (uint32_t i = 0; i < problem->candidates->nodes[node].count; i++)
        if (i != candidate && is_no_worse(problem, &items[i], &items[candidate], veus) &&
            (i < candidate || !is_no_worse(problem, &items[candidate], &items[i], veus)))
            return true;
    return false;
}

static void choose_cheapest(lister *l, rk_id node)
{
    uint32_t best = UINT32_MAX;
    double least = 0;
    for (uint32_t i = 0; i < candidates_of(l, node); i++) {
        if (rk_is_dominated(l->problem, node, i, l->veus))
            continue;
        double here = price(l, node, i);
        if (best == UINT32_MAX || here < least) {
            best = i;
            least = here;
        }
    }
    choose(l, node, best);
}

/** What the node's next rTask waits for: before its kernel is chosen, whole nodes. */
static const rk_rtask_range *waits_of(const lister *l, rk_id node, size_t *count)
{
    if (l->chosen[node])
        return rk_deps_of(rk_deps_node(l->deps, node, rk_builder_selected(l->builder)),
                          l->next[node], count);
    *count = l->deps->first[node + 1] - l->deps->first[node];
    return &l->deps->ranges[l->deps->first[node]];
}

/** All that the node depends on is appended. */
static void open_node(lister *l, rk_id node)
{
    if (l->listing->kernels && l->listing->kernels[node] != RK_UNCHOSEN)
        choose(l, node, l->listing->kernels[node]);
    else if (candidates_of(l, node) == 1)
        choose(l, node, 0);
    size_t count;
    const rk_rtask_range *ranges = waits_of(l, node, &count);
    uint32_t veu = rk_choose_veu(l->builder, ranges, count);
    heap_push(&l->waiting, rk_builder_ready(l->builder, veu, ranges, count), node);
}

/** Appends the node's next rTask; whether it was the last. */
static bool append_next(lister *l, rk_id node)
{
    if (!l->chosen[node])
        choose_cheapest(l, node);
    rk_rtask task = {node, l->next[node]};
    size_t count;
    const rk_rtask_range *ranges = waits_of(l, node, &count);
    uint32_t veu = rk_choose_veu(l->builder, ranges, count);
    rk_wait(l->builder, task, veu, ranges, count);
    rk_append(l->builder, task, veu);
    return ++l->next[node] == rk_rtasks_of(l->problem, node, rk_builder_selected(l->builder)[node]);
}

/** Takes the node whose turn it is out of its heap. */
static rk_id take(lister *l)
{
    double now = rk_builder_veu_end(l->builder, rk_builder_earliest(l->builder, NULL, 0));
    while (l->waiting.count && l->waiting.items[0].key <= now) {
        rk_id node = heap_pop(&l->waiting);
        heap_push(&l->ready, -l->listing->priority[node], node);
    }
    return heap_pop(l->ready.count ? &l->ready : &l->waiting);
}

/** The rTasks of a node that wait for the same could all start with the first. */
static void put_back(lister *l, rk_id node)
{
    const rk_node_deps *deps = rk_deps_node(l->deps, node, rk_builder_selected(l->builder));
    if (!deps->list) {
        heap_push(&l->ready, -l->listing->priority[node], node);
        return;
    }
    size_t count;
    const rk_rtask_range *ranges = rk_deps_of(deps, l->next[node], &count);
    uint32_t veu = rk_choose_veu(l->builder, ranges, count);
    heap_push(&l->waiting, rk_builder_ready(l->builder, veu, ranges, count), node);
}

void rk_list_rtasks(rk_builder *builder, const rk_problem *problem, rk_deps *deps,
                    const rk_listing *listing)
{
    rk_arena *scratch = rk_arena_new();
    size_t nodes = problem->graph->node_count;
    lister l = {.builder = builder,
                .problem = problem,
                .deps = deps,
                .listing = listing,
                .veus = rk_builder_veus(builder)};
    find_successors(&l, scratch);
    l.next = RK_NEW_ARRAY(scratch, uint32_t, nodes + 1);
    l.chosen = RK_NEW_ARRAY(scratch, bool, nodes + 1);
    l.waiting.items = RK_NEW_ARRAY(scratch, keyed, nodes + 1);
    l.ready.items = RK_NEW_ARRAY(scratch, keyed, nodes + 1);
    for (rk_id node = 0; node < nodes; node++)
        if (l.before[node] == 0)
            open_node(&l, node);
    while (l.waiting.count || l.ready.count) {
        rk_id node = take(&l);
        if (!append_next(&l, node)) {
            put_back(&l, node);
            continue;
        }
        for (uint32_t i = l.first[node]; i < l.first[node + 1]; i++)
            if (--l.before[l.to[i]] == 0)
                open_node(&l, l.to[i]);
    }
    rk_arena_free(scratch);
}

void rk_upward_ranks(double *rank, const rk_problem *problem, const uint32_t *kernels,
                     uint32_t veus)
{
    size_t nodes = problem->graph->node_count;
    for (rk_id node = 0; node < nodes; node++)
        rank[node] = 0;
    size_t e = problem->edge_count;
    for (rk_id node = (rk_id)nodes; node-- > 0;) {
        uint32_t kernel = kernels ? kernels[node] : rk_fastest_kernel(problem, node, veus);
        const rk_candidate *c = &problem->candidates->nodes[node].items[kernel];
        rank[node] += (c->rtasks + veus - 1) / veus * rk_rtask_time(problem, c);
        for (; e > 0 && problem->edges[e - 1].to == node; e--) {
            double through = problem->device->signal_ns + rank[node];
            rk_id from = problem->edges[e - 1].from;
            rank[from] = through > rank[from] ? through : rank[from];
        }
    }
}
