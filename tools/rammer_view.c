#include "rammer_plan.h"

#include "base/file.h"
#include "base/str.h"

#include <stdio.h>

typedef struct {
    rk_plan_options plan;
    const char *output, *trace;
    int64_t rows, columns;
} view_options;

static const rk_option option_table[] = {
    {"output", 'o', RK_OPTION_TEXT, "FILE", offsetof(view_options, output),
     "write one HTML page with the graph, the timeline and the waits"},
    {"trace", 0, RK_OPTION_TEXT, "FILE", offsetof(view_options, trace),
     "write the timeline for Perfetto or chrome://tracing"},
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
}

static int show(const rk_plan *plan, const view_options *options, rk_tool *tool)
{
    rk_tool_progress(tool, "simulating");
    rk_trace trace;
    rk_plan_trace(&trace, plan, tool);
    const bool good = (!options->output || rk_plan_view(&trace, options->output, tool)) &&
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
        "descriptor. Every time is simulated. The page is one file that needs no network.\n\n"
        "examples:\n"
        "  rammer view lstm/graph.json --device h100 -o lstm.html\n"
        "  rammer view lstm/graph.json --policy base --trace base.json\n"
        "  rammer view lstm/graph.json --load-schedule mine.json\n",
    .run = run,
};
