#include "sched/policies/list_core.h"

#include <string.h>

/** A node by a key; heaps have the least key on top, of equal ones the first node. */
typedef struct {
    double key;
    rk_id node;
} keyed;

typedef struct {
    keyed *items;
    size_t count;
} node_heap;

struct rk_lister {
    const rk_problem *problem;
    const rk_listing *listing; /**< of this run */
    rk_places *places;
    uint32_t veus;
    uint32_t *first; /**< the edges out of node n are to[first[n] .. first[n + 1]) */
    rk_id *to;
    uint32_t *before;  /**< by node: how many it depends on */
    uint32_t *left;    /**< by node: those that are not all placed */
    bool *chosen;      /**< by node: its kernel is selected */
    double known;      /**< work of all nodes whose kernel is given or selected, in ns */
    node_heap waiting; /**< nodes by when they could start */
    node_heap ready;   /**< nodes that could start by now, by falling priority */
};

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

static void find_successors(rk_lister *l, rk_arena *arena)
{
    size_t nodes = l->problem->graph->node_count;
    l->first = RK_NEW_ARRAY(arena, uint32_t, nodes + 2);
    l->to = RK_NEW_ARRAY(arena, rk_id, l->problem->edge_count + 1);
    l->before = RK_NEW_ARRAY(arena, uint32_t, nodes + 1);
    for (size_t i = 0; i < l->problem->edge_count; i++) {
        l->first[l->problem->edges[i].from + 2]++;
        l->before[l->problem->edges[i].to]++;
    }
    for (size_t i = 0; i < nodes; i++)
        l->first[i + 2] += l->first[i + 1];
    for (size_t i = 0; i < l->problem->edge_count; i++)
        l->to[l->first[l->problem->edges[i].from + 1]++] = l->problem->edges[i].to;
}

static size_t candidates_of(const rk_lister *l, rk_id node)
{
    return l->problem->candidates->nodes[node].count;
}

static double work_of(const rk_lister *l, rk_id node, uint32_t candidate)
{
    const rk_candidate *c = &l->problem->candidates->nodes[node].items[candidate];
    return c->rtasks * rk_rtask_time(l->problem, c);
}

static bool is_given(const rk_lister *l, rk_id node)
{
    return l->listing->kernels && l->listing->kernels[node] != RK_UNCHOSEN;
}

static void choose(rk_lister *l, rk_id node, uint32_t candidate)
{
    rk_places_select(l->places, node, candidate);
    l->chosen[node] = true;
    if (!is_given(l, node))
        l->known += work_of(l, node, candidate);
}

/** When the node has ended with that candidate, on trial, and what its work takes from the rest. */
static double price(rk_lister *l, rk_id node, uint32_t candidate)
{
    double end = rk_places_try(l->places, node, candidate);
    double weight =
        l->listing->efficiency * (l->listing->pressure ? l->listing->pressure[node] : 1);
    return end + weight * work_of(l, node, candidate) / l->veus;
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

static void choose_cheapest(rk_lister *l, rk_id node)
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

static void wait_for_start(rk_lister *l, rk_id node)
{
    heap_push(&l->waiting, rk_places_ready(l->places, node), node);
}

/** All that the node depends on is placed. */
static void open_node(rk_lister *l, rk_id node)
{
    if (is_given(l, node))
        choose(l, node, l->listing->kernels[node]);
    else if (candidates_of(l, node) == 1)
        choose(l, node, 0);
    wait_for_start(l, node);
}

/** Places the node's next rTask; whether it was the last. */
static bool append_next(rk_lister *l, rk_id node)
{
    if (!l->chosen[node])
        choose_cheapest(l, node);
    return rk_places_append(l->places, node);
}

/** Takes the node whose turn it is out of its heap. */
static rk_id take(rk_lister *l)
{
    double now = rk_places_now(l->places);
    while (l->waiting.count && l->waiting.items[0].key <= now) {
        rk_id node = heap_pop(&l->waiting);
        heap_push(&l->ready, -l->listing->priority[node], node);
    }
    return heap_pop(l->ready.count ? &l->ready : &l->waiting);
}

/** The rTasks of a node that wait for the same could all start with the first. */
static void put_back(rk_lister *l, rk_id node)
{
    if (rk_places_alike(l->places, node))
        heap_push(&l->ready, -l->listing->priority[node], node);
    else
        wait_for_start(l, node);
}

rk_lister *rk_lister_new(const rk_problem *problem, rk_deps *deps, uint32_t veus, rk_arena *arena)
{
    size_t nodes = problem->graph->node_count;
    rk_lister *l = RK_NEW(arena, rk_lister);
    *l = (rk_lister){.problem = problem, .veus = veus};
    l->places = rk_places_new(problem, deps, veus, arena);
    find_successors(l, arena);
    l->left = RK_NEW_ARRAY(arena, uint32_t, nodes + 1);
    l->chosen = RK_NEW_ARRAY(arena, bool, nodes + 1);
    l->waiting.items = RK_NEW_ARRAY(arena, keyed, nodes + 1);
    l->ready.items = RK_NEW_ARRAY(arena, keyed, nodes + 1);
    return l;
}

/** Whether the idle times so far and the work that is known let it end in time. */
static bool is_in_time(const rk_lister *l)
{
    double least = (rk_places_idle(l->places) + l->known) / l->veus;
    return l->listing->until == 0 || l->problem->device->launch_ns + least <= l->listing->until;
}

bool rk_lister_run(rk_lister *l, const rk_listing *listing)
{
    size_t nodes = l->problem->graph->node_count;
    l->listing = listing;
    rk_places_clear(l->places);
    l->waiting.count = l->ready.count = 0;
    l->known = 0;
    memcpy(l->left, l->before, nodes * sizeof *l->left);
    memset(l->chosen, 0, nodes * sizeof *l->chosen);
    for (rk_id node = 0; node < nodes; node++)
        l->known += is_given(l, node) ? work_of(l, node, listing->kernels[node]) : 0;
    for (rk_id node = 0; node < nodes; node++)
        if (l->left[node] == 0)
            open_node(l, node);
    while (l->waiting.count || l->ready.count) {
        rk_id node = take(l);
        if (!append_next(l, node)) {
            put_back(l, node);
            continue;
        }
        for (uint32_t i = l->first[node]; i < l->first[node + 1]; i++)
            if (--l->left[l->to[i]] == 0)
                open_node(l, l->to[i]);
        if (!is_in_time(l))
            return false;
    }
    return true;
}

const rk_places *rk_lister_places(const rk_lister *l)
{
    return l->places;
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
