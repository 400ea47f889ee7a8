#include "tests/proof/mutants/random_schedule.h"

#include "sched/policies/policy.h"
#include "sched/schedule/deps.h"

#include <assert.h>
#include <string.h>

enum { ELEMENTS = 8 }; /* of a tensor that is no view */

uint32_t pick(rng *r, uint32_t below)
{
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((r->state >> 33) % below);
}

/* Access ranges. */

static const rk_block_expr *linear(rk_arena *arena, int at, int by_x, int by_y)
{
    static const rk_env no_names;
    rk_diag *diag = rk_diag_new(arena);
    const char *text = rk_arena_printf(arena, "%d + %d * bx + %d * by", at, by_x, by_y);
    const rk_expr *e = rk_expr_parse(text, (rk_place){0}, arena, diag);
    const rk_block_expr *compiled = e ? rk_block_expr_compile(e, &no_names, arena, diag) : NULL;
    assert(compiled);
    return compiled;
}

static const rk_access *access_of(const use *u, rk_arena *arena)
{
    if (u->rank == 0)
        return NULL;
    rk_access *access = RK_NEW(arena, rk_access);
    access->rank = u->rank;
    for (int d = 0; d < u->rank; d++) {
        const span *s = &u->dims[d];
        access->dims[d].extent = s->extent;
        if (s->length == 0)
            continue;
        access->dims[d].first = linear(arena, s->at, s->by_x, s->by_y);
        access->dims[d].end = linear(arena, s->at + s->length, s->by_x + s->grow, s->by_y);
    }
    return access;
}

void install_model(rk_candidate *candidate, const model *m, rk_arena *arena)
{
    candidate->grid[0] = m->grid_x;
    candidate->grid[1] = m->grid_y;
    candidate->grid[2] = 1;
    rk_kernel *kernel = RK_NEW(arena, rk_kernel);
    *kernel = (rk_kernel){.id = "made", .name = "made", .uses = {.ordered = m->ordered}};
    candidate->kernel = kernel;
    if (!m->ranged)
        return;
    rk_param *params = RK_NEW_ARRAY(arena, rk_param, m->use_count);
    rk_kernel_arg *args = RK_NEW_ARRAY(arena, rk_kernel_arg, m->use_count);
    const rk_access **access = RK_NEW_ARRAY(arena, const rk_access *, m->use_count);
    for (size_t i = 0; i < m->use_count; i++) {
        const use *u = &m->uses[i];
        params[i] = (rk_param){.name = rk_arena_printf(arena, "p%zu", i),
                               .type = u->write ? "float *" : "const float *",
                               .dtype = RK_F32,
                               .pointer = true,
                               .role = !u->write ? RK_ROLE_READ
                                       : u->read ? RK_ROLE_BOTH
                                                 : RK_ROLE_WRITTEN};
        args[i] = (rk_kernel_arg){.tensor = u->tensor};
        access[i] = access_of(u, arena);
    }
    kernel->params = params;
    kernel->param_count = m->use_count;
    candidate->args = args;
    candidate->access = access;
}

/** Splits a tensor over the rTasks: chunks, every g-th element, or tiles where the grid is a plane. */
static void random_write(use *u, const model *m, int elements, rng *r)
{
    if (m->grid_y > 1) {
        int wide = elements / m->grid_y;
        u->rank = 2;
        u->dims[0] = (span){m->grid_y, 0, 0, 1, 1, 0};
        u->dims[1] = (span){wide, 0, wide / m->grid_x, 0, wide / m->grid_x, 0};
    } else if (pick(r, 3) == 0) {
        u->rank = 2;
        u->dims[0] = (span){.extent = elements / m->grid_x};
        u->dims[1] = (span){m->grid_x, 0, 1, 0, 1, 0};
    } else {
        u->rank = 1;
        u->dims[0] = (span){elements, 0, elements / m->grid_x, 0, elements / m->grid_x, 0};
    }
}

void random_read(use *u, const model *m, int elements, rng *r)
{
    int chunk = elements / m->grid_x;
    u->rank = 1;
    switch (pick(r, 8)) {
    case 0:
        u->rank = 0;
        break;
    case 1:
        u->dims[0] = (span){elements, -1, chunk, 0, chunk + 2, 0};
        break;
    case 2:
        u->dims[0] = (span){elements, elements - chunk, -chunk, 0, chunk, 0};
        break;
    case 3:
        u->dims[0] = (span){elements, (int)pick(r, 4), 1, 1, 1 + (int)pick(r, 3), 0};
        break;
    case 4:
        u->rank = 2;
        u->dims[0] = (span){.extent = 2};
        u->dims[1] = (span){elements / 2, 0, 1, 1, 1, 0};
        break;
    case 5:
        u->dims[0] = (span){.extent = elements, .length = elements, .grow = -chunk};
        break;
    default:
        random_write(u, m, elements, r);
    }
}

/* Graphs. */

static int elements_of(const fixture *f, rk_id tensor)
{
    return (int)rk_tensor_elements(&f->graph->tensors[tensor]);
}

static model random_model(const fixture *f, rk_id node, rng *r)
{
    static const int grids[][2] = {{1, 1}, {2, 1}, {4, 1}, {2, 2}};
    const rk_node *n = &f->graph->nodes[node];
    model m = {.ranged = pick(r, 4) != 0};
    uint32_t grid = pick(r, 4);
    m.grid_x = m.ranged ? grids[grid][0] : 1 + (int)pick(r, 3);
    m.grid_y = m.ranged ? grids[grid][1] : 1;
    bool in_place = n->inputs[0] == n->outputs[0];
    bool joined = in_place && pick(r, 2);
    for (size_t i = 0; i < n->input_count; i++) {
        use *u = &m.uses[m.use_count++];
        *u = (use){.tensor = n->inputs[i], .read = true, .write = i == 0 && joined};
        if (!m.ranged)
            continue;
        if (i == 0 && in_place)
            random_write(u, &m, elements_of(f, u->tensor), r);
        else
            random_read(u, &m, elements_of(f, u->tensor), r);
    }
    if (!joined) {
        use *u = &m.uses[m.use_count++];
        *u = (use){.tensor = n->outputs[0], .write = true};
        if (in_place && m.ranged && pick(r, 4)) {
            u->rank = m.uses[0].rank;
            memcpy(u->dims, m.uses[0].dims, sizeof u->dims);
        } else if (m.ranged && pick(r, 8)) {
            random_write(u, &m, elements_of(f, u->tensor), r);
        }
    }
    return m;
}

static void add_candidates(instance *in, rk_id node, rng *r)
{
    fixture *f = in->f;
    size_t count = 1 + pick(r, MOST_CANDIDATES);
    for (size_t i = 0; i < count; i++) {
        model *m = &in->models[node][i];
        *m = random_model(f, node, r);
        uint32_t rtasks = (uint32_t)(m->grid_x * m->grid_y);
        rk_candidate *c = fixture_candidate(f, node, rtasks, 500 + pick(r, 1500));
        c->block[0] = 64 << pick(r, 2);
        c->demand = (rk_demand){.threads = (int)c->block[0],
                                .registers = 32 << pick(r, 2),
                                .shared = 1024 * pick(r, 3)};
        m->ordered = pick(r, 4) == 0;
        install_model(c, m, f->arena);
    }
}

static rk_id add_node(instance *in, rk_id a, rk_id b, rk_id out, rng *r)
{
    rk_graph *g = in->f->graph;
    rk_id inputs[] = {a, b};
    const char *name = rk_arena_printf(in->f->arena, "n%zu", g->node_count);
    rk_id node = rk_graph_node(g, name, "Add", inputs, a == b ? 1 : 2, &out, 1);
    add_candidates(in, node, r);
    return node;
}

/** What nodes may read so far. */
typedef struct {
    rk_id items[4 * MOST_NODES];
    uint32_t count;
    uint32_t shape; /**< 0: a chain; 1: a fan; else anything */
} sources;

static rk_id pick_source(const sources *s, rng *r)
{
    if (s->shape == 0)
        return s->items[s->count - 1];
    return s->items[s->shape == 1 ? pick(r, s->count < 3 ? s->count : 3) : pick(r, s->count)];
}

static rk_id add_tensor(instance *in, sources *s, rng *r)
{
    fixture *f = in->f;
    int64_t elements = ELEMENTS;
    rk_id t = rk_graph_tensor(f->graph, rk_arena_printf(f->arena, "t%zu", f->graph->tensor_count),
                              RK_F32, 1, &elements);
    s->items[s->count++] = t;
    if (pick(r, 4) == 0) {
        int64_t half = ELEMENTS / 2;
        s->items[s->count++] =
            rk_graph_view(f->graph, rk_arena_printf(f->arena, "t%zu", f->graph->tensor_count), t, 1,
                          &half, pick(r, 2) ? half : 0);
    }
    return t;
}

/** Two nodes write the halves of a new tensor, as a concatenation without copies does. */
static void add_halves(instance *in, sources *s, rng *r)
{
    fixture *f = in->f;
    int64_t half = ELEMENTS / 2;
    int64_t elements = ELEMENTS;
    rk_id t = rk_graph_tensor(f->graph, rk_arena_printf(f->arena, "t%zu", f->graph->tensor_count),
                              RK_F32, 1, &elements);
    for (int64_t at = 0; at < elements; at += half) {
        rk_id view = rk_graph_view(
            f->graph, rk_arena_printf(f->arena, "t%zu", f->graph->tensor_count), t, 1, &half, at);
        add_node(in, pick_source(s, r), pick_source(s, r), view, r);
    }
    s->items[s->count++] = t;
}

static bool is_intermediate(const rk_graph *g, rk_id tensor)
{
    return g->tensors[tensor].base == tensor && tensor != g->inputs[0] && !g->tensors[tensor].data;
}

static void add_some(instance *in, sources *s, rng *r)
{
    rk_id a = pick_source(s, r);
    rk_id b = s->shape < 2 && pick(r, 2) ? a : pick_source(s, r);
    if (in->f->graph->node_count + 2 <= MOST_NODES && pick(r, 8) == 0)
        add_halves(in, s, r);
    else if (is_intermediate(in->f->graph, a) && pick(r, 5) == 0)
        add_node(in, a, b, a, r);
    else
        add_node(in, a, b, add_tensor(in, s, r), r);
}

/** What no node reads is an output; now and then, so is something that one reads. */
static void add_outputs(rk_graph *g, rng *r)
{
    for (rk_id t = 0; t < g->tensor_count; t++) {
        bool read = !is_intermediate(g, t);
        for (rk_id n = 0; n < g->node_count; n++)
            for (size_t i = 0; i < g->nodes[n].input_count; i++)
                read = read || g->tensors[g->nodes[n].inputs[i]].base == t;
        if (g->tensors[t].base == t && (!read || (is_intermediate(g, t) && pick(r, 10) == 0)))
            rk_graph_output(g, t);
    }
}

instance *instance_new(rng *r)
{
    static const float constant[ELEMENTS];
    fixture *f = fixture_new(1 + (int)pick(r, MOST_VEUS));
    instance *in = RK_NEW(f->arena, instance);
    in->f = f;
    f->device->shared_reserved = 1024 * pick(r, 2);
    f->device->max_threads_per_sm = 512;
    f->device->max_blocks_per_sm = 1 + (int)pick(r, 3);
    sources s = {.shape = pick(r, 4)};
    int64_t elements = ELEMENTS;
    if (pick(r, 4) == 0)
        s.items[s.count++] = rk_graph_constant(f->graph, "w", RK_F32, 1, &elements, constant);
    rk_id x = rk_graph_tensor(f->graph, "x", RK_F32, 1, &elements);
    rk_graph_input(f->graph, x);
    s.items[s.count++] = x;
    size_t nodes = 3 + pick(r, MOST_NODES - 2);
    while (f->graph->node_count < nodes)
        add_some(in, &s, r);
    add_outputs(f->graph, r);
    fixture_problem(f);
    f->problem.max_veus = MOST_VEUS;
    return in;
}

/* Schedules. */

static rng *random_source; /* a policy is given no data of its own */

/** Any placement that is right: random kernels and vEUs, now and then a new rProgram. */
static void place(rk_builder *b, const rk_problem *problem, bool by_rtask)
{
    rng *r = random_source;
    rk_deps deps;
    rk_deps_build(&deps, problem, problem->graph->arena);
    for (rk_id n = 0; n < problem->graph->node_count; n++) {
        if (pick(r, 5) == 0)
            rk_begin_rprogram(b);
        uint32_t candidate = pick(r, (uint32_t)problem->candidates->nodes[n].count);
        rk_select(b, n, candidate);
        const rk_node_deps *of = rk_deps_node(&deps, n, rk_builder_selected(b));
        for (uint32_t t = 0; t < problem->candidates->nodes[n].items[candidate].rtasks; t++) {
            uint32_t veu = pick(r, rk_builder_veus(b));
            size_t count = deps.first[n + 1] - deps.first[n];
            const rk_rtask_range *before =
                by_rtask ? rk_deps_of(of, t, &count) : &deps.ranges[deps.first[n]];
            rk_wait(b, (rk_rtask){n, t}, veu, before, count);
            rk_append(b, (rk_rtask){n, t}, veu);
        }
    }
}

static bool place_by_rtask(rk_builder *b, const rk_problem *problem, rk_diag *diag)
{
    (void)diag;
    place(b, problem, true);
    return true;
}

/** Waits for whole nodes, all of what the graph asks. */
static bool place_by_node(rk_builder *b, const rk_problem *problem, rk_diag *diag)
{
    (void)diag;
    place(b, problem, false);
    return true;
}

static const rk_policy random_policies[] = {{.name = "random", .run = place_by_rtask},
                                            {.name = "random-whole", .run = place_by_node}};
enum { RANDOM_POLICIES = 2, RANDOM_TURNS = 6 };

/** The random ones come more often than each of the project's. */
static const rk_policy *policy_of(uint32_t number)
{
    number %= (uint32_t)rk_policy_count + RANDOM_TURNS;
    return number < rk_policy_count ? rk_policies[number]
                                    : &random_policies[number % RANDOM_POLICIES];
}

const char *instance_policy(uint32_t policy)
{
    return policy_of(policy)->name;
}

/** Little effort is enough for so few rTasks. */
static void limit_effort(int64_t *options, const rk_policy *policy)
{
    static const struct {
        const char *name;
        int64_t value;
    } limits[] = {{"effort", 1}, {"moves", 5}, {"steps", 500}};
    for (size_t o = 0; policy->options && policy->options[o].name; o++)
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
            if (strcmp(policy->options[o].name, limits[i].name) == 0)
                options[o] = limits[i].value;
}

rk_schedule *instance_schedule(instance *in, uint32_t policy, rng *r)
{
    int64_t options[RK_POLICY_MAX_OPTIONS] = {0};
    const rk_policy *by = policy_of(policy);
    rk_policy_defaults(options, by);
    limit_effort(options, by);
    random_source = r;
    rk_problem given = in->f->problem;
    given.options = options;
    rk_schedule *s = rk_schedule_run(by, &given, in->f->arena, in->f->diag);
    return s && pick(r, 3) == 0 ? (rk_schedule *)(uintptr_t)rk_schedule_plain(s, in->f->arena) : s;
}
