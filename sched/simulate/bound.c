#include "sched/simulate/bound.h"

#include "sched/simulate/bound_internal.h"

#include <math.h>
#include <string.h>

/*
 * Why it holds. Let W be the vEUs, g the least that a rTask's end takes to be seen on another vEU: a
 * signal, or the launch that separates rPrograms. For a candidate of a node n let S be a time before
 * which none of its rTasks starts if it is selected, F one before which not all of them have ended, T
 * one that passes after any of them before all is over. At two candidates an edge p -> n is *whole* when
 * each rTask of n waits for all of p, *touching* when each waits for some of p, *covering* when each of p
 * is waited for by some of n. What an edge says holds for the candidate of p that is selected, whichever
 * that is: so the least over them counts. S, F and T of a node are the least of its candidates'.
 *
 * Rounds. When each of k rTasks of d ns must be seen on one vEU v, and m of them run there, then v is
 * busy for m d, and the others take ceil((k - m) / (W - 1)) d + g. `spread` is the least over m. It
 * bounds what passes from S(p) to S(n) over an edge by which each rTask of n waits for k of p at least,
 * and, read backwards, what passes from the end of an rTask of p, for which k of n wait, to the end of
 * the last of those.
 *
 * Joins. Of the nodes that n waits for as wholes, in falling order of S(p) + (what p takes when some of
 * it is elsewhere), let the first that is not wholly on v be the j-th: then those before it ran on v
 * one after the other. The least over j is a bound.
 *
 * Round trips. Let the edge p -> n be whole, and each rTask of m wait for q of n at least. The last
 * rTask of p ends on some v, at F(p) or later. On v the rTasks of n begin after that, elsewhere g
 * later; and an rTask of m on w sees those of w at once, the others g after their end. By a time t
 * after F(p) it has seen q of them, of d ns each, only if all ran on v = w (t >= q d), or on v and w
 * alone (t >= g + ceil(q / 2) d), or one ran on neither. Then t >= 2 g + r d for some r >= 1, and before
 * 2 g + (r + 1) d it has seen (W - 2) r of those, and of v and w as many as fit. With any rTask of p in
 * place of the last one, it is a tail.
 *
 * Load. Let A be the rTasks that must have ended before n starts on v, and that start at t or later:
 * over a whole edge p -> n all of p and what comes before its end, over a touching one what comes before
 * its start.
 * A chain of waits leads from each of them to n, which pays g at least once if it is not on v. So
 * v did work for S(n) - t and each other one for S(n) - t - g, and together they did A's. Likewise
 * with the bytes of A, which no vEU asks for faster than its rTask's rate, nor all of them faster than
 * the bandwidth, and not before an rTask's fixed time is over. At the end of all, t + load + q holds
 * for the rTasks with S >= t and T >= q.
 *
 * Ruling out. Let a schedule take less than X. A candidate with F + T >= X, or whose work with the least of
 * all other nodes takes W vEUs until X, is not selected in it. So all of this holds for it with the least
 * over the candidates that are left, which may rule out others; if the bound is X then, or a node has none
 * left, there is no such schedule. X is found by halving.
 */

/** Nodes up to which the sets of what precedes each are kept. */
enum { SETS_MOST = 16384 };
/** Predecessors of a node that the joins look at. */
enum { JOINED_MOST = 12 };
/** Times that candidates are ruled out for one target, and targets that are tried. */
enum { RULED_OUT_MOST = 3, RULED_OUT_STEPS = 6 };
/** The highest target, over the bound without. */
static const double RULED_OUT_RATIO = 1.25;

static void add_load(rk_load *to, const rk_load *load)
{
    to->work += load->work;
    for (int pool = 0; pool < RK_POOLS; pool++) {
        const rk_bytes_load *from = &load->from[pool];
        if (from->bytes == 0)
            continue;
        rk_bytes_load *sum = &to->from[pool];
        sum->fixed = sum->bytes > 0 ? least(sum->fixed, from->fixed) : from->fixed;
        sum->rate = most(sum->rate, from->rate);
        sum->bytes += from->bytes;
    }
}

static void find_costs(bounds *b, rk_id node)
{
    const rk_node_candidates *all = &b->problem->candidates->nodes[node];
    for (size_t i = 0; i < all->count; i++) {
        const rk_candidate *c = &all->items[i];
        double k = c->rtasks;
        double d = rk_simulate_least(b->problem->candidates, node, (uint32_t)i, b->problem->device);
        rk_load load = rk_bound_load_of(b, node, (uint32_t)i, k);
        b->candidates[b->first[node] + i] = (candidate_bound){
            .each = d,
            .span = most(ceil(k / b->veus) * d, rk_bound_load_ns(b, &load, false)),
            .spread = rk_bound_seen(b, node, (uint32_t)i, c->rtasks),
            .partly = most(rk_bound_spread(b, k, d, true), rk_bound_load_ns(b, &load, true)),
            .load = load,
        };
    }
}

static size_t count_of(const bounds *b, rk_id node)
{
    return b->first[node + 1] - b->first[node];
}

/** The least of each cost over the candidates of a node; false when all are out. */
static bool join_costs(bounds *b, rk_id node)
{
    node_bound *n = &b->nodes[node];
    *n = (node_bound){.each = INFINITY, .gathered = INFINITY};
    bool any = false;
    for (size_t i = b->first[node]; i < b->first[node + 1]; i++) {
        const candidate_bound *c = &b->candidates[i];
        if (c->out)
            continue;
        n->each = least(n->each, c->each);
        n->gathered = least(n->gathered, least(c->load.work, c->each + b->signal));
        if (!any)
            n->load = c->load;
        any = true;
        n->load.work = least(n->load.work, c->load.work);
        for (int pool = 0; pool < RK_POOLS; pool++) {
            rk_bytes_load *from = &n->load.from[pool];
            from->bytes = least(from->bytes, c->load.from[pool].bytes);
            from->fixed = least(from->fixed, c->load.from[pool].fixed);
            from->rate = most(from->rate, c->load.from[pool].rate);
        }
    }
    return any;
}

/** What each edge says at all candidates that are not out. */
static void join_kinds(bounds *b)
{
    for (size_t e = 0; e < b->problem->edge_count; e++) {
        rk_edge edge = b->problem->edges[e];
        const candidate_bound *from = &b->candidates[b->first[edge.from]];
        const candidate_bound *to = &b->candidates[b->first[edge.to]];
        size_t count = count_of(b, edge.to);
        unsigned kind = b->pairs[e] ? EDGE_WHOLE | EDGE_TOUCHES | EDGE_COVERS : 0;
        for (size_t p = 0; p < count_of(b, edge.from) && kind; p++)
            for (size_t n = 0; n < count && !from[p].out; n++)
                kind &= to[n].out ? kind : b->pairs[e][p * count + n].kind;
        b->kinds[e] = (unsigned char)kind;
    }
}

/* Heads. */

/** The rule of joins over the node's whole predecessors. */
static double join(const bounds *b, rk_id node)
{
    struct {
        double elsewhere, start, serial;
    } p[JOINED_MOST];
    size_t count = 0;
    for (uint32_t e = b->into[node]; e < b->into[node + 1]; e++) {
        if (!(b->kinds[e] & EDGE_WHOLE))
            continue;
        const node_bound *n = &b->nodes[b->problem->edges[e].from];
        double elsewhere = n->elsewhere;
        size_t at = count < JOINED_MOST ? count++ : JOINED_MOST;
        for (; at > 0 && p[at - 1].elsewhere < elsewhere; at--)
            if (at < JOINED_MOST)
                p[at] = p[at - 1];
        if (at < JOINED_MOST) {
            p[at].elsewhere = elsewhere;
            p[at].start = n->start;
            p[at].serial = n->load.work;
        }
    }
    double best = INFINITY;
    for (size_t j = 0; j <= count; j++) {
        /* The first j on one vEU, in order of their starts. */
        double serial = 0;
        bool done[JOINED_MOST] = {0};
        for (size_t i = 0; i < j; i++) {
            size_t next = JOINED_MOST;
            for (size_t k = 0; k < j; k++)
                if (!done[k] && (next == JOINED_MOST || p[k].start < p[next].start))
                    next = k;
            done[next] = true;
            serial = most(serial, p[next].start) + p[next].serial;
        }
        best = least(best, j < count ? most(serial, p[j].elsewhere) : serial);
    }
    return best;
}

static bool in_set(const uint64_t *set, rk_id node)
{
    return set[node / 64] >> (node % 64) & 1;
}

static void join_sets(const bounds *b, uint64_t *set, const uint64_t *other)
{
    for (size_t i = 0; i < b->words; i++)
        set[i] |= other[i];
}

/** Fills the node's sets of what must have ended before it starts, and before it has ended. */
static void collect(const bounds *b, rk_id node)
{
    uint64_t *begun = &b->begun[node * b->words];
    uint64_t *before = &b->before[node * b->words];
    for (uint32_t e = b->into[node]; e < b->into[node + 1]; e++) {
        rk_id from = b->problem->edges[e].from;
        if (b->kinds[e] & EDGE_WHOLE) {
            join_sets(b, begun, &b->before[from * b->words]);
            begun[from / 64] |= UINT64_C(1) << (from % 64);
        } else if (b->kinds[e] & EDGE_TOUCHES) {
            join_sets(b, begun, &b->begun[from * b->words]);
        }
        if (b->kinds[e] & EDGE_COVERS) {
            join_sets(b, before, &b->before[from * b->words]);
            before[from / 64] |= UINT64_C(1) << (from % 64);
        }
    }
    join_sets(b, before, begun);
}

/** The rule of load, for what must have ended before the node starts. */
static double head_load(bounds *b, rk_id node)
{
    collect(b, node);
    const uint64_t *set = &b->begun[node * b->words];
    rk_load load = {0};
    double start = 0;
    for (size_t i = b->by_start_count; i > 0; i--) {
        rk_id a = b->by_start[i - 1];
        if (!in_set(set, a))
            continue;
        add_load(&load, &b->nodes[a].load);
        start = most(start, b->nodes[a].start + rk_bound_load_ns(b, &load, true));
    }
    return start;
}

static void insert_by_start(bounds *b, rk_id node)
{
    size_t low = 0;
    for (size_t high = b->by_start_count; low < high;) {
        size_t middle = (low + high) / 2;
        if (b->nodes[b->by_start[middle]].start <= b->nodes[node].start)
            low = middle + 1;
        else
            high = middle;
    }
    memmove(&b->by_start[low + 1], &b->by_start[low],
            (b->by_start_count++ - low) * sizeof *b->by_start);
    b->by_start[low] = node;
}

/** What the edge says of when a candidate of its later node starts and ends: the least over the earlier's. */
static void head_over(const bounds *b, size_t at, size_t to, candidate_bound *n)
{
    rk_edge edge = b->problem->edges[at];
    double start = INFINITY;
    double end = INFINITY;
    double enclosed = INFINITY;
    for (size_t p = 0; p < count_of(b, edge.from); p++) {
        const candidate_bound *c = &b->candidates[b->first[edge.from] + p];
        const edge_bound *pair = &b->pairs[at][p * count_of(b, edge.to) + to];
        if (c->out)
            continue;
        bool whole = pair->kind & EDGE_WHOLE;
        double touched =
            pair->kind & EDGE_TOUCHES ? most(c->start + pair->ahead, c->enclosed + pair->trip) : 0;
        start = least(start, whole ? most(touched, c->end) : touched);
        end = least(end, pair->kind & EDGE_COVERS ? c->end + pair->behind : 0);
        enclosed = least(enclosed, whole ? c->end : -INFINITY);
    }
    n->start = most(n->start, start);
    n->end = most(n->end, end);
    n->enclosed = most(n->enclosed, enclosed);
}

static void find_head(bounds *b, rk_id node)
{
    double start = 0;
    bool whole = false;
    for (uint32_t e = b->into[node]; e < b->into[node + 1]; e++)
        whole = whole || b->kinds[e] & EDGE_WHOLE;
    if (whole)
        start = join(b, node);
    if (b->before)
        start = most(start, head_load(b, node));
    node_bound *n = &b->nodes[node];
    n->start = n->end = n->elsewhere = INFINITY;
    for (size_t i = 0; i < count_of(b, node); i++) {
        candidate_bound *c = &b->candidates[b->first[node] + i];
        c->start = start;
        c->end = c->tail = c->behind = 0;
        c->enclosed = -INFINITY;
        for (uint32_t e = b->into[node]; e < b->into[node + 1]; e++)
            if (b->pairs[e])
                head_over(b, e, i, c);
        c->end = most(c->end, c->start + c->span);
        if (c->out)
            continue;
        n->start = least(n->start, c->start);
        n->end = least(n->end, c->end);
        n->elsewhere = least(n->elsewhere, c->start + c->partly);
    }
    if (b->before)
        insert_by_start(b, node);
}

/* Tails. */

/** What the edge says of what passes after a candidate of its earlier node: the least over the later's. */
static void tail_over(const bounds *b, size_t at, size_t from, candidate_bound *p)
{
    rk_edge edge = b->problem->edges[at];
    double tail = INFINITY;
    double behind = INFINITY;
    for (size_t n = 0; n < count_of(b, edge.to); n++) {
        const candidate_bound *c = &b->candidates[b->first[edge.to] + n];
        const edge_bound *pair = &b->pairs[at][from * count_of(b, edge.to) + n];
        if (c->out)
            continue;
        double covered = pair->kind & EDGE_COVERS ? pair->behind + c->tail : 0;
        tail = least(tail, pair->kind & EDGE_WHOLE ? most(covered, c->behind) : covered);
        behind = least(behind, pair->kind & EDGE_TOUCHES ? pair->trip + c->each + c->tail : 0);
    }
    p->tail = most(p->tail, tail);
    p->behind = most(p->behind, behind);
}

static void find_tails(bounds *b)
{
    for (rk_id node = (rk_id)b->node_count; node-- > 0;) {
        node_bound *n = &b->nodes[node];
        double longest = INFINITY;
        n->tail = INFINITY;
        for (size_t i = b->first[node]; i < b->first[node + 1]; i++) {
            const candidate_bound *c = &b->candidates[i];
            if (c->out)
                continue;
            n->tail = least(n->tail, c->tail);
            longest = least(longest, c->end + c->tail);
        }
        b->longest = most(b->longest, longest);
        for (uint32_t e = b->into[node]; e < b->into[node + 1]; e++) {
            rk_id from = b->problem->edges[e].from;
            for (size_t i = 0; i < count_of(b, from) && b->pairs[e]; i++)
                tail_over(b, e, i, &b->candidates[b->first[from] + i]);
        }
    }
}

/** The rule of load over all: for each tail, the nodes with one no shorter, latest starts first. */
static double middle_load(const bounds *b, rk_arena *scratch)
{
    double best = 0;
    double *tails = RK_NEW_ARRAY(scratch, double, b->node_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < b->node_count; i++) {
        double tail = b->nodes[b->by_start[i]].tail;
        size_t low = 0;
        for (size_t high = count; low < high;) {
            size_t middle = (low + high) / 2;
            if (tails[middle] < tail)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < count && tails[low] == tail)
            continue;
        memmove(&tails[low + 1], &tails[low], (count++ - low) * sizeof *tails);
        tails[low] = tail;
    }
    for (size_t t = 0; t < count; t++) {
        rk_load load = {0};
        for (size_t i = b->node_count; i > 0; i--) {
            const node_bound *n = &b->nodes[b->by_start[i - 1]];
            if (n->tail < tails[t])
                continue;
            add_load(&load, &n->load);
            best = most(best, n->start + rk_bound_load_ns(b, &load, false) + tails[t]);
        }
    }
    return best;
}

/** The longest chain of rTasks, with a signal after a node that others wait for as a whole. */
static double plain_path(const bounds *b)
{
    rk_arena *scratch = rk_arena_new();
    double *start = RK_NEW_ARRAY(scratch, double, b->node_count + 1);
    double *end = RK_NEW_ARRAY(scratch, double, b->node_count + 1);
    double longest = 0;
    for (rk_id node = 0; node < b->node_count; node++) {
        const node_bound *n = &b->nodes[node];
        for (uint32_t e = b->into[node]; e < b->into[node + 1]; e++) {
            rk_id from = b->problem->edges[e].from;
            const node_bound *p = &b->nodes[from];
            if (b->kinds[e] & EDGE_WHOLE)
                start[node] = most(start[node], most(start[from] + p->gathered, end[from]));
            else if (b->kinds[e] & EDGE_TOUCHES)
                start[node] = most(start[node], start[from] + p->each);
            if (b->kinds[e] & EDGE_COVERS)
                end[node] = most(end[node], end[from] + n->each);
        }
        end[node] = most(end[node], start[node] + n->each);
        longest = most(longest, end[node]);
    }
    rk_arena_free(scratch);
    return longest;
}

static void prepare(bounds *b, const rk_problem *problem, uint32_t veus, rk_arena *scratch)
{
    const rk_device *d = problem->device;
    size_t nodes = problem->graph->node_count;
    *b = (bounds){.problem = problem,
                  .veus = veus,
                  .signal = least(d->signal_ns, d->launch_ns),
                  .node_count = nodes};
    for (rk_pool pool = 0; pool < RK_POOLS; pool++)
        b->bandwidth[pool] = rk_pool_rate(d, pool);
    b->nodes = RK_NEW_ARRAY(scratch, node_bound, nodes + 1);
    b->first = RK_NEW_ARRAY(scratch, size_t, nodes + 2);
    for (size_t i = 0; i < nodes; i++)
        b->first[i + 1] = b->first[i] + problem->candidates->nodes[i].count;
    b->candidates = RK_NEW_ARRAY(scratch, candidate_bound, b->first[nodes] + 1);
    for (rk_id i = 0; i < nodes; i++)
        find_costs(b, i);
    rk_bound_edges(b, scratch);
    if (nodes <= SETS_MOST) {
        b->words = (nodes + 63) / 64;
        b->begun = RK_NEW_ARRAY(scratch, uint64_t, nodes * b->words + 1);
        b->before = RK_NEW_ARRAY(scratch, uint64_t, nodes * b->words + 1);
        b->by_start = RK_NEW_ARRAY(scratch, rk_id, nodes + 1);
    }
}

/** Finds what holds of each node, and the bound, without candidates that are out; false: some node has none. */
static bool find(rk_bound *out, bounds *b)
{
    double launch = b->problem->device->launch_ns;
    rk_load all = {0};
    for (rk_id i = 0; i < b->node_count; i++) {
        if (!join_costs(b, i))
            return false;
        add_load(&all, &b->nodes[i].load);
    }
    join_kinds(b);
    if (b->before) {
        memset(b->begun, 0, b->node_count * b->words * sizeof *b->begun);
        memset(b->before, 0, b->node_count * b->words * sizeof *b->before);
    }
    b->by_start_count = 0;
    b->longest = 0;
    for (rk_id i = 0; i < b->node_count; i++)
        find_head(b, i);
    find_tails(b);
    out->work_ns = launch + all.work / b->veus;
    all.work = 0;
    out->bytes_ns = launch + rk_bound_load_ns(b, &all, false);
    out->path_ns = launch + b->longest;
    if (b->before) {
        rk_arena *scratch = rk_arena_new();
        out->path_ns = most(out->path_ns, launch + middle_load(b, scratch));
        rk_arena_free(scratch);
    }
    out->total_ns = most(out->path_ns, most(out->work_ns, out->bytes_ns));
    return true;
}

/* Candidates that are ruled out. */

/**
 * Rules out candidates that no schedule of less than `until` selects: by when their rTasks have ended and what
 * passes after them, and by the work of theirs with the least of all others. Whether there were any.
 */
static bool rule_out(bounds *b, const rk_bound *found, double until)
{
    double launch = b->problem->device->launch_ns;
    bool any = false;
    for (rk_id node = 0; node < b->node_count; node++) {
        for (size_t i = b->first[node]; i < b->first[node + 1]; i++) {
            candidate_bound *c = &b->candidates[i];
            double more = c->load.work - b->nodes[node].load.work;
            if (c->out ||
                (launch + c->end + c->tail < until && found->work_ns + more / b->veus < until))
                continue;
            c->out = any = true;
        }
    }
    return any;
}

/** Whether a schedule may take less than `until`, as far as ruling out shows. */
static bool may_take_less(bounds *b, double until)
{
    for (size_t i = 0; i < b->first[b->node_count]; i++)
        b->candidates[i].out = false;
    for (int again = 0; again < RULED_OUT_MOST; again++) {
        rk_bound found;
        if (!find(&found, b) || found.total_ns >= until)
            return false;
        if (!rule_out(b, &found, until))
            break;
    }
    return true;
}

void rk_bound_find(rk_bound *out, const rk_problem *problem, uint32_t veus)
{
    rk_arena *scratch = rk_arena_new();
    bounds b;
    prepare(&b, problem, veus, scratch);
    find(out, &b);
    out->plain_ns = problem->device->launch_ns + plain_path(&b);
    out->plain_ns = most(out->plain_ns, most(out->work_ns, out->bytes_ns));
    if (b.before) {
        double low = out->total_ns;
        double high = RULED_OUT_RATIO * low;
        for (int i = 0; i < RULED_OUT_STEPS; i++) {
            double middle = 0.5 * (low + high);
            if (may_take_less(&b, middle))
                high = middle;
            else
                low = middle;
        }
        out->total_ns = low;
    }
    rk_arena_free(scratch);
}

const node_bound *rk_bound_nodes(double *total, const rk_problem *problem, uint32_t veus,
                                 rk_arena *arena)
{
    rk_bound bound;
    bounds b;
    prepare(&b, problem, veus, arena);
    find(&bound, &b);
    *total = bound.total_ns;
    return b.nodes;
}
