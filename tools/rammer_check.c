#include "rammer_plan.h"

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "sched/files/schedule_files.h"
#include "sched/onnx/import.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    rk_plan_options plan;
    const char *graph;
    const char *until;
} check_options;

static const rk_option option_table[] = {
    {"graph", 0, RK_OPTION_TEXT, "GRAPH", offsetof(check_options, graph),
     "graph of a schedule; default: graph.json beside it"},
    {"until", 0, RK_OPTION_TEXT, "STAGE", offsetof(check_options, until),
     "stop after graph, candidates or memory (default)"},
    RK_PLAN_OPTIONS(check_options, plan),
};

/** What a file is, and of a schedule the device that it names. */
typedef struct {
    bool schedule;
    const char *device;
} kind;

/** Of a file of JSON; its tree is in `scratch`. */
static bool find_kind_of_text(kind *out, const char *path, rk_tool *tool, rk_arena *scratch)
{
    rk_json json;
    const char *schema;
    if (!rk_json_read(&json, path, NULL, scratch, tool->diag) ||
        !rk_json_string(&schema, &json, json.root, NULL, "schema"))
        return false;
    if (rk_str_starts(schema, "rammer.graph/"))
        return true;
    if (!rk_str_starts(schema, "rammer.schedule/"))
        return rk_json_fail(&json, "RK-J002", "schema", "name a graph.json or a schedule",
                            "the schema is '%s', neither a graph's nor a schedule's", schema);
    const cJSON *device = cJSON_GetObjectItemCaseSensitive(json.root, "device");
    out->schedule = true;
    out->device = cJSON_IsString(device) ? rk_arena_strdup(tool->arena, device->valuestring) : NULL;
    return true;
}

/** False with a diagnostic when the file is neither a graph nor a schedule. */
static bool find_kind(kind *out, const char *path, rk_tool *tool)
{
    *out = (kind){0};
    if (rk_onnx_is(path))
        return true;
    out->schedule = rk_schedule_is_binary(path);
    if (out->schedule) {
        out->device = rk_schedule_binary_device(path, tool->arena, tool->diag);
        return out->device != NULL;
    }
    rk_arena *scratch = rk_arena_new();
    const bool good = find_kind_of_text(out, path, tool, scratch);
    rk_arena_free(scratch);
    return good;
}

/** Fills in what a schedule says of itself: its device, and its graph's place; returns the graph. */
static const char *follow_schedule(check_options *options, const char *path, const kind *what,
                                   rk_tool *tool)
{
    options->plan.schedule = path;
    if (!options->plan.device)
        options->plan.device = what->device;
    char *dir = rk_path_dir(tool->arena, path);
    return options->graph ? options->graph : rk_path_join(tool->arena, dir, "graph.json");
}

static void print_summary(const rk_plan *plan, rk_tool *tool)
{
    printf("%s: good: %zu nodes, %zu tensors", plan->graph->name, plan->graph->node_count,
           plan->graph->tensor_count);
    if (plan->schedule && !plan->family) {
        rk_schedule_stats stats;
        rk_schedule_count(&stats, plan->schedule, &plan->problem);
        printf("; schedule of %zu rTasks, %zu barrier-rTasks and %zu rPrograms on %u vEUs proved",
               stats.rtasks, stats.barrier_rtasks, plan->schedule->program_count,
               plan->schedule->veu_count);
        if (plan->graph->merged_count)
            printf("; merged: %s", rk_plan_merged(plan, tool));
        if (plan->profile)
            printf("; rTask times %s", rk_plan_sources(plan, tool));
    }
    if (plan->family)
        printf("; family of %zu phrases on %u vEUs proved for %s%zu values of its dimensions",
               plan->family->phrase_count, plan->family->veu_count, plan->family_all ? "all " : "",
               plan->family_points);
    putchar('\n');
}

static int run(rk_tool *tool, int argc, char **argv)
{
    check_options options = {0};
    rk_texts arguments = {0};
    rk_options table = {option_table, sizeof option_table / sizeof *option_table, &options};
    int status = rk_options_parse(&arguments, &table, &rk_command_check, 1, 1, tool, argc, argv);
    if (status != RK_EXIT_GOOD)
        return status;
    rk_stage last = options.until ? rk_stage_find(options.until, tool) : RK_STAGE_MEMORY;
    if (last == RK_STAGE_COUNT)
        return RK_EXIT_USAGE;

    const char *graph = arguments.items[0];
    kind what;
    if (!find_kind(&what, graph, tool))
        return RK_EXIT_REFUSED;
    if (what.schedule)
        graph = follow_schedule(&options, graph, &what, tool);
    rk_plan plan;
    status = rk_plan_make(&plan, graph, &options.plan, last, tool);
    if (status == RK_EXIT_GOOD)
        print_summary(&plan, tool);
    return status;
}

const rk_command rk_command_check = {
    .name = "check",
    .synopsis = "GRAPH|SCHEDULE [options]",
    .summary = "Checks a graph, or proves a schedule, and writes nothing",
    .text =
        "A graph is read, validated, given kernels, scheduled and proved, as a build would do it. A\n"
        "schedule file, JSON or binary, is matched to its graph and proved.\n\n"
        "examples:\n"
        "  rammer check net/graph.json --until graph\n"
        "  rammer check net/graph.json --target cuda --device a100\n"
        "  rammer check base.json --graph lstm/graph.json\n",
    .run = run,
};
