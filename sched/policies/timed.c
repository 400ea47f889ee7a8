#include "sched/policies/timed.h"

#include "sched/simulate/simulate.h"

void rk_timed_init(rk_timed *timed, const rk_problem *from, rk_arena *arena)
{
    size_t nodes = from->graph->node_count;
    rk_candidates *copy = RK_NEW(arena, rk_candidates);
    *copy = *from->candidates;
    copy->nodes = RK_NEW_ARRAY(arena, rk_node_candidates, nodes + 1);
    *timed = (rk_timed){.problem = *from, .from = from};
    timed->problem.candidates = copy;
    timed->items = RK_NEW_ARRAY(arena, rk_candidate *, nodes + 1);
    for (size_t i = 0; i < nodes; i++) {
        const rk_node_candidates *all = &from->candidates->nodes[i];
        timed->items[i] = rk_arena_copy(arena, all->items, all->count * sizeof *all->items);
        copy->nodes[i] = (rk_node_candidates){timed->items[i], all->count};
    }
}

void rk_timed_mix(rk_timed *timed, const double *share)
{
    const rk_device *device = timed->from->device;
    for (size_t i = 0; i < timed->from->graph->node_count; i++) {
        const rk_node_candidates *all = &timed->from->candidates->nodes[i];
        for (size_t c = 0; c < all->count; c++) {
            double alone = rk_simulate_alone(&all->items[c], device) - device->rtask_overhead_ns;
            timed->items[i][c].rtask_ns = alone + share[i] * (all->items[c].rtask_ns - alone);
        }
    }
}
