#include "sched/plan/schedule.h"

#include <string.h>

static const char *const form_names[RK_RUN_FORMS] = {
    [RK_RUNS_AS_VDEVICE] = "vdevice",
    [RK_RUNS_AS_LAUNCHES] = "launches",
    [RK_RUNS_AS_STREAMS] = "streams",
    [RK_RUNS_AS_GRAPH] = "graph",
};

const char *rk_run_form_name(rk_run_form form)
{
    return form_names[form];
}

bool rk_run_form_find(rk_run_form *out, const char *name)
{
    for (int i = 0; i < RK_RUN_FORMS; i++) {
        if (strcmp(form_names[i], name) != 0)
            continue;
        *out = (rk_run_form)i;
        return true;
    }
    return false;
}

size_t rk_veu_list_rtasks(const rk_veu_list *list)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += list->entries[i].wait_count == 0;
    return count;
}

void rk_schedule_count(rk_schedule_stats *out, const rk_schedule *schedule,
                       const rk_problem *problem)
{
    *out = (rk_schedule_stats){0};
    for (size_t p = 0; p < schedule->program_count; p++) {
        for (uint32_t w = 0; w < schedule->veu_count; w++) {
            const rk_veu_list *list = &schedule->programs[p].veus[w];
            for (size_t i = 0; i < list->count; i++) {
                out->rtasks += list->entries[i].wait_count == 0;
                out->barrier_rtasks += list->entries[i].wait_count != 0;
                out->wait_items += list->entries[i].wait_count;
            }
        }
    }
    for (size_t i = 0; i < problem->edge_count; i++) {
        rk_id from = problem->edges[i].from;
        rk_id to = problem->edges[i].to;
        size_t rtasks = problem->candidates->nodes[from].items[schedule->selected[from]].rtasks;
        out->edges_between_rtasks +=
            rtasks * problem->candidates->nodes[to].items[schedule->selected[to]].rtasks;
    }
}
