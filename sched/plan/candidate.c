#include "sched/plan/candidate.h"

const char *rk_source_name(rk_source source)
{
    return source == RK_MEASURED ? "measured" : "modelled";
}

rk_demand rk_candidates_demand(const rk_candidates *candidates)
{
    rk_demand all = {0};
    for (size_t i = 0; i < candidates->node_count; i++)
        for (size_t k = 0; k < candidates->nodes[i].count; k++)
            all = rk_demand_larger(all, candidates->nodes[i].items[k].demand);
    return all;
}
