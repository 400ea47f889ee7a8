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

bool rk_candidate_is_ordered(const rk_candidate *candidate)
{
    return candidate->kernel && candidate->kernel->uses.ordered;
}

rk_rtask_parts rk_candidate_parts(const rk_candidate *candidate, const rk_device *device,
                                  double memory)
{
    rk_rtask_parts parts = candidate->parts;
    if (candidate->needs.residents)
        rk_rtask_price(&parts, &candidate->needs, device, memory);
    return parts;
}

bool rk_candidates_depend_on_order(const rk_candidates *candidates)
{
    return candidates->residency && !rk_residency_fits(candidates->residency);
}

double rk_candidates_least_memory(const rk_candidates *candidates, rk_id node)
{
    return candidates->residency ? rk_residency_least(candidates->residency, node) : 0;
}
