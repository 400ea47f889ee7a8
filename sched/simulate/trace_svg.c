#include "sched/simulate/trace.h"

#include "sched/simulate/trace_events.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The timeline as a picture: some of the vEUs in rows, a colour for each operator, the waits as thin lines. */

enum { WIDTH = 960, LEFT = 64, RIGHT = 16, MOST_ROWS = 40, MOST_ROW = 18, ALL_ROWS = 320, HEAD = 30, AXIS = 24, LINE = 18 };

typedef struct {
    rk_str *out;
    const rk_trace *trace;
    const char **kinds; /**< what is coloured apart: the operators, or the kernels where all nodes have one operator */
    size_t *kind_of;    /**< by node */
    double *sums;       /**< by kind: time of its rTasks, simulated */
    size_t kind_count;
    uint32_t rows;
    double row_height, ns; /**< ns: that the width stands for */
    double y;              /**< top of what comes next */
} picture;

static const char *name_of(const rk_trace *trace, rk_id node, bool kernels)
{
    const rk_node *n = &trace->problem->graph->nodes[node];
    return kernels ? trace->problem->candidates->nodes[node].items[trace->schedule->selected[node]].kernel->id
                   : n->op_name ? n->op_name
                                : "kernel";
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void find_kinds(picture *p, bool kernels)
{
    const size_t nodes = p->trace->problem->graph->node_count;
    size_t kept = 0;
    for (rk_id i = 0; i < nodes; i++)
        p->kinds[i] = name_of(p->trace, i, kernels);
    qsort(p->kinds, nodes, sizeof *p->kinds, by_name);
    for (size_t i = 0; i < nodes; i++)
        if (i == 0 || strcmp(p->kinds[i], p->kinds[kept - 1]) != 0)
            p->kinds[kept++] = p->kinds[i];
    p->kind_count = kept;
    for (rk_id i = 0; i < nodes; i++) {
        const char *name = name_of(p->trace, i, kernels);
        const char **at = bsearch(&name, p->kinds, kept, sizeof *p->kinds, by_name);
        p->kind_of[i] = (size_t)(at - p->kinds);
    }
}

static uint32_t veu_of(const picture *p, uint32_t row)
{
    return (uint32_t)((uint64_t)row * p->trace->sim->veus / p->rows);
}

static double x_of(const picture *p, double ns)
{
    return LEFT + ns / p->ns * (WIDTH - LEFT - RIGHT);
}

/** 1, 2 or 5 times a power of ten: the least that is at least `raw`. */
static double round_up(double raw)
{
    const double power = pow(10, floor(log10(raw)));
    return power * (raw <= power ? 1 : raw <= 2 * power ? 2 : raw <= 5 * power ? 5 : 10);
}

static void add_label(rk_str *out, double x, double y, const char *anchor, const char *colour, const char *text)
{
    rk_str_addf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">", x, y, anchor, colour);
    for (const char *c = text; *c; c++)
        rk_str_add(out, *c == '<' ? "&lt;" : *c == '&' ? "&amp;" : (char[]){*c, 0});
    rk_str_add(out, "</text>\n");
}

static const char *colour_of(const picture *p, size_t kind)
{
    return rk_arena_printf(p->out->arena, "hsl(%zu,55%%,52%%)", kind * 360 / p->kind_count);
}

/** A span of a row that is being drawn: what follows at once in the same row becomes part of it. */
typedef struct {
    double from, to;
} span;

static void end_span(rk_str *out, span *s, double y)
{
    if (s->to > s->from)
        rk_str_addf(out, "M%.1f %.1fh%.1f", s->from, y, fmax(s->to - s->from, 0.3));
    *s = (span){0, 0};
}

typedef struct {
    const rk_sim_event *event;
    uint32_t row;
} drawn;

static int by_row(const void *a, const void *b)
{
    const drawn *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->event->start > y->event->start) - (x->event->start < y->event->start);
}

/** One colour's rTasks of all rows, or with the kind `kind_count` the waits, as one path. */
static void add_path(const picture *p, const drawn *events, size_t count, size_t kind)
{
    const bool waits = kind == p->kind_count;
    rk_str *out = p->out;
    rk_str_addf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\" d=\"", waits ? "#c3c9d2" : colour_of(p, kind),
                waits ? fmax(1, p->row_height * 0.2) : p->row_height > 4 ? p->row_height - 1.5 : p->row_height);
    span open = {0, 0};
    uint32_t row = 0;
    for (size_t i = 0; i < count; i++) {
        const rk_sim_event *e = events[i].event;
        const bool ours = waits ? e->kind == RK_SIM_WAIT : e->kind == RK_SIM_WORK && p->kind_of[e->task.op] == kind;
        if (!ours)
            continue;
        const double from = x_of(p, e->start), to = x_of(p, e->end);
        if (events[i].row != row || from > open.to + 0.25) {
            end_span(out, &open, p->y + (row + 0.5) * p->row_height);
            open.from = from;
            row = events[i].row;
        }
        open.to = fmax(open.to, to);
    }
    end_span(out, &open, p->y + (row + 0.5) * p->row_height);
    rk_str_add(out, "\"/>\n");
}

static void add_axes(picture *p)
{
    const double bottom = p->y + p->rows * p->row_height;
    const double tick = round_up(p->ns / 8);
    for (double t = 0; t <= p->ns; t += tick) {
        rk_str_addf(p->out, "<path stroke=\"#d9dee5\" d=\"M%.1f %.1fV%.1f\"/>\n", x_of(p, t), p->y, bottom + 4);
        add_label(p->out, x_of(p, t), bottom + 16, "middle", "#66707f", rk_arena_printf(p->out->arena, "%g us", t / 1000));
    }
    const uint32_t step = (uint32_t)fmax(1, round_up(14 / p->row_height));
    for (uint32_t r = 0; r < p->rows; r += step)
        add_label(p->out, LEFT - 6, p->y + (r + 0.5) * p->row_height + 4, "end", "#66707f",
                  rk_arena_printf(p->out->arena, "%s%u", r ? "" : "vEU ", veu_of(p, r)));
}

static void add_run(picture *p, const char *title, const rk_sim_event *events, size_t count)
{
    drawn *shown = RK_NEW_ARRAY(p->out->arena, drawn, count + 1);
    uint32_t *row_of = RK_NEW_ARRAY(p->out->arena, uint32_t, p->trace->sim->veus);
    size_t kept = 0;
    memset(row_of, 0xff, p->trace->sim->veus * sizeof *row_of);
    for (uint32_t r = 0; r < p->rows; r++)
        row_of[veu_of(p, r)] = r;
    for (size_t i = 0; i < count; i++)
        if (events[i].kind != RK_SIM_LAUNCH && row_of[events[i].veu] != UINT32_MAX)
            shown[kept++] = (drawn){&events[i], row_of[events[i].veu]};
    qsort(shown, kept, sizeof *shown, by_row);
    add_label(p->out, LEFT, p->y + 12, "start", "#1c2430", title);
    p->y += LINE;
    add_axes(p);
    for (size_t k = 0; k <= p->kind_count; k++)
        add_path(p, shown, kept, k);
    p->y += p->rows * p->row_height + AXIS + 8;
}

static void add_legend(picture *p)
{
    double all = 0, x = LEFT;
    for (size_t k = 0; k < p->kind_count; k++)
        all += p->sums[k];
    for (size_t k = 0; k < p->kind_count; k++) {
        const char *text = rk_arena_printf(p->out->arena, "%s %.1f%%", p->kinds[k], 100 * p->sums[k] / fmax(all, 1));
        const double width = 26 + 6.6 * (double)strlen(text);
        if (x + width > WIDTH - RIGHT) {
            x = LEFT;
            p->y += LINE;
        }
        rk_str_addf(p->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\" rx=\"2\" fill=\"%s\"/>\n", x, p->y + 3,
                    colour_of(p, k));
        add_label(p->out, x + 15, p->y + 12, "start", "#1c2430", text);
        x += width;
    }
    p->y += LINE;
}

void rk_trace_svg(rk_str *out, const rk_trace *trace)
{
    const rk_sim *sim = trace->sim;
    const rk_measured *m = trace->measured;
    const size_t nodes = trace->problem->graph->node_count;
    rk_str body = {.arena = out->arena};
    picture p = {.out = &body, .trace = trace, .y = HEAD};
    p.kinds = RK_NEW_ARRAY(out->arena, const char *, nodes + 1);
    p.kind_of = RK_NEW_ARRAY(out->arena, size_t, nodes + 1);
    find_kinds(&p, false);
    if (p.kind_count < 2)
        find_kinds(&p, true);
    p.sums = RK_NEW_ARRAY(out->arena, double, p.kind_count + 1);
    for (size_t i = 0; i < sim->event_count; i++)
        if (sim->events[i].kind == RK_SIM_WORK)
            p.sums[p.kind_of[sim->events[i].task.op]] += sim->events[i].end - sim->events[i].start;
    p.rows = sim->veus < MOST_ROWS ? sim->veus : MOST_ROWS;
    p.row_height = fmin(MOST_ROW, (double)ALL_ROWS / p.rows);
    p.ns = fmax(1, fmax(sim->times.makespan_ns, m ? m->end_ns : 0));
    add_run(&p, rk_arena_printf(out->arena, "simulated: %.1f us", sim->times.makespan_ns / 1000), sim->events, sim->event_count);
    if (m)
        add_run(&p, rk_arena_printf(out->arena, "measured on %s: %.1f us", m->device, m->end_ns / 1000), m->events, m->count);
    add_legend(&p);
    rk_str_addf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" "
                "font-family=\"system-ui, sans-serif\" font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                WIDTH, p.y + 8);
    rk_str_add(out, "<g font-size=\"14\" font-weight=\"600\">");
    add_label(out, LEFT, 20, "start", "#1c2430",
              rk_arena_printf(out->arena, "%s: %s on %s, %u vEUs%s", trace->schedule->graph, trace->schedule->policy,
                              trace->schedule->device, sim->veus,
                              sim->veus > p.rows ? rk_arena_printf(out->arena, ", %u of them shown", p.rows) : ""));
    rk_str_add(out, "</g>\n");
    rk_str_add(out, rk_str_text(&body));
    rk_str_add(out, "</svg>\n");
}
