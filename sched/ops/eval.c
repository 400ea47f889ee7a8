#include "sched/ops/op.h"

#include <string.h>

/** Gives every tensor its place, and copies the inputs there. */
static void place_buffers(void **buffers, const rk_graph *graph, rk_arena *arena)
{
    void **given = RK_NEW_ARRAY(arena, void *, graph->tensor_count);
    for (size_t i = 0; i < graph->input_count; i++)
        given[graph->inputs[i]] = buffers[graph->inputs[i]];
    for (size_t t = 0; t < graph->tensor_count; t++) {
        const rk_tensor *tensor = &graph->tensors[t];
        if (tensor->base == t)
            buffers[t] = tensor->data ? (void *)tensor->data
                                      : rk_arena_alloc(arena, (size_t)rk_tensor_bytes(tensor));
    }
    for (size_t t = 0; t < graph->tensor_count; t++) {
        const rk_tensor *tensor = &graph->tensors[t];
        size_t offset = (size_t)tensor->offset * rk_dtype_size(tensor->dtype);
        buffers[t] = (char *)buffers[tensor->base] + offset;
    }
    for (size_t i = 0; i < graph->input_count; i++) {
        rk_id t = graph->inputs[i];
        memcpy(buffers[t], given[t], (size_t)rk_tensor_bytes(&graph->tensors[t]));
    }
}

static bool overlaps(const rk_tensor *a, const rk_tensor *b)
{
    return a->base == b->base && a->offset < b->offset + rk_tensor_elements(b) &&
           b->offset < a->offset + rk_tensor_elements(a);
}

/** The value of input `i`: a copy of it where the node also writes there. */
static const void *input_of(const rk_op_call *call, size_t i, void *const *buffers,
                            rk_arena *scratch)
{
    const rk_tensor *tensor = call->in[i];
    if (!tensor)
        return NULL;
    const void *value = buffers[tensor - call->graph->tensors];
    for (size_t o = 0; o < call->out_count; o++)
        if (overlaps(tensor, call->out[o]))
            return rk_arena_copy(scratch, value, (size_t)rk_tensor_bytes(tensor));
    return value;
}

static bool eval_node(void *const *buffers, const rk_graph *graph, const rk_node *node,
                      const rk_kernel_eval *kernels, rk_arena *scratch, rk_diag *diag)
{
    rk_place place = rk_place_object(scratch, graph->file, "node", node->name);
    if (!node->op && kernels)
        return kernels->eval(kernels->user, graph, node, buffers, diag);
    if (!node->op)
        return rk_diag_add(diag, RK_ERROR, "RK-G014", place,
                           "give the launching functions as they were written: rammer run --legacy",
                           "it names the kernel '%s', whose definition is not known here",
                           node->kernel);
    rk_op_call call = rk_op_call_of(graph, node, scratch);
    const void **in = RK_NEW_ARRAY(scratch, const void *, call.in_count);
    void **out = RK_NEW_ARRAY(scratch, void *, call.out_count);
    for (size_t i = 0; i < call.in_count; i++)
        in[i] = input_of(&call, i, buffers, scratch);
    for (size_t o = 0; o < call.out_count; o++)
        out[o] = buffers[node->outputs[o]];
    return node->op->eval(&call, in, out) ||
           rk_diag_add(diag, RK_ERROR, "RK-G014", place, NULL,
                       "%s has no definition for these element types or values", node->op->name);
}

bool rk_graph_eval(void **buffers, const rk_graph *graph, rk_arena *arena, rk_diag *diag)
{
    return rk_graph_eval_with(buffers, graph, NULL, arena, diag);
}

bool rk_graph_eval_with(void **buffers, const rk_graph *graph, const rk_kernel_eval *kernels,
                        rk_arena *arena, rk_diag *diag)
{
    rk_arena *scratch = rk_arena_new();
    bool good = true;
    place_buffers(buffers, graph, arena);
    for (size_t n = 0; n < graph->node_count && good; n++) {
        rk_arena_reset(scratch);
        good = eval_node(buffers, graph, &graph->nodes[n], kernels, scratch, diag);
    }
    rk_arena_free(scratch);
    return good;
}
