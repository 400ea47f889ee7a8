#include "sched/bound_internal.h"
#include "sched/schedule_deps.h"

#include <string.h>

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

/** What the lists of a node say of the `rtasks` rTasks of `from`; `seen` holds a flag for each. */
static unsigned kind_of(const rk_node_deps *node, rk_id from, uint32_t rtasks, bool *seen)
{
    memset(seen, 0, rtasks * sizeof *seen);
    bool whole = true;
    bool touches = true;
    uint32_t covered = 0;
    for (uint32_t list = 0; list < node->list_count; list++) {
        uint32_t here = 0;
        for (uint32_t i = node->first[list]; i < node->first[list + 1]; i++) {
            const rk_rtask_range *r = &node->ranges[i];
            if (r->op != from)
                continue;
            uint32_t end = r->count < rtasks - r->first ? r->first + r->count : rtasks;
            here += end - r->first;
            for (uint32_t k = r->first; k < end; k++) {
                covered += !seen[k];
                seen[k] = true;
            }
        }
        whole = whole && here >= rtasks;
        touches = touches && here > 0;
    }
    return (whole ? EDGE_WHOLE : 0u) | (touches ? EDGE_TOUCHES : 0u) |
           (covered == rtasks ? EDGE_COVERS : 0u);
}

/** What holds of an edge for all pairs of candidates. */
static unsigned common_kind(rk_deps *deps, const rk_problem *problem, const rk_edge *edge,
                            uint32_t *selected, rk_arena *scratch)
{
    const rk_node_candidates *from = &problem->candidates->nodes[edge->from];
    const rk_node_candidates *to = &problem->candidates->nodes[edge->to];
    if (from->count * to->count > PAIRS_MOST)
        return 0;
    unsigned kind = EDGE_WHOLE | EDGE_TOUCHES | EDGE_COVERS;
    for (uint32_t p = 0; p < from->count; p++) {
        bool *seen = RK_NEW_ARRAY(scratch, bool, from->items[p].rtasks + 1);
        for (uint32_t n = 0; n < to->count; n++) {
            selected[edge->from] = p;
            selected[edge->to] = n;
            kind &= kind_of(rk_deps_node(deps, edge->to, selected), edge->from,
                            from->items[p].rtasks, seen);
        }
    }
    selected[edge->from] = selected[edge->to] = 0;
    return kind;
}

void rk_bound_edges(bounds *b, rk_arena *scratch)
{
    const rk_problem *problem = b->problem;
    b->into = RK_NEW_ARRAY(scratch, uint32_t, b->node_count + 2);
    b->kinds = RK_NEW_ARRAY(scratch, unsigned char, problem->edge_count + 1);
    for (size_t i = 0; i < problem->edge_count; i++)
        b->into[problem->edges[i].to + 1]++;
    for (size_t i = 0; i < b->node_count; i++)
        b->into[i + 1] += b->into[i];

    rk_deps *deps = rk_deps_of_problem(problem, scratch);
    uint32_t *selected = RK_NEW_ARRAY(scratch, uint32_t, b->node_count + 1);
    for (size_t i = 0; i < problem->edge_count; i++) {
        const rk_edge *e = &problem->edges[i];
        bool ranges = has_access(problem, e->from) || has_access(problem, e->to);
        b->kinds[i] = (unsigned char)(ranges ? common_kind(deps, problem, e, selected, scratch)
                                             : EDGE_WHOLE | EDGE_TOUCHES | EDGE_COVERS);
    }
}
