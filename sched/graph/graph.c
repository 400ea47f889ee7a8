#include "sched/graph/graph.h"

#include "base/vec.h"

#include <string.h>

rk_graph *rk_graph_new(rk_arena *arena, const char *name)
{
    rk_graph *graph = RK_NEW(arena, rk_graph);
    graph->arena = arena;
    graph->syms = rk_syms_new(arena);
    graph->checks = RK_NEW(arena, rk_extent_checks);
    graph->name = rk_arena_strdup(arena, name);
    return graph;
}

static rk_tensor *add_tensor(rk_graph *graph, rk_id *id, const char *name, rk_dtype dtype)
{
    rk_vec_grow(graph->arena, (void **)&graph->tensors, graph->tensor_count,
                &graph->tensor_capacity, sizeof *graph->tensors);
    *id = (rk_id)graph->tensor_count++;
    rk_tensor *tensor = &graph->tensors[*id];
    *tensor = (rk_tensor){.name = rk_arena_strdup(graph->arena, name), .dtype = dtype, .base = *id};
    return tensor;
}

/** A rank that is out of range is kept for validation to diagnose, without its shape. */
static void set_shape(rk_tensor *tensor, int rank, const int64_t *shape)
{
    tensor->rank = rank;
    tensor->shape_known = true;
    for (int i = 0; i < rank && rank <= RK_MAX_RANK; i++)
        tensor->shape[i] = shape[i];
}

rk_id rk_graph_tensor(rk_graph *graph, const char *name, rk_dtype dtype, int rank,
                      const int64_t *shape)
{
    rk_id id;
    set_shape(add_tensor(graph, &id, name, dtype), rank, shape);
    return id;
}

rk_id rk_graph_tensor_inferred(rk_graph *graph, const char *name, rk_dtype dtype)
{
    rk_id id;
    add_tensor(graph, &id, name, dtype);
    return id;
}

rk_id rk_graph_view(rk_graph *graph, const char *name, rk_id of, int rank, const int64_t *shape,
                    int64_t offset)
{
    rk_id id;
    rk_tensor *view = add_tensor(graph, &id, name, RK_DTYPE_NONE);
    set_shape(view, rank, shape);
    view->base = of;
    view->offset = offset;
    if (of >= id)
        return id;
    const rk_tensor *from = &graph->tensors[of];
    view->dtype = from->dtype;
    view->base = from->base;
    if (__builtin_add_overflow(from->offset, offset, &view->offset))
        view->offset = INT64_MAX;
    return id;
}

rk_id rk_graph_constant(rk_graph *graph, const char *name, rk_dtype dtype, int rank,
                        const int64_t *shape, const void *data)
{
    rk_id id = rk_graph_tensor(graph, name, dtype, rank, shape);
    graph->tensors[id].data = data;
    return id;
}

static rk_node *add_node(rk_graph *graph, rk_id *id, const char *name)
{
    rk_vec_grow(graph->arena, (void **)&graph->nodes, graph->node_count, &graph->node_capacity,
                sizeof *graph->nodes);
    *id = (rk_id)graph->node_count++;
    rk_node *node = &graph->nodes[*id];
    *node = (rk_node){.name = rk_arena_strdup(graph->arena, name)};
    return node;
}

static void set_operands(rk_node *node, const rk_node *from, rk_arena *arena)
{
    node->inputs = rk_arena_copy(arena, from->inputs, from->input_count * sizeof *from->inputs);
    node->input_count = from->input_count;
    node->outputs = rk_arena_copy(arena, from->outputs, from->output_count * sizeof *from->outputs);
    node->output_count = from->output_count;
}

rk_id rk_graph_node(rk_graph *graph, const char *name, const char *op, const rk_id *inputs,
                    size_t input_count, const rk_id *outputs, size_t output_count)
{
    rk_id id;
    rk_node *node = add_node(graph, &id, name);
    node->op_name = rk_arena_strdup(graph->arena, op);
    rk_node from = {.inputs = inputs,
                    .input_count = input_count,
                    .outputs = outputs,
                    .output_count = output_count};
    set_operands(node, &from, graph->arena);
    return id;
}

static const char *const *copy_names(const char *const *names, size_t count, rk_arena *arena)
{
    const char **copies = RK_NEW_ARRAY(arena, const char *, count);
    for (size_t i = 0; i < count; i++)
        copies[i] = rk_arena_strdup(arena, names[i]);
    return copies;
}

rk_id rk_graph_kernel_node(rk_graph *graph, const rk_node *from)
{
    rk_id id;
    rk_node *node = add_node(graph, &id, from->name);
    node->kernel = rk_arena_strdup(graph->arena, from->kernel);
    node->launcher = from->launcher ? rk_arena_strdup(graph->arena, from->launcher) : NULL;
    set_operands(node, from, graph->arena);
    node->input_names = copy_names(from->input_names, from->input_count, graph->arena);
    node->output_names = copy_names(from->output_names, from->output_count, graph->arena);
    return id;
}

/** Nodes have few attributes: the array is copied for each one more. */
static void add_attr(rk_graph *graph, rk_id node_id, const char *name, rk_attr attr)
{
    rk_node *node = &graph->nodes[node_id];
    rk_attr *attrs = RK_NEW_ARRAY(graph->arena, rk_attr, node->attr_count + 1);
    if (node->attr_count)
        memcpy(attrs, node->attrs, node->attr_count * sizeof *attrs);
    attr.name = rk_arena_strdup(graph->arena, name);
    attrs[node->attr_count++] = attr;
    node->attrs = attrs;
}

void rk_graph_attr_int(rk_graph *graph, rk_id node, const char *name, int64_t value)
{
    add_attr(graph, node, name, (rk_attr){.type = RK_ATTR_INT, .i = value});
}

void rk_graph_attr_real(rk_graph *graph, rk_id node, const char *name, double value)
{
    add_attr(graph, node, name, (rk_attr){.type = RK_ATTR_REAL, .d = value});
}

void rk_graph_attr_string(rk_graph *graph, rk_id node, const char *name, const char *value)
{
    const char *copy = rk_arena_strdup(graph->arena, value);
    add_attr(graph, node, name, (rk_attr){.type = RK_ATTR_STRING, .s = copy});
}

void rk_graph_attr_ints(rk_graph *graph, rk_id node, const char *name, const int64_t *values,
                        size_t count)
{
    const int64_t *copy = rk_arena_copy(graph->arena, values, count * sizeof *values);
    add_attr(graph, node, name, (rk_attr){.type = RK_ATTR_INTS, .ints = copy, .int_count = count});
}

static void add_id(rk_graph *graph, rk_id **items, size_t *count, size_t *capacity, rk_id id)
{
    rk_vec_grow(graph->arena, (void **)items, *count, capacity, sizeof **items);
    (*items)[(*count)++] = id;
}

void rk_graph_input(rk_graph *graph, rk_id tensor)
{
    add_id(graph, &graph->inputs, &graph->input_count, &graph->input_capacity, tensor);
}

void rk_graph_output(rk_graph *graph, rk_id tensor)
{
    add_id(graph, &graph->outputs, &graph->output_count, &graph->output_capacity, tensor);
}

int64_t rk_tensor_elements(const rk_tensor *tensor)
{
    int64_t n = 1;
    for (int i = 0; i < tensor->rank; i++)
        n *= tensor->shape[i];
    return n;
}

int64_t rk_tensor_bytes(const rk_tensor *tensor)
{
    return rk_tensor_elements(tensor) * (int64_t)rk_dtype_size(tensor->dtype);
}

rk_id rk_graph_find_tensor(const rk_graph *graph, const char *name)
{
    for (size_t i = 0; i < graph->tensor_count; i++)
        if (strcmp(graph->tensors[i].name, name) == 0)
            return (rk_id)i;
    return RK_NO_ID;
}

const rk_attr *rk_node_attr(const rk_node *node, const char *name)
{
    for (size_t i = 0; i < node->attr_count; i++)
        if (strcmp(node->attrs[i].name, name) == 0)
            return &node->attrs[i];
    return NULL;
}

bool rk_shape_valid(const char **problem, int rank, const int64_t *shape)
{
    *problem = NULL;
    if (rank < 0 || rank > RK_MAX_RANK) {
        *problem = "has more than 8 dimensions";
        return false;
    }
    int64_t elements = 1;
    for (int i = 0; i < rank && !*problem; i++) {
        if (shape[i] < 1)
            *problem = "has a dimension below 1";
        else if (__builtin_mul_overflow(elements, shape[i], &elements) ||
                 elements > RK_MAX_ELEMENTS)
            *problem = "has more than 2^40 elements";
    }
    return !*problem;
}
