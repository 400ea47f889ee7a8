#include "sched/graph/graph.h"

#include "base/file.h"
#include "base/json.h"
#include "sched/model/model.h"
#include "sched/model/safetensors.h"

#include <stdlib.h>
#include <string.h>

#define WEIGHTS "weights.safetensors"

/** Numbers, and open extents as text. */
static cJSON *shape_entry(const rk_tensor *tensor, rk_arena *scratch)
{
    cJSON *list = cJSON_CreateArray();
    for (int d = 0; d < tensor->rank; d++)
        cJSON_AddItemToArray(list, tensor->open[d]
                                       ? cJSON_CreateString(rk_sym_text(tensor->open[d], scratch))
                                       : cJSON_CreateNumber((double)tensor->shape[d]));
    return list;
}

static cJSON *tensor_entry(const rk_graph *graph, rk_id id, rk_arena *scratch)
{
    const rk_tensor *tensor = &graph->tensors[id];
    cJSON *entry = cJSON_CreateObject();
    if (tensor->dtype != RK_DTYPE_NONE)
        cJSON_AddStringToObject(entry, "dtype", rk_dtype_name(tensor->dtype));
    if (tensor->shape_known)
        cJSON_AddItemToObject(entry, "shape", shape_entry(tensor, scratch));
    if (tensor->data)
        cJSON_AddStringToObject(
            entry, "data",
            tensor->zeros ? RK_GRAPH_ZEROS : rk_arena_printf(scratch, WEIGHTS "#%s", tensor->name));
    if (tensor->base != id) {
        cJSON_AddStringToObject(entry, "of", graph->tensors[tensor->base].name);
        cJSON_AddNumberToObject(entry, "offset", (double)tensor->offset);
    }
    return entry;
}

static cJSON *tensor_name(const rk_graph *graph, rk_id id)
{
    return id == RK_NO_ID ? cJSON_CreateNull() : cJSON_CreateString(graph->tensors[id].name);
}

/** How many of the operands a file names: a plan and what is left out before it are not there. */
static size_t written_inputs(const rk_graph *graph, const rk_node *node)
{
    size_t count = node->input_count;
    if (count && node->inputs[count - 1] != RK_NO_ID &&
        graph->tensors[node->inputs[count - 1]].derived)
        count--;
    while (node->op && count && count < node->input_count && node->inputs[count - 1] == RK_NO_ID)
        count--;
    return count;
}

/** Operands by position, or by parameter for a kernel. */
static cJSON *operand_list(const rk_graph *graph, const rk_id *ids, size_t count,
                           const char *const *params)
{
    cJSON *list = params ? cJSON_CreateObject() : cJSON_CreateArray();
    for (size_t i = 0; i < count; i++)
        if (params)
            cJSON_AddItemToObject(list, params[i], tensor_name(graph, ids[i]));
        else
            cJSON_AddItemToArray(list, tensor_name(graph, ids[i]));
    return list;
}

/** An integer, or an expression over open dimensions as an object of its text: {"dim": "n + 1"}. */
static cJSON *attr_number(const rk_attr *attr, size_t i, rk_arena *scratch)
{
    if (!attr->open || !attr->open[i])
        return cJSON_CreateNumber((double)(attr->type == RK_ATTR_INT ? attr->i : attr->ints[i]));
    cJSON *expression = cJSON_CreateObject();
    cJSON_AddStringToObject(expression, "dim", rk_sym_text(attr->open[i], scratch));
    return expression;
}

static cJSON *attr_value(const rk_attr *attr, rk_arena *scratch)
{
    cJSON *list;
    switch (attr->type) {
    case RK_ATTR_INT:
        return attr_number(attr, 0, scratch);
    case RK_ATTR_REAL:
        return cJSON_CreateNumber(attr->d);
    case RK_ATTR_STRING:
        return cJSON_CreateString(attr->s);
    case RK_ATTR_INTS:
        break;
    }
    list = cJSON_CreateArray();
    for (size_t i = 0; i < attr->int_count; i++)
        cJSON_AddItemToArray(list, attr_number(attr, i, scratch));
    return list;
}

static cJSON *node_entry(const rk_graph *graph, const rk_node *node, rk_arena *scratch)
{
    cJSON *entry = cJSON_CreateObject();
    bool kernel = node->kernel != NULL;
    cJSON_AddStringToObject(entry, "name", node->name);
    cJSON_AddStringToObject(entry, kernel ? "kernel" : "op", kernel ? node->kernel : node->op_name);
    if (node->launcher)
        cJSON_AddStringToObject(entry, "launcher", node->launcher);
    cJSON_AddItemToObject(entry, "inputs",
                          operand_list(graph, node->inputs, written_inputs(graph, node),
                                       kernel ? node->input_names : NULL));
    cJSON_AddItemToObject(
        entry, "outputs",
        operand_list(graph, node->outputs, node->output_count, kernel ? node->output_names : NULL));
    if (node->attr_count) {
        cJSON *attrs = cJSON_AddObjectToObject(entry, "attrs");
        for (size_t i = 0; i < node->attr_count; i++)
            cJSON_AddItemToObject(attrs, node->attrs[i].name, attr_value(&node->attrs[i], scratch));
    }
    return entry;
}

static cJSON *to_json(const rk_graph *graph, rk_arena *scratch)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", RK_GRAPH_SCHEMA);
    cJSON_AddStringToObject(root, "name", graph->name);
    cJSON *tensors = cJSON_AddObjectToObject(root, "tensors");
    for (size_t i = 0; i < graph->tensor_count; i++)
        if (!graph->tensors[i].derived)
            cJSON_AddItemToObject(tensors, graph->tensors[i].name,
                                  tensor_entry(graph, (rk_id)i, scratch));
    cJSON *nodes = cJSON_AddArrayToObject(root, "nodes");
    for (size_t i = 0; i < graph->node_count; i++)
        cJSON_AddItemToArray(nodes, node_entry(graph, &graph->nodes[i], scratch));
    cJSON_AddItemToObject(root, "inputs",
                          operand_list(graph, graph->inputs, graph->input_count, NULL));
    cJSON_AddItemToObject(root, "outputs",
                          operand_list(graph, graph->outputs, graph->output_count, NULL));
    return root;
}

/** A constant, and its place among those of its size. */
typedef struct {
    rk_safetensor tensor;
    size_t index;
} constant;

/** Large elements first, so that all are aligned. */
static int by_size(const void *a, const void *b)
{
    const constant *x = a;
    const constant *y = b;
    size_t x_size = rk_dtype_size(x->tensor.dtype);
    size_t y_size = rk_dtype_size(y->tensor.dtype);
    if (x_size != y_size)
        return x_size > y_size ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/** The constants in the order of the weights file; *count of them. */
static const rk_safetensor *constants_of(size_t *count, const rk_graph *graph, rk_arena *scratch)
{
    constant *found = RK_NEW_ARRAY(scratch, constant, graph->tensor_count);
    rk_safetensor *tensors = RK_NEW_ARRAY(scratch, rk_safetensor, graph->tensor_count);
    *count = 0;
    for (size_t i = 0; i < graph->tensor_count; i++) {
        const rk_tensor *tensor = &graph->tensors[i];
        if (!tensor->data || tensor->zeros || tensor->derived)
            continue;
        constant *c = &found[*count];
        c->tensor = (rk_safetensor){.name = tensor->name,
                                    .dtype = tensor->dtype,
                                    .rank = tensor->rank,
                                    .data = tensor->data,
                                    .bytes = (size_t)rk_tensor_bytes(tensor)};
        memcpy(c->tensor.shape, tensor->shape, sizeof c->tensor.shape);
        c->index = (*count)++;
    }
    if (*count)
        qsort(found, *count, sizeof *found, by_size);
    for (size_t i = 0; i < *count; i++)
        tensors[i] = found[i].tensor;
    return tensors;
}

bool rk_graph_write(const rk_graph *graph, const char *dir, rk_diag *diag)
{
    rk_arena *scratch = rk_arena_new();
    size_t count;
    const rk_safetensor *constants = constants_of(&count, graph, scratch);
    cJSON *root = to_json(graph, scratch);
    bool good = count == 0 ||
                rk_safetensors_write(rk_path_join(scratch, dir, WEIGHTS), constants, count, diag);
    good = good && rk_json_write(rk_path_join(scratch, dir, "graph.json"), root, scratch, diag);
    cJSON_Delete(root);
    rk_arena_free(scratch);
    return good;
}
