#include "sched/simulate/simulate_internal.h"

void rk_sim_kernels_init(simulation *s)
{
    const rk_problem *problem = s->problem;
    size_t nodes = problem->graph->node_count;
    uint32_t *first = RK_NEW_ARRAY(s->scratch, uint32_t, nodes + 2);
    rk_id *to = RK_NEW_ARRAY(s->scratch, rk_id, problem->edge_count + 1);
    sim_kernels *k = RK_NEW(s->scratch, sim_kernels);
    k->before = RK_NEW_ARRAY(s->scratch, uint32_t, nodes + 1);
    k->left = RK_NEW_ARRAY(s->scratch, uint32_t, nodes + 1);
    k->ready = RK_NEW_ARRAY(s->scratch, double, nodes + 1);
    k->cause = RK_NEW_ARRAY(s->scratch, uint32_t, nodes + 1);
    k->waiters = RK_NEW_ARRAY(s->scratch, uint32_t, nodes + 1);
    for (size_t i = 0; i < problem->edge_count; i++) {
        first[problem->edges[i].from + 2]++;
        k->before[problem->edges[i].to]++;
    }
    for (size_t i = 0; i < nodes; i++)
        first[i + 2] += first[i + 1];
    for (size_t i = 0; i < problem->edge_count; i++)
        to[first[problem->edges[i].from + 1]++] = problem->edges[i].to;
    for (size_t i = 0; i < nodes; i++)
        k->left[i] = problem->candidates->nodes[i].items[s->schedule->selected[i]].rtasks;
    k->first = first;
    k->to = to;
    s->kernels = k;
}

bool rk_sim_kernel_ready(simulation *s, uint32_t veu, rk_id op)
{
    sim_kernels *k = s->kernels;
    veu_run *v = &s->veus[veu];
    if (v->phase != PHASE_KERNEL)
        v->started = s->now;
    if (k->before[op]) {
        v->phase = PHASE_KERNEL;
        v->next_waiter = k->waiters[op];
        k->waiters[op] = veu + 1;
        return false;
    }
    if (k->ready[op] <= s->now && v->phase != PHASE_KERNEL)
        return true;
    v->phase = PHASE_SIGNAL;
    v->until_cause = k->cause[op];
    v->phase_end = k->ready[op];
    rk_sim_heap_push(&s->timers, v->phase_end, veu);
    return false;
}

uint32_t rk_sim_kernel_end(simulation *s, rk_id op, uint32_t event)
{
    sim_kernels *k = s->kernels;
    if (--k->left[op])
        return 0;
    const rk_device *device = s->problem->device;
    double ready = s->now + (s->schedule->form == RK_RUNS_AS_GRAPH ? device->graph_launch_ns
                                                                   : device->launch_ns);
    uint32_t woken = 0, *end = &woken;
    for (uint32_t i = k->first[op]; i < k->first[op + 1]; i++) {
        rk_id next = k->to[i];
        if (ready > k->ready[next]) {
            k->ready[next] = ready;
            k->cause[next] = event;
        }
        if (--k->before[next])
            continue;
        *end = k->waiters[next];
        k->waiters[next] = 0;
        while (*end)
            end = &s->veus[*end - 1].next_waiter;
    }
    return woken;
}
