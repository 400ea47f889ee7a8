#include "sched/onnx/import_internal.h"

#include <string.h>

/*
 * Joins whose parts lie one after another in memory: who makes a part writes it where the Join wants it, and the Join is
 * gone. A part stays where it is, and its Join with it, when the caller or a file gives it, the caller gets it, or another
 * Join has it.
 */

/** Where a buffer lies in another one; RK_NO_ID: it is its own. */
typedef struct {
    rk_id in;
    int64_t offset;
} place;

typedef struct {
    rk_graph *graph;
    place *places;  /**< by tensor */
    bool *settled;  /**< buffers that no Join may move */
    size_t *chosen; /**< by tensor: the last Join, counted from 1, that has it as a part */
} joins;

/** The place of an element of a tensor, of which buffer in the end. */
static place find_place(const joins *j, rk_id tensor)
{
    place p = {j->graph->tensors[tensor].base, j->graph->tensors[tensor].offset};
    while (j->places[p.in].in != RK_NO_ID) {
        p.offset += j->places[p.in].offset;
        p.in = j->places[p.in].in;
    }
    return p;
}

/** What is before the axis is one. */
static bool is_contiguous(const rk_graph *graph, const rk_node *node)
{
    const rk_tensor *out = &graph->tensors[node->outputs[0]];
    int64_t axis = 0, before = 1;
    for (size_t a = 0; a < node->attr_count; a++)
        if (strcmp(node->attrs[a].name, "axis") == 0)
            axis = node->attrs[a].i;
    for (int64_t d = 0; d < (axis < 0 ? axis + out->rank : axis); d++)
        before *= out->shape[d];
    return before == 1;
}

/** Whether a part is the whole of a buffer that may lie in that of `out`. */
static bool may_move(joins *j, rk_id part, rk_id out, size_t join)
{
    const rk_tensor *t = &j->graph->tensors[part];
    const rk_tensor *own = &j->graph->tensors[t->base];
    if (j->settled[t->base] || j->places[t->base].in != RK_NO_ID || own->data || own->zeros ||
        rk_tensor_elements(t) != rk_tensor_elements(own) || j->chosen[t->base] == join ||
        find_place(j, out).in == t->base)
        return false;
    j->chosen[t->base] = join;
    return true;
}

static void place_parts(joins *j, rk_node *node, size_t join)
{
    const rk_id out = node->outputs[0];
    if (!is_contiguous(j->graph, node))
        return;
    for (size_t i = 0; i < node->input_count; i++)
        if (!may_move(j, node->inputs[i], out, join))
            return;
    const place whole = find_place(j, out);
    int64_t offset = whole.offset;
    for (size_t i = 0; i < node->input_count; i++) {
        const rk_tensor *part = &j->graph->tensors[node->inputs[i]];
        j->places[part->base] = (place){whole.in, offset};
        offset += rk_tensor_elements(part);
    }
    node->input_count = node->output_count = 0; /* nothing needs it */
}

void rk_onnx_place_joins(rk_graph *graph, rk_arena *arena)
{
    joins j = {.graph = graph};
    j.places = RK_NEW_ARRAY(arena, place, graph->tensor_count + 1);
    j.settled = RK_NEW_ARRAY(arena, bool, graph->tensor_count + 1);
    j.chosen = RK_NEW_ARRAY(arena, size_t, graph->tensor_count + 1);
    for (size_t t = 0; t < graph->tensor_count; t++)
        j.places[t].in = RK_NO_ID;
    for (size_t i = 0; i < graph->input_count; i++)
        j.settled[graph->tensors[graph->inputs[i]].base] = true;
    for (size_t i = 0; i < graph->output_count; i++)
        j.settled[graph->tensors[graph->outputs[i]].base] = true;
    for (size_t n = 0; n < graph->node_count; n++)
        if (graph->nodes[n].op_name && strcmp(graph->nodes[n].op_name, "Join") == 0)
            place_parts(&j, &graph->nodes[n], n + 1);
    for (size_t t = 0; t < graph->tensor_count; t++) {
        const place p = find_place(&j, (rk_id)t);
        graph->tensors[t].base = p.in;
        graph->tensors[t].offset = p.offset;
    }
}
