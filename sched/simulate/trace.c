#include "sched/simulate/trace.h"

#include "sched/simulate/trace_events.h"

#include <stdio.h>

static const char *const kind_names[] = {
    [RK_SIM_LAUNCH] = "launch", [RK_SIM_WORK] = "work", [RK_SIM_WAIT] = "wait"};

static void add_member(rk_str *out, const char *name, const char *text)
{
    rk_str_addf(out, "\"%s\":", name);
    rk_trace_text(out, text);
}

static const rk_candidate *selected(const rk_trace *trace, rk_id op)
{
    return &trace->problem->candidates->nodes[op].items[trace->schedule->selected[op]];
}

/* The Trace Event Format. */

void rk_trace_chrome(rk_str *out, const rk_trace *trace)
{
    const rk_schedule *schedule = trace->schedule;
    rk_trace_begin(out, &(rk_trace_run){.times = "simulated",
                                        .graph = schedule->graph,
                                        .device = schedule->device,
                                        .policy = schedule->policy,
                                        .veus = trace->sim->veus});
    for (size_t i = 0; i < trace->sim->event_count; i++) {
        const rk_sim_event *event = &trace->sim->events[i];
        rk_trace_event row = {kind_names[event->kind], event->program, event->veu, NULL, NULL, event->task.index,
                              event->start, event->end};
        if (event->kind == RK_SIM_WORK) {
            row.node = trace->problem->graph->nodes[event->task.op].name;
            row.kernel = selected(trace, event->task.op)->kernel->id;
        }
        rk_trace_add(out, &row);
    }
    rk_trace_end(out);
}

/* Text. */

/** Shares of a cell's time. */
typedef struct {
    double work, wait, launch;
} cell;

typedef struct {
    cell *cells;
    unsigned rows, columns;
    uint32_t veus; /**< that the rows stand for */
    double makespan;
} chart;

/** Adds an event's time to the cells of its row, in units of a whole cell. */
static void add_span(chart *c, unsigned row, double vEUs, const rk_sim_event *event)
{
    const double scale = c->columns / c->makespan;
    const double start = event->start * scale;
    const double end = event->end * scale;
    for (unsigned x = (unsigned)start; x < c->columns && x < end; x++) {
        const double from = start > x ? start : x;
        const double to = end < x + 1 ? end : x + 1;
        cell *at = &c->cells[row * c->columns + x];
        double *part = event->kind == RK_SIM_WORK   ? &at->work
                       : event->kind == RK_SIM_WAIT ? &at->wait
                                                    : &at->launch;
        *part += (to - from) / vEUs;
    }
}

static uint32_t first_veu(const chart *c, unsigned row)
{
    return (uint32_t)((uint64_t)row * c->veus / c->rows);
}

static unsigned row_of(const chart *c, uint32_t veu)
{
    return (unsigned)((((uint64_t)veu + 1) * c->rows - 1) / c->veus);
}

static char cell_letter(const cell *at)
{
    if (at->launch > 0.5)
        return '|';
    if (at->work > 0.75)
        return '#';
    if (at->work > 0.5)
        return '+';
    if (at->work > 0.25)
        return '-';
    return at->work + at->wait > 0.25 ? '.' : ' ';
}

static void print_chart(rk_str *out, const chart *c)
{
    for (unsigned row = 0; row < c->rows; row++) {
        const uint32_t first = first_veu(c, row);
        const uint32_t last = first_veu(c, row + 1) - 1;
        char label[32] = "";
        if (first == last)
            snprintf(label, sizeof label, "vEU %u", first);
        else
            snprintf(label, sizeof label, "vEUs %u-%u", first, last);
        rk_str_addf(out, "%-14s ", label);
        for (unsigned x = 0; x < c->columns; x++) {
            const char letter = cell_letter(&c->cells[row * c->columns + x]);
            rk_str_addn(out, &letter, 1);
        }
        while (out->length && out->text[out->length - 1] == ' ')
            out->text[--out->length] = '\0';
        rk_str_add(out, "\n");
    }
    rk_str_addf(out, "%-14s 0%*.2f us\n", "", (int)c->columns - 1, c->makespan / 1000);
    rk_str_addf(out, "%-14s # + - work for 3/4, 1/2, 1/4 of the time  . waits  | launch\n", "");
}

void rk_trace_gantt(rk_str *out, const rk_trace *trace, unsigned rows, unsigned columns)
{
    const rk_sim *sim = trace->sim;
    chart c = {.rows = rows < sim->veus ? rows : sim->veus,
               .columns = columns,
               .veus = sim->veus,
               .makespan = trace->sim->event_count ? 0 : 1};
    for (size_t i = 0; i < sim->event_count; i++)
        c.makespan = sim->events[i].end > c.makespan ? sim->events[i].end : c.makespan;
    c.cells = RK_NEW_ARRAY(out->arena, cell, (size_t)c.rows * columns + 1);
    for (size_t i = 0; i < sim->event_count; i++) {
        const rk_sim_event *event = &sim->events[i];
        if (event->kind == RK_SIM_LAUNCH) {
            for (unsigned row = 0; row < c.rows; row++)
                add_span(&c, row, 1, event);
        } else {
            const unsigned row = row_of(&c, event->veu);
            add_span(&c, row, first_veu(&c, row + 1) - first_veu(&c, row), event);
        }
    }
    print_chart(out, &c);
}

/* The page's data. */

static void add_times(rk_str *out, const char *name, const rk_sim_times *t)
{
    rk_str_addf(out,
                ",\"%s\":{\"work\":%.6g,\"overhead\":%.6g,\"wait\":%.6g,\"idle\":%.6g,"
                "\"launch\":%.6g,\"makespan\":%.9g}",
                name, t->work_ns, t->overhead_ns, t->wait_ns, t->idle_ns, t->launch_ns,
                t->makespan_ns);
}

/** [name, type and shape] of each tensor that a node writes. */
static void add_outputs(rk_str *out, const rk_graph *graph, const rk_node *node)
{
    rk_str_add(out, "\"outputs\":[");
    for (size_t i = 0; i < node->output_count; i++) {
        const rk_tensor *tensor = &graph->tensors[node->outputs[i]];
        rk_str_add(out, i ? ",[" : "[");
        rk_trace_text(out, tensor->name);
        rk_str_addf(out, ",\"%s[", rk_dtype_name(tensor->dtype));
        for (int d = 0; d < tensor->rank; d++)
            rk_str_addf(out, "%s%lld", d ? ", " : "", (long long)tensor->shape[d]);
        rk_str_add(out, "]\"]");
    }
    rk_str_add(out, "]");
}

static void add_nodes(rk_str *out, const rk_trace *trace)
{
    const rk_problem *problem = trace->problem;
    size_t edge = 0;
    rk_str_add(out, ",\n\"nodes\":[");
    for (rk_id i = 0; i < problem->graph->node_count; i++) {
        const rk_candidate *candidate = selected(trace, i);
        rk_str_add(out, i ? ",\n{" : "\n{");
        add_member(out, "name", problem->graph->nodes[i].name);
        rk_str_add(out, ",");
        add_member(out, "op",
                   problem->graph->nodes[i].op_name ? problem->graph->nodes[i].op_name : "kernel");
        rk_str_add(out, ",");
        add_member(out, "kernel", candidate->kernel->id);
        rk_str_addf(out, ",\"rtasks\":%u,\"ns\":%.6g,", candidate->rtasks, candidate->rtask_ns);
        add_outputs(out, problem->graph, &problem->graph->nodes[i]);
        rk_str_add(out, ",\"from\":[");
        const char *comma = "";
        for (; edge < problem->edge_count && problem->edges[edge].to == i; edge++) {
            rk_str_addf(out, "%s%u", comma, problem->edges[edge].from);
            comma = ",";
        }
        rk_str_add(out, "]}");
    }
    rk_str_add(out, "]");
}

/** [kind, rProgram, vEU, node, rTask, start, end, cause] of each; -1 for none. */
static void add_events(rk_str *out, const rk_sim_event *events, size_t count)
{
    rk_str_add(out, "\"events\":[");
    for (size_t i = 0; i < count; i++) {
        const rk_sim_event *e = &events[i];
        const bool work = e->kind == RK_SIM_WORK;
        rk_str_addf(out, "%s[%d,%u,%ld,%ld,%u,%.1f,%.1f,%ld]", i ? ",\n" : "\n", (int)e->kind,
                    e->program, e->kind == RK_SIM_LAUNCH ? -1L : (long)e->veu,
                    work ? (long)e->task.op : -1L, work ? e->task.index : 0, e->start, e->end,
                    e->cause == RK_SIM_NONE ? -1L : (long)e->cause);
    }
    rk_str_add(out, "]");
}

static void add_measured(rk_str *out, const rk_measured *measured)
{
    if (!measured)
        return;
    rk_str_add(out, ",\n\"measured\":{");
    add_member(out, "device", measured->device);
    rk_str_add(out, ",");
    add_events(out, measured->events, measured->count);
    rk_str_add(out, "}");
}

/**
 * [rProgram, vEU, step of the rTask that waits, vEU, step, vEU, step, ...] of each barrier-rTask: the
 * other vEUs that it waits for.
 */
static void add_waits(rk_str *out, const rk_schedule *schedule)
{
    const char *comma = "\n";
    rk_str_add(out, ",\n\"waits\":[");
    for (size_t p = 0; p < schedule->program_count; p++) {
        const rk_rprogram *program = &schedule->programs[p];
        for (uint32_t v = 0; v < schedule->veu_count; v++) {
            uint32_t step = 0;
            for (size_t i = 0; i < program->veus[v].count; i++) {
                const rk_entry *entry = &program->veus[v].entries[i];
                if (!entry->wait_count) {
                    step++;
                    continue;
                }
                rk_str_addf(out, "%s[%zu,%u,%u", comma, p, v, step + 1);
                for (uint32_t w = 0; w < entry->wait_count; w++) {
                    const rk_wait_item *item = &program->waits[entry->wait_first + w];
                    if (item->veu != v)
                        rk_str_addf(out, ",%u,%u", item->veu, item->step);
                }
                rk_str_add(out, "]");
                comma = ",\n";
            }
        }
    }
    rk_str_add(out, "]");
}

/** What the policy tried: [name, operators merged, ns, rTasks placed] each. */
static void add_tried(rk_str *out, const rk_tries *tries)
{
    rk_str_add(out, ",\n\"tried\":[");
    for (size_t i = 0; tries && i < tries->count; i++) {
        const rk_tried *t = &tries->items[i];
        rk_str_addf(out, "%s[\"%s\",%s,%.1f,%zu]", i ? ",\n" : "\n", t->by,
                    t->merged ? "true" : "false", t->makespan_ns, t->rtasks);
    }
    rk_str_add(out, "]");
}

void rk_trace_view(rk_str *out, const rk_trace *trace)
{
    const rk_schedule *schedule = trace->schedule;
    const rk_sim *sim = trace->sim;
    rk_str_add(out, "{");
    add_member(out, "graph", schedule->graph);
    rk_str_add(out, ",");
    add_member(out, "policy", schedule->policy);
    rk_str_add(out, ",");
    add_member(out, "device", schedule->device);
    rk_str_addf(out, ",\"veus\":%u,\"threads\":%d,\"programs\":%zu,\"utilisation\":%.4f", sim->veus,
                schedule->veu_threads, schedule->program_count, sim->utilisation);
    rk_str_addf(out, ",\"bound\":{\"work\":%.6g,\"path\":%.6g,\"bytes\":%.6g,\"total\":%.6g}",
                trace->bound.work_ns, trace->bound.path_ns, trace->bound.bytes_ns,
                trace->bound.total_ns);
    add_times(out, "times", &sim->times);
    add_times(out, "path", &sim->path);
    add_tried(out, trace->problem->tries);
    add_nodes(out, trace);
    rk_str_add(out, ",\n");
    add_events(out, sim->events, sim->event_count);
    add_measured(out, trace->measured);
    add_waits(out, rk_schedule_plain(schedule, out->arena));
    rk_str_add(out, ",\n\"critical\":[");
    for (size_t i = 0; i < sim->critical_count; i++)
        rk_str_addf(out, "%s%u", i ? "," : "", sim->critical[i]);
    rk_str_add(out, "]}");
}
