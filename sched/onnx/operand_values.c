#include "sched/onnx/import_internal.h"

#include <string.h>

const rk_onnx_given *rk_onnx_given_of(const rk_onnx_importer *im, const char *name)
{
    for (size_t i = 0; i < im->options->given_count; i++)
        if (strcmp(im->options->given[i].name, name) == 0)
            return &im->options->given[i];
    return NULL;
}

static const void *data_of(const rk_onnx_call *c, rk_id id, int depth);

/** Computes what the node writes, where all that it reads is known. */
static void compute(const rk_onnx_call *c, rk_id id, int depth)
{
    rk_graph *graph = c->im->graph;
    for (size_t n = graph->node_count; n-- > 0;) {
        const rk_node *node = &graph->nodes[n];
        bool writes = false;
        for (size_t o = 0; o < node->output_count; o++)
            writes = writes || node->outputs[o] == id;
        if (!writes)
            continue;
        for (size_t i = 0; i < node->input_count; i++)
            if (node->inputs[i] != RK_NO_ID && !data_of(c, node->inputs[i], depth + 1))
                return;
        const rk_op_call call = rk_op_call_of(graph, node, c->im->arena);
        if (node->op->eval)
            rk_onnx_fold(&call, c->im->arena);
        return;
    }
}

/** The value of a tensor: a constant, an input whose value is given, or what follows from these. */
static const void *data_of(const rk_onnx_call *c, rk_id id, int depth)
{
    rk_graph *graph = c->im->graph;
    rk_tensor *t = &graph->tensors[id];
    if (t->data || depth > RK_ONNX_DEEPEST)
        return t->data;
    if (t->base != id) {
        const char *data = data_of(c, t->base, depth + 1);
        return data ? t->data = data + t->offset * (int64_t)rk_dtype_size(t->dtype) : NULL;
    }
    for (size_t i = 0; i < graph->input_count; i++)
        if (graph->inputs[i] == id) {
            const rk_onnx_given *given = rk_onnx_given_of(c->im, t->name);
            if (given && given->data) {
                t->data = given->data;
                c->im->bound[i] = true;
            }
            return t->data;
        }
    if (c->im->options->given_count)
        compute(c, id, depth);
    return t->data;
}

const void *rk_onnx_data(const rk_onnx_call *c, rk_id id)
{
    return data_of(c, id, 0);
}

bool rk_onnx_known(int64_t **values, size_t *count, rk_onnx_call *c, size_t i, const char *what)
{
    const void *data = rk_onnx_data(c, c->in[i]);
    const rk_tensor *t = rk_onnx_in(c, i);
    if (!data) {
        c->im->good = false;
        return rk_diag_add(c->im->diag, RK_ERROR, "RK-O006", rk_place_object(c->im->arena, c->im->file, "node", c->name),
                           "where it comes from an input, give its value: --input NAME=FILE.npy",
                           "%s: its %s must be known when the model is built", c->node->op_type,
                           what);
    }
    *count = (size_t)rk_tensor_elements(t);
    *values = RK_NEW_ARRAY(c->im->arena, int64_t, *count + 1);
    for (size_t k = 0; k < *count; k++)
        (*values)[k] = t->dtype == RK_I32   ? ((const int32_t *)data)[k]
                       : t->dtype == RK_I64 ? ((const int64_t *)data)[k]
                                            : ((const uint8_t *)data)[k];
    return t->dtype == RK_I32 || t->dtype == RK_I64 || t->dtype == RK_BOOL || t->dtype == RK_U8 ||
           rk_onnx_wrong(c, "its %s is %s, and no integer", what, rk_dtype_name(t->dtype));
}

bool rk_onnx_axes(uint32_t *axes, bool *given, rk_onnx_call *c, int rank)
{
    int64_t *values = NULL;
    size_t count = 0;
    *axes = 0;
    if (rk_onnx_has(c, 1)) {
        if (!rk_onnx_known(&values, &count, c, 1, "axes"))
            return false;
    } else {
        values = (int64_t *)rk_onnx_ints(c, "axes", &count);
    }
    *given = values && count;
    for (size_t i = 0; i < count; i++) {
        int axis;
        if (!rk_onnx_axis(&axis, c, values[i], rank))
            return false;
        *axes |= 1U << axis;
    }
    return true;
}
