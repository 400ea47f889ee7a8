#include "sched/family/family.h"

#include "base/vec.h"
#include "sched/model/model.h"

/** A member that is being made. */
typedef struct {
    const rk_family *family;
    rk_schedule *schedule;
    const rk_candidates *candidates; /**< of each node its kernel alone */
    uint32_t *counter_of;            /**< by phrase, plus 1; 0: nothing waits for it */
    rk_arena *arena;
} writer;

/** The bindings that the family chose, so that no others are tried. */
static const rk_bindings *chosen_bindings(const rk_family *family, rk_arena *arena)
{
    rk_bindings *out = RK_NEW(arena, rk_bindings);
    rk_binding *items = RK_NEW_ARRAY(arena, rk_binding, family->graph->node_count + 1);
    const rk_binding **seen =
        RK_NEW_ARRAY(arena, const rk_binding *, family->graph->node_count + 1);
    for (size_t n = 0; n < family->graph->node_count; n++) {
        const rk_binding *b = family->choices[n].binding;
        size_t i = 0;
        while (i < out->count && seen[i] != b)
            i++;
        if (!b || i < out->count)
            continue;
        seen[out->count] = b;
        items[out->count++] = *b;
    }
    out->items = items;
    return out;
}

/** A binding among those of chosen_bindings stands for one of the same contents. */
static bool is_chosen(const rk_candidate *c, const rk_family_choice *choice)
{
    if (c->kernel != choice->kernel || !c->binding != !choice->binding)
        return false;
    return !c->binding ||
           (c->binding->op == choice->binding->op && c->binding->args == choice->binding->args &&
            c->binding->when == choice->binding->when &&
            c->binding->access == choice->binding->access);
}

/** Of each node the chosen candidate. */
static const rk_candidates *choose(const rk_family *family, const rk_candidates *found,
                                   rk_arena *arena, rk_diag *diag)
{
    const rk_graph *graph = family->graph;
    rk_candidates *out = RK_NEW(arena, rk_candidates);
    *out = (rk_candidates){.nodes = RK_NEW_ARRAY(arena, rk_node_candidates, graph->node_count + 1),
                           .node_count = graph->node_count,
                           .residency = found->residency};
    for (size_t n = 0; n < graph->node_count; n++) {
        const rk_node_candidates *all = &found->nodes[n];
        size_t k = 0;
        while (k < all->count && !is_chosen(&all->items[k], &family->choices[n]))
            k++;
        if (k == all->count) {
            rk_diag_add(diag, RK_ERROR, "RK-S013",
                        rk_place_object(arena, graph->file, "node", graph->nodes[n].name),
                        "build the family again for these dimensions",
                        "its kernel '%s' does not run it at this value of the open dimensions",
                        family->choices[n].kernel->id);
            return NULL;
        }
        out->nodes[n] = (rk_node_candidates){&all->items[k], 1};
    }
    return out;
}

static uint32_t count_of(const writer *w, uint32_t phrase)
{
    return w->candidates->nodes[w->family->phrases[phrase].op].items[0].rtasks;
}

/** A counter for each phrase that another waits for. */
static void add_counters(writer *w, rk_rprogram *program)
{
    const rk_family *family = w->family;
    program->counters = RK_NEW_ARRAY(w->arena, rk_id, family->phrase_count + 1);
    for (size_t i = 0; i < family->wait_count; i++) {
        const uint32_t p = family->waits[i];
        if (p >= family->phrase_count || w->counter_of[p])
            continue;
        program->counters[program->counter_count++] = family->phrases[p].op;
        w->counter_of[p] = (uint32_t)program->counter_count;
    }
    program->counter_capacity = family->phrase_count + 1;
}

/** The family's waits as items; phrases share none. */
static void add_waits(writer *w, rk_rprogram *program)
{
    const rk_family *family = w->family;
    program->waits = RK_NEW_ARRAY(w->arena, rk_wait_item, family->wait_count + 1);
    program->wait_count = program->wait_capacity = family->wait_count;
    for (size_t i = 0; i < family->wait_count; i++) {
        const uint32_t p = family->waits[i];
        if (p < family->phrase_count)
            program->waits[i] =
                (rk_wait_item){family->veu_count + w->counter_of[p] - 1, count_of(w, p)};
    }
}

static rk_entry *push_entry(const writer *w, rk_veu_list *list)
{
    rk_vec_grow(w->arena, (void **)&list->entries, list->count, &list->capacity,
                sizeof *list->entries);
    return &list->entries[list->count++];
}

/** vEU v runs rTasks (v - origin) mod S, + S, ... below the count. */
static void add_phrase(writer *w, rk_rprogram *program, const rk_phrase *phrase, uint32_t count,
                       uint32_t origin)
{
    const uint32_t veus = w->family->veu_count;
    for (uint32_t v = 0; v < veus; v++) {
        rk_veu_list *list = &program->veus[v];
        uint32_t r = (v + veus - origin) % veus;
        if (r < count && phrase->wait_count)
            *push_entry(w, list) =
                (rk_entry){.wait_first = phrase->wait_first, .wait_count = phrase->wait_count};
        for (; r < count; r += veus)
            *push_entry(w, list) = (rk_entry){.task = {phrase->op, r}};
    }
}

rk_schedule *rk_family_schedule(const rk_family *family, const rk_problem *problem, rk_arena *arena)
{
    rk_schedule *s = RK_NEW(arena, rk_schedule);
    writer w = {.family = family,
                .schedule = s,
                .candidates = problem->candidates,
                .counter_of = RK_NEW_ARRAY(arena, uint32_t, family->phrase_count + 1),
                .arena = arena};
    *s = (rk_schedule){.graph = family->graph->name,
                       .policy = "family",
                       .device = problem->device->name,
                       .veu_count = family->veu_count,
                       .veu_threads = family->veu_threads,
                       .veu_shared = family->veu_shared,
                       .blocks_per_sm = family->blocks_per_sm,
                       .selected = RK_NEW_ARRAY(arena, uint32_t, family->graph->node_count + 1),
                       .node_count = family->graph->node_count,
                       .programs = RK_NEW(arena, rk_rprogram),
                       .program_count = 1};
    rk_rprogram *program = s->programs;
    program->veus = RK_NEW_ARRAY(arena, rk_veu_list, family->veu_count);
    add_counters(&w, program);
    add_waits(&w, program);
    uint32_t origin = 0;
    for (uint32_t p = 0; p < family->phrase_count; p++) {
        const uint32_t count = count_of(&w, p);
        add_phrase(&w, program, &family->phrases[p], count, origin);
        origin = (uint32_t)(((uint64_t)origin + count) % family->veu_count);
    }
    return s;
}

/** Of a graph, open or not, each node's chosen candidate. */
static const rk_candidates *candidates_of(const rk_family *family, const rk_graph *graph,
                                          const rk_family_setting *setting, rk_arena *arena,
                                          rk_diag *diag)
{
    rk_kernel_source *source = rk_arena_copy(arena, setting->source, sizeof *source);
    source->bindings = chosen_bindings(family, arena);
    source->only = NULL;
    const rk_candidates *found = rk_candidates_of(graph, source, setting->device, arena, diag);
    return found ? choose(family, found, arena, diag) : NULL;
}

static bool is_open(const rk_graph *graph, const rk_node *node)
{
    for (size_t i = 0; i < node->input_count + node->output_count; i++) {
        const rk_id id =
            i < node->input_count ? node->inputs[i] : node->outputs[i - node->input_count];
        if (id != RK_NO_ID && rk_tensor_is_open(&graph->tensors[id]))
            return true;
    }
    return false;
}

/** All of a launch as expressions. */
static rk_open_launch launch_of(const rk_candidate *c, rk_syms *syms, rk_arena *arena)
{
    rk_open_launch out = {.args = RK_NEW_ARRAY(arena, rk_sym, c->kernel->param_count + 1)};
    for (int i = 0; i < 3; i++) {
        rk_sym open = c->open ? c->open->grid[i] : NULL;
        out.grid[i] = open ? open : rk_sym_number(syms, c->grid[i]);
    }
    for (size_t i = 0; i < c->kernel->param_count; i++) {
        const rk_param *p = &c->kernel->params[i];
        rk_sym open = c->open ? c->open->args[i] : NULL;
        if (p->pointer || !rk_dtype_is_float(p->dtype))
            out.args[i] =
                open ? open
                     : rk_sym_number(syms, p->pointer ? c->args[i].offset : c->args[i].integer);
    }
    return out;
}

bool rk_family_express(rk_family *family, const rk_family_setting *setting, rk_arena *arena,
                       rk_diag *diag)
{
    const rk_graph *graph = family->graph;
    const rk_candidates *all = candidates_of(family, graph, setting, arena, diag);
    bool good = all != NULL;
    family->launches = RK_NEW_ARRAY(arena, rk_open_launch, graph->node_count + 1);
    for (size_t n = 0; all && n < graph->node_count; n++) {
        const rk_candidate *c = &all->nodes[n].items[0];
        family->launches[n] = launch_of(c, graph->syms, arena);
        if (!c->open && is_open(graph, &graph->nodes[n]))
            good = rk_diag_add(diag, RK_ERROR, "RK-S013",
                               rk_place_object(arena, graph->file, "node", graph->nodes[n].name),
                               "bind the dimension",
                               "the launch of its kernel '%s' has no expression over the open "
                               "dimensions",
                               family->choices[n].kernel->id);
    }
    return good;
}

bool rk_family_at(rk_member *out, const rk_family *family, const rk_family_setting *setting,
                  const int64_t *values, rk_arena *arena, rk_diag *diag)
{
    const rk_graph *graph = rk_graph_bind(family->graph, values, arena, diag);
    const rk_candidates *chosen = graph ? candidates_of(family, graph, setting, arena, diag) : NULL;
    if (!chosen)
        return false;
    rk_edge *edges;
    size_t edge_count;
    rk_graph_edges(&edges, &edge_count, graph, arena);
    out->problem = (rk_problem){.graph = graph,
                                .candidates = chosen,
                                .device = setting->device,
                                .edges = edges,
                                .edge_count = edge_count,
                                .source = setting->source};
    out->schedule = rk_family_schedule(family, &out->problem, arena);
    return true;
}
