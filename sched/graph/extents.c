#include "sched/graph/graph.h"

#include <string.h>

rk_sym rk_tensor_extent(const rk_graph *graph, const rk_tensor *tensor, int d)
{
    return tensor->open[d] ? tensor->open[d] : rk_sym_number(graph->syms, tensor->shape[d]);
}

/** The value of an expression where all dimensions are largest. */
static int64_t largest(const rk_graph *graph, rk_sym extent)
{
    int64_t values[RK_SYM_DIMS];
    for (size_t i = 0; i < rk_syms_dim_count(graph->syms); i++)
        values[i] = rk_syms_dim_range(graph->syms, i).high;
    return rk_sym_eval(extent, values);
}

bool rk_tensor_set_extent(const rk_graph *graph, rk_tensor *tensor, int d, rk_sym extent)
{
    int64_t number;
    if (!extent || rk_sym_bounds(extent).low < 1)
        return false;
    tensor->open[d] = rk_sym_is_number(extent, &number) ? NULL : extent;
    tensor->shape[d] = tensor->open[d] ? largest(graph, extent) : number;
    return true;
}

bool rk_tensor_is_open(const rk_tensor *tensor)
{
    for (int d = 0; d < tensor->rank; d++)
        if (tensor->open[d])
            return true;
    return false;
}

rk_sym rk_tensor_size(const rk_graph *graph, const rk_tensor *tensor)
{
    rk_sym size = rk_sym_number(graph->syms, 1);
    for (int d = 0; d < tensor->rank; d++)
        size = rk_sym_mul(graph->syms, size, rk_tensor_extent(graph, tensor, d));
    return size;
}

bool rk_graph_is_open(const rk_graph *graph)
{
    for (size_t i = 0; i < graph->tensor_count; i++)
        if (rk_tensor_is_open(&graph->tensors[i]))
            return true;
    return false;
}

bool rk_graph_same_extents(const rk_graph *graph, const char *node, rk_sym a, rk_sym b)
{
    const rk_sym_truth same = rk_sym_same(graph->syms, a, b);
    if (same != RK_SYM_OPEN)
        return same == RK_SYM_ALWAYS;
    for (size_t i = 0; i < graph->checks->count; i++)
        if (graph->checks->items[i].left == a && graph->checks->items[i].right == b)
            return true;
    *rk_push(graph->arena, graph->checks) =
        (rk_extent_check){a, b, rk_arena_strdup(graph->arena, node)};
    return true;
}

/** Whether each value lies in its dimension's range. */
static bool in_range(const rk_graph *graph, const int64_t *values, rk_diag *diag)
{
    bool good = true;
    for (size_t i = 0; i < rk_syms_dim_count(graph->syms); i++) {
        const rk_sym_range r = rk_syms_dim_range(graph->syms, i);
        const char *name = rk_syms_dim_name(graph->syms, i);
        if (values[i] < r.low || values[i] > r.high)
            good =
                rk_diag_add(diag, RK_ERROR, "RK-G019", rk_place_file(graph->file),
                            "build it for a range that has this value",
                            "the dimension '%s' is %lld, and the model is built for %lld to %lld",
                            name, (long long)values[i], (long long)r.low, (long long)r.high);
    }
    return good;
}

static bool refuse_check(const rk_graph *graph, const rk_extent_check *c, int64_t left,
                         int64_t right, rk_diag *diag)
{
    rk_arena *scratch = rk_arena_new();
    rk_diag_add(diag, RK_ERROR, "RK-G019", rk_place_object(scratch, graph->file, "node", c->node),
                "give dimensions for which they are the same",
                "the extents %s and %s must be the same, and are %lld and %lld",
                rk_sym_text(c->left, scratch), rk_sym_text(c->right, scratch), (long long)left,
                (long long)right);
    rk_arena_free(scratch);
    return false;
}

static bool checks_hold(const rk_graph *graph, const int64_t *values, rk_diag *diag)
{
    bool good = true;
    for (size_t i = 0; i < graph->checks->count; i++) {
        const rk_extent_check *c = &graph->checks->items[i];
        const int64_t left = rk_sym_eval(c->left, values);
        const int64_t right = rk_sym_eval(c->right, values);
        if (left != right)
            good = refuse_check(graph, c, left, right, diag);
    }
    return good;
}

bool rk_graph_takes(const rk_graph *graph, const int64_t *values, rk_diag *diag)
{
    return in_range(graph, values, diag) && checks_hold(graph, values, diag);
}

rk_sym rk_attr_number(const rk_graph *graph, const rk_attr *attr, size_t i)
{
    if (attr->open && attr->open[i])
        return attr->open[i];
    return rk_sym_number(graph->syms, attr->type == RK_ATTR_INT ? attr->i : attr->ints[i]);
}

/** The node with its open attributes bound; names, operands and what is not open stay shared. */
static void bind_attrs(rk_node *node, const int64_t *values, rk_arena *arena)
{
    rk_attr *attrs = rk_arena_copy(arena, node->attrs, node->attr_count * sizeof *attrs);
    for (size_t i = 0; i < node->attr_count; i++) {
        rk_attr *a = &attrs[i];
        if (!a->open)
            continue;
        int64_t *ints = rk_arena_copy(arena, a->ints, a->int_count * sizeof *ints);
        for (size_t k = 0; k < a->int_count; k++)
            if (a->open[k])
                ints[k] = rk_sym_eval(a->open[k], values);
        if (a->type == RK_ATTR_INT && a->open[0])
            a->i = rk_sym_eval(a->open[0], values);
        a->ints = ints;
        a->open = NULL;
    }
    node->attrs = attrs;
}

rk_graph *rk_graph_at(const rk_graph *graph, const int64_t *values, rk_arena *arena, rk_diag *diag)
{
    if (!rk_graph_takes(graph, values, diag))
        return NULL;
    rk_graph *at = rk_arena_copy(arena, graph, sizeof *graph);
    at->arena = arena;
    at->syms = rk_syms_new(arena);
    at->checks = RK_NEW(arena, rk_extent_checks);
    at->tensors = rk_arena_copy(arena, graph->tensors, graph->tensor_count * sizeof *at->tensors);
    at->tensor_capacity = graph->tensor_count;
    at->nodes = rk_arena_copy(arena, graph->nodes, graph->node_count * sizeof *at->nodes);
    at->node_capacity = graph->node_count;
    for (size_t n = 0; n < at->node_count; n++)
        bind_attrs(&at->nodes[n], values, arena);
    for (size_t i = 0; i < at->tensor_count; i++) {
        rk_tensor *tensor = &at->tensors[i];
        for (int d = 0; d < tensor->rank; d++)
            if (tensor->open[d])
                tensor->shape[d] = rk_sym_eval(tensor->open[d], values);
        memset(tensor->open, 0, sizeof tensor->open);
    }
    return at;
}
