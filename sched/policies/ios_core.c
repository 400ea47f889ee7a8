#include "sched/policies/ios_core.h"

#include "base/vec.h"
#include "sched/simulate/simulate.h"

#include <math.h>
#include <string.h>

/*
 * The price of a stage. Groups run beside each other, the operators of a group one after the other
 * with a signal (or, as kernels, a launch) between them, and the next stage starts as much after the last. So it is the largest
 * of the groups' times and of the whole work over the vEUs, with all of the fastest kernels or all of
 * the most efficient ones, whichever is less. A stage of nodes that could become one may be merged:
 * then its price is that of the one.
 */

typedef uint64_t node_set;

/** Operators that are connected inside a stage. */
typedef struct {
    node_set nodes;
    int count;
    double span[RK_IOS_SORTS];
} group;

/** A stage that is being made: an ending of a state. */
typedef struct {
    node_set nodes;
    group groups[RK_IOS_BLOCK];
    int group_count;
    double work[RK_IOS_SORTS];
    double longest[RK_IOS_SORTS]; /**< of the groups */
    const rk_ios_family *family;  /**< that all nodes are of, or NULL */
    unsigned members;             /**< nodes as a set of the family */
} ending;

/** How a stage runs. */
typedef struct {
    unsigned char sort;
    bool merged;
} manner;

/** The best that is known of a state: the nodes that are not in later stages. */
typedef struct {
    node_set key; /**< 0: free */
    node_set last;
    double cost;
    manner how; /**< the last stage runs */
} state;

/** The dynamic programme over one block of nodes first .. first + count - 1. */
typedef struct {
    rk_ios_search *search;
    const rk_ios_node *nodes; /**< of the block */
    double signal;
    int count;
    node_set after[RK_IOS_BLOCK]; /**< by node: its successors in the block */
    double depth[RK_IOS_BLOCK];   /**< by node: no state that holds it costs less */
    int by_depth[RK_IOS_BLOCK];   /**< nodes by falling depth */
    double least_work[RK_IOS_BLOCK];
    const rk_ios_family *family[RK_IOS_BLOCK]; /**< by node, or NULL */
    unsigned member[RK_IOS_BLOCK];             /**< by node: its bit in a set of the family */
    state *states;
    size_t state_count, slots;
    size_t transitions;
    bool failed; /**< too many transitions */
    rk_arena *arena;
} block;

const rk_ios_node *rk_ios_price(const rk_problem *problem, uint32_t veus, bool launched,
                                rk_arena *arena)
{
    size_t count = problem->graph->node_count;
    rk_ios_node *nodes = RK_NEW_ARRAY(arena, rk_ios_node, count + 1);
    for (rk_id i = 0; i < count; i++) {
        nodes[i].kernel[RK_IOS_FASTEST] = rk_fastest_kernel(problem, i, veus);
        nodes[i].kernel[RK_IOS_EFFICIENT] = rk_efficient_kernel(problem, i);
        for (int sort = 0; sort < RK_IOS_SORTS; sort++) {
            const rk_candidate *c = &problem->candidates->nodes[i].items[nodes[i].kernel[sort]];
            double each = launched ? rk_simulate_launched(c, problem->device, veus)
                                   : rk_rtask_time(problem, c);
            nodes[i].span[sort] = (c->rtasks + veus - 1) / veus * each;
            nodes[i].work[sort] = c->rtasks * each / veus;
        }
    }
    return nodes;
}

/* States. */

static size_t slot_of(const block *b, node_set key)
{
    size_t at = (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (b->slots - 1);
    while (b->states[at].key && b->states[at].key != key)
        at = (at + 1) & (b->slots - 1);
    return at;
}

static void add_state(block *b, state added)
{
    if (2 * (b->state_count + 1) > b->slots) {
        state *old = b->states;
        size_t count = b->slots;
        b->slots = count ? 2 * count : 256;
        b->states = RK_NEW_ARRAY(b->arena, state, b->slots);
        for (size_t i = 0; i < count; i++)
            if (old[i].key)
                b->states[slot_of(b, old[i].key)] = old[i];
    }
    b->states[slot_of(b, added.key)] = added;
    b->state_count++;
}

/* Endings. */

static int lowest(node_set nodes)
{
    return __builtin_ctzll(nodes);
}

/** Adds a node whose successors, as far as they are in the state, are in the ending. */
static void add_node(const block *b, ending *e, int node)
{
    group joined = {.nodes = (node_set)1 << node, .count = 1};
    for (int sort = 0; sort < RK_IOS_SORTS; sort++) {
        joined.span[sort] = b->nodes[node].span[sort] + b->signal;
        e->work[sort] += b->nodes[node].work[sort];
    }
    int kept = 0;
    for (int i = 0; i < e->group_count; i++) {
        const group *g = &e->groups[i];
        if (!(g->nodes & b->after[node])) {
            e->groups[kept++] = *g;
            continue;
        }
        joined.nodes |= g->nodes;
        joined.count += g->count;
        for (int sort = 0; sort < RK_IOS_SORTS; sort++)
            joined.span[sort] += g->span[sort];
    }
    e->groups[kept] = joined;
    e->group_count = kept + 1;
    e->family = e->nodes == 0 || e->family == b->family[node] ? b->family[node] : NULL;
    e->members |= b->member[node];
    e->nodes |= (node_set)1 << node;
    for (int sort = 0; sort < RK_IOS_SORTS; sort++)
        if (joined.span[sort] > e->longest[sort])
            e->longest[sort] = joined.span[sort];
}

static double price(const block *b, const ending *e, manner *how)
{
    double least = INFINITY;
    for (unsigned char sort = 0; sort < RK_IOS_SORTS; sort++) {
        double cost = fmax(e->longest[sort], e->work[sort] + b->signal);
        if (cost < least) {
            least = cost;
            *how = (manner){.sort = sort};
        }
    }
    for (unsigned char sort = 0; e->family && e->group_count > 1 && sort < RK_IOS_SORTS; sort++) {
        const rk_ios_node *one = &e->family->merged[e->members];
        double cost = fmax(one->span[sort], one->work[sort]) + b->signal;
        if (cost < least) {
            least = cost;
            *how = (manner){.sort = sort, .merged = true};
        }
    }
    return least;
}

/** Whether some larger ending can have few enough groups: what could still join small ones. */
static bool may_shrink(const block *b, const ending *e)
{
    int small = 0;
    int most = b->search->group_most;
    for (int i = 0; i < e->group_count; i++)
        small += e->groups[i].count <= most - 2;
    int saved = most > 2 ? small * (most - 2) / (most - 1) : 0;
    return e->group_count - saved <= b->search->groups_most;
}

/** No stages for these nodes cost less. */
static double floor_of(const block *b, node_set nodes)
{
    double depth = 0;
    for (int i = 0; i < b->count; i++)
        if (nodes >> b->by_depth[i] & 1) {
            depth = b->depth[b->by_depth[i]];
            break;
        }
    double work = 0;
    for (node_set left = nodes; left; left &= left - 1)
        work += b->least_work[lowest(left)];
    return fmax(depth, work);
}

static double solve(block *b, node_set nodes);

/**
 * Tries all endings of the state that hold `e` and further nodes below `last`: each ending is made
 * once, its nodes from the last to the first.
 */
static void extend(block *b, state *best, const ending *e, int last)
{
    node_set below = last == RK_IOS_BLOCK ? ~(node_set)0 : ((node_set)1 << last) - 1;
    for (node_set left = best->key & below & ~e->nodes; left && !b->failed;) {
        int node = 63 - __builtin_clzll(left);
        left &= ~((node_set)1 << node);
        if (b->after[node] & best->key & ~e->nodes)
            continue;
        b->failed = b->failed || ++b->transitions > b->search->limit;
        ending next; /* not all of it: most endings have few groups */
        next.nodes = e->nodes;
        next.group_count = e->group_count;
        memcpy(next.groups, e->groups, (size_t)e->group_count * sizeof *e->groups);
        memcpy(next.work, e->work, sizeof e->work);
        memcpy(next.longest, e->longest, sizeof e->longest);
        next.family = e->family;
        next.members = e->members;
        add_node(b, &next, node);
        if (next.groups[next.group_count - 1].count > b->search->group_most ||
            !may_shrink(b, &next))
            continue;
        manner how;
        double cost = price(b, &next, &how);
        if (cost >= best->cost && !next.family) /* more of a family may cost less as one */
            continue;
        node_set rest = best->key & ~next.nodes;
        if (next.group_count <= b->search->groups_most) {
            if (cost + floor_of(b, rest) < best->cost) {
                double all = cost + solve(b, rest);
                if (all < best->cost) {
                    best->cost = all;
                    best->last = next.nodes;
                    best->how = how;
                }
            }
        }
        extend(b, best, &next, node);
    }
}

static double solve(block *b, node_set nodes)
{
    if (nodes == 0)
        return 0;
    if (b->slots) {
        const state *known = &b->states[slot_of(b, nodes)];
        if (known->key)
            return known->cost;
    }
    state best = {.key = nodes, .cost = INFINITY};
    ending none = {.nodes = 0};
    extend(b, &best, &none, RK_IOS_BLOCK);
    add_state(b, best);
    return best.cost;
}

/* Blocks. */

typedef struct {
    rk_ios_search *search;
    const rk_problem *problem;
    const rk_ios_node *nodes;
    uint32_t *into;     /**< the edges into node n are into[n] .. into[n + 1] - 1 */
    uint32_t *crossing; /**< by boundary behind a node: nodes up to it that later ones read */
    rk_ios_stages *out;
} finder;

/** Fills a block with the nodes first .. first + count - 1 of the problem. */
static void begin_block(block *b, const finder *f, rk_id first, size_t count)
{
    const rk_problem *problem = f->problem;
    const uint32_t *into = f->into;
    b->nodes = &f->nodes[first];
    b->count = (int)count;
    for (size_t k = 0; k < f->search->family_count; k++) {
        const rk_ios_family *family = &f->search->families[k];
        for (size_t i = 0; i < family->group.count; i++) {
            rk_id node = family->group.nodes[i];
            if (node < first || node >= first + count)
                continue;
            b->family[node - first] = family;
            b->member[node - first] = 1U << i;
        }
    }
    for (size_t i = 0; i < count; i++) {
        double before = 0;
        for (uint32_t e = into[first + i]; e < into[first + i + 1]; e++) {
            rk_id from = problem->edges[e].from;
            if (from < first)
                continue;
            b->after[from - first] |= (node_set)1 << i;
            before = fmax(before, b->depth[from - first]);
        }
        double span = fmin(b->nodes[i].span[0], b->nodes[i].span[1]);
        b->least_work[i] = fmin(b->nodes[i].work[0], b->nodes[i].work[1]);
        if (b->family[i]) {
            int at = __builtin_ctz(b->member[i]);
            span = fmin(span, b->family[i]->least_span[at]);
            b->least_work[i] = fmin(b->least_work[i], b->family[i]->least_work[at]);
        }
        b->depth[i] = before + b->signal + span;
        size_t at = i;
        for (; at > 0 && b->depth[b->by_depth[at - 1]] < b->depth[i]; at--)
            b->by_depth[at] = b->by_depth[at - 1];
        b->by_depth[at] = (int)i;
    }
}

static void add_stage(finder *f, rk_id first, node_set nodes, manner how)
{
    rk_ios_stages *out = f->out;
    uint32_t at = out->first[out->count];
    for (; nodes; nodes &= nodes - 1)
        out->order[at++] = first + (rk_id)lowest(nodes);
    out->merged[out->count] = how.merged;
    out->sort[out->count++] = how.sort;
    out->first[out->count] = at;
}

/** The boundary in [first, end - 1) that the fewest nodes are read across, near the middle of those. */
static rk_id best_boundary(const finder *f, rk_id first, rk_id end)
{
    rk_id middle = first + (end - first) / 2 - 1;
    rk_id best = middle;
    for (rk_id i = first; i + 1 < end; i++) {
        rk_id far = i > middle ? i - middle : middle - i;
        rk_id best_far = best > middle ? best - middle : middle - best;
        bool inner = i >= first + (end - first) / 8 && i + 1 < end - (end - first) / 8;
        if (inner && (f->crossing[i] < f->crossing[best] ||
                      (f->crossing[i] == f->crossing[best] && far < best_far)))
            best = i;
    }
    return best;
}

/** Stages for the nodes first .. end - 1. */
static void solve_block(finder *f, rk_id first, rk_id end)
{
    size_t count = end - first;
    rk_arena *arena = rk_arena_new();
    block *b = RK_NEW(arena, block);
    *b = (block){.search = f->search, .signal = f->search->signal, .arena = arena};
    if (count <= RK_IOS_BLOCK) {
        begin_block(b, f, first, count);
        node_set all = count == RK_IOS_BLOCK ? ~(node_set)0 : ((node_set)1 << count) - 1;
        solve(b, all);
        f->search->transitions += b->transitions;
        if (!b->failed) {
            node_set stages[RK_IOS_BLOCK];
            manner hows[RK_IOS_BLOCK];
            size_t n = 0;
            for (node_set left = all; left; left &= ~stages[n++]) {
                const state *s = &b->states[slot_of(b, left)];
                stages[n] = s->last;
                hows[n] = s->how;
            }
            while (n-- > 0)
                add_stage(f, first, stages[n], hows[n]);
            f->search->blocks++;
            rk_arena_free(arena);
            return;
        }
    }
    rk_arena_free(arena);
    f->search->halved++;
    rk_id boundary = best_boundary(f, first, end) + 1;
    solve_block(f, first, boundary);
    solve_block(f, boundary, end);
}

static void begin_stages(rk_ios_stages *out, size_t nodes, rk_arena *arena)
{
    *out = (rk_ios_stages){.order = RK_NEW_ARRAY(arena, rk_id, nodes + 1),
                           .first = RK_NEW_ARRAY(arena, uint32_t, nodes + 2),
                           .sort = RK_NEW_ARRAY(arena, unsigned char, nodes + 1),
                           .merged = RK_NEW_ARRAY(arena, bool, nodes + 1)};
}

void rk_ios_find(rk_ios_stages *out, rk_ios_search *search, const rk_problem *problem,
                 const rk_ios_node *nodes, rk_arena *arena)
{
    size_t count = problem->graph->node_count;
    finder f = {.search = search, .problem = problem, .nodes = nodes, .out = out};
    begin_stages(out, count, arena);
    f.into = RK_NEW_ARRAY(arena, uint32_t, count + 2);
    f.crossing = RK_NEW_ARRAY(arena, uint32_t, count + 1);
    rk_id *last = RK_NEW_ARRAY(arena, rk_id, count + 1);
    for (size_t i = 0; i < problem->edge_count; i++) {
        f.into[problem->edges[i].to + 1]++;
        last[problem->edges[i].from] = problem->edges[i].to;
    }
    for (rk_id i = 0; i < count; i++) {
        f.into[i + 1] += f.into[i];
        f.crossing[i] += (last[i] > i) + (i > 0 ? f.crossing[i - 1] : 0);
        f.crossing[last[i]] -= last[i] > i;
    }
    rk_id first = 0;
    for (rk_id i = 0; i < count; i++) {
        if (i + 1 < count && f.crossing[i] > 1)
            continue;
        solve_block(&f, first, i + 1);
        first = i + 1;
    }
}

void rk_ios_greedy(rk_ios_stages *out, const rk_problem *problem, const rk_ios_node *nodes,
                   rk_arena *arena)
{
    size_t count = problem->graph->node_count;
    begin_stages(out, count, arena);
    uint32_t *level = RK_NEW_ARRAY(arena, uint32_t, count + 1);
    uint32_t levels = 0;
    for (size_t i = 0; i < problem->edge_count; i++) {
        const rk_edge *e = &problem->edges[i];
        if (level[e->to] <= level[e->from])
            level[e->to] = level[e->from] + 1;
    }
    for (rk_id i = 0; i < count; i++) {
        out->first[level[i] + 1]++;
        levels = level[i] + 1 > levels ? level[i] + 1 : levels;
    }
    for (uint32_t i = 0; i < levels; i++)
        out->first[i + 1] += out->first[i];
    uint32_t *at = rk_arena_copy(arena, out->first, (count + 1) * sizeof *at);
    rk_ios_node *whole = RK_NEW_ARRAY(arena, rk_ios_node, levels + 1);
    for (rk_id i = 0; i < count; i++) {
        rk_ios_node *stage = &whole[level[i]];
        out->order[at[level[i]]++] = i;
        for (int sort = 0; sort < RK_IOS_SORTS; sort++) {
            stage->work[sort] += nodes[i].work[sort];
            stage->span[sort] = fmax(stage->span[sort], nodes[i].span[sort]);
        }
    }
    for (uint32_t l = 0; l < levels; l++)
        out->sort[l] = fmax(whole[l].span[RK_IOS_EFFICIENT], whole[l].work[RK_IOS_EFFICIENT]) <
                       fmax(whole[l].span[RK_IOS_FASTEST], whole[l].work[RK_IOS_FASTEST]);
    out->count = levels;
}
