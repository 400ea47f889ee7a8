#include "sched/memory/memory_plan.h"

#include "base/file.h"
#include "base/vec.h"
#include "sched/memory/tenants.h"
#include "sched/plan/residency.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 256 };

/** A buffer to place: first > last when it lives throughout. */
typedef struct {
    rk_id tensor;
    int64_t bytes;
    uint32_t first, last; /**< rPrograms in which it is used */
} buffer;

/** Bytes that no live buffer takes, by address; the last one may grow. */
typedef struct {
    int64_t offset, bytes;
} hole;

typedef struct {
    rk_memory *memory;
    hole *holes;
    size_t hole_count;
    rk_arena *scratch;
} planner;

/** Takes the smallest hole that fits, the lowest of several; else grows the memory. */
static int64_t take(planner *p, int64_t bytes)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < p->hole_count; i++)
        if (p->holes[i].bytes >= bytes &&
            (best == SIZE_MAX || p->holes[i].bytes < p->holes[best].bytes))
            best = i;
    if (best == SIZE_MAX) {
        hole *end = p->hole_count ? &p->holes[p->hole_count - 1] : NULL;
        bool grows = end && end->offset + end->bytes == p->memory->total_bytes;
        int64_t offset = grows ? end->offset : p->memory->total_bytes;
        p->hole_count -= grows;
        p->memory->total_bytes = offset + bytes;
        return offset;
    }
    int64_t offset = p->holes[best].offset;
    p->holes[best].offset += bytes;
    p->holes[best].bytes -= bytes;
    if (p->holes[best].bytes == 0) {
        p->hole_count--;
        memmove(&p->holes[best], &p->holes[best + 1], (p->hole_count - best) * sizeof *p->holes);
    }
    return offset;
}

/** Gives bytes back, joined with the holes around them. */
static void give(planner *p, int64_t offset, int64_t bytes)
{
    size_t at = p->hole_count;
    while (at > 0 && p->holes[at - 1].offset > offset)
        at--;
    bool left = at > 0 && p->holes[at - 1].offset + p->holes[at - 1].bytes == offset;
    bool right = at < p->hole_count && offset + bytes == p->holes[at].offset;
    if (left && right) {
        p->holes[at - 1].bytes += bytes + p->holes[at].bytes;
        p->hole_count--;
        memmove(&p->holes[at], &p->holes[at + 1], (p->hole_count - at) * sizeof *p->holes);
    } else if (left) {
        p->holes[at - 1].bytes += bytes;
    } else if (right) {
        p->holes[at].offset = offset;
        p->holes[at].bytes += bytes;
    } else {
        memmove(&p->holes[at + 1], &p->holes[at], (p->hole_count - at) * sizeof *p->holes);
        p->holes[at] = (hole){offset, bytes};
        p->hole_count++;
    }
}

/** The first and last rProgram of each node. */
static buffer *program_spans(const rk_problem *problem, const rk_schedule *schedule,
                             rk_arena *scratch)
{
    size_t n = problem->graph->node_count;
    buffer *spans = RK_NEW_ARRAY(scratch, buffer, n + 1);
    for (size_t i = 0; i < n; i++)
        spans[i].first = UINT32_MAX;
    for (uint32_t p = 0; p < schedule->program_count; p++) {
        for (uint32_t w = 0; w < schedule->veu_count; w++) {
            const rk_veu_list *list = &schedule->programs[p].veus[w];
            for (size_t i = 0; i < list->count; i++) {
                if (list->entries[i].wait_count || list->entries[i].task.op >= n)
                    continue;
                buffer *span = &spans[list->entries[i].task.op];
                span->first = p < span->first ? p : span->first;
                span->last = p;
            }
        }
    }
    return spans;
}

static void extend(buffer *buffers, const rk_graph *graph, const rk_id *operands, size_t count,
                   const buffer *span)
{
    for (size_t i = 0; i < count; i++) {
        if (operands[i] == RK_NO_ID)
            continue;
        buffer *b = &buffers[graph->tensors[operands[i]].base];
        b->first = span->first < b->first ? span->first : b->first;
        b->last = span->last > b->last ? span->last : b->last;
    }
}

/** By tensor, the rPrograms in which a buffer is used; first is UINT32_MAX where it lives throughout. */
static buffer *buffer_spans(const rk_problem *problem, const rk_schedule *schedule,
                            rk_arena *scratch)
{
    const rk_graph *graph = problem->graph;
    const buffer *nodes = program_spans(problem, schedule, scratch);
    buffer *buffers = RK_NEW_ARRAY(scratch, buffer, graph->tensor_count + 1);
    for (rk_id i = 0; i < graph->tensor_count; i++)
        buffers[i] = (buffer){.tensor = i, .first = UINT32_MAX};
    for (size_t i = 0; i < graph->node_count; i++) {
        extend(buffers, graph, graph->nodes[i].inputs, graph->nodes[i].input_count, &nodes[i]);
        extend(buffers, graph, graph->nodes[i].outputs, graph->nodes[i].output_count, &nodes[i]);
    }
    for (size_t i = 0; i < graph->input_count; i++)
        buffers[graph->tensors[graph->inputs[i]].base].first = UINT32_MAX;
    for (size_t i = 0; i < graph->output_count; i++)
        buffers[graph->tensors[graph->outputs[i]].base].first = UINT32_MAX;
    return buffers;
}

/** Earlier rPrograms first, larger buffers first. */
static int by_first_use(const void *a, const void *b)
{
    const buffer *x = a;
    const buffer *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return (x->tensor > y->tensor) - (x->tensor < y->tensor);
}

static int by_last_use(const void *a, const void *b)
{
    const buffer *x = a;
    const buffer *y = b;
    if (x->last != y->last)
        return x->last < y->last ? -1 : 1;
    return (x->tensor > y->tensor) - (x->tensor < y->tensor);
}

/** Places the buffers between nodes anew from `first` on, where that takes less than they take now. */
static void share_within(planner *p, int64_t first, const rk_problem *problem,
                         const rk_schedule *schedule, rk_reuse reuse)
{
    rk_tenants tenants;
    if (!reuse.placed) {
        if (!rk_tenants_find(&tenants, problem, schedule, p->scratch))
            return;
        reuse.bytes = rk_tenants_place(&tenants, p->scratch);
        reuse.placed = tenants.items;
        reuse.placed_count = tenants.count;
    }
    if (first + reuse.bytes >= p->memory->total_bytes)
        return;
    p->memory->total_bytes = first + reuse.bytes;
    for (size_t i = 0; i < reuse.placed_count; i++)
        p->memory->offsets[reuse.placed[i].tensor] = first + reuse.placed[i].offset;
}

/** Places the intermediate buffers, each free again after its last rProgram. */
static void place_intermediates(planner *p, buffer *buffers, size_t count)
{
    if (count == 0)
        return;
    qsort(buffers, count, sizeof *buffers, by_first_use);
    buffer *leaving = rk_arena_copy(p->scratch, buffers, count * sizeof *buffers);
    qsort(leaving, count, sizeof *leaving, by_last_use);
    p->holes = RK_NEW_ARRAY(p->scratch, hole, count + 1);
    size_t gone = 0;
    for (size_t i = 0; i < count; i++) {
        for (; gone < count && leaving[gone].last < buffers[i].first; gone++)
            give(p, p->memory->offsets[leaving[gone].tensor], leaving[gone].bytes);
        p->memory->offsets[buffers[i].tensor] = take(p, buffers[i].bytes);
    }
}

/* Constants that are parts of others, as those of single operators are of merged ones. */

/** A constant's place in another; `of` is RK_NO_ID where it has a place of its own. */
typedef struct {
    rk_id of;
    int64_t offset;
} part;

/** A block of ALIGNMENT bytes of a constant that has a place of its own. */
typedef struct {
    uint64_t hash;
    rk_id tensor; /**< plus 1; 0: free */
    int64_t offset;
} block;

typedef struct {
    block *blocks;
    size_t slots; /**< a power of two */
} block_table;

static size_t slot_of(const block_table *t, uint64_t hash)
{
    return (size_t)hash & (t->slots - 1);
}

static void add_blocks(block_table *t, const rk_tensor *tensor, rk_id id)
{
    const char *data = tensor->data;
    for (int64_t at = 0; at + ALIGNMENT <= rk_tensor_bytes(tensor); at += ALIGNMENT) {
        const uint64_t hash = rk_hash(data + at, ALIGNMENT, 0);
        size_t slot = slot_of(t, hash);
        while (t->blocks[slot].tensor && t->blocks[slot].hash != hash)
            slot = (slot + 1) & (t->slots - 1);
        if (!t->blocks[slot].tensor)
            t->blocks[slot] = (block){hash, id + 1, at};
    }
}

/** Where the constant lies in one that was added, by the first block of that content. */
static part find_part(const block_table *t, const rk_graph *graph, const rk_tensor *tensor)
{
    const uint64_t hash = rk_hash(tensor->data, ALIGNMENT, 0);
    size_t slot = slot_of(t, hash);
    while (t->blocks[slot].tensor && t->blocks[slot].hash != hash)
        slot = (slot + 1) & (t->slots - 1);
    const block *b = &t->blocks[slot];
    if (!b->tensor)
        return (part){RK_NO_ID, 0};
    const rk_tensor *whole = &graph->tensors[b->tensor - 1];
    const int64_t bytes = rk_tensor_bytes(tensor);
    if (rk_tensor_bytes(whole) - b->offset < bytes ||
        memcmp((const char *)whole->data + b->offset, tensor->data, (size_t)bytes) != 0)
        return (part){RK_NO_ID, 0};
    return (part){b->tensor - 1, b->offset};
}

/** Larger constants first. */
static int by_size(const void *a, const void *b)
{
    const buffer *x = a;
    const buffer *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return (x->tensor > y->tensor) - (x->tensor < y->tensor);
}

/** By tensor, where a constant lies in a larger one. Those that nodes write, and zeros, lie in none. */
static const part *find_parts(const rk_graph *graph, const rk_id *same, rk_arena *scratch)
{
    part *parts = RK_NEW_ARRAY(scratch, part, graph->tensor_count + 1);
    buffer *all = RK_NEW_ARRAY(scratch, buffer, graph->tensor_count + 1);
    bool *written = RK_NEW_ARRAY(scratch, bool, graph->tensor_count + 1);
    size_t count = 0, blocks = 0;
    for (size_t n = 0; n < graph->node_count; n++)
        for (size_t i = 0; i < graph->nodes[n].output_count; i++)
            written[graph->tensors[graph->nodes[n].outputs[i]].base] = true;
    for (rk_id i = 0; i < graph->tensor_count; i++) {
        const rk_tensor *t = &graph->tensors[i];
        parts[i] = (part){RK_NO_ID, 0};
        if (t->base != i || !t->data || t->zeros || written[i] || same[i] != i ||
            rk_tensor_bytes(t) < ALIGNMENT)
            continue;
        all[count++] = (buffer){.tensor = i, .bytes = rk_tensor_bytes(t)};
        blocks += (size_t)(rk_tensor_bytes(t) / ALIGNMENT);
    }
    if (count < 2)
        return parts;
    qsort(all, count, sizeof *all, by_size);
    block_table table = {.slots = 2};
    while (table.slots < 2 * blocks)
        table.slots *= 2;
    table.blocks = RK_NEW_ARRAY(scratch, block, table.slots);
    for (size_t i = 0; i < count; i++) {
        const rk_tensor *t = &graph->tensors[all[i].tensor];
        parts[all[i].tensor] = find_part(&table, graph, t);
        if (parts[all[i].tensor].of == RK_NO_ID)
            add_blocks(&table, t, all[i].tensor);
    }
    return parts;
}

const rk_memory *rk_memory_plan(const rk_problem *problem, const rk_schedule *schedule,
                                rk_arena *arena)
{
    return rk_memory_plan_reused(problem, schedule, &(rk_reuse){0}, arena);
}

const rk_memory *rk_memory_plan_reused(const rk_problem *problem, const rk_schedule *schedule,
                                       const rk_reuse *reuse, rk_arena *arena)
{
    const rk_graph *graph = problem->graph;
    rk_memory *memory = RK_NEW(arena, rk_memory);
    memory->offsets = RK_NEW_ARRAY(arena, int64_t, graph->tensor_count + 1);
    planner p = {.memory = memory, .scratch = rk_arena_new()};
    buffer *buffers = buffer_spans(problem, schedule, p.scratch);
    const rk_id *same = rk_equal_constants(graph, p.scratch);
    const part *parts = find_parts(graph, same, p.scratch);
    size_t intermediates = 0;
    for (int constants = 1; constants >= 0; constants--) {
        for (rk_id i = 0; i < graph->tensor_count; i++) {
            const rk_tensor *tensor = &graph->tensors[i];
            if (tensor->base != i || (tensor->data != NULL) != constants)
                continue;
            buffers[i].bytes = rk_memory_aligned(rk_tensor_bytes(tensor));
            if (same[i] != i || parts[i].of != RK_NO_ID)
                continue;
            if (constants || buffers[i].first == UINT32_MAX) {
                memory->offsets[i] = memory->total_bytes;
                memory->total_bytes += buffers[i].bytes;
            } else {
                buffers[intermediates++] = buffers[i];
            }
        }
        if (constants)
            memory->constant_bytes = memory->total_bytes;
    }
    for (rk_id i = 0; i < graph->tensor_count; i++)
        if (parts[i].of != RK_NO_ID)
            memory->offsets[i] = memory->offsets[parts[i].of] + parts[i].offset;
    for (rk_id i = 0; i < graph->tensor_count; i++)
        if (same[i] != i)
            memory->offsets[i] = memory->offsets[same[i]];
    const int64_t fixed_bytes = memory->total_bytes;
    place_intermediates(&p, buffers, intermediates);
    share_within(&p, fixed_bytes, problem, schedule, *reuse);
    for (size_t i = 0; i < graph->tensor_count; i++) {
        const rk_tensor *tensor = &graph->tensors[i];
        if (tensor->base != i)
            memory->offsets[i] = memory->offsets[tensor->base] +
                                 tensor->offset * (int64_t)rk_dtype_size(tensor->dtype);
    }
    rk_arena_free(p.scratch);
    return memory;
}
