#include "emit/cpu_spine.h"

#include "base/vec.h"

#include <string.h>

/*
 * A family on the CPU. Each expression is worked out once for new dimensions, whatever many places take it; then all places
 * are filled. No list is made, and nothing is chosen or allocated.
 */

typedef enum { PUT_SLOT, PUT_WORD, PUT_GRID, PUT_EXTENT } put_kind;

/** A place that takes the value of an expression. */
typedef struct {
    put_kind kind;
    uint32_t value; /**< into values */
    void *at;
    uint64_t fixed;
    int64_t scale;
    size_t bytes;
} put;

struct rk_cpu_spine {
    const rk_spine *spine;
    rk_executor_op *ops;
    unsigned char *memory;
    rk_arena *arena;
    RK_VEC(rk_sym) syms; /**< each once */
    uint32_t *index;     /**< a hash table of them, plus 1; 0: free */
    size_t mask;
    int64_t *values;
    RK_VEC(put) puts;
    rk_executor_phrase *phrases;
    rk_executor_wait *waits;
    rk_executor_item *items;
    size_t item_count;
    uint32_t steps;
    rk_image_io *inputs, *outputs;
};

/* Expressions. */

static size_t slot_of(const rk_cpu_spine *s, rk_sym sym)
{
    size_t at = ((uintptr_t)sym >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 20 & s->mask;
    while (s->index[at] && s->syms.items[s->index[at] - 1] != sym)
        at = (at + 1) & s->mask;
    return at;
}

static void grow_index(rk_cpu_spine *s)
{
    s->mask = s->mask ? 2 * s->mask + 1 : 255;
    s->index = RK_NEW_ARRAY(s->arena, uint32_t, s->mask + 1);
    for (size_t i = 0; i < s->syms.count; i++)
        s->index[slot_of(s, s->syms.items[i])] = (uint32_t)i + 1;
}

static uint32_t value_of(rk_cpu_spine *s, rk_sym sym)
{
    if (2 * s->syms.count >= s->mask)
        grow_index(s);
    const size_t at = slot_of(s, sym);
    if (!s->index[at]) {
        *rk_push(s->arena, &s->syms) = sym;
        s->index[at] = (uint32_t)s->syms.count;
    }
    return s->index[at] - 1;
}

/** Has the expression's value put there; a number is there already. */
static void add_put(rk_cpu_spine *s, rk_sym sym, put what)
{
    int64_t number;
    if (rk_sym_is_number(sym, &number))
        return;
    what.value = value_of(s, sym);
    *rk_push(s->arena, &s->puts) = what;
}

/* Places. */

static void add_slots(rk_cpu_spine *s)
{
    const rk_image *image = s->spine->image;
    for (size_t n = 0; n < image->op_count; n++) {
        const rk_kernel *kernel = image->fns[image->ops[n].fn].kernel;
        uint64_t *args = (uint64_t *)(uintptr_t)s->ops[n].args;
        for (size_t j = 0; j < kernel->param_count; j++) {
            const rk_spine_slot *slot = &s->spine->slots[image->ops[n].first_arg + j];
            const uint64_t base = kernel->params[j].pointer ? (uint64_t)(uintptr_t)s->memory : 0;
            if (slot->sym)
                add_put(s, slot->sym,
                        (put){PUT_SLOT, 0, &args[j], base + slot->fixed, slot->scale, slot->bytes});
        }
        for (int i = 0; i < 3; i++)
            add_put(s, s->spine->family->launches[n].grid[i],
                    (put){.kind = PUT_GRID, .at = &s->ops[n].grid[i]});
    }
}

static void add_words(rk_cpu_spine *s)
{
    for (size_t i = 0; i < s->spine->plan_count; i++) {
        const rk_spine_plan *plan = &s->spine->plans[i];
        unsigned char *at = s->memory + s->spine->family->memory.offsets[plan->tensor];
        for (size_t w = 0; w < plan->count; w++)
            if (plan->words[w])
                add_put(s, plan->words[w],
                        (put){.kind = PUT_WORD, .at = at + w * sizeof(int64_t)});
    }
}

/** Copies of the image's, whose open extents are put. */
static rk_image_io *add_extents(rk_cpu_spine *s, const rk_image_io *from, const rk_id *ids,
                                size_t count)
{
    rk_image_io *ios = RK_NEW_ARRAY(s->arena, rk_image_io, count + 1);
    for (size_t i = 0; i < count; i++) {
        const rk_tensor *tensor = &s->spine->family->graph->tensors[ids[i]];
        ios[i] = from[i];
        for (int d = 0; d < tensor->rank; d++)
            if (tensor->open[d])
                add_put(s, tensor->open[d], (put){.kind = PUT_EXTENT, .at = &ios[i].shape[d]});
    }
    return ios;
}

/* Phrases. */

/** S: no less than the rTasks of any vEU, or of a phrase, at any binding. */
static uint32_t steps_of(const rk_cpu_spine *s)
{
    const rk_family *family = s->spine->family;
    uint64_t most = 0;
    for (size_t p = 0; p < family->phrase_count; p++) {
        uint64_t count = 1;
        for (int i = 0; i < 3; i++)
            count *= (uint64_t)rk_sym_bounds(family->launches[family->phrases[p].op].grid[i]).high;
        most += count / family->veu_count + 1;
    }
    return most < s->spine->steps ? s->spine->steps : most > INT32_MAX ? INT32_MAX : (uint32_t)most;
}

/** Of phrase p with counter c, items 2 c and 2 c + 1 are what its rTasks add; the families' waits follow. */
static void make_phrases(rk_cpu_spine *s)
{
    const rk_family *family = s->spine->family;
    const uint32_t counters = s->spine->counter_count;
    s->item_count = 2 * (size_t)counters + family->wait_count;
    s->items = RK_NEW_ARRAY(s->arena, rk_executor_item, s->item_count + 1);
    s->waits = RK_NEW_ARRAY(s->arena, rk_executor_wait, family->phrase_count + 1);
    s->phrases = RK_NEW_ARRAY(s->arena, rk_executor_phrase, family->phrase_count + 1);
    for (size_t i = 0; i < family->wait_count; i++)
        s->items[2 * counters + i] = (rk_executor_item){
            family->veu_count + s->spine->counters[family->waits[i]] - 1, s->steps};
    for (size_t p = 0; p < family->phrase_count; p++) {
        const rk_phrase *from = &family->phrases[p];
        const uint32_t counter = s->spine->counters[p];
        s->waits[p] = (rk_executor_wait){2 * counters + from->wait_first, from->wait_count};
        s->phrases[p] = (rk_executor_phrase){
            .op = from->op, .wait = from->wait_count ? (uint32_t)p + 1 : 0};
        s->ops[from->op].signal = counter ? 2 * counter - 1 : 0;
        if (counter)
            s->items[2 * counter - 2] =
                (rk_executor_item){family->veu_count + counter - 1, 1};
    }
}

/** Origins, and what rTask 0 of each phrase counts. */
static void set_phrases(rk_cpu_spine *s)
{
    const uint32_t veus = s->spine->family->veu_count;
    uint32_t origin = 0;
    for (size_t p = 0; p < s->spine->family->phrase_count; p++) {
        const rk_executor_op *op = &s->ops[s->phrases[p].op];
        const uint32_t count = op->grid[0] * op->grid[1] * op->grid[2];
        s->phrases[p].origin = origin;
        origin = (uint32_t)(((uint64_t)origin + count) % veus);
        if (op->signal)
            s->items[op->signal] = (rk_executor_item){s->items[op->signal - 1].veu,
                                                      s->steps - count + (count > 0)};
    }
}

rk_cpu_spine *rk_cpu_spine_new(const rk_spine *spine, rk_executor_op *ops, unsigned char *memory,
                               rk_arena *arena)
{
    rk_cpu_spine *s = RK_NEW(arena, rk_cpu_spine);
    const rk_graph *graph = spine->family->graph;
    int64_t largest[RK_SYM_DIMS];
    s->spine = spine;
    s->ops = ops;
    s->memory = memory;
    s->arena = arena;
    add_slots(s);
    add_words(s);
    s->inputs = add_extents(s, spine->image->inputs, graph->inputs, graph->input_count);
    s->outputs = add_extents(s, spine->image->outputs, graph->outputs, graph->output_count);
    s->values = RK_NEW_ARRAY(arena, int64_t, s->syms.count + 1);
    s->steps = steps_of(s);
    make_phrases(s);
    for (size_t d = 0; d < rk_syms_dim_count(graph->syms); d++)
        largest[d] = rk_syms_dim_range(graph->syms, d).high;
    rk_cpu_spine_set(s, largest, NULL);
    return s;
}

void rk_cpu_spine_plan(rk_executor_plan *plan, const rk_cpu_spine *spine)
{
    static const rk_executor_program none;
    rk_executor_program *program = rk_arena_copy(spine->arena, &none, sizeof none);
    program->steps = spine->steps;
    plan->entries = NULL;
    plan->entry_count = 0;
    plan->phrases = spine->phrases;
    plan->phrase_count = spine->spine->family->phrase_count;
    plan->waits = spine->waits;
    plan->wait_count = plan->phrase_count;
    plan->items = spine->items;
    plan->item_count = spine->item_count;
    plan->counter_count = spine->spine->counter_count;
    plan->programs = program;
    plan->program_count = 1;
}

/** The low bytes of the sum. */
static void put_slot(const put *p, int64_t value)
{
    const uint64_t whole = p->fixed + (uint64_t)p->scale * (uint64_t)value;
    const uint64_t bits =
        p->bytes >= sizeof whole ? whole : whole & ((UINT64_C(1) << (8 * p->bytes)) - 1);
    memcpy(p->at, &bits, sizeof bits);
}

static void put_value(const put *p, int64_t value)
{
    const uint32_t narrow = (uint32_t)value;
    if (p->kind == PUT_SLOT)
        put_slot(p, value);
    else if (p->kind == PUT_GRID)
        memcpy(p->at, &narrow, sizeof narrow);
    else
        memcpy(p->at, &value, sizeof value);
}

static void set_bytes(rk_image_io *ios, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ios[i].bytes = (int64_t)rk_dtype_size(ios[i].dtype);
        for (int d = 0; d < ios[i].rank; d++)
            ios[i].bytes *= ios[i].shape[d];
    }
}

bool rk_cpu_spine_set(rk_cpu_spine *s, const int64_t *values, rk_diag *diag)
{
    if (!rk_graph_takes(s->spine->family->graph, values, diag))
        return false;
    for (size_t i = 0; i < s->syms.count; i++)
        s->values[i] = rk_sym_eval(s->syms.items[i], values);
    for (size_t i = 0; i < s->puts.count; i++)
        put_value(&s->puts.items[i], s->values[s->puts.items[i].value]);
    set_bytes(s->inputs, s->spine->image->input_count);
    set_bytes(s->outputs, s->spine->image->output_count);
    set_phrases(s);
    return true;
}

const rk_image_io *rk_cpu_spine_inputs(const rk_cpu_spine *spine)
{
    return spine->inputs;
}

const rk_image_io *rk_cpu_spine_outputs(const rk_cpu_spine *spine)
{
    return spine->outputs;
}
