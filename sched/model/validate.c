#include "sched/model/validate_internal.h"

#include "base/str.h"
#include "sched/graph/names.h"
#include "sched/ops/plan.h"

#include <string.h>

static void check_names(rk_graph_check *check)
{
    rk_graph *graph = check->graph;
    rk_names names;
    rk_names_init(&names, graph->tensor_count, check->scratch);
    for (size_t i = 0; i < graph->tensor_count; i++) {
        const char *name = graph->tensors[i].name;
        if (!*name)
            rk_check_fail(check, "RK-G001", "tensor", name, "name it", "a tensor has no name");
        else if (rk_names_add(&names, name, (rk_id)i) != RK_NO_ID)
            rk_check_fail(check, "RK-G001", "tensor", name, "rename one of them",
                          "two tensors have this name");
    }
    rk_names_init(&names, graph->node_count, check->scratch);
    for (size_t i = 0; i < graph->node_count; i++) {
        const char *name = graph->nodes[i].name;
        if (!*name)
            rk_check_fail(check, "RK-G001", "node", name, "name it", "a node has no name");
        else if (rk_names_add(&names, name, (rk_id)i) != RK_NO_ID)
            rk_check_fail(check, "RK-G001", "node", name, "rename one of them",
                          "two nodes have this name");
    }
}

static bool check_view(rk_graph_check *check, const rk_tensor *view)
{
    const rk_graph *graph = check->graph;
    if (view->base >= graph->tensor_count) {
        rk_check_fail(check, "RK-G002", "tensor", view->name, NULL,
                      "it is a view of a tensor that is not there");
        return false;
    }
    const rk_tensor *base = &graph->tensors[view->base];
    const char *problem;
    if (check->bad_tensors[view->base])
        return false;
    if (base->base != view->base || !base->shape_known ||
        !rk_shape_valid(&problem, base->rank, base->shape)) {
        rk_check_fail(check, "RK-G010", "tensor", view->name, "give that tensor a shape",
                      "it is a view of '%s', whose shape is not given", base->name);
        return false;
    }
    if ((rk_tensor_is_open(base) || rk_tensor_is_open(view)) &&
        (view->offset != 0 || rk_tensor_size(graph, view) != rk_tensor_size(graph, base))) {
        rk_check_fail(check, "RK-G018", "tensor", view->name, "bind them: --dim n=128",
                      "it is a view of a part of '%s' with open dimensions, which is not known "
                      "to lie in it at each of their values",
                      base->name);
        return false;
    }
    int64_t room = rk_tensor_elements(base);
    int64_t elements = rk_tensor_elements(view);
    if (view->offset < 0 || view->offset > room || elements > room - view->offset) {
        rk_check_fail(
            check, "RK-G010", "tensor", view->name, NULL,
            "it takes elements %lld to %lld of '%s', which has %lld", (long long)view->offset,
            (long long)(view->offset > RK_MAX_ELEMENTS ? view->offset : view->offset + elements),
            base->name, (long long)room);
        return false;
    }
    if (view->dtype != base->dtype) {
        rk_check_fail(check, "RK-G009", "tensor", view->name, NULL,
                      "it is %s, and a view of '%s', which is %s", rk_dtype_name(view->dtype),
                      base->name, rk_dtype_name(base->dtype));
        return false;
    }
    if (view->data) {
        rk_check_fail(check, "RK-G011", "tensor", view->name,
                      "give the data to the tensor it is a view of",
                      "it is a view, and has data of its own");
        return false;
    }
    return true;
}

static bool check_tensor(rk_graph_check *check, rk_id id)
{
    const rk_tensor *tensor = &check->graph->tensors[id];
    bool view = tensor->base != id;
    const char *problem = NULL;
    if (tensor->shape_known && !rk_shape_valid(&problem, tensor->rank, tensor->shape)) {
        rk_check_fail(check, "RK-G008", "tensor", tensor->name, NULL, "its shape %s", problem);
        return false;
    }
    if (!tensor->shape_known && (view || tensor->data)) {
        rk_check_fail(check, "RK-G008", "tensor", tensor->name, "give its shape", "%s has no shape",
                      view ? "a view" : "a constant");
        return false;
    }
    if (tensor->dtype >= RK_DTYPE_COUNT && tensor->data) {
        rk_check_fail(check, "RK-G009", "tensor", tensor->name, "give its dtype",
                      "a constant has no dtype");
        return false;
    }
    if (!view && tensor->offset != 0) {
        rk_check_fail(check, "RK-G010", "tensor", tensor->name, NULL,
                      "it has an offset, and is no view");
        return false;
    }
    return !view || check_view(check, tensor);
}

/** Inputs and outputs: there, with shapes, and each once. */
static void check_ends(rk_graph_check *check, const rk_id *ids, size_t count, const char *what)
{
    const rk_graph *graph = check->graph;
    unsigned char *seen = RK_NEW_ARRAY(check->scratch, unsigned char, graph->tensor_count);
    for (size_t i = 0; i < count; i++) {
        if (ids[i] >= graph->tensor_count) {
            rk_check_fail(check, "RK-G002", NULL, NULL, NULL,
                          "%s %zu of the graph is a tensor that is not there", what, i);
            continue;
        }
        if (seen[ids[i]])
            rk_check_fail(check, "RK-G001", "tensor", graph->tensors[ids[i]].name, "list it once",
                          "it is listed twice among the %ss", what);
        seen[ids[i]] = 1;
    }
}

static void check_inputs(rk_graph_check *check)
{
    const rk_graph *graph = check->graph;
    for (size_t i = 0; i < graph->input_count; i++) {
        rk_id id = graph->inputs[i];
        if (id >= graph->tensor_count || check->bad_tensors[id])
            continue;
        const rk_tensor *tensor = &graph->tensors[id];
        if (!tensor->shape_known)
            rk_check_fail(check, "RK-G008", "tensor", tensor->name, "give its shape",
                          "an input has no shape");
        else if (tensor->dtype >= RK_DTYPE_COUNT)
            rk_check_fail(check, "RK-G009", "tensor", tensor->name, "give its dtype",
                          "an input has no dtype");
        else
            continue;
        check->bad_tensors[id] = 1;
    }
}

static bool operands_known(const rk_graph_check *check, const rk_id *ids, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (ids[i] == RK_NO_ID)
            continue;
        const rk_tensor *tensor = &check->graph->tensors[ids[i]];
        if (check->bad_tensors[ids[i]] || !tensor->shape_known || tensor->dtype >= RK_DTYPE_COUNT)
            return false;
    }
    return true;
}

/** A kernel's launching function says nothing about shapes: the graph gives them. */
static bool infer_kernel(rk_graph_check *check, const rk_node *node)
{
    if (operands_known(check, node->outputs, node->output_count))
        return true;
    rk_check_fail(check, "RK-G008", "node", node->name,
                  "give shape and dtype of each of its outputs",
                  "an output of the kernel '%s' has no shape or dtype", node->kernel);
    return false;
}

/** Whether a shape that the graph gives for an output is none, which has been told. */
static bool outputs_bad(const rk_graph_check *check, const rk_node *node)
{
    for (size_t o = 0; o < node->output_count; o++)
        if (node->outputs[o] < check->graph->tensor_count && check->bad_tensors[node->outputs[o]])
            return true;
    return false;
}

static void infer(rk_graph_check *check)
{
    rk_arena *scratch = rk_arena_new();
    for (size_t n = 0; n < check->ordered; n++) {
        const rk_node *node = &check->graph->nodes[n];
        bool known = !check->bad_nodes[n] && !outputs_bad(check, node) &&
                     operands_known(check, node->inputs, node->input_count);
        if (known && node->op) {
            rk_arena_reset(scratch);
            rk_op_call call = rk_op_call_of(check->graph, node, scratch);
            known = node->op->infer(&call, check->diag);
            check->good = check->good && known;
        } else if (known && node->kernel) {
            known = infer_kernel(check, node);
        }
        for (size_t o = 0; o < node->output_count && !known; o++)
            if (node->outputs[o] < check->graph->tensor_count)
                check->bad_tensors[node->outputs[o]] = 1;
    }
    rk_arena_free(scratch);
}

/** After inference: a tensor that no node writes and that gives no shape. */
static void check_inferred(rk_graph_check *check)
{
    for (size_t i = 0; i < check->graph->tensor_count; i++) {
        const rk_tensor *tensor = &check->graph->tensors[i];
        if (!check->bad_tensors[i] && (!tensor->shape_known || tensor->dtype >= RK_DTYPE_COUNT))
            rk_check_fail(check, "RK-G008", "tensor", tensor->name,
                          "give its shape and dtype, or remove it",
                          "it has no shape or dtype, and no node writes it");
    }
}

static bool overlap(const rk_tensor *a, const rk_tensor *b)
{
    return a->base == b->base && a->offset < b->offset + rk_tensor_elements(b) &&
           b->offset < a->offset + rk_tensor_elements(a);
}

/** Whether output `o` may be written over input `i`: all of it, by an op or a parameter for that. */
static bool may_update(const rk_node *node, size_t i, size_t o, const rk_tensor *in,
                       const rk_tensor *out)
{
    if (in->offset != out->offset || rk_tensor_elements(in) != rk_tensor_elements(out))
        return false;
    if (node->op)
        return i < 32 && (node->op->in_place >> i & 1);
    return node->input_names[i] && node->output_names[o] &&
           strcmp(node->input_names[i], node->output_names[o]) == 0;
}

/** An output shares no elements with another operand of its node, but to update it. */
static void check_output(rk_graph_check *check, const rk_node *node, size_t o)
{
    const rk_tensor *tensors = check->graph->tensors;
    const rk_tensor *out = &tensors[node->outputs[o]];
    const rk_tensor *other = NULL;
    for (size_t i = 0; i < node->input_count && !other; i++) {
        const rk_tensor *in = node->inputs[i] == RK_NO_ID ? NULL : &tensors[node->inputs[i]];
        if (in && overlap(in, out) && !may_update(node, i, o, in, out))
            other = in;
    }
    for (size_t i = 0; i < o && !other; i++)
        if (overlap(&tensors[node->outputs[i]], out))
            other = &tensors[node->outputs[i]];
    if (other)
        rk_check_fail(check, "RK-G016", "node", node->name, "let it write a tensor of its own",
                      "it writes '%s' over its operand '%s', and %s cannot do that in place",
                      out->name, other->name, node->op ? node->op->name : node->kernel);
}

static void check_in_place(rk_graph_check *check)
{
    for (size_t n = 0; n < check->graph->node_count; n++) {
        const rk_node *node = &check->graph->nodes[n];
        bool known = !check->bad_nodes[n] &&
                     operands_known(check, node->inputs, node->input_count) &&
                     operands_known(check, node->outputs, node->output_count);
        for (size_t o = 0; known && o < node->output_count; o++)
            check_output(check, node, o);
    }
}

/** Whether the node and all that it touches is known; what a file says wrongly of others may have left them without shapes. */
static bool is_inferred(const rk_graph_check *check, size_t n)
{
    const rk_node *node = &check->graph->nodes[n];
    bool known = !check->bad_nodes[n];
    for (size_t i = 0; known && i < node->input_count + node->output_count; i++) {
        const rk_id id =
            i < node->input_count ? node->inputs[i] : node->outputs[i - node->input_count];
        known = id == RK_NO_ID || check->graph->tensors[id].shape_known;
    }
    return known;
}

bool rk_graph_validate_marked(rk_graph *graph, rk_graph_marks marks, rk_diag *diag)
{
    rk_arena *scratch = rk_arena_new();
    rk_graph_check check = {.graph = graph, .diag = diag, .scratch = scratch, .good = true};
    check.bad_tensors =
        marks.tensors ? marks.tensors : RK_NEW_ARRAY(scratch, unsigned char, graph->tensor_count);
    check.bad_nodes =
        marks.nodes ? marks.nodes : RK_NEW_ARRAY(scratch, unsigned char, graph->node_count);
    check_names(&check);
    for (size_t i = 0; i < graph->tensor_count; i++)
        if (!check.bad_tensors[i] && graph->tensors[i].base == i && !check_tensor(&check, (rk_id)i))
            check.bad_tensors[i] = 1;
    for (size_t i = 0; i < graph->tensor_count; i++)
        if (!check.bad_tensors[i] && graph->tensors[i].base != i && !check_tensor(&check, (rk_id)i))
            check.bad_tensors[i] = 1;
    check_ends(&check, graph->inputs, graph->input_count, "input");
    check_ends(&check, graph->outputs, graph->output_count, "output");
    check_inputs(&check);
    rk_check_nodes(&check);
    rk_check_order(&check);
    infer(&check);
    if (check.good)
        check_inferred(&check);
    if (check.good)
        check_in_place(&check);
    for (size_t n = 0; n < graph->node_count && check.good; n++)
        if (graph->nodes[n].op && graph->nodes[n].op->plan && is_inferred(&check, n))
            check.good = rk_op_make_plan(graph, &graph->nodes[n], diag);
    rk_arena_free(scratch);
    return check.good;
}

bool rk_graph_validate(rk_graph *graph, rk_diag *diag)
{
    return rk_graph_validate_marked(graph, (rk_graph_marks){0}, diag);
}

rk_graph *rk_graph_bind(const rk_graph *graph, const int64_t *values, rk_arena *arena,
                        rk_diag *diag)
{
    rk_graph *at = rk_graph_at(graph, values, arena, diag);
    bool good = at != NULL;
    for (size_t n = 0; good && n < at->node_count; n++) {
        rk_node *node = &at->nodes[n];
        if (!node->op)
            continue;
        const rk_op_call call = rk_op_call_of(at, node, arena);
        good = node->op->infer(&call, diag) && (!node->op->plan || rk_op_make_plan(at, node, diag));
    }
    return good ? at : NULL;
}
