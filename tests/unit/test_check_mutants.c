/*
 * The checker against an explorer that knows nothing of clocks or orders: it runs a small schedule in
 * every interleaving that the waits allow, with every rTask's start and end as separate steps, and
 * looks at what each rTask finds in memory. Schedules are mutated; the two must agree on each.
 */
#include "base/file.h"
#include "sched/check.h"
#include "sched_fixture.h"

#include <string.h>

#include <criterion/criterion.h>

enum { MOST_VEUS = 3, MOST_CELLS = 24, CELL = 256, INSTANCES = 600, MUTANTS = 48 };

/* A generator of its own, so that the tests are the same everywhere. */
static uint64_t seed;

static uint32_t pick(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % below;
}

/* The explorer. */

/** What a piece of memory holds: the node that wrote it last, plus 1, and which of its rTasks have. */
typedef struct {
    uint8_t writer, mask;
} cell;

typedef struct {
    uint8_t program;
    uint8_t at[MOST_VEUS];      /**< next entry */
    uint8_t running[MOST_VEUS]; /**< whether the entry there has started */
    cell cells[MOST_CELLS];
} state;

typedef struct {
    const rk_schedule *schedule;
    const rk_memory *memory;
    const rk_problem *problem;
    uint8_t expected[16][MOST_CELLS]; /**< by node: what each unit of its inputs should hold */
    uint64_t *visited;
    size_t mask, states;
    bool unsafe;
} explorer;

static size_t first_cell(const explorer *e, rk_id tensor)
{
    return (size_t)e->memory->offsets[tensor] / CELL;
}

static size_t cell_count(const explorer *e, rk_id tensor)
{
    return (size_t)rk_tensor_bytes(&e->problem->graph->tensors[tensor]) / CELL;
}

static uint8_t full_mask(const explorer *e, rk_id node)
{
    const rk_candidate *c = &e->problem->candidates->nodes[node].items[e->schedule->selected[node]];
    return (uint8_t)((1u << c->rtasks) - 1);
}

static bool touches(const explorer *e, const rk_id *tensors, size_t count, size_t at)
{
    for (size_t i = 0; i < count; i++)
        if (at >= first_cell(e, tensors[i]) &&
            at < first_cell(e, tensors[i]) + cell_count(e, tensors[i]))
            return true;
    return false;
}

/** Marks what the graph's inputs hold: a writer that no node is. */
enum { GIVEN = 200 };

/** Runs the nodes one after another, buffers apart, for what each should read. */
static void expect(explorer *e)
{
    const rk_graph *g = e->problem->graph;
    uint8_t holds[32][8] = {{0}};
    for (size_t i = 0; i < g->input_count; i++)
        memset(holds[g->inputs[i]], GIVEN, sizeof holds[0]);
    for (rk_id n = 0; n < g->node_count; n++) {
        size_t unit = 0;
        for (size_t i = 0; i < g->nodes[n].input_count; i++) {
            const rk_tensor *t = &g->tensors[g->nodes[n].inputs[i]];
            for (size_t k = 0; k < cell_count(e, g->nodes[n].inputs[i]); k++)
                e->expected[n][unit++] = holds[t->base][(size_t)t->offset / 64 + k];
        }
        for (size_t i = 0; i < g->nodes[n].output_count; i++) {
            const rk_tensor *t = &g->tensors[g->nodes[n].outputs[i]];
            for (size_t k = 0; k < cell_count(e, g->nodes[n].outputs[i]); k++)
                holds[t->base][(size_t)t->offset / 64 + k] = (uint8_t)(n + 1);
        }
    }
}

static const rk_entry *entry_of(const explorer *e, const state *s, uint32_t veu)
{
    const rk_veu_list *list = &e->schedule->programs[s->program].veus[veu];
    return s->at[veu] < list->count ? &list->entries[s->at[veu]] : NULL;
}

static uint32_t steps_done(const explorer *e, const state *s, uint32_t veu)
{
    uint32_t steps = 0;
    for (size_t i = 0; i < s->at[veu]; i++)
        steps += e->schedule->programs[s->program].veus[veu].entries[i].wait_count == 0;
    return steps;
}

/** Whether a started rTask of another node reads or writes the cell. */
static bool in_use(const explorer *e, const state *s, rk_id node, size_t at, bool reads_too)
{
    const rk_graph *g = e->problem->graph;
    for (uint32_t w = 0; w < e->schedule->veu_count; w++) {
        if (!s->running[w])
            continue;
        const rk_node *other = &g->nodes[entry_of(e, s, w)->task.op];
        if (other == &g->nodes[node])
            continue;
        if (touches(e, other->outputs, other->output_count, at) ||
            (reads_too && touches(e, other->inputs, other->input_count, at)))
            return true;
    }
    return false;
}

/** Starts an rTask; false when it finds something wrong in memory. */
static bool start(const explorer *e, state *s, uint32_t veu)
{
    rk_id n = entry_of(e, s, veu)->task.op;
    const rk_node *node = &e->problem->graph->nodes[n];
    size_t unit = 0;
    for (size_t i = 0; i < node->input_count; i++) {
        for (size_t k = 0; k < cell_count(e, node->inputs[i]); k++) {
            size_t at = first_cell(e, node->inputs[i]) + k;
            uint8_t writer = e->expected[n][unit++];
            bool whole = writer == GIVEN || s->cells[at].mask == full_mask(e, writer - 1u);
            if (s->cells[at].writer != writer || !whole || in_use(e, s, n, at, false) ||
                touches(e, node->outputs, node->output_count, at))
                return false;
        }
    }
    for (size_t i = 0; i < node->output_count; i++) {
        for (size_t k = 0; k < cell_count(e, node->outputs[i]); k++) {
            size_t at = first_cell(e, node->outputs[i]) + k;
            if (in_use(e, s, n, at, true))
                return false;
            if (s->cells[at].writer != n + 1)
                s->cells[at] = (cell){(uint8_t)(n + 1), 0};
        }
    }
    s->running[veu] = 1;
    return true;
}

static void finish(const explorer *e, state *s, uint32_t veu)
{
    rk_rtask task = entry_of(e, s, veu)->task;
    const rk_node *node = &e->problem->graph->nodes[task.op];
    for (size_t i = 0; i < node->output_count; i++)
        for (size_t k = 0; k < cell_count(e, node->outputs[i]); k++)
            s->cells[first_cell(e, node->outputs[i]) + k].mask |= (uint8_t)(1u << task.index);
    s->running[veu] = 0;
    s->at[veu]++;
}

static bool visit(explorer *e, const state *s)
{
    uint64_t hash = rk_hash(s, sizeof *s, 1) | 1;
    size_t at = hash & e->mask;
    while (e->visited[at] && e->visited[at] != hash)
        at = (at + 1) & e->mask;
    bool fresh = e->visited[at] == 0;
    e->visited[at] = hash;
    e->states += fresh;
    cr_assert_lt(e->states, e->mask / 2);
    return fresh;
}

static bool outputs_good(const explorer *e, const state *s)
{
    const rk_graph *g = e->problem->graph;
    for (size_t i = 0; i < g->output_count; i++)
        for (rk_id n = 0; n < g->node_count; n++)
            for (size_t o = 0; o < g->nodes[n].output_count; o++)
                for (size_t k = 0;
                     g->nodes[n].outputs[o] == g->outputs[i] && k < cell_count(e, g->outputs[i]);
                     k++) {
                    cell c = s->cells[first_cell(e, g->outputs[i]) + k];
                    if (c.writer != n + 1 || c.mask != full_mask(e, n))
                        return false;
                }
    return true;
}

static void explore(explorer *e, state s)
{
    if (e->unsafe || !visit(e, &s))
        return;
    bool moved = false;
    bool all_done = true;
    for (uint32_t w = 0; w < e->schedule->veu_count && !e->unsafe; w++) {
        const rk_entry *entry = entry_of(e, &s, w);
        if (!entry)
            continue;
        all_done = false;
        state next = s;
        if (entry->wait_count) {
            bool open = true;
            for (uint32_t i = 0; i < entry->wait_count; i++) {
                rk_wait_item item = e->schedule->programs[s.program].waits[entry->wait_first + i];
                open = open && steps_done(e, &s, item.veu) >= item.step;
            }
            if (!open)
                continue;
            next.at[w]++;
        } else if (s.running[w]) {
            finish(e, &next, w);
        } else if (!start(e, &next, w)) {
            e->unsafe = true;
            return;
        }
        moved = true;
        explore(e, next);
    }
    if (all_done && s.program + 1u < e->schedule->program_count) {
        s.program++;
        memset(s.at, 0, sizeof s.at);
        explore(e, s);
    } else if (all_done) {
        e->unsafe = e->unsafe || !outputs_good(e, &s);
    } else if (!moved) {
        e->unsafe = true;
    }
}

/** Each rTask that there is, exactly once. */
static bool complete(const rk_schedule *schedule, const rk_problem *problem)
{
    uint8_t count[16][8] = {{0}};
    for (size_t p = 0; p < schedule->program_count; p++)
        for (uint32_t w = 0; w < schedule->veu_count; w++)
            for (size_t i = 0; i < schedule->programs[p].veus[w].count; i++) {
                rk_entry e = schedule->programs[p].veus[w].entries[i];
                if (!e.wait_count)
                    count[e.task.op][e.task.index]++;
            }
    for (rk_id n = 0; n < problem->graph->node_count; n++)
        for (uint32_t r = 0; r < problem->candidates->nodes[n].items[0].rtasks; r++)
            if (count[n][r] != 1)
                return false;
    return true;
}

static bool is_safe(const rk_schedule *schedule, const rk_memory *memory, const rk_problem *problem)
{
    static uint64_t visited[1 << 20];
    if (!complete(schedule, problem))
        return false;
    memset(visited, 0, sizeof visited);
    explorer e = {.schedule = schedule,
                  .memory = memory,
                  .problem = problem,
                  .visited = visited,
                  .mask = (1 << 20) - 1};
    cr_assert_leq(memory->total_bytes, MOST_CELLS * CELL);
    expect(&e);
    state s;
    memset(&s, 0, sizeof s);
    for (size_t i = 0; i < problem->graph->input_count; i++)
        for (size_t k = 0; k < cell_count(&e, problem->graph->inputs[i]); k++)
            s.cells[first_cell(&e, problem->graph->inputs[i]) + k].writer = GIVEN;
    explore(&e, s);
    return !e.unsafe;
}

/* Instances. */

static fixture *make_instance(void)
{
    fixture *f = fixture_new((int)(2 + pick(MOST_VEUS - 1)));
    rk_id from[32];
    size_t count = 0;
    bool read[32] = {false};
    from[count++] = fixture_tensor(f, "x", 1);
    rk_graph_input(f->graph, from[0]);
    size_t nodes = 3 + pick(3);
    for (size_t n = 0; n < nodes; n++) {
        rk_id in[2] = {from[pick((uint32_t)count)], from[pick((uint32_t)count)]};
        for (size_t i = 0; i < 2; i++)
            read[f->graph->tensors[in[i]].base] = true;
        int64_t units = 1 + pick(2);
        rk_id out = fixture_tensor(f, rk_arena_printf(f->arena, "t%zu", n), units);
        fixture_node(f, rk_arena_printf(f->arena, "n%zu", n), in[0],
                     in[0] == in[1] ? RK_NO_ID : in[1], out, 1 + pick(2), 500 + pick(1000));
        from[count++] = out;
        if (units > 1)
            from[count++] = fixture_view(f, rk_arena_printf(f->arena, "v%zu", n), out,
                                         pick((uint32_t)units), 1);
    }
    for (rk_id t = 0; t < f->graph->tensor_count; t++)
        if (f->graph->tensors[t].base == t && !read[t])
            rk_graph_output(f->graph, t);
    fixture_problem(f);
    return f;
}

/** Any placement: random vEUs, now and then a new rProgram, waits as the graph asks. */
static bool run_random(rk_builder *b, const rk_problem *problem, rk_diag *diag)
{
    (void)diag;
    for (rk_id n = 0; n < problem->graph->node_count; n++) {
        if (pick(4) == 0)
            rk_begin_rprogram(b);
        rk_select(b, n, 0);
        rk_rtask_range before[16];
        size_t count = 0;
        for (size_t i = 0; i < problem->edge_count; i++)
            if (problem->edges[i].to == n)
                before[count++] = (rk_rtask_range){problem->edges[i].from, 0, RK_ALL_RTASKS};
        for (uint32_t r = 0; r < problem->candidates->nodes[n].items[0].rtasks; r++) {
            uint32_t veu = pick(rk_builder_veus(b));
            rk_wait(b, (rk_rtask){n, r}, veu, before, count);
            rk_append(b, (rk_rtask){n, r}, veu);
        }
    }
    return true;
}

static const rk_policy random_policy = {.name = "random", .run = run_random};

/* Mutants. */

/** A copy with room for more entries, in which no two barrier-rTasks share items. */
static rk_schedule *copy_schedule(const rk_schedule *from, rk_arena *arena)
{
    enum { ROOM = 64 };
    rk_schedule *to = rk_arena_copy(arena, from, sizeof *from);
    to->programs = rk_arena_copy(arena, from->programs, from->program_count * sizeof *to->programs);
    for (size_t p = 0; p < to->program_count; p++) {
        rk_rprogram *program = &to->programs[p];
        program->waits = RK_NEW_ARRAY(arena, rk_wait_item, 256);
        program->wait_count = 0;
        program->veus = RK_NEW_ARRAY(arena, rk_veu_list, to->veu_count);
        for (uint32_t w = 0; w < to->veu_count; w++) {
            rk_veu_list *list = &program->veus[w];
            *list = from->programs[p].veus[w];
            list->entries = RK_NEW_ARRAY(arena, rk_entry, ROOM);
            for (size_t i = 0; i < list->count; i++) {
                rk_entry e = from->programs[p].veus[w].entries[i];
                if (e.wait_count) {
                    memcpy(&program->waits[program->wait_count],
                           &from->programs[p].waits[e.wait_first],
                           e.wait_count * sizeof *program->waits);
                    e.wait_first = (uint32_t)program->wait_count;
                    program->wait_count += e.wait_count;
                }
                list->entries[i] = e;
            }
        }
    }
    return to;
}

static void remove_entry(rk_veu_list *list, size_t at)
{
    list->count--;
    memmove(&list->entries[at], &list->entries[at + 1], (list->count - at) * sizeof *list->entries);
}

static void insert_entry(rk_veu_list *list, size_t at, rk_entry entry)
{
    memmove(&list->entries[at + 1], &list->entries[at], (list->count - at) * sizeof *list->entries);
    list->entries[at] = entry;
    list->count++;
}

enum mutation {
    DROP_WAIT,
    DROP_ITEM,
    WEAKEN,
    STRENGTHEN,
    SWAP,
    DUPLICATE,
    DROP,
    MOVE,
    MOVE_WAIT,
    JOIN_PROGRAMS,
    ALIAS,
    MUTATIONS
};

/** A random entry that is, or is not, a barrier-rTask; NULL when a few tries find none. */
static rk_veu_list *pick_entry(rk_schedule *s, size_t *program, size_t *at, bool barrier)
{
    for (int tries = 0; tries < 30; tries++) {
        *program = pick((uint32_t)s->program_count);
        rk_veu_list *list = &s->programs[*program].veus[pick(s->veu_count)];
        if (list->count == 0)
            continue;
        *at = pick((uint32_t)list->count);
        if ((list->entries[*at].wait_count != 0) == barrier)
            return list;
    }
    return NULL;
}

static bool change_wait(rk_schedule *s, enum mutation kind)
{
    size_t p;
    size_t at;
    rk_veu_list *list = pick_entry(s, &p, &at, true);
    if (!list)
        return false;
    rk_entry *e = &list->entries[at];
    rk_wait_item *items = &s->programs[p].waits[e->wait_first];
    uint32_t i = pick(e->wait_count);
    if (kind == STRENGTHEN) {
        items[i].step++;
    } else if (kind == WEAKEN && items[i].step > 1) {
        items[i].step--;
    } else if (kind == DROP_WAIT || e->wait_count == 1) {
        remove_entry(list, at);
    } else {
        items[i] = items[--e->wait_count];
    }
    return true;
}

static bool change_entries(rk_schedule *s, enum mutation kind)
{
    size_t p;
    size_t at;
    rk_veu_list *list = pick_entry(s, &p, &at, kind == MOVE_WAIT);
    if (!list)
        return false;
    rk_entry entry = list->entries[at];
    if (kind == SWAP) {
        if (at + 1 == list->count)
            return false;
        list->entries[at] = list->entries[at + 1];
        list->entries[at + 1] = entry;
        return true;
    }
    if (kind != DUPLICATE)
        remove_entry(list, at);
    if (kind == DROP)
        return true;
    rk_veu_list *to = &s->programs[p].veus[pick(s->veu_count)];
    insert_entry(to, pick((uint32_t)to->count + 1), entry);
    return true;
}

/** Joins two rProgram's lists, waits renumbered: the boundary was all that ordered them. */
static bool join_programs(rk_schedule *s)
{
    if (s->program_count < 2)
        return false;
    rk_rprogram *a = &s->programs[s->program_count - 2];
    const rk_rprogram *b = &s->programs[s->program_count - 1];
    uint32_t steps[MOST_VEUS] = {0};
    for (uint32_t w = 0; w < s->veu_count; w++)
        for (size_t i = 0; i < a->veus[w].count; i++)
            steps[w] += a->veus[w].entries[i].wait_count == 0;
    for (uint32_t w = 0; w < s->veu_count; w++) {
        for (size_t i = 0; i < b->veus[w].count; i++) {
            rk_entry e = b->veus[w].entries[i];
            for (uint32_t k = 0; k < e.wait_count; k++) {
                rk_wait_item item = b->waits[e.wait_first + k];
                item.step += steps[item.veu];
                a->waits[a->wait_count + k] = item;
            }
            e.wait_first = (uint32_t)a->wait_count;
            a->wait_count += e.wait_count;
            insert_entry(&a->veus[w], a->veus[w].count, e);
        }
    }
    s->program_count--;
    return true;
}

/** Whether it is an input or an output, which share memory with none whatever the order. */
static bool is_fixed(const rk_graph *g, rk_id tensor)
{
    bool fixed = tensor == g->inputs[0];
    for (size_t o = 0; o < g->output_count; o++)
        fixed = fixed || g->outputs[o] == tensor;
    return fixed;
}

/** Puts one intermediate buffer where another is. */
static bool alias(rk_memory *memory, const rk_graph *g)
{
    rk_id tensors[2];
    for (size_t i = 0; i < 2; i++) {
        tensors[i] = pick((uint32_t)g->tensor_count);
        if (g->tensors[tensors[i]].base != tensors[i] || is_fixed(g, tensors[i]))
            return false;
    }
    memory->offsets[tensors[0]] = memory->offsets[tensors[1]];
    int64_t low = memory->offsets[tensors[0]];
    int64_t high = low + rk_tensor_bytes(&g->tensors[tensors[0]]);
    for (rk_id t = 0; t < g->tensor_count; t++)
        if (is_fixed(g, t) && memory->offsets[t] < high &&
            memory->offsets[t] + rk_tensor_bytes(&g->tensors[t]) > low)
            return false;
    for (rk_id t = 0; t < g->tensor_count; t++)
        memory->offsets[t] = memory->offsets[g->tensors[t].base] + 4 * g->tensors[t].offset;
    return tensors[0] != tensors[1];
}

static bool mutate(rk_schedule *s, rk_memory *memory, const rk_graph *graph, enum mutation kind)
{
    if (kind == ALIAS)
        return alias(memory, graph);
    if (kind == JOIN_PROGRAMS)
        return join_programs(s);
    return kind <= STRENGTHEN ? change_wait(s, kind) : change_entries(s, kind);
}

static rk_memory *copy_memory(const rk_memory *from, const rk_graph *graph, rk_arena *arena)
{
    rk_memory *to = rk_arena_copy(arena, from, sizeof *from);
    to->offsets = rk_arena_copy(arena, from->offsets, graph->tensor_count * sizeof *to->offsets);
    to->total_bytes += 1024; /* room for an aliased buffer that is larger */
    return to;
}

static bool accepts(const rk_schedule *s, const rk_memory *memory, const fixture *f,
                    rk_arena *arena)
{
    return rk_check(s, memory, &f->problem, arena, rk_diag_new(arena));
}

typedef struct {
    size_t unsafe, safe;
} verdicts;

static void try_mutants(fixture *f, const rk_schedule *schedule, const rk_memory *memory,
                        verdicts *found)
{
    rk_arena *arena = rk_arena_new();
    for (int m = 0; m < MUTANTS; m++) {
        rk_arena_reset(arena);
        rk_schedule *mutant = copy_schedule(schedule, arena);
        rk_memory *moved = copy_memory(memory, f->graph, arena);
        enum mutation kind = (enum mutation)(m % MUTATIONS);
        bool changed = mutate(mutant, moved, f->graph, kind);
        if (changed && pick(4) == 0)
            mutate(mutant, moved, f->graph, (enum mutation)pick(MUTATIONS));
        if (!changed)
            continue;
        bool safe = is_safe(mutant, moved, &f->problem);
        cr_assert_eq(accepts(mutant, moved, f, arena), safe, "mutation %d: it is %s", (int)kind,
                     safe ? "safe" : "unsafe");
        found[kind].safe += safe;
        found[kind].unsafe += !safe;
    }
    rk_arena_free(arena);
}

Test(check_mutants, the_checker_agrees_with_all_interleavings)
{
    verdicts found[MUTATIONS] = {{0}};
    seed = 20201104;
    for (int i = 0; i < INSTANCES; i++) {
        fixture *f = make_instance();
        rk_schedule *schedule = rk_schedule_run(&random_policy, &f->problem, f->arena, f->diag);
        cr_assert(schedule);
        const rk_memory *memory = rk_memory_plan(&f->problem, schedule, f->arena);
        cr_assert(is_safe(schedule, memory, &f->problem), "instance %d", i);
        cr_assert(accepts(schedule, memory, f, f->arena), "instance %d", i);
        try_mutants(f, schedule, memory, found);
        fixture_free(f);
    }
    for (int kind = 0; kind < MUTATIONS; kind++)
        cr_expect(found[kind].unsafe > 0, "no unsafe mutant of kind %d", kind);
    static const enum mutation harmless[] = {DROP_WAIT, DROP_ITEM, WEAKEN,        STRENGTHEN, SWAP,
                                             MOVE,      MOVE_WAIT, JOIN_PROGRAMS, ALIAS};
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        cr_expect(found[harmless[i]].safe > 0, "no safe mutant of kind %d", (int)harmless[i]);
}
