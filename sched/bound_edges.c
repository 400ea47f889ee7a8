#include "sched/bound_internal.h"
#include "sched/schedule_deps.h"

#include <math.h>

/** Pairs of candidates of an edge up to which all are looked at. */
enum { PAIRS_MOST = 64 };

static bool has_access(const rk_problem *problem, rk_id node)
{
    const rk_node_candidates *all = &problem->candidates->nodes[node];
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].access)
            return true;
    return false;
}

/**
 * The rule of round trips: the least time from when a node has ended, all of which each rTask of the
 * next waits for, to when `needed` of those, of `ns` each, are seen on one vEU.
 */
static double trip_ns(const bounds *b, double needed, double ns)
{
    double signal = b->signal;
    double best = needed * ns;
    if (b->veus > 1)
        best = fmin(best, signal + ceil(needed / 2) * ns);
    for (double rounds = 1; b->veus > 1 && 2 * signal + rounds * ns < best; rounds++) {
        double first = floor((2 * signal + (rounds + 1) * ns) / ns);
        double last = floor((signal + (rounds + 1) * ns) / ns);
        if (first + last + (b->veus - 2) * rounds >= needed)
            best = 2 * signal + rounds * ns;
    }
    return best;
}

/** What holds of an edge for all pairs of candidates; fills its times. */
static unsigned common_kind(bounds *b, size_t at, rk_deps *deps)
{
    const rk_problem *problem = b->problem;
    const rk_edge *edge = &problem->edges[at];
    const rk_node_candidates *from = &problem->candidates->nodes[edge->from];
    const rk_node_candidates *to = &problem->candidates->nodes[edge->to];
    if (from->count * to->count > PAIRS_MOST)
        return 0;
    unsigned kind = EDGE_WHOLE | EDGE_TOUCHES | EDGE_COVERS;
    b->trips[at] = b->ahead[at] = b->behind[at] = INFINITY;
    for (uint32_t p = 0; p < from->count; p++) {
        double ns = rk_simulate_alone(&from->items[p], problem->device);
        for (uint32_t n = 0; n < to->count; n++) {
            rk_deps_edge pair = rk_deps_of_edge(deps, at, p, n);
            kind &= (pair.fewest >= from->items[p].rtasks ? EDGE_WHOLE : 0u) |
                    (pair.fewest > 0 ? EDGE_TOUCHES : 0u) | (pair.covers ? EDGE_COVERS : 0u);
            b->trips[at] = fmin(b->trips[at], trip_ns(b, pair.fewest, ns));
            b->ahead[at] = fmin(b->ahead[at], rk_bound_seen(b, &from->items[p], pair.fewest));
            b->behind[at] = fmin(b->behind[at], rk_bound_seen(b, &to->items[n], pair.back));
        }
    }
    return kind;
}

/** An edge between nodes that depend as wholes, whatever their kernels. */
static unsigned whole_kind(bounds *b, size_t at)
{
    const rk_problem *problem = b->problem;
    const rk_node_candidates *from = &problem->candidates->nodes[problem->edges[at].from];
    double trip = INFINITY;
    for (uint32_t p = 0; p < from->count; p++)
        trip = fmin(trip, trip_ns(b, from->items[p].rtasks,
                                  rk_simulate_alone(&from->items[p], problem->device)));
    b->trips[at] = trip;
    return EDGE_WHOLE | EDGE_TOUCHES | EDGE_COVERS;
}

void rk_bound_edges(bounds *b, rk_arena *scratch)
{
    const rk_problem *problem = b->problem;
    b->into = RK_NEW_ARRAY(scratch, uint32_t, b->node_count + 2);
    b->kinds = RK_NEW_ARRAY(scratch, unsigned char, problem->edge_count + 1);
    b->trips = RK_NEW_ARRAY(scratch, double, problem->edge_count + 1);
    b->ahead = RK_NEW_ARRAY(scratch, double, problem->edge_count + 1);
    b->behind = RK_NEW_ARRAY(scratch, double, problem->edge_count + 1);
    for (size_t i = 0; i < problem->edge_count; i++)
        b->into[problem->edges[i].to + 1]++;
    for (size_t i = 0; i < b->node_count; i++)
        b->into[i + 1] += b->into[i];

    rk_deps *deps = rk_deps_of_problem(problem, scratch);
    for (size_t i = 0; i < problem->edge_count; i++) {
        const rk_edge *e = &problem->edges[i];
        bool ranges = has_access(problem, e->from) || has_access(problem, e->to);
        b->kinds[i] = (unsigned char)(ranges ? common_kind(b, i, deps) : whole_kind(b, i));
    }
}
