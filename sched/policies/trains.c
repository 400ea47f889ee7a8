#include "sched/policies/trains.h"

#include "sched/policies/policy_steps.h"
#include "sched/schedule/deps.h"

#include <stdlib.h>
#include <string.h>

enum {
    /** Operators of a train, and choices of their kernels, at most. */
    TRAIN_MOST = 8,
    CHOICES_MOST = 8
};

/** A train, or a node by itself. Choice k runs member m with candidate choices[k][m]. */
typedef struct {
    rk_id members[TRAIN_MOST];
    uint32_t count;
    uint32_t choices[CHOICES_MOST][TRAIN_MOST];
    uint32_t choice_count;
} train;

struct rk_trains {
    const rk_problem *problem;
    rk_problem contracted;
    train *trains; /**< by node of the contracted problem */
    size_t count;
};

/** Trains being found. */
typedef struct {
    const rk_problem *problem;
    rk_deps *deps;
    uint32_t veus;
    train *trains;
    size_t count;
    uint32_t *train_of;  /**< by node */
    const rk_edge *into; /**< the edges into the node in question, that from the last node last */
    size_t into_count;
    uint32_t *selected; /**< by node, for rk_deps_node */
} finder;

static const rk_candidate *candidate_of(const finder *f, rk_id node, uint32_t candidate)
{
    return &f->problem->candidates->nodes[node].items[candidate];
}

/* Which operators can run one behind another. */

static bool is_member(const train *t, rk_id node)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (t->members[i] == node)
            return true;
    return false;
}

/** The train of the last node that `node` depends on, where it ends the train and all others come before its first; else NULL. */
static train *train_before(const finder *f)
{
    if (f->into_count == 0)
        return NULL;
    const rk_id last = f->into[f->into_count - 1].from;
    train *t = &f->trains[f->train_of[last]];
    if (t->count == TRAIN_MOST || t->members[t->count - 1] != last)
        return NULL;
    for (size_t i = 0; i < f->into_count; i++)
        if (f->into[i].from >= t->members[0] && !is_member(t, f->into[i].from))
            return NULL;
    return t;
}

static bool same_grid(const rk_candidate *a, const rk_candidate *b)
{
    return memcmp(a->grid, b->grid, sizeof a->grid) == 0 && !rk_candidate_is_ordered(a) &&
           !rk_candidate_is_ordered(b);
}

/** Whether each rTask of the node needs of the train the rTask of its own number at most, as `selected` has it. */
static bool follows(const finder *f, const train *t, rk_id node)
{
    const uint32_t rtasks = candidate_of(f, node, f->selected[node])->rtasks;
    if (rtasks == 1)
        return true;
    const rk_node_deps *deps = rk_deps_node(f->deps, node, f->selected);
    for (uint32_t r = 0; r < rtasks; r++) {
        size_t count;
        const rk_rtask_range *before = rk_deps_of(deps, r, &count);
        for (size_t i = 0; i < count; i++)
            if (is_member(t, before[i].op) && (before[i].first != r || before[i].count != 1))
                return false;
    }
    return true;
}

/** Adds to `out` the choice with one more member, where that can follow. */
static void extend_choice(train *out, finder *f, const train *t, uint32_t choice, rk_id node,
                          uint32_t candidate)
{
    if (out->choice_count == CHOICES_MOST ||
        !same_grid(candidate_of(f, t->members[0], t->choices[choice][0]),
                   candidate_of(f, node, candidate)))
        return;
    for (uint32_t m = 0; m < t->count; m++)
        f->selected[t->members[m]] = t->choices[choice][m];
    f->selected[node] = candidate;
    if (!follows(f, t, node))
        return;
    uint32_t *to = out->choices[out->choice_count++];
    memcpy(to, t->choices[choice], t->count * sizeof *to);
    to[t->count] = candidate;
}

/** Whether a choice has the fastest kernels of all members. */
static bool keeps_fastest(const finder *f, const train *t)
{
    for (uint32_t k = 0; k < t->choice_count; k++) {
        uint32_t m = 0;
        while (m < t->count &&
               t->choices[k][m] == rk_fastest_kernel(f->problem, t->members[m], f->veus))
            m++;
        if (m == t->count)
            return true;
    }
    return false;
}

/** Puts the node at the end of the train, where it can follow without slower kernels. */
static bool append(finder *f, train *t, rk_id node)
{
    train longer = *t;
    longer.choice_count = 0;
    longer.members[longer.count++] = node;
    for (uint32_t k = 0; k < t->choice_count; k++)
        for (uint32_t c = 0; c < f->problem->candidates->nodes[node].count; c++)
            extend_choice(&longer, f, t, k, node, c);
    for (uint32_t m = 0; m < longer.count; m++)
        f->selected[longer.members[m]] =
            rk_fastest_kernel(f->problem, longer.members[m], f->veus);
    if (!keeps_fastest(f, &longer))
        return false;
    *t = longer;
    f->train_of[node] = (uint32_t)(t - f->trains);
    return true;
}

/** A train of one, with those of its candidates that fit the choices, the fastest one among them. */
static void begin_train(finder *f, rk_id node)
{
    train *t = &f->trains[f->count];
    const size_t count = f->problem->candidates->nodes[node].count;
    const uint32_t fastest = rk_fastest_kernel(f->problem, node, f->veus);
    f->train_of[node] = (uint32_t)f->count++;
    *t = (train){.members = {node}, .count = 1};
    t->choices[t->choice_count++][0] = fastest;
    for (uint32_t c = 0; c < count && t->choice_count < CHOICES_MOST; c++)
        if (c != fastest)
            t->choices[t->choice_count++][0] = c;
}

/* The problem with trains as nodes. */

/** Copies a list to the end of another, but for what is in `without`. */
static size_t add_operands(rk_id *out, size_t at, const rk_id *ids, size_t count,
                           const rk_id *without, size_t without_count)
{
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < without_count && without[k] != ids[i])
            k++;
        if (k == without_count)
            out[at++] = ids[i];
    }
    return at;
}

/** All that the members read from outside and write. */
static rk_node make_node(const rk_graph *graph, const train *t, rk_arena *arena)
{
    size_t inputs = 0, outputs = 0;
    for (uint32_t m = 0; m < t->count; m++) {
        inputs += graph->nodes[t->members[m]].input_count;
        outputs += graph->nodes[t->members[m]].output_count;
    }
    rk_id *in = RK_NEW_ARRAY(arena, rk_id, inputs + 1);
    rk_id *out = RK_NEW_ARRAY(arena, rk_id, outputs + 1);
    rk_node node = graph->nodes[t->members[0]];
    node.input_count = node.output_count = 0;
    node.inputs = in;
    node.outputs = out;
    for (uint32_t m = 0; m < t->count; m++) {
        const rk_node *from = &graph->nodes[t->members[m]];
        node.input_count = add_operands(in, node.input_count, from->inputs, from->input_count, out,
                                        node.output_count);
        node.output_count =
            add_operands(out, node.output_count, from->outputs, from->output_count, NULL, 0);
    }
    return node;
}

/** Adds a member's parameters, arguments and boxes to those before it. */
static void add_member(rk_kernel *kernel, rk_candidate *to, const rk_candidate *from,
                       size_t capacity, rk_arena *arena)
{
    if (!kernel->params) {
        kernel->params = RK_NEW_ARRAY(arena, rk_param, capacity + 1);
        to->args = RK_NEW_ARRAY(arena, rk_kernel_arg, capacity + 1);
        to->access = RK_NEW_ARRAY(arena, const rk_access *, capacity + 1);
    }
    rk_param *params = (rk_param *)kernel->params;
    rk_kernel_arg *args = (rk_kernel_arg *)to->args;
    const rk_access **access = (const rk_access **)to->access;
    for (size_t p = 0; p < from->kernel->param_count; p++, kernel->param_count++) {
        params[kernel->param_count] = from->kernel->params[p];
        args[kernel->param_count] = from->args[p];
        access[kernel->param_count] = from->access ? from->access[p] : NULL;
    }
}

/** Adds a member's time: each takes its place behind the others, and what it shares is that of the longest. */
static void add_time(rk_candidate *to, const rk_candidate *from, double overhead, double *longest)
{
    rk_rtask_parts parts = from->parts;
    if (parts.fixed_ns + parts.stream_ns <= 0)
        parts.fixed_ns = from->rtask_ns;
    to->parts.fixed_ns += parts.fixed_ns + overhead;
    if (parts.stream_ns > *longest) {
        to->parts.fixed_ns += *longest;
        *longest = to->parts.stream_ns = parts.stream_ns;
        to->parts.bytes = parts.bytes;
        to->parts.from = parts.from;
    } else {
        to->parts.fixed_ns += parts.stream_ns;
    }
    to->rtask_ns += from->rtask_ns + overhead;
}

static rk_candidate make_candidate(const finder *f, const train *t, const uint32_t *choice,
                                   rk_arena *arena)
{
    rk_candidate out = *candidate_of(f, t->members[0], choice[0]);
    rk_kernel *kernel = RK_NEW(arena, rk_kernel);
    size_t capacity = 0;
    double longest = 0;
    *kernel = *out.kernel;
    kernel->params = NULL;
    kernel->param_count = 0;
    out.kernel = kernel;
    out.access = NULL;
    out.needs = (rk_rtask_needs){0};
    out.parts = (rk_rtask_parts){0};
    out.rtask_ns = 0;
    for (uint32_t m = 0; m < t->count; m++)
        capacity += candidate_of(f, t->members[m], choice[m])->kernel->param_count;
    for (uint32_t m = 0; m < t->count; m++) {
        const rk_candidate *c = candidate_of(f, t->members[m], choice[m]);
        add_member(kernel, &out, c, capacity, arena);
        add_time(&out, c, m ? f->problem->device->rtask_overhead_ns : 0, &longest);
        out.demand = rk_demand_larger(out.demand, c->demand);
    }
    return out;
}

static int by_end(const void *a, const void *b)
{
    const rk_edge *x = a;
    const rk_edge *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

/** The edges between trains, each once. */
static void make_edges(rk_problem *to, const finder *f, rk_arena *arena)
{
    rk_edge *edges = RK_NEW_ARRAY(arena, rk_edge, f->problem->edge_count + 1);
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < f->problem->edge_count; i++) {
        rk_edge e = f->problem->edges[i];
        e.from = f->train_of[e.from];
        e.to = f->train_of[e.to];
        if (e.from != e.to)
            edges[count++] = e;
    }
    if (count)
        qsort(edges, count, sizeof *edges, by_end);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || by_end(&edges[kept - 1], &edges[i]) != 0)
            edges[kept++] = edges[i];
    to->edges = edges;
    to->edge_count = kept;
}

/** Trains are numbered by their first members, behind all that they depend on. */
static const rk_trains *contract(finder *f, rk_arena *arena)
{
    const rk_problem *problem = f->problem;
    rk_trains *out = RK_NEW(arena, rk_trains);
    rk_graph *graph = rk_arena_copy(arena, problem->graph, sizeof *graph);
    rk_candidates *candidates = RK_NEW(arena, rk_candidates);
    *out = (rk_trains){.problem = problem, .contracted = *problem, .count = f->count};
    out->trains = rk_arena_copy(arena, f->trains, f->count * sizeof *f->trains);
    graph->nodes = RK_NEW_ARRAY(arena, rk_node, f->count + 1);
    graph->node_count = graph->node_capacity = f->count;
    *candidates = (rk_candidates){.nodes = RK_NEW_ARRAY(arena, rk_node_candidates, f->count + 1),
                                  .node_count = f->count};
    for (uint32_t i = 0; i < f->count; i++) {
        const train *t = &f->trains[i];
        if (t->count == 1) {
            graph->nodes[i] = problem->graph->nodes[t->members[0]];
            candidates->nodes[i] = problem->candidates->nodes[t->members[0]];
            continue;
        }
        rk_candidate *items = RK_NEW_ARRAY(arena, rk_candidate, t->choice_count);
        for (uint32_t k = 0; k < t->choice_count; k++)
            items[k] = make_candidate(f, t, t->choices[k], arena);
        graph->nodes[i] = make_node(problem->graph, t, arena);
        candidates->nodes[i] = (rk_node_candidates){items, t->choice_count};
    }
    out->contracted.graph = graph;
    out->contracted.candidates = candidates;
    out->contracted.deps = NULL;
    out->contracted.source = NULL;
    out->contracted.tries = NULL;
    make_edges(&out->contracted, f, arena);
    return out;
}

const rk_trains *rk_trains_find(const rk_problem *problem, uint32_t veus, rk_arena *arena)
{
    const size_t nodes = problem->graph->node_count;
    rk_arena *scratch = rk_arena_new();
    finder f = {.problem = problem,
                .deps = rk_deps_of_problem(problem, scratch),
                .veus = veus,
                .trains = RK_NEW_ARRAY(scratch, train, nodes + 1),
                .train_of = RK_NEW_ARRAY(scratch, uint32_t, nodes + 1),
                .into = problem->edges,
                .selected = RK_NEW_ARRAY(scratch, uint32_t, nodes + 1)};
    const rk_edge *end = problem->edges + problem->edge_count;
    for (rk_id node = 0; node < nodes; node++) {
        f.selected[node] = rk_fastest_kernel(problem, node, veus);
        f.into_count = 0;
        while (f.into + f.into_count < end && f.into[f.into_count].to == node)
            f.into_count++;
        train *t = train_before(&f);
        if (!t || !append(&f, t, node))
            begin_train(&f, node);
        f.into += f.into_count;
    }
    const rk_trains *found = f.count < nodes ? contract(&f, arena) : NULL;
    rk_arena_free(scratch);
    return found;
}

const rk_problem *rk_trains_problem(const rk_trains *trains)
{
    return &trains->contracted;
}

/* Back to the operators themselves. */

/** One vEU's list with each train's rTasks in its place; by step of the contracted list, into `steps`, the step that ends it. */
static void expand_list(rk_veu_list *out, uint32_t *steps, const rk_trains *trains,
                        const rk_veu_list *list, rk_arena *arena)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += list->entries[i].wait_count ? 1 : trains->trains[list->entries[i].task.op].count;
    out->entries = RK_NEW_ARRAY(arena, rk_entry, count + 1);
    out->capacity = count + 1;
    uint32_t done = 0, step = 0;
    for (size_t i = 0; i < list->count; i++) {
        const rk_entry *entry = &list->entries[i];
        if (entry->wait_count) {
            out->entries[out->count++] = *entry;
            continue;
        }
        const train *t = &trains->trains[entry->task.op];
        for (uint32_t m = 0; m < t->count; m++)
            out->entries[out->count++] =
                (rk_entry){.task = {t->members[m], entry->task.index}};
        done += t->count;
        steps[++step] = done;
    }
}

static void expand_program(rk_rprogram *out, const rk_trains *trains, const rk_rprogram *program,
                           uint32_t veus, rk_arena *arena)
{
    rk_arena *scratch = rk_arena_new();
    uint32_t **steps = RK_NEW_ARRAY(scratch, uint32_t *, veus);
    *out = (rk_rprogram){.veus = RK_NEW_ARRAY(arena, rk_veu_list, veus)};
    for (uint32_t v = 0; v < veus; v++) {
        steps[v] = RK_NEW_ARRAY(scratch, uint32_t, program->veus[v].count + 1);
        expand_list(&out->veus[v], steps[v], trains, &program->veus[v], arena);
    }
    out->wait_count = out->wait_capacity = program->wait_count;
    out->waits = rk_arena_copy(arena, program->waits, program->wait_count * sizeof *out->waits);
    for (size_t i = 0; i < out->wait_count; i++)
        if (out->waits[i].veu < veus)
            out->waits[i].step = steps[out->waits[i].veu][out->waits[i].step];
    out->counter_count = out->counter_capacity = program->counter_count;
    out->counters = RK_NEW_ARRAY(arena, rk_id, program->counter_count + 1);
    for (size_t i = 0; i < program->counter_count; i++) {
        const train *t = &trains->trains[program->counters[i]];
        out->counters[i] = t->members[t->count - 1];
    }
    rk_arena_free(scratch);
}

const rk_schedule *rk_trains_expand(const rk_trains *trains, const rk_schedule *schedule,
                                    rk_arena *arena)
{
    rk_schedule *out = rk_arena_copy(arena, schedule, sizeof *schedule);
    out->node_count = trains->problem->graph->node_count;
    out->selected = RK_NEW_ARRAY(arena, uint32_t, out->node_count + 1);
    for (size_t i = 0; i < trains->count; i++) {
        const train *t = &trains->trains[i];
        const uint32_t selected = schedule->selected[i];
        for (uint32_t m = 0; m < t->count; m++)
            out->selected[t->members[m]] = t->count == 1 ? selected : t->choices[selected][m];
    }
    out->programs = RK_NEW_ARRAY(arena, rk_rprogram, schedule->program_count + 1);
    for (size_t i = 0; i < schedule->program_count; i++)
        expand_program(&out->programs[i], trains, &schedule->programs[i], schedule->veu_count,
                       arena);
    return out;
}
