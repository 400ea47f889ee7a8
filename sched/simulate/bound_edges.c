#include "sched/schedule/deps.h"
#include "sched/simulate/bound_internal.h"

#include <math.h>

/** Pairs of candidates of an edge up to which all are looked at. */
enum { PAIRS_MOST = 256 };

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

/** What the edge says at each two candidates; NULL: these are too many. */
static edge_bound *find_pairs(bounds *b, size_t at, rk_deps *deps, rk_arena *scratch)
{
    const rk_problem *problem = b->problem;
    const rk_edge *edge = &problem->edges[at];
    const rk_node_candidates *from = &problem->candidates->nodes[edge->from];
    const rk_node_candidates *to = &problem->candidates->nodes[edge->to];
    if (from->count * to->count > PAIRS_MOST)
        return NULL;
    edge_bound *pairs = RK_NEW_ARRAY(scratch, edge_bound, from->count * to->count);
    for (uint32_t p = 0; p < from->count; p++) {
        const candidate_bound *earlier = &b->candidates[b->first[edge->from] + p];
        for (uint32_t n = 0; n < to->count; n++) {
            rk_deps_edge pair = rk_deps_of_edge(deps, at, p, n);
            bool whole = pair.fewest >= from->items[p].rtasks;
            bool behind_all = pair.back >= to->items[n].rtasks;
            pairs[p * to->count + n] = (edge_bound){
                .kind = (whole ? EDGE_WHOLE : 0u) | (pair.fewest > 0 ? EDGE_TOUCHES : 0u) |
                        (pair.covers ? EDGE_COVERS : 0u),
                .ahead = whole ? earlier->spread : rk_bound_seen(b, edge->from, p, pair.fewest),
                .behind = behind_all ? b->candidates[b->first[edge->to] + n].spread
                                     : rk_bound_seen(b, edge->to, n, pair.back),
                .trip = trip_ns(b, pair.fewest, earlier->each)};
        }
    }
    return pairs;
}

void rk_bound_edges(bounds *b, rk_arena *scratch)
{
    const rk_problem *problem = b->problem;
    b->into = RK_NEW_ARRAY(scratch, uint32_t, b->node_count + 2);
    b->kinds = RK_NEW_ARRAY(scratch, unsigned char, problem->edge_count + 1);
    b->pairs = RK_NEW_ARRAY(scratch, edge_bound *, problem->edge_count + 1);
    for (size_t i = 0; i < problem->edge_count; i++)
        b->into[problem->edges[i].to + 1]++;
    for (size_t i = 0; i < b->node_count; i++)
        b->into[i + 1] += b->into[i];
    rk_deps *deps = rk_deps_of_problem(problem, scratch);
    for (size_t i = 0; i < problem->edge_count; i++)
        b->pairs[i] = find_pairs(b, i, deps, scratch);
}
