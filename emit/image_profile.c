#include "emit/image_profile.h"

#include "emit/emit_internal.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGN = 256 };

/** Copies of an item take no more memory than this together; one is always made. */
static const int64_t most_memory = INT64_C(1) << 30;

/* Subjects. */

void rk_profile_subjects_add(rk_profile_subjects *to, const rk_graph *graph,
                             const rk_candidates *candidates, rk_arena *arena)
{
    for (rk_id i = 0; i < candidates->node_count; i++) {
        rk_op_call call = rk_op_call_of(graph, &graph->nodes[i], arena);
        for (size_t k = 0; k < candidates->nodes[i].count; k++) {
            rk_profile_subject *s = rk_push(arena, to);
            *s = (rk_profile_subject){
                .graph = graph, .node = i, .candidate = &candidates->nodes[i].items[k]};
            rk_work_of(&s->work, &call, s->candidate, arena);
        }
    }
}

static int by_residents(const void *a, const void *b)
{
    const rk_work *x = &((const rk_profile_subject *)a)->work;
    const rk_work *y = &((const rk_profile_subject *)b)->work;
    int order = (x->residents > y->residents) - (x->residents < y->residents);
    return order ? order : rk_work_compare(x, y);
}

void rk_profile_subjects_sort(rk_profile_subjects *subjects)
{
    if (subjects->count == 0)
        return;
    qsort(subjects->items, subjects->count, sizeof *subjects->items, by_residents);
    size_t kept = 1;
    for (size_t i = 1; i < subjects->count; i++)
        if (by_residents(&subjects->items[kept - 1], &subjects->items[i]) != 0)
            subjects->items[kept++] = subjects->items[i];
    subjects->count = kept;
}

/* Images. */

typedef struct {
    rk_arena *arena;
    uint32_t veus;
    RK_VEC(rk_image_fn) fns;
    RK_VEC(rk_image_op) ops;
    RK_VEC(uint64_t) args;
} builder;

static uint32_t add_fn(builder *b, const rk_candidate *c)
{
    for (size_t i = 0; i < b->fns.count; i++) {
        const rk_image_fn *fn = &b->fns.items[i];
        if (fn->kernel == c->kernel && fn->shared == c->shared &&
            memcmp(fn->grid, c->grid, sizeof fn->grid) == 0 &&
            memcmp(fn->block, c->block, sizeof fn->block) == 0)
            return (uint32_t)i;
    }
    rk_image_fn *fn = rk_push(b->arena, &b->fns);
    *fn = (rk_image_fn){.kernel = c->kernel, .shared = c->shared};
    memcpy(fn->grid, c->grid, sizeof fn->grid);
    memcpy(fn->block, c->block, sizeof fn->block);
    return (uint32_t)b->fns.count - 1;
}

/** A buffer that a subject's arguments lie in. */
typedef struct {
    rk_id base;
    int64_t bytes, offset; /**< in its class's part of a copy */
    bool floating;
} buffer;

typedef RK_VEC(buffer) buffer_vec;

static const buffer *find_buffer(const buffer_vec *buffers, rk_id base)
{
    for (size_t i = 0; i < buffers->count; i++)
        if (buffers->items[i].base == base)
            return &buffers->items[i];
    return NULL;
}

/** Places the buffers of one copy; bytes[0] and [1] are those of the two classes. */
static void place(buffer_vec *buffers, int64_t bytes[2], const rk_profile_subject *s,
                  rk_arena *arena)
{
    const rk_candidate *c = s->candidate;
    bytes[0] = bytes[1] = 0;
    for (size_t i = 0; i < c->kernel->param_count; i++) {
        if (!c->kernel->params[i].pointer || c->args[i].tensor == RK_NO_ID)
            continue;
        const rk_id base = s->graph->tensors[c->args[i].tensor].base;
        if (find_buffer(buffers, base))
            continue;
        const rk_tensor *tensor = &s->graph->tensors[base];
        const bool floating = rk_dtype_is_float(tensor->dtype);
        *rk_push(arena, buffers) =
            (buffer){.base = base, .offset = bytes[floating], .floating = floating};
        bytes[floating] += (rk_tensor_bytes(tensor) + ALIGN - 1) / ALIGN * ALIGN;
    }
}

static uint64_t slot_of(const buffer_vec *buffers, const rk_profile_subject *s, size_t param,
                        const int64_t starts[2])
{
    const rk_kernel_arg *arg = &s->candidate->args[param];
    const rk_param *p = &s->candidate->kernel->params[param];
    if (!p->pointer)
        return rk_image_scalar(p, arg);
    if (arg->tensor == RK_NO_ID)
        return UINT64_MAX;
    const rk_tensor *tensor = &s->graph->tensors[arg->tensor];
    const buffer *b = find_buffer(buffers, tensor->base);
    return (uint64_t)(starts[b->floating] + b->offset +
                      (tensor->offset + arg->offset) * (int64_t)rk_dtype_size(tensor->dtype));
}

/** How many copies give each vEU an rTask, and fit. */
static uint32_t copies_of(uint32_t rtasks, uint32_t veus, int64_t bytes)
{
    const int64_t wanted = ((int64_t)veus + rtasks - 1) / rtasks;
    const int64_t fit = bytes > 0 ? most_memory / bytes : wanted;
    return (uint32_t)(fit < 1 ? 1 : wanted < fit ? wanted : fit);
}

static void add_item(builder *b, rk_profile_item *out, const rk_profile_subject *s)
{
    buffer_vec buffers = {0};
    int64_t bytes[2];
    place(&buffers, bytes, s, b->arena);
    *out =
        (rk_profile_item){.work = &s->work,
                          .fn = add_fn(b, s->candidate),
                          .first_op = (uint32_t)b->ops.count,
                          .copies = copies_of(s->candidate->rtasks, b->veus, bytes[0] + bytes[1]),
                          .rtasks = s->candidate->rtasks};
    out->float_begin = out->copies * bytes[0];
    out->memory_bytes = out->copies * (bytes[0] + bytes[1]);
    for (uint32_t copy = 0; copy < out->copies; copy++) {
        const int64_t starts[2] = {copy * bytes[0], out->float_begin + copy * bytes[1]};
        *rk_push(b->arena, &b->ops) = (rk_image_op){.fn = out->fn,
                                                    .first_arg = (uint32_t)b->args.count,
                                                    .node = s->graph->nodes[s->node].name};
        for (size_t i = 0; i < s->candidate->kernel->param_count; i++)
            *rk_push(b->arena, &b->args) = slot_of(&buffers, s, i, starts);
    }
}

rk_profile_image *rk_profile_image_build(const rk_profile_subject *subjects, size_t count,
                                         const rk_device *device, rk_arena *arena)
{
    rk_profile_image *out = RK_NEW(arena, rk_profile_image);
    rk_image *image = RK_NEW(arena, rk_image);
    const int residents = count ? subjects[0].work.residents : 1;
    *image = (rk_image){.name = rk_arena_printf(arena, "profile_%d", residents),
                        .device = device,
                        .veu_count = (uint32_t)(device->sms * residents),
                        .veu_threads = device->warp,
                        .blocks_per_sm = residents};
    builder b = {.arena = arena, .veus = image->veu_count};
    out->items = RK_NEW_ARRAY(arena, rk_profile_item, count + 1);
    out->item_count = count;
    for (size_t i = 0; i < count; i++) {
        const rk_demand *demand = &subjects[i].candidate->demand;
        add_item(&b, &out->items[i], &subjects[i]);
        if (demand->threads > image->veu_threads)
            image->veu_threads = demand->threads;
        if (demand->shared > image->veu_shared)
            image->veu_shared = demand->shared;
        if (out->items[i].memory_bytes > image->memory_bytes)
            image->memory_bytes = out->items[i].memory_bytes;
    }
    image->fns = b.fns.items;
    image->fn_count = b.fns.count;
    image->ops = b.ops.items;
    image->op_count = b.ops.count;
    image->args = b.args.items;
    image->arg_count = b.args.count;
    out->image = image;
    return out;
}

/* One item. */

uint32_t rk_profile_fill(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    const uint32_t bits = *state >> 8;
    return (0x3F80u | (bits >> 10 & 0x7F)) << 16 | 0x3C00u | (bits & 0x3FF);
}

static const void *filled(const rk_profile_item *item, rk_arena *arena)
{
    unsigned char *memory = rk_arena_alloc(arena, (size_t)item->memory_bytes + 1);
    uint32_t state = 1;
    memset(memory, 0, (size_t)item->float_begin);
    for (int64_t at = item->float_begin; at < item->memory_bytes; at += 4) {
        const uint32_t word = rk_profile_fill(&state);
        memcpy(memory + at, &word, sizeof word);
    }
    return memory;
}

/** The lists of all vEUs: rTask i of vEU v is the v + i * veus -th of all copies. */
static void add_lists(rk_image *image, const rk_profile_item *item, uint32_t veus, uint32_t rounds)
{
    rk_image_program *program = image->programs;
    const uint32_t copies = item && veus > 1 ? item->copies : 1;
    size_t at = 0;
    for (uint32_t v = 0; v < image->veu_count; v++) {
        program->veu_first[v] = (uint32_t)at;
        for (uint64_t i = 0; item && v < veus && i < rounds; i++) {
            const uint64_t task = (v + i * veus) % ((uint64_t)copies * item->rtasks);
            image->entries[at++] =
                (rk_image_entry){(uint32_t)(task / item->rtasks), (uint32_t)(task % item->rtasks)};
        }
        image->entries[at++] = (rk_image_entry){RK_IMAGE_END, 0};
    }
    image->entry_count = at;
    program->steps = item ? rounds : 0;
}

rk_image *rk_profile_image_of(const rk_profile_image *from, const rk_profile_item *item,
                              uint32_t veus, uint32_t rounds, rk_arena *arena)
{
    rk_image *image = rk_arena_copy(arena, from->image, sizeof *image);
    image->fn_count = image->op_count = 0;
    image->memory_bytes = image->constant_bytes = 0;
    if (item) {
        image->fns = rk_arena_copy(arena, &from->image->fns[item->fn], sizeof *image->fns);
        image->fn_count = 1;
        image->ops = rk_arena_copy(arena, &from->image->ops[item->first_op],
                                   item->copies * sizeof *image->ops);
        image->op_count = item->copies;
        for (uint32_t i = 0; i < item->copies; i++)
            image->ops[i].fn = 0;
        image->memory_bytes = image->constant_bytes = item->memory_bytes;
        image->constants = filled(item, arena);
    }
    image->programs = RK_NEW(arena, rk_image_program);
    image->program_count = 1;
    image->programs->veu_first = RK_NEW_ARRAY(arena, uint32_t, image->veu_count);
    image->entries =
        RK_NEW_ARRAY(arena, rk_image_entry, (size_t)veus * rounds + (size_t)image->veu_count + 1);
    add_lists(image, item, veus, rounds);
    return image;
}
