#include "sched/check/check_family.h"

#include "base/vec.h"

#include <string.h>

/** Use of a buffer by a node. */
typedef struct {
    rk_id node;
    uint32_t phrase;
    bool writes;
} use;

/** Bytes [low, high) of memory, and who uses them; of a buffer that keeps them, everybody. */
typedef struct {
    rk_id tensor;
    int64_t low, high;
    RK_VEC(use) uses;
    bool keeps;
} place;

typedef struct {
    const rk_family *family;
    uint32_t *phrase_of; /**< by node */
    bool **ended;        /**< ended[p][q]: all of phrase q has ended before any of p begins */
    place *places;       /**< by tensor; of views, that of their buffer */
    rk_arena *scratch;
    rk_diag *diag;
} check;

static bool fail(check *c, const char *code, const char *object, const char *message)
{
    return rk_diag_add(c->diag, RK_ERROR, code,
                       (rk_place){.file = c->family->graph->file, .object = object}, NULL, "%s",
                       message);
}

static const char *name_of(const check *c, rk_id node)
{
    return c->family->graph->nodes[node].name;
}

/** Each node in one phrase. */
static bool check_nodes(check *c)
{
    const rk_family *f = c->family;
    const size_t n = f->graph->node_count;
    bool good = f->phrase_count == n;
    for (size_t i = 0; i < n; i++)
        c->phrase_of[i] = UINT32_MAX;
    for (uint32_t p = 0; good && p < f->phrase_count; p++) {
        good = f->phrases[p].op < n && c->phrase_of[f->phrases[p].op] == UINT32_MAX;
        if (good)
            c->phrase_of[f->phrases[p].op] = p;
    }
    return good || fail(c, "RK-K010", "family", "its phrases are not each node of the graph once");
}

/** Waits name earlier phrases; finds what has ended before each. */
static bool check_waits(check *c)
{
    const rk_family *f = c->family;
    for (uint32_t p = 0; p < f->phrase_count; p++) {
        const rk_phrase *phrase = &f->phrases[p];
        c->ended[p] = RK_NEW_ARRAY(c->scratch, bool, f->phrase_count);
        if (phrase->wait_first > f->wait_count ||
            phrase->wait_count > f->wait_count - phrase->wait_first)
            return fail(c, "RK-K011", name_of(c, phrase->op), "its waits are not in the family");
        for (uint32_t w = phrase->wait_first; w < phrase->wait_first + phrase->wait_count; w++) {
            if (f->waits[w] >= p)
                return fail(c, "RK-K011", name_of(c, phrase->op),
                            "it waits for a phrase that is not before it, and so for ever");
            c->ended[p][f->waits[w]] = true;
            for (uint32_t q = 0; q < p; q++)
                c->ended[p][q] = c->ended[p][q] || c->ended[f->waits[w]][q];
        }
    }
    return true;
}

static void note(check *c, rk_id node, const rk_id *operands, size_t count, bool writes)
{
    for (size_t i = 0; i < count; i++)
        if (operands[i] != RK_NO_ID)
            *rk_push(c->scratch, &c->places[c->family->graph->tensors[operands[i]].base].uses) =
                (use){node, c->phrase_of[node], writes};
}

/** Buffers at their largest, inside the memory; views at their place in them. */
static bool find_places(check *c)
{
    const rk_family *f = c->family;
    const rk_graph *graph = f->graph;
    bool good = true;
    for (rk_id i = 0; i < graph->tensor_count; i++) {
        const rk_tensor *t = &graph->tensors[i];
        const int64_t bytes = rk_family_bytes(graph, t);
        const int64_t low = f->memory.offsets[i];
        const int64_t limit =
            t->base == i && t->data ? f->memory.constant_bytes : f->memory.total_bytes;
        c->places[i] = (place){.tensor = i, .low = low, .keeps = t->data != NULL};
        if (low < 0 || low > limit || bytes > limit - low)
            good = fail(c, "RK-K013", t->name, "its largest size lies outside the memory");
        c->places[i].high = good ? low + bytes : low;
        if (t->base != i &&
            low != f->memory.offsets[t->base] + t->offset * (int64_t)rk_dtype_size(t->dtype))
            good = fail(c, "RK-K013", t->name, "it is not at its place in its buffer");
    }
    for (size_t i = 0; i < graph->input_count; i++)
        c->places[graph->tensors[graph->inputs[i]].base].keeps = true;
    for (size_t i = 0; i < graph->output_count; i++)
        c->places[graph->tensors[graph->outputs[i]].base].keeps = true;
    for (rk_id n = 0; n < graph->node_count; n++) {
        note(c, n, graph->nodes[n].inputs, graph->nodes[n].input_count, false);
        note(c, n, graph->nodes[n].outputs, graph->nodes[n].output_count, true);
    }
    return good;
}

/** Of the uses of one buffer, one of two writing, in the graph's order. */
static bool check_order(check *c, const place *p)
{
    bool good = true;
    for (size_t i = 0; i < p->uses.count; i++)
        for (size_t k = 0; k < p->uses.count; k++) {
            const use *a = &p->uses.items[i];
            const use *b = &p->uses.items[k];
            if (a->node >= b->node || (!a->writes && !b->writes) || c->ended[b->phrase][a->phrase])
                continue;
            good = fail(c, "RK-K012", name_of(c, b->node),
                        rk_arena_printf(
                            c->scratch, "it does not wait for '%s', which touches '%s' before it",
                            name_of(c, a->node), c->family->graph->tensors[p->tensor].name));
        }
    return good;
}

static bool all_end_before(const check *c, const place *a, const place *b)
{
    for (size_t i = 0; i < a->uses.count; i++)
        for (size_t k = 0; k < b->uses.count; k++)
            if (!c->ended[b->uses.items[k].phrase][a->uses.items[i].phrase])
                return false;
    return true;
}

static bool is_written(const place *p)
{
    for (size_t i = 0; i < p->uses.count; i++)
        if (p->uses.items[i].writes)
            return true;
    return false;
}

/** Whether two buffers may lie where they do. Constants that nothing writes may share what bytes they have in common. */
static bool may_share(const check *c, const place *a, const place *b)
{
    const rk_tensor *x = &c->family->graph->tensors[a->tensor];
    const rk_tensor *y = &c->family->graph->tensors[b->tensor];
    if (a->low >= b->high || b->low >= a->high)
        return true;
    if (x->data && y->data && !is_written(a) && !is_written(b)) {
        const int64_t low = a->low > b->low ? a->low : b->low;
        const int64_t high = a->high < b->high ? a->high : b->high;
        return memcmp((const char *)x->data + (low - a->low),
                      (const char *)y->data + (low - b->low), (size_t)(high - low)) == 0;
    }
    return !a->keeps && !b->keeps && (all_end_before(c, a, b) || all_end_before(c, b, a));
}

static bool check_places(check *c)
{
    const rk_graph *graph = c->family->graph;
    bool good = true;
    for (rk_id i = 0; i < graph->tensor_count; i++) {
        if (graph->tensors[i].base != i)
            continue;
        good = check_order(c, &c->places[i]) && good;
        for (rk_id k = i + 1; k < graph->tensor_count; k++)
            if (graph->tensors[k].base == k && !may_share(c, &c->places[i], &c->places[k]))
                good = fail(c, "RK-K013", graph->tensors[k].name,
                            rk_arena_printf(c->scratch,
                                            "it shares memory with '%s', which may be in use",
                                            graph->tensors[i].name));
    }
    return good;
}

bool rk_check_family(const rk_family *family, rk_arena *scratch, rk_diag *diag)
{
    check c = {.family = family,
               .phrase_of = RK_NEW_ARRAY(scratch, uint32_t, family->graph->node_count + 1),
               .ended = RK_NEW_ARRAY(scratch, bool *, family->phrase_count + 1),
               .places = RK_NEW_ARRAY(scratch, place, family->graph->tensor_count + 1),
               .scratch = scratch,
               .diag = diag};
    return check_nodes(&c) && check_waits(&c) && find_places(&c) && check_places(&c);
}

/** Whether the number is what the expression says there; only reals have none. */
static bool agrees(rk_sym sym, const int64_t *values, int64_t number)
{
    return sym && rk_sym_eval(sym, values) == number;
}

static bool launch_agrees(const rk_open_launch *launch, const int64_t *values,
                          const rk_candidate *c)
{
    bool good = true;
    for (int i = 0; i < 3; i++)
        good = good && agrees(launch->grid[i], values, c->grid[i]);
    for (size_t i = 0; i < c->kernel->param_count; i++) {
        const rk_param *p = &c->kernel->params[i];
        if (p->pointer || !rk_dtype_is_float(p->dtype))
            good = good && agrees(launch->args[i], values,
                                  p->pointer ? c->args[i].offset : c->args[i].integer);
    }
    return good;
}

bool rk_check_family_member(const rk_family *family, const int64_t *values,
                            const rk_problem *problem, rk_diag *diag)
{
    bool good = true;
    for (size_t n = 0; n < family->graph->node_count; n++)
        if (!launch_agrees(&family->launches[n], values, &problem->candidates->nodes[n].items[0]))
            good = rk_diag_add(
                diag, RK_ERROR, "RK-K014",
                (rk_place){.file = family->graph->file, .object = family->graph->nodes[n].name},
                NULL, "its grid or arguments are not what its expressions say");
    return good;
}
