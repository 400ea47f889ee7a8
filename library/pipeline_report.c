#include "library/pipeline.h"

#include <string.h>

/** Whether a folder may be replaced: it is empty, or holds what `rammer` leaves in its own. */
static bool replaceable(const char *dir, rk_tool *tool)
{
    char **names;
    size_t count;
    if (!rk_file_list(&names, &count, dir, NULL, tool->arena, tool->diag))
        return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], "rammer.json") == 0)
            return true;
    return count == 0 || rk_diag_add(tool->diag, RK_ERROR, "RK-U005", rk_place_file(dir),
                                     "name a new folder, or remove this one yourself",
                                     "the folder holds files that rammer did not write");
}

bool rk_output_begin(rk_folder *out, const char *dir, rk_tool *tool)
{
    if (rk_file_is_dir(dir) && !replaceable(dir, tool))
        return false;
    return rk_folder_begin(out, dir, tool->arena, tool->diag);
}

/** Lists of nodes that became one, by name. */
static void add_merged(cJSON *report, const rk_graph *graph)
{
    cJSON *list = cJSON_AddArrayToObject(report, "merged_nodes");
    for (size_t i = 0; i < graph->merged_count; i++) {
        const rk_merged *merged = &graph->merged[i];
        cJSON_AddItemToArray(list, cJSON_CreateStringArray(merged->parts, (int)merged->count));
    }
}

/** What the policy tried, in order. */
static void add_tried(cJSON *report, const rk_tries *tries)
{
    cJSON *list = cJSON_AddArrayToObject(report, "tried");
    for (size_t i = 0; i < tries->count; i++) {
        cJSON *o = cJSON_CreateObject();
        cJSON_AddItemToArray(list, o);
        cJSON_AddStringToObject(o, "policy", tries->items[i].by);
        cJSON_AddBoolToObject(o, "merged", tries->items[i].merged);
        cJSON_AddNumberToObject(o, "us", tries->items[i].makespan_ns / 1000);
        cJSON_AddNumberToObject(o, "rtasks_placed", (double)tries->items[i].rtasks);
    }
}

/** Of a family, whose members have rTasks and waits of their own. */
static cJSON *report_family(const rk_plan *plan)
{
    cJSON *r = cJSON_CreateObject();
    cJSON_AddStringToObject(r, "schema", "rammer.report/1");
    cJSON_AddStringToObject(r, "graph", plan->graph->name);
    cJSON_AddStringToObject(r, "target", plan->backend ? plan->backend->name : "cpu");
    cJSON_AddStringToObject(r, "device", plan->device->name);
    cJSON_AddStringToObject(r, "policy", "family");
    cJSON_AddNumberToObject(r, "nodes", (double)plan->graph->node_count);
    cJSON_AddNumberToObject(r, "veus", plan->family->veu_count);
    cJSON_AddNumberToObject(r, "memory_bytes", (double)plan->family->memory.total_bytes);
    cJSON_AddNumberToObject(r, "values_proved", (double)plan->family_points);
    return r;
}

cJSON *rk_plan_report(const rk_plan *plan, rk_tool *tool)
{
    if (plan->family && !plan->schedule)
        return report_family(plan);
    rk_schedule_stats stats;
    rk_schedule_count(&stats, plan->schedule, &plan->problem);
    cJSON *r = cJSON_CreateObject();
    cJSON_AddStringToObject(r, "schema", "rammer.report/1");
    cJSON_AddStringToObject(r, "graph", plan->graph->name);
    cJSON_AddStringToObject(r, "target", plan->backend->name);
    cJSON_AddStringToObject(r, "device", plan->device->name);
    if (plan->device->resources)
        cJSON_AddStringToObject(r, "stand_in", plan->device->resources);
    cJSON_AddStringToObject(r, "policy", plan->schedule->policy);
    if (plan->schedule->by)
        cJSON_AddStringToObject(r, "made_by", plan->schedule->by);
    if (plan->tries.count)
        add_tried(r, &plan->tries);
    cJSON_AddNumberToObject(r, "nodes", (double)plan->graph->node_count);
    if (plan->graph->merged_count) {
        cJSON_AddStringToObject(r, "merged", rk_plan_merged(plan, tool));
        add_merged(r, plan->graph);
    }
    cJSON_AddNumberToObject(r, "rtasks", (double)stats.rtasks);
    cJSON_AddNumberToObject(r, "barrier_rtasks", (double)stats.barrier_rtasks);
    cJSON_AddNumberToObject(r, "waits", (double)stats.wait_items);
    cJSON_AddNumberToObject(r, "rtask_edges", (double)stats.edges_between_rtasks);
    cJSON_AddNumberToObject(r, "rprograms", (double)plan->schedule->program_count);
    cJSON_AddNumberToObject(r, "veus", plan->schedule->veu_count);
    cJSON_AddNumberToObject(r, "veu_threads", plan->schedule->veu_threads);
    cJSON_AddNumberToObject(r, "veu_shared_bytes", (double)plan->schedule->veu_shared);
    cJSON_AddNumberToObject(r, "memory_bytes", (double)plan->memory->total_bytes);
    cJSON_AddNumberToObject(r, "constant_bytes", (double)plan->memory->constant_bytes);
    if (plan->reuse.waits) {
        cJSON_AddNumberToObject(r, "reuse_waits", (double)plan->reuse.waits);
        cJSON_AddNumberToObject(r, "reuse_saved_bytes",
                                (double)(plan->reuse.bytes_before - plan->reuse.bytes));
    }
    if (plan->profile)
        cJSON_AddStringToObject(r, "rtask_times", rk_plan_sources(plan, tool));
    cJSON_AddNumberToObject(r, "simulated_us", rk_simulate_time(plan->schedule, &plan->problem) / 1000);
    return r;
}
