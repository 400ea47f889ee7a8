#include "emit/emit_internal.h"

#include "base/vec.h"

#include <string.h>

typedef RK_VEC(rk_image_entry) entry_vec;
typedef RK_VEC(rk_image_wait) wait_vec;
typedef RK_VEC(rk_wait_item) item_vec;
typedef RK_VEC(uint64_t) arg_vec;

/** Tables under construction. */
typedef struct {
    rk_arena *arena;
    const rk_schedule *schedule;
    const rk_memory *memory;
    const rk_problem *problem;
    RK_VEC(rk_image_fn) fns;
    arg_vec args;
    entry_vec entries;
    wait_vec waits;
    item_vec items;
} builder;

static bool same_fn(const rk_image_fn *fn, const rk_candidate *c)
{
    return fn->kernel == c->kernel && fn->shared == c->shared &&
           memcmp(fn->grid, c->grid, sizeof fn->grid) == 0 &&
           memcmp(fn->block, c->block, sizeof fn->block) == 0;
}

/** The function of a candidate; nodes with the same kernel and launch configuration share one. */
static uint32_t find_fn(builder *b, const rk_candidate *c)
{
    for (size_t i = 0; i < b->fns.count; i++) {
        if (same_fn(&b->fns.items[i], c))
            return (uint32_t)i;
    }
    rk_image_fn *fn = rk_push(b->arena, &b->fns);
    fn->kernel = c->kernel;
    fn->shared = c->shared;
    memcpy(fn->grid, c->grid, sizeof fn->grid);
    memcpy(fn->block, c->block, sizeof fn->block);
    return (uint32_t)b->fns.count - 1;
}

/** IEEE half precision, to nearest even. */
static uint16_t half_bits(double value)
{
    __extension__ _Float16 half = (_Float16)value;
    uint16_t bits;
    memcpy(&bits, &half, sizeof bits);
    return bits;
}

/** bfloat16, to nearest even. */
static uint16_t bfloat16_bits(double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    if (single != single)
        return (uint16_t)((bits >> 16) | 0x40);
    return (uint16_t)((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

uint64_t rk_image_scalar(const rk_param *param, const rk_kernel_arg *arg)
{
    uint64_t slot = 0;
    float single = (float)arg->real;
    switch (param->dtype) {
    case RK_F32:
        memcpy(&slot, &single, sizeof single);
        return slot;
    case RK_F64:
        memcpy(&slot, &arg->real, sizeof arg->real);
        return slot;
    case RK_F16:
        return half_bits(arg->real);
    case RK_BF16:
        return bfloat16_bits(arg->real);
    case RK_BOOL:
        return arg->integer != 0;
    default:
        slot = (uint64_t)arg->integer;
        size_t bytes = rk_dtype_size(param->dtype);
        return bytes == 0 || bytes >= 8 ? slot : slot & ((UINT64_C(1) << (8 * bytes)) - 1);
    }
}

uint64_t rk_image_arg(const rk_param *param, const rk_kernel_arg *arg, const rk_memory *memory,
                      const rk_graph *graph)
{
    if (!param->pointer)
        return rk_image_scalar(param, arg);
    if (arg->tensor == RK_NO_ID)
        return UINT64_MAX;
    const rk_tensor *tensor = &graph->tensors[arg->tensor];
    return (uint64_t)(memory->offsets[arg->tensor] +
                      arg->offset * (int64_t)rk_dtype_size(tensor->dtype));
}

static void add_ops(builder *b, rk_image *image)
{
    const rk_graph *graph = b->problem->graph;
    image->op_count = graph->node_count;
    image->ops = RK_NEW_ARRAY(b->arena, rk_image_op, graph->node_count);
    for (size_t i = 0; i < graph->node_count; i++) {
        uint32_t selected = b->schedule->selected[i];
        const rk_candidate *c = &b->problem->candidates->nodes[i].items[selected];
        rk_image_op *op = &image->ops[i];
        op->node = graph->nodes[i].name;
        op->fn = find_fn(b, c);
        op->first_arg = (uint32_t)b->args.count;
        for (size_t j = 0; j < c->kernel->param_count; j++)
            *rk_push(b->arena, &b->args) = rk_image_arg(&c->kernel->params[j], &c->args[j], b->memory, graph);
    }
}

/**
 * One vEU's list; returns its number of rTasks. The waits of its rProgram are the items from
 * `first_item` on.
 */
static uint32_t add_list(builder *b, const rk_veu_list *list, uint32_t first_item)
{
    uint32_t tasks = 0;
    for (size_t i = 0; i < list->count; i++) {
        const rk_entry *from = &list->entries[i];
        rk_image_entry *to = rk_push(b->arena, &b->entries);
        if (from->wait_count == 0) {
            *to = (rk_image_entry){from->task.op, from->task.index};
            tasks++;
            continue;
        }
        *to = (rk_image_entry){RK_IMAGE_WAIT, (uint32_t)b->waits.count};
        *rk_push(b->arena, &b->waits) =
            (rk_image_wait){first_item + from->wait_first, from->wait_count};
    }
    *rk_push(b->arena, &b->entries) = (rk_image_entry){RK_IMAGE_END, 0};
    return tasks;
}

static uint32_t rtasks_of(const builder *b, rk_id node)
{
    return b->problem->candidates->nodes[node].items[b->schedule->selected[node]].rtasks;
}

/** What the rTasks of counted nodes add: 1 each, and the first one what S has more than rTasks. */
static void add_signals(builder *b, rk_image *image, const rk_rprogram *from, uint32_t steps)
{
    for (size_t i = 0; i < from->counter_count; i++) {
        uint32_t cell = b->schedule->veu_count + (uint32_t)i;
        uint32_t rest = steps - rtasks_of(b, from->counters[i]) + 1;
        *rk_push(b->arena, &b->items) = (rk_wait_item){cell, 1};
        *rk_push(b->arena, &b->items) = (rk_wait_item){cell, rest};
        image->ops[from->counters[i]].signal = (uint32_t)b->items.count - 1;
    }
}

static void add_programs(builder *b, rk_image *image)
{
    const rk_schedule *schedule = b->schedule;
    image->program_count = schedule->program_count;
    image->programs = RK_NEW_ARRAY(b->arena, rk_image_program, schedule->program_count);
    for (size_t i = 0; i < schedule->program_count; i++) {
        const rk_rprogram *from = &schedule->programs[i];
        rk_image_program *program = &image->programs[i];
        const uint32_t first_item = (uint32_t)b->items.count;
        for (size_t j = 0; j < from->wait_count; j++)
            *rk_push(b->arena, &b->items) = from->waits[j];
        if (from->counter_count > image->counter_count)
            image->counter_count = (uint32_t)from->counter_count;
        program->veu_first = RK_NEW_ARRAY(b->arena, uint32_t, schedule->veu_count);
        for (uint32_t v = 0; v < schedule->veu_count; v++) {
            program->veu_first[v] = (uint32_t)b->entries.count;
            uint32_t tasks = add_list(b, &from->veus[v], first_item);
            if (tasks > program->steps)
                program->steps = tasks;
        }
        for (size_t j = 0; j < from->counter_count; j++)
            if (rtasks_of(b, from->counters[j]) > program->steps)
                program->steps = rtasks_of(b, from->counters[j]);
        add_signals(b, image, from, program->steps);
        for (size_t j = 0; j < from->wait_count; j++)
            if (from->waits[j].veu >= schedule->veu_count)
                b->items.items[first_item + j].step = program->steps;
    }
}

static rk_image_io *describe(const builder *b, const rk_id *ids, size_t count)
{
    rk_image_io *all = RK_NEW_ARRAY(b->arena, rk_image_io, count);
    for (size_t i = 0; i < count; i++) {
        const rk_tensor *tensor = &b->problem->graph->tensors[ids[i]];
        all[i] = (rk_image_io){.name = tensor->name,
                               .offset = b->memory->offsets[ids[i]],
                               .bytes = rk_tensor_bytes(tensor),
                               .dtype = tensor->dtype,
                               .rank = tensor->rank};
        memcpy(all[i].shape, tensor->shape, sizeof all[i].shape);
    }
    return all;
}

static const void *gather_constants(const builder *b)
{
    unsigned char *bytes = rk_arena_alloc(b->arena, (size_t)b->memory->constant_bytes);
    const rk_graph *graph = b->problem->graph;
    for (size_t i = 0; i < graph->tensor_count; i++) {
        const rk_tensor *tensor = &graph->tensors[i];
        if (tensor->data && tensor->base == i)
            memcpy(bytes + b->memory->offsets[i], tensor->data, (size_t)rk_tensor_bytes(tensor));
    }
    return bytes;
}

rk_image *rk_image_build(const rk_schedule *schedule, const rk_memory *memory,
                         const rk_problem *problem, rk_arena *arena)
{
    builder b = {.arena = arena, .schedule = schedule, .memory = memory, .problem = problem};
    const rk_graph *graph = problem->graph;
    rk_image *image = RK_NEW(arena, rk_image);
    image->name = graph->name;
    image->device = problem->device;
    image->veu_count = schedule->veu_count;
    image->veu_threads = schedule->veu_threads;
    image->veu_shared = schedule->veu_shared;
    image->blocks_per_sm = schedule->blocks_per_sm;
    image->memory_bytes = memory->total_bytes;
    image->constant_bytes = memory->constant_bytes;
    image->constants = gather_constants(&b);
    image->input_count = graph->input_count;
    image->inputs = describe(&b, graph->inputs, graph->input_count);
    image->output_count = graph->output_count;
    image->outputs = describe(&b, graph->outputs, graph->output_count);
    add_ops(&b, image);
    add_programs(&b, image);
    image->fns = b.fns.items;
    image->fn_count = b.fns.count;
    image->args = b.args.items;
    image->arg_count = b.args.count;
    image->entries = b.entries.items;
    image->entry_count = b.entries.count;
    image->waits = b.waits.items;
    image->wait_count = b.waits.count;
    image->items = b.items.items;
    image->item_count = b.items.count;
    return image;
}
