#include "sched/policies/search_internal.h"

#include "sched/simulate/simulate.h"

#include <math.h>
#include <string.h>

/** Pieces of a schedule's time in which the vEUs that work are counted. */
enum { SLOTS = 4096 };

void rk_lesson_init(lesson *l, size_t nodes, rk_arena *arena)
{
    *l = (lesson){.start = RK_NEW_ARRAY(arena, double, nodes + 1),
                  .pressure = RK_NEW_ARRAY(arena, double, nodes + 1),
                  .share = RK_NEW_ARRAY(arena, double, nodes + 1),
                  .critical = RK_NEW_ARRAY(arena, rk_id, nodes + 1),
                  .critical_movable = RK_NEW_ARRAY(arena, rk_id, nodes + 1)};
}

/** Starts, and how much of the contention rTasks met; what meets none of it anyway has its pressure. */
static void learn_times(lesson *l, const rk_sim *sim, const rk_schedule *schedule,
                        const rk_problem *problem)
{
    size_t nodes = schedule->node_count;
    memset(l->share, 0, nodes * sizeof *l->share);
    for (size_t i = sim->event_count; i-- > 0;) {
        const rk_sim_event *e = &sim->events[i];
        if (e->kind != RK_SIM_WORK)
            continue;
        l->share[e->task.op] += e->end - e->start - problem->device->rtask_overhead_ns;
        l->start[e->task.op] = e->start;
    }
    for (rk_id i = 0; i < nodes; i++) {
        const rk_candidate *c = &problem->candidates->nodes[i].items[schedule->selected[i]];
        double alone = rk_simulate_alone(c, problem->device) - problem->device->rtask_overhead_ns;
        double met = (l->share[i] / c->rtasks - alone) / (c->rtask_ns - alone);
        l->share[i] = c->rtask_ns - alone < 1e-3 * alone ? l->pressure[i] : fmin(fmax(met, 0), 1);
    }
}

/** The part of the vEUs that work, by slot. */
static void count_busy(double *busy, const rk_sim *sim)
{
    double slot = sim->times.makespan_ns / SLOTS;
    for (size_t i = 0; i < sim->event_count; i++) {
        const rk_sim_event *e = &sim->events[i];
        for (size_t at = (size_t)(e->start / slot); e->kind == RK_SIM_WORK && at <= SLOTS; at++) {
            double from = fmax(e->start, (double)at * slot);
            double to = fmin(e->end, (double)(at + 1) * slot);
            if (to <= from)
                break;
            busy[at] += (to - from) / slot / sim->veus;
        }
    }
}

static void learn_pressure(lesson *l, const rk_sim *sim, size_t nodes, rk_arena *scratch)
{
    double *busy = RK_NEW_ARRAY(scratch, double, SLOTS + 1);
    uint32_t *rtasks = RK_NEW_ARRAY(scratch, uint32_t, nodes + 1);
    double slot = sim->times.makespan_ns / SLOTS;
    count_busy(busy, sim);
    memset(l->pressure, 0, nodes * sizeof *l->pressure);
    for (size_t i = 0; i < sim->event_count; i++) {
        const rk_sim_event *e = &sim->events[i];
        size_t at = (size_t)(0.5 * (e->start + e->end) / slot);
        if (e->kind == RK_SIM_WORK) {
            l->pressure[e->task.op] += busy[at];
            rtasks[e->task.op]++;
        }
    }
    for (rk_id i = 0; i < nodes; i++)
        l->pressure[i] /= rtasks[i] ? rtasks[i] : 1;
}

static void learn_critical(lesson *l, const rk_sim *sim, size_t nodes, const rk_problem *problem)
{
    l->critical_count = l->critical_movable_count = 0;
    rk_id last = RK_NO_ID;
    for (size_t i = 0; i < sim->critical_count; i++) {
        const rk_sim_event *e = &sim->events[sim->critical[i]];
        if (e->kind != RK_SIM_WORK || e->task.op == last || l->critical_count == nodes)
            continue;
        last = e->task.op;
        l->critical[l->critical_count++] = last;
        if (problem->candidates->nodes[last].count > 1)
            l->critical_movable[l->critical_movable_count++] = last;
    }
}

void rk_lesson_learn(lesson *l, const rk_schedule *schedule, const rk_problem *problem)
{
    rk_arena *scratch = rk_arena_new();
    const rk_sim *sim = rk_simulate(schedule, problem, true, scratch);
    l->end = sim->times.makespan_ns;
    learn_pressure(l, sim, schedule->node_count, scratch);
    learn_times(l, sim, schedule, problem);
    learn_critical(l, sim, schedule->node_count, problem);
    rk_arena_free(scratch);
}
