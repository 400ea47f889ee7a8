#include "sched/family/family.h"

#include <stdlib.h>

enum { ALIGNMENT = 256 };

/** A buffer that shares memory with others, and the phrases that touch it. */
typedef struct {
    rk_id tensor;
    int64_t bytes, offset;
    RK_VEC(uint32_t) users;
} tenant;

uint64_t *rk_family_before(size_t *words, const rk_family *family, rk_arena *arena)
{
    *words = family->phrase_count / 64 + 1;
    uint64_t *sets = RK_NEW_ARRAY(arena, uint64_t, *words * (family->phrase_count + 1));
    for (uint32_t p = 0; p < family->phrase_count; p++) {
        const rk_phrase *phrase = &family->phrases[p];
        for (uint32_t w = 0; w < phrase->wait_count; w++) {
            const uint32_t other = family->waits[phrase->wait_first + w];
            for (size_t i = 0; i < *words; i++)
                sets[p * *words + i] |= sets[other * *words + i];
            sets[p * *words + other / 64] |= UINT64_C(1) << (other % 64);
        }
    }
    return sets;
}

static bool ends_before(const tenant *a, const tenant *b, const uint64_t *before, size_t words)
{
    for (size_t i = 0; i < b->users.count; i++)
        for (size_t k = 0; k < a->users.count; k++) {
            const uint32_t user = a->users.items[k];
            if (!(before[b->users.items[i] * words + user / 64] >> (user % 64) & 1))
                return false;
        }
    return true;
}

static int by_size(const void *a, const void *b)
{
    const tenant *x = a;
    const tenant *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return (x->tensor > y->tensor) - (x->tensor < y->tensor);
}

static int64_t aligned(int64_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void note_users(tenant *tenants, const rk_family *family, rk_arena *arena)
{
    for (uint32_t p = 0; p < family->phrase_count; p++) {
        const rk_node *node = &family->graph->nodes[family->phrases[p].op];
        for (size_t i = 0; i < node->input_count + node->output_count; i++) {
            const rk_id id =
                i < node->input_count ? node->inputs[i] : node->outputs[i - node->input_count];
            if (id != RK_NO_ID)
                *rk_push(arena, &tenants[family->graph->tensors[id].base].users) = p;
        }
    }
}

/** The lowest place where none of those placed that may be live with it lie. */
static int64_t find_place(const tenant *t, const tenant *placed, size_t count, int64_t first,
                          const uint64_t *before, size_t words)
{
    int64_t offset = first;
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < count; i++) {
            const tenant *o = &placed[i];
            if (offset + t->bytes <= o->offset || o->offset + o->bytes <= offset ||
                ends_before(t, o, before, words) || ends_before(o, t, before, words))
                continue;
            offset = o->offset + o->bytes;
            moved = true;
        }
    }
    return offset;
}

/** Buffers that keep their memory: constants first, each content once, then what the caller gives and takes. */
static void place_kept(rk_family *family, const bool *kept, rk_arena *scratch)
{
    const rk_graph *graph = family->graph;
    const rk_id *same = rk_equal_constants(graph, scratch);
    rk_memory *memory = &family->memory;
    for (int constants = 1; constants >= 0; constants--) {
        for (rk_id i = 0; i < graph->tensor_count; i++) {
            const rk_tensor *t = &graph->tensors[i];
            if (t->base != i || (t->data != NULL) != constants || same[i] != i ||
                (!constants && !kept[i]))
                continue;
            memory->offsets[i] = memory->total_bytes;
            memory->total_bytes += aligned(rk_family_bytes(graph, t));
        }
        if (constants)
            memory->constant_bytes = memory->total_bytes;
    }
    for (rk_id i = 0; i < graph->tensor_count; i++)
        if (same[i] != i)
            memory->offsets[i] = memory->offsets[same[i]];
}

void rk_family_place(rk_family *family, rk_arena *arena)
{
    const rk_graph *graph = family->graph;
    rk_arena *scratch = rk_arena_new();
    size_t words;
    const uint64_t *before = rk_family_before(&words, family, scratch);
    tenant *tenants = RK_NEW_ARRAY(scratch, tenant, graph->tensor_count + 1);
    bool *kept = RK_NEW_ARRAY(scratch, bool, graph->tensor_count + 1);
    family->memory = (rk_memory){RK_NEW_ARRAY(arena, int64_t, graph->tensor_count + 1), 0, 0};
    note_users(tenants, family, scratch);
    for (size_t i = 0; i < graph->input_count; i++)
        kept[graph->tensors[graph->inputs[i]].base] = true;
    for (size_t i = 0; i < graph->output_count; i++)
        kept[graph->tensors[graph->outputs[i]].base] = true;
    place_kept(family, kept, scratch);
    size_t count = 0;
    for (rk_id i = 0; i < graph->tensor_count; i++) {
        tenants[i].tensor = i;
        tenants[i].bytes = aligned(rk_family_bytes(graph, &graph->tensors[i]));
        if (graph->tensors[i].base == i && !graph->tensors[i].data && !kept[i])
            tenants[count++] = tenants[i];
    }
    if (count)
        qsort(tenants, count, sizeof *tenants, by_size);
    const int64_t first = family->memory.total_bytes;
    for (size_t i = 0; i < count; i++) {
        tenant *t = &tenants[i];
        t->offset = find_place(t, tenants, i, first, before, words);
        family->memory.offsets[t->tensor] = t->offset;
        if (t->offset + t->bytes > family->memory.total_bytes)
            family->memory.total_bytes = t->offset + t->bytes;
    }
    for (rk_id i = 0; i < graph->tensor_count; i++) {
        const rk_tensor *t = &graph->tensors[i];
        if (t->base != i)
            family->memory.offsets[i] =
                family->memory.offsets[t->base] + t->offset * (int64_t)rk_dtype_size(t->dtype);
    }
    rk_arena_free(scratch);
}
