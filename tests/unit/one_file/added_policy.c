#include "sched/policies/policy.h"

/** Everything on vEU 0, in graph order. */
static bool run(rk_builder *builder, const rk_problem *problem, rk_diag *diag)
{
    (void)diag;
    for (rk_id op = 0; op < problem->graph->node_count; op++) {
        rk_select(builder, op, 0);
        for (uint32_t r = 0; r < problem->candidates->nodes[op].items[0].rtasks; r++)
            rk_append(builder, (rk_rtask){op, r}, 0);
    }
    return true;
}

const rk_policy rk_policy_added = {
    .name = "added",
    .summary = "one vEU does all",
    .run = run,
};
