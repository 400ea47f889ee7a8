#include "sched/plan/residency.h"

#include "base/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** A buffer that a node touches, and how much of it. */
typedef struct {
    rk_id buffer;
    double bytes;
} touch;

struct rk_residency {
    size_t node_count, buffer_count, touch_count;
    double capacity, all; /**< bytes of the L2, and of all buffers that are touched */
    const double *bytes;  /**< by buffer */
    const uint32_t *uses; /**< by buffer: nodes that touch it */
    const size_t *first;  /**< the touches of node n are [first[n], first[n + 1]) */
    const touch *touches;
};

/* Constants of equal content. */

typedef struct {
    uint64_t hash;
    rk_id tensor;
} constant;

static int by_hash(const void *a, const void *b)
{
    const constant *x = a;
    const constant *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->tensor > y->tensor) - (x->tensor < y->tensor);
}

static bool same_bytes(const rk_tensor *a, const rk_tensor *b)
{
    return rk_tensor_bytes(a) == rk_tensor_bytes(b) &&
           memcmp(a->data, b->data, (size_t)rk_tensor_bytes(a)) == 0;
}

static void keep_written(bool *written, const rk_graph *graph)
{
    for (size_t n = 0; n < graph->node_count; n++)
        for (size_t i = 0; i < graph->nodes[n].output_count; i++)
            written[graph->tensors[graph->nodes[n].outputs[i]].base] = true;
}

const rk_id *rk_equal_constants(const rk_graph *graph, rk_arena *arena)
{
    rk_arena *scratch = rk_arena_new();
    rk_id *same = RK_NEW_ARRAY(arena, rk_id, graph->tensor_count + 1);
    constant *all = RK_NEW_ARRAY(scratch, constant, graph->tensor_count + 1);
    bool *written = RK_NEW_ARRAY(scratch, bool, graph->tensor_count + 1);
    size_t count = 0;
    const bool open = rk_graph_is_open(graph);
    keep_written(written, graph);
    for (rk_id i = 0; i < graph->tensor_count; i++) {
        const rk_tensor *t = &graph->tensors[i];
        same[i] = i;
        /* A plan of an open graph has other numbers at other values of the dimensions. */
        if (t->base == i && t->data && !t->zeros && !written[i] && !(open && t->derived))
            all[count++] = (constant){rk_hash(t->data, (size_t)rk_tensor_bytes(t), 0), i};
    }
    if (count)
        qsort(all, count, sizeof *all, by_hash);
    for (size_t i = 0, first = 0; i < count; i++) {
        first = all[i].hash == all[first].hash ? first : i;
        for (size_t k = first; k < i && same[all[i].tensor] == all[i].tensor; k++)
            if (same[all[k].tensor] == all[k].tensor &&
                same_bytes(&graph->tensors[all[k].tensor], &graph->tensors[all[i].tensor]))
                same[all[i].tensor] = all[k].tensor;
    }
    rk_arena_free(scratch);
    return same;
}

/* What nodes touch. */

/** Adds what a node touches; of views of one buffer no more than the buffer. */
static void add_touches(rk_residency *r, touch *touches, const rk_graph *graph, const rk_id *same,
                        const rk_id *operands, size_t count, size_t from)
{
    for (size_t i = 0; i < count; i++) {
        if (operands[i] == RK_NO_ID)
            continue;
        const rk_id buffer = same[graph->tensors[operands[i]].base];
        const double bytes = (double)rk_tensor_bytes(&graph->tensors[operands[i]]);
        size_t at = from;
        while (at < r->touch_count && touches[at].buffer != buffer)
            at++;
        if (at == r->touch_count)
            touches[r->touch_count++] = (touch){buffer, 0};
        touches[at].bytes = fmin(touches[at].bytes + bytes, r->bytes[buffer]);
    }
}

const rk_residency *rk_residency_new(const rk_graph *graph, const rk_device *device,
                                     rk_arena *arena)
{
    rk_arena *scratch = rk_arena_new();
    const rk_id *same = rk_equal_constants(graph, scratch);
    size_t operands = 0;
    for (size_t n = 0; n < graph->node_count; n++)
        operands += graph->nodes[n].input_count + graph->nodes[n].output_count;
    rk_residency *r = RK_NEW(arena, rk_residency);
    double *bytes = RK_NEW_ARRAY(arena, double, graph->tensor_count + 1);
    uint32_t *uses = RK_NEW_ARRAY(arena, uint32_t, graph->tensor_count + 1);
    size_t *first = RK_NEW_ARRAY(arena, size_t, graph->node_count + 2);
    touch *touches = RK_NEW_ARRAY(arena, touch, operands + 1);
    *r = (rk_residency){.node_count = graph->node_count,
                        .buffer_count = graph->tensor_count,
                        .capacity = (double)device->l2_bytes,
                        .bytes = bytes,
                        .uses = uses,
                        .first = first,
                        .touches = touches};
    for (rk_id i = 0; i < graph->tensor_count; i++)
        bytes[i] = (double)rk_tensor_bytes(&graph->tensors[i]);
    for (size_t n = 0; n < graph->node_count; n++) {
        const rk_node *node = &graph->nodes[n];
        first[n] = r->touch_count;
        add_touches(r, touches, graph, same, node->inputs, node->input_count, first[n]);
        add_touches(r, touches, graph, same, node->outputs, node->output_count, first[n]);
    }
    first[graph->node_count] = r->touch_count;
    for (size_t i = 0; i < r->touch_count; i++)
        if (uses[touches[i].buffer]++ == 0)
            r->all += bytes[touches[i].buffer];
    rk_arena_free(scratch);
    return r;
}

bool rk_residency_fits(const rk_residency *r)
{
    return r->all <= r->capacity;
}

double rk_residency_least(const rk_residency *r, rk_id node)
{
    double all = 0, memory = 0;
    for (size_t i = r->first[node]; i < r->first[node + 1]; i++) {
        all += r->touches[i].bytes;
        if (r->uses[r->touches[i].buffer] == 1 && !rk_residency_fits(r))
            memory += r->touches[i].bytes;
    }
    return all > 0 ? memory / all : 0;
}

/* Orders. A touch has the bytes of its buffer at its own place in time, until the buffer is touched again. */

static void add_at(double *tree, size_t count, size_t at, double bytes)
{
    for (at++; at <= count; at += at & (~at + 1))
        tree[at] += bytes;
}

/** Of the places before `at`. */
static double sum_before(const double *tree, size_t at)
{
    double sum = 0;
    for (; at > 0; at -= at & (~at + 1))
        sum += tree[at];
    return sum;
}

void rk_residency_of_order(double *memory, const rk_residency *r, const rk_id *order)
{
    rk_arena *scratch = rk_arena_new();
    const size_t places = 2 * r->touch_count;
    double *tree = RK_NEW_ARRAY(scratch, double, places + 2);
    size_t *last = RK_NEW_ARRAY(scratch, size_t, r->buffer_count + 1); /* plus 1 */
    size_t at = 0;
    for (int again = 0; again < 2; again++) {
        for (size_t n = 0; n < r->node_count; n++) {
            double all = 0, missed = 0;
            for (size_t i = r->first[order[n]]; i < r->first[order[n] + 1]; i++, at++) {
                const rk_id buffer = r->touches[i].buffer;
                const double bytes = r->bytes[buffer];
                double distance = INFINITY;
                if (last[buffer]) {
                    distance = sum_before(tree, at) - sum_before(tree, last[buffer] - 1);
                    add_at(tree, places, last[buffer] - 1, -bytes);
                }
                add_at(tree, places, at, bytes);
                last[buffer] = at + 1;
                all += r->touches[i].bytes;
                missed += distance > r->capacity ? r->touches[i].bytes : 0;
            }
            memory[order[n]] = all > 0 ? missed / all : 0;
        }
    }
    rk_arena_free(scratch);
}
