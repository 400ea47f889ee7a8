#include "sched/passes/merge_problem.h"
#include "sched/model/model.h"
#include "sched/select/select.h"

const rk_problem *rk_merge_problem(const rk_problem *problem, const rk_merge_groups *groups,
                                   rk_arena *arena, rk_diag *diag)
{
    const rk_kernel_source *from = problem->source;
    rk_problem *out = RK_NEW(arena, rk_problem);
    *out = *problem;
    out->deps = NULL;
    out->graph = rk_merge_apply(problem->graph, groups, arena, diag);
    if (!out->graph)
        return NULL;
    out->candidates = rk_candidates_of(out->graph, from, problem->device, arena, diag);
    rk_edge *edges;
    rk_graph_edges(&edges, &out->edge_count, out->graph, arena);
    out->edges = edges;
    return out->candidates ? out : NULL;
}
