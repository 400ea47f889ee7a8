#include "sched/schedule_deps.h"

/** Nodes with more dependencies are not searched for implied ones, to stay near linear. */
enum { SEARCHED_MOST = 256 };

struct rk_deps_cache {
    rk_node_deps *nodes;
};

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
    *out->cache = (rk_deps_cache){.nodes = RK_NEW_ARRAY(arena, rk_node_deps, n + 1)};
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

const rk_node_deps *rk_deps_node(rk_deps *deps, rk_id node, const uint32_t *selected)
{
    (void)selected;
    rk_node_deps *found = &deps->cache->nodes[node];
    *found = (rk_node_deps){.ranges = deps->ranges, .first = &deps->first[node], .list_count = 1};
    return found;
}
