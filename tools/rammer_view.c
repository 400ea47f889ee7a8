#include "rammer_plan.h"

#include "base/file.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    rk_plan_options plan;
    const char *output, *trace, *diff;
    int64_t rows, columns;
} view_options;

static const rk_option option_table[] = {
    {"output", 'o', RK_OPTION_TEXT, "FILE", offsetof(view_options, output),
     "write one HTML page with the graph, the timeline and the waits; with .svg, a picture of the timeline"},
    {"trace", 0, RK_OPTION_TEXT, "FILE", offsetof(view_options, trace),
     "write the timeline for Perfetto or chrome://tracing"},
    {"diff", 0, RK_OPTION_TEXT, "FILE", offsetof(view_options, diff),
     "lay the times of a run beside the simulated ones: `rammer run --trace FILE`, or a GPU's `<name>_trace`"},
    {"rows", 0, RK_OPTION_INT, "N", offsetof(view_options, rows),
     "rows of the timeline printed here (default 16)"},
    {"columns", 0, RK_OPTION_INT, "N", offsetof(view_options, columns), "its columns (default 80)"},
    RK_PLAN_OPTIONS(view_options, plan),
};

static bool write_chrome(const rk_trace *trace, const char *path, rk_tool *tool)
{
    rk_str out = {.arena = tool->arena};
    rk_trace_chrome(&out, trace);
    return rk_file_write(path, out.text, out.length, tool->diag);
}

static void add_share(rk_grid *grid, const char *name, double path, double all, const rk_sim *sim)
{
    const double total = sim->times.makespan_ns * sim->veus;
    rk_grid_add(grid, "%s", name);
    rk_grid_add(grid, "%.2f", path / 1000);
    rk_grid_add(grid, "%.1f%%", 100 * path / sim->path.makespan_ns);
    rk_grid_add(grid, "%.1f%%", 100 * all / total);
}

/** Where the time goes, on the critical path and over all vEUs. */
static void print_times(const rk_trace *trace, rk_tool *tool)
{
    const rk_sim *sim = trace->sim;
    const struct {
        const char *name;
        double path, all;
    } rows[] = {{"work", sim->path.work_ns, sim->times.work_ns},
                {"rTask overhead", sim->path.overhead_ns, sim->times.overhead_ns},
                {"waits", sim->path.wait_ns, sim->times.wait_ns},
                {"idle", sim->path.idle_ns, sim->times.idle_ns},
                {"launch", sim->path.launch_ns, sim->times.launch_ns}};
    rk_grid grid = {.arena = tool->arena, .align = "lrrr"};
    rk_grid_add(&grid, "time (simulated)");
    rk_grid_add(&grid, "critical path, us");
    rk_grid_add(&grid, "of it");
    rk_grid_add(&grid, "of all vEUs");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        add_share(&grid, rows[i].name, rows[i].path, rows[i].all, sim);
    rk_grid_print(&grid);
}

static bool write_output(const rk_trace *trace, const char *path, rk_tool *tool)
{
    const char *dot = strrchr(path, '.');
    if (!dot || strcmp(dot, ".svg") != 0)
        return rk_plan_view(trace, path, tool);
    rk_str out = {.arena = tool->arena};
    rk_trace_svg(&out, trace);
    return rk_file_write(path, out.text, out.length, tool->diag);
}

/** rTasks of one kernel. */
typedef struct {
    const char *kernel;
    size_t rtasks;
    double simulated, measured;
} kernel_times;

static int by_time(const void *a, const void *b)
{
    const kernel_times *x = a, *y = b;
    return (x->simulated < y->simulated) - (x->simulated > y->simulated);
}

static kernel_times *times_of(kernel_times *rows, size_t *count, const rk_trace *trace, rk_rtask task)
{
    const char *kernel = trace->problem->candidates->nodes[task.op].items[trace->schedule->selected[task.op]].kernel->id;
    size_t i = 0;
    while (i < *count && strcmp(rows[i].kernel, kernel) != 0)
        i++;
    if (i == *count)
        rows[(*count)++] = (kernel_times){.kernel = kernel};
    return &rows[i];
}

static double waits_of(const rk_sim_event *events, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += events[i].kind == RK_SIM_WAIT ? events[i].end - events[i].start : 0;
    return sum;
}

static void add_diff(rk_grid *grid, const char *name, size_t rtasks, double simulated, double measured)
{
    rk_grid_add(grid, "%s", name);
    rk_grid_add(grid, rtasks ? "%zu" : "", rtasks);
    rk_grid_add(grid, "%.2f", simulated / 1000);
    rk_grid_add(grid, "%.2f", measured / 1000);
    rk_grid_add(grid, simulated > 0 ? "%.2f" : "", measured / simulated);
}

/** Simulated and measured times of the same rTasks, by kernel. */
static void print_diff(const rk_trace *trace, rk_tool *tool)
{
    const rk_sim *sim = trace->sim;
    const rk_measured *m = trace->measured;
    kernel_times *rows = RK_NEW_ARRAY(tool->arena, kernel_times, trace->problem->graph->node_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < sim->event_count; i++)
        if (sim->events[i].kind == RK_SIM_WORK)
            times_of(rows, &count, trace, sim->events[i].task)->simulated += sim->events[i].end - sim->events[i].start;
    for (size_t i = 0; i < m->count; i++) {
        if (m->events[i].kind != RK_SIM_WORK)
            continue;
        kernel_times *row = times_of(rows, &count, trace, m->events[i].task);
        row->measured += m->events[i].end - m->events[i].start;
        row->rtasks++;
    }
    qsort(rows, count, sizeof *rows, by_time);
    rk_grid grid = {.arena = tool->arena, .align = "lrrrr"};
    rk_grid_add(&grid, "kernel, all its rTasks");
    rk_grid_add(&grid, "rTasks");
    rk_grid_add(&grid, "simulated, us");
    rk_grid_add(&grid, "measured, us");
    rk_grid_add(&grid, "ratio");
    for (size_t i = 0; i < count; i++)
        add_diff(&grid, rows[i].kernel, rows[i].rtasks, rows[i].simulated, rows[i].measured);
    add_diff(&grid, "waits of all vEUs", 0, waits_of(sim->events, sim->event_count), waits_of(m->events, m->count));
    add_diff(&grid, "the run", 0, sim->times.makespan_ns, m->end_ns);
    printf("\nmeasured on %s\n\n", m->device);
    rk_grid_print(&grid);
}

static void print_summary(const rk_trace *trace, const char *sources, const view_options *options,
                          rk_tool *tool)
{
    const rk_sim *sim = trace->sim;
    rk_str out = {.arena = tool->arena};
    printf("%s by %s on %s: %.2f us, simulated; no schedule takes less than %.2f us (%.2f)\n\n",
           trace->schedule->graph, trace->schedule->policy, trace->schedule->device,
           sim->times.makespan_ns / 1000, trace->bound.total_ns / 1000,
           sim->times.makespan_ns / trace->bound.total_ns);
    if (sources)
        printf("rTask times: %s\n\n", sources);
    rk_trace_gantt(&out, trace, (unsigned)options->rows, (unsigned)options->columns);
    printf("%s\n", rk_str_text(&out));
    print_times(trace, tool);
    if (trace->measured)
        print_diff(trace, tool);
}

static int show(const rk_plan *plan, const view_options *options, rk_tool *tool)
{
    rk_tool_progress(tool, "simulating");
    rk_trace trace;
    rk_plan_trace(&trace, plan, tool);
    rk_measured measured;
    if (options->diff)
        trace.measured = &measured;
    const bool good = (!options->diff || rk_measured_read(&measured, options->diff, plan->schedule, &plan->problem,
                                                          tool->arena, tool->diag)) &&
                      (!options->output || write_output(&trace, options->output, tool)) &&
                      (!options->trace || write_chrome(&trace, options->trace, tool));
    rk_tool_progress(tool, NULL);
    if (!good)
        return RK_EXIT_REFUSED;
    print_summary(&trace, rk_plan_sources(plan, tool), options, tool);
    return RK_EXIT_GOOD;
}

static int run(rk_tool *tool, int argc, char **argv)
{
    view_options options = {.rows = 16, .columns = 80};
    rk_texts arguments = {0};
    rk_options table = {option_table, sizeof option_table / sizeof *option_table, &options};
    int status = rk_options_parse(&arguments, &table, &rk_command_view, 1, 1, tool, argc, argv);
    if (status != RK_EXIT_GOOD)
        return status;
    if (options.rows < 1 || options.rows > 1000 || options.columns < 20 || options.columns > 1000) {
        rk_diag_add(tool->diag, RK_ERROR, "RK-U002", (rk_place){0}, NULL,
                    "--rows is from 1 to 1000, --columns from 20 to 1000");
        return RK_EXIT_USAGE;
    }
    rk_plan plan;
    status = rk_plan_make(&plan, arguments.items[0], &options.plan, RK_STAGE_MEMORY, tool);
    status = status == RK_EXIT_GOOD ? rk_plan_has_member(&plan, tool) : status;
    return status == RK_EXIT_GOOD ? show(&plan, &options, tool) : status;
}

const rk_command rk_command_view = {
    .name = "view",
    .synopsis = "GRAPH [-o FILE.html] [options]",
    .summary = "Shows a schedule as a timeline: here, as a page, or for Perfetto",
    .text =
        "Schedules the graph, or loads a schedule for it, proves it, and plays it on the device's\n"
        "descriptor. Every time is simulated; --diff lays measured ones of the same schedule beside\n"
        "them. The page is one file that needs no network.\n\n"
        "examples:\n"
        "  rammer view lstm/graph.json --device h100 -o lstm.html\n"
        "  rammer view lstm/graph.json --policy base --trace base.json\n"
        "  rammer view lstm/graph.json --load-schedule mine.json\n"
        "  rammer run lstm/graph.json --trace measured.json &&\n"
        "  rammer view lstm/graph.json --diff measured.json -o lstm.html\n",
    .run = run,
};
