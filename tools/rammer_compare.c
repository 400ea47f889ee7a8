#include "rammer_plan.h"

#include "base/json.h"
#include "base/str.h"
#include "sched/policies/policy.h"
#include "sched/simulate/bound.h"
#include "sched/simulate/simulate.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct {
    rk_plan_options plan;
    bool json;
} compare_options;

static const rk_option option_table[] = {
    RK_PLAN_OPTIONS(compare_options, plan),
    {"json", 0, RK_OPTION_FLAG, NULL, offsetof(compare_options, json), "print the rows as JSON"},
};

/** What one policy made of the graph. */
typedef struct {
    const char *policy; /**< as the user wrote it */
    bool made;          /**< false: it refused, and a diagnostic says why */
    double ns, bound_ns, utilisation, seconds;
    uint32_t veus;
    size_t programs;
    rk_schedule_stats stats;
    size_t merged;       /**< operators that others became */
    const char *sources; /**< of the rTasks' times (rk_plan_sources) */
} row;

typedef RK_VEC(row) row_vec;

/**
 * The policies of `list`, which commas separate: a part that only sets an option, "key=value", belongs
 * to the policy before it. NULL: all there are.
 */
static rk_texts split(const char *list, rk_arena *arena)
{
    rk_texts out = {0};
    for (size_t i = 0; !list && i < rk_policy_count; i++)
        *rk_push(arena, &out) = rk_policies[i]->name;
    while (list && *list) {
        const size_t length = strcspn(list, ",");
        const char *part = rk_arena_strndup(arena, list, length);
        if (out.count && strchr(part, '=') && !strchr(part, ':'))
            out.items[out.count - 1] =
                rk_arena_printf(arena, "%s,%s", out.items[out.count - 1], part);
        else
            *rk_push(arena, &out) = part;
        list += length + (list[length] == ',');
    }
    return out;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int measure(row *out, const char *graph, const compare_options *options, const char *policy,
                   rk_tool *tool)
{
    rk_plan_options with = options->plan;
    with.policy = policy;
    rk_plan plan;
    const double start = now();
    int status = rk_plan_make(&plan, graph, &with, RK_STAGE_MEMORY, tool);
    status = status == RK_EXIT_GOOD ? rk_plan_has_member(&plan, tool) : status;
    *out = (row){.policy = policy, .seconds = now() - start};
    if (status != RK_EXIT_GOOD)
        return status;
    rk_bound bound;
    const rk_sim *sim = rk_simulate(plan.schedule, &plan.problem, false, tool->arena);
    rk_bound_find(&bound, &plan.problem, plan.schedule->veu_count);
    rk_schedule_count(&out->stats, plan.schedule, &plan.problem);
    out->made = true;
    out->ns = sim->times.makespan_ns;
    out->utilisation = sim->utilisation;
    out->bound_ns = bound.total_ns;
    out->veus = plan.schedule->veu_count;
    out->programs = plan.schedule->program_count;
    out->merged = plan.graph->merged_count;
    out->sources = rk_plan_sources(&plan, tool);
    return RK_EXIT_GOOD;
}

static void print_rows(const row_vec *rows, const char *graph, rk_tool *tool)
{
    static const char *const heads[] = {"policy", "us",        "over bound", "over best",
                                        "vEUs",   "rPrograms", "rTasks",     "barrier-rTasks",
                                        "waits",  "work",      "planned in", "rTask times"};
    enum { HEADS = sizeof heads / sizeof *heads };
    bool profiled = false;
    for (size_t i = 0; i < rows->count; i++)
        profiled = profiled || rows->items[i].sources;
    const size_t columns = profiled ? HEADS : HEADS - 1;
    rk_grid grid = {.arena = tool->arena, .align = profiled ? "lrrrrrrrrrrl" : "lrrrrrrrrrr"};
    double best = 0;
    for (size_t i = 0; i < rows->count; i++)
        if (rows->items[i].made && (best == 0 || rows->items[i].ns < best))
            best = rows->items[i].ns;
    for (size_t i = 0; i < columns; i++)
        rk_grid_add(&grid, "%s", heads[i]);
    for (size_t i = 0; i < rows->count; i++) {
        const row *r = &rows->items[i];
        rk_grid_add(&grid, "%s", r->policy);
        if (!r->made) {
            rk_grid_add(&grid, "refused");
            for (size_t k = 2; k < columns; k++)
                rk_grid_add(&grid, "-");
            continue;
        }
        rk_grid_add(&grid, "%.2f", r->ns / 1000);
        rk_grid_add(&grid, "%.3f", r->ns / r->bound_ns);
        rk_grid_add(&grid, "%.3f", r->ns / best);
        rk_grid_add(&grid, "%u", r->veus);
        rk_grid_add(&grid, "%zu", r->programs);
        rk_grid_add(&grid, "%zu", r->stats.rtasks);
        rk_grid_add(&grid, "%zu", r->stats.barrier_rtasks);
        rk_grid_add(&grid, "%zu", r->stats.wait_items);
        rk_grid_add(&grid, "%.1f%%", 100 * r->utilisation);
        rk_grid_add(&grid, "%.2f s", r->seconds);
        if (profiled)
            rk_grid_add(&grid, "%s", r->sources);
    }
    printf("%s: times are simulated; `work` is the part of the vEUs' time spent in rTasks\n\n",
           graph);
    rk_grid_print(&grid);
}

static void print_json(const row_vec *rows, const char *graph, rk_tool *tool)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", "rammer.comparison/1");
    cJSON_AddStringToObject(root, "graph", graph);
    cJSON_AddStringToObject(root, "times", "simulated");
    cJSON *items = cJSON_AddArrayToObject(root, "policies");
    for (size_t i = 0; i < rows->count; i++) {
        const row *r = &rows->items[i];
        cJSON *o = cJSON_CreateObject();
        cJSON_AddItemToArray(items, o);
        cJSON_AddStringToObject(o, "policy", r->policy);
        cJSON_AddBoolToObject(o, "made", r->made);
        if (!r->made)
            continue;
        cJSON_AddNumberToObject(o, "us", r->ns / 1000);
        cJSON_AddNumberToObject(o, "bound_us", r->bound_ns / 1000);
        cJSON_AddNumberToObject(o, "veus", r->veus);
        cJSON_AddNumberToObject(o, "rprograms", (double)r->programs);
        cJSON_AddNumberToObject(o, "rtasks", (double)r->stats.rtasks);
        cJSON_AddNumberToObject(o, "barrier_rtasks", (double)r->stats.barrier_rtasks);
        cJSON_AddNumberToObject(o, "waits", (double)r->stats.wait_items);
        cJSON_AddNumberToObject(o, "merged", (double)r->merged);
        cJSON_AddNumberToObject(o, "work", r->utilisation);
        if (r->sources)
            cJSON_AddStringToObject(o, "rtask_times", r->sources);
        cJSON_AddNumberToObject(o, "planned_in_s", r->seconds);
    }
    fputs(rk_json_print(root, tool->arena), stdout);
    cJSON_Delete(root);
}

static int run(rk_tool *tool, int argc, char **argv)
{
    compare_options options = {0};
    rk_texts arguments = {0};
    rk_options table = {option_table, sizeof option_table / sizeof *option_table, &options};
    int status = rk_options_parse(&arguments, &table, &rk_command_compare, 1, 1, tool, argc, argv);
    if (status != RK_EXIT_GOOD)
        return status;
    if (options.plan.schedule) {
        rk_diag_add(tool->diag, RK_ERROR, "RK-U003", (rk_place){0},
                    "`rammer view` shows a loaded schedule",
                    "--load-schedule is of no use here: each policy makes its own");
        return RK_EXIT_USAGE;
    }
    const rk_texts policies = split(options.plan.policy, tool->arena);
    row_vec rows = {0};
    rk_plan common; /* what is wrong for all of them is said once */
    rk_plan_options any = options.plan;
    any.policy = NULL;
    status = rk_plan_make(&common, arguments.items[0], &any, RK_STAGE_CANDIDATES, tool);
    if (status != RK_EXIT_GOOD)
        return status;
    for (size_t i = 0; i < policies.count; i++) {
        const int made = measure(rk_push(tool->arena, &rows), arguments.items[0], &options,
                                 policies.items[i], tool);
        if (made == RK_EXIT_USAGE)
            return made;
        status = made != RK_EXIT_GOOD ? made : status;
    }
    rk_tool_progress(tool, NULL);
    (options.json ? print_json : print_rows)(&rows, arguments.items[0], tool);
    return status;
}

const rk_command rk_command_compare = {
    .name = "compare",
    .synopsis = "GRAPH [--policy A,B,C] [options]",
    .summary = "Compares what policies make of a graph, simulated",
    .text =
        "Schedules the graph with each policy, proves each schedule, and plays it on the device's\n"
        "descriptor. Without --policy all policies take part. `over bound` is the time over what no\n"
        "schedule can go below: the work over the vEUs, the longest chain of rTasks and signals,\n"
        "and the bytes over the bandwidth.\n\n"
        "examples:\n"
        "  rammer compare lstm/graph.json --policy base,wavefront,auto --device h100\n"
        "  rammer compare net/graph.json --policy ios:r=2,s=4,ios --json\n",
    .run = run,
};
