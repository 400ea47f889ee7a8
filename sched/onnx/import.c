#include "sched/onnx/import_internal.h"

#include "base/file.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

enum { OLDEST_OPSET = 1, MOST_NODES = 1 << 20 };

static rk_place place_of(const rk_onnx_importer *im, const char *kind, const char *name)
{
    return rk_place_object(im->arena, im->file, kind, name);
}

const rk_onnx_rule *rk_onnx_rule_find(const char *op)
{
    for (size_t f = 0; f < rk_onnx_family_count; f++)
        for (const rk_onnx_rule *rule = rk_onnx_families[f]->rules; rule->op; rule++)
            if (strcmp(rule->op, op) == 0)
                return rule;
    return NULL;
}

/* Scopes. */

rk_id rk_onnx_lookup(const rk_onnx_scope *scope, const char *name)
{
    for (; scope; scope = scope->outer) {
        const rk_id id = rk_names_find(&scope->names, name);
        if (id != RK_NO_ID)
            return id;
    }
    return RK_NO_ID;
}

void rk_onnx_define(rk_onnx_scope *scope, const char *name, rk_id id)
{
    if (*name)
        rk_names_add(&scope->names, name, id);
}

static rk_id take_initializer(rk_onnx_importer *im, const rk_onnx_tensor *tensor, bool top)
{
    rk_onnx_given value;
    if (!rk_onnx_take_tensor(&value, tensor, im->file, im->arena, im->diag)) {
        im->good = false;
        return RK_ONNX_LOST;
    }
    const char *name =
        top ? tensor->name : rk_arena_printf(im->arena, "%s#%zu", tensor->name, im->made++);
    return rk_graph_constant(im->graph, name, value.dtype, value.rank, value.shape, value.data);
}

rk_onnx_scope *rk_onnx_scope_new(rk_onnx_importer *im, const rk_onnx_graph *graph,
                                 rk_onnx_scope *outer, size_t more)
{
    rk_onnx_scope *scope = RK_NEW(im->arena, rk_onnx_scope);
    size_t count = graph->initializer.count + graph->input.count + more;
    for (size_t i = 0; i < graph->node.count; i++)
        count += graph->node.items[i]->output.count;
    rk_names_init(&scope->names, count, im->arena);
    scope->outer = outer;
    for (size_t i = 0; i < graph->initializer.count; i++)
        rk_onnx_define(scope, graph->initializer.items[i]->name,
                       take_initializer(im, graph->initializer.items[i], !outer));
    return scope;
}

/* Nodes. */

static const rk_onnx_function *function_of(const rk_onnx_importer *im, const rk_onnx_node *node)
{
    for (size_t i = 0; i < im->model->functions.count; i++) {
        const rk_onnx_function *f = im->model->functions.items[i];
        if (strcmp(f->name, node->op_type) == 0 && strcmp(f->domain, node->domain) == 0)
            return f;
    }
    return NULL;
}

static int64_t opset_of(rk_onnx_opset *const *items, size_t count, int64_t otherwise)
{
    for (size_t i = 0; i < count; i++)
        if (!*items[i]->domain || strcmp(items[i]->domain, "ai.onnx") == 0)
            return items[i]->version;
    return otherwise;
}

/** Lowers the function's body in place of the node. */
static bool lower_function(rk_onnx_call *c, const rk_onnx_function *f)
{
    rk_onnx_importer *im = c->im;
    const rk_onnx_graph body = {.node.items = f->node.items, .node.count = f->node.count};
    rk_onnx_scope *scope = rk_onnx_scope_new(im, &body, NULL, f->input.count);
    scope->caller = c->node;
    scope->caller_scope = c->scope;
    scope->function = f;
    for (size_t i = 0; i < f->input.count && i < c->in_count; i++)
        if (c->in[i] != RK_NO_ID)
            rk_onnx_define(scope, f->input.items[i], c->in[i]);
    const int64_t opset = im->opset;
    im->opset = opset_of(f->opset_import.items, f->opset_import.count, opset);
    const bool good = rk_onnx_lower_nodes(im, f->node.items, f->node.count, scope);
    im->opset = opset;
    for (size_t o = 0; o < f->output.count && o < c->out_count && good; o++)
        c->out[o] = rk_onnx_lookup(scope, f->output.items[o]);
    return good;
}

static bool is_standard(const rk_onnx_node *node)
{
    return !*node->domain || strcmp(node->domain, "ai.onnx") == 0;
}

static bool unknown_op(rk_onnx_call *c)
{
    const char **names = RK_NEW_ARRAY(c->im->arena, const char *, 512);
    size_t count = 0;
    for (size_t f = 0; f < rk_onnx_family_count; f++)
        for (const rk_onnx_rule *r = rk_onnx_families[f]->rules; r->op && count < 512; r++)
            names[count++] = r->op;
    const char *near = rk_str_nearest(c->node->op_type, names, count);
    return rk_onnx_refuse(
        c,
        near ? rk_arena_printf(c->im->arena, "did you mean '%s'?", near)
             : "docs/onnx.md lists what is; an exporter can often write it with other operators",
        is_standard(c->node) ? "there is no lowering of it" : "its domain '%s' is not known",
        c->node->domain);
}

static bool lower_node(rk_onnx_call *c)
{
    const rk_onnx_function *f = function_of(c->im, c->node);
    if (f)
        return lower_function(c, f);
    const rk_onnx_rule *rule = is_standard(c->node) ? rk_onnx_rule_find(c->node->op_type) : NULL;
    return rule ? rule->lower(c) : unknown_op(c);
}

/** Finds the operands; false when one of them could not be made, which was said. */
static bool find_operands(rk_onnx_call *c)
{
    rk_id *in = RK_NEW_ARRAY(c->im->arena, rk_id, c->node->input.count + 1);
    bool good = true;
    c->in_count = c->node->input.count;
    for (size_t i = 0; i < c->in_count; i++) {
        const char *name = c->node->input.items[i];
        in[i] = *name ? rk_onnx_lookup(c->scope, name) : RK_NO_ID;
        /* An input of a function that its caller leaves out is not there either. */
        if (*name && in[i] == RK_NO_ID && !c->scope->caller)
            good = rk_onnx_wrong(c, "it reads '%s', which nothing before it makes", name);
        good = good && in[i] != RK_ONNX_LOST;
    }
    c->in = in;
    return good;
}

bool rk_onnx_lower_nodes(rk_onnx_importer *im, rk_onnx_node *const *nodes, size_t count,
                         rk_onnx_scope *scope)
{
    bool all = true;
    if (im->depth >= RK_ONNX_DEEPEST || im->nodes > MOST_NODES) {
        im->good = false;
        return rk_diag_add(
            im->diag, RK_ERROR, "RK-O002", rk_place_file(im->file), NULL,
            "functions and subgraphs are nested too deep, or unroll to more than %d nodes",
            MOST_NODES);
    }
    im->depth++;
    im->nodes += count;
    for (size_t n = 0; n < count; n++) {
        const rk_onnx_node *node = nodes[n];
        rk_onnx_call c = {.im = im, .node = node, .scope = scope};
        c.out_count = node->output.count;
        c.out = RK_NEW_ARRAY(im->arena, rk_id, c.out_count + 1);
        for (size_t o = 0; o < c.out_count; o++)
            c.out[o] = RK_ONNX_LOST;
        c.name = *node->name                             ? node->name
                 : c.out_count && *node->output.items[0] ? node->output.items[0]
                                                         : node->op_type;
        bool good = find_operands(&c) && lower_node(&c);
        for (size_t o = 0; o < c.out_count; o++) {
            good = good && (c.out[o] != RK_ONNX_LOST || !*node->output.items[o]);
            rk_onnx_define(scope, node->output.items[o], c.out[o]);
        }
        all = all && good;
    }
    im->depth--;
    return all;
}

/* The graph's ends. */

static bool dim_of(int64_t *out, rk_onnx_importer *im, const rk_onnx_value *value, size_t d,
                   const rk_onnx_given *given)
{
    const rk_onnx_dim *dim = value->type->tensor->shape->dim.items[d];
    *out = dim->dim_value;
    if (dim->seen & RK_ONNX_DIM_VALUE)
        return true;
    for (size_t i = 0; i < im->options->dim_count; i++)
        if (strcmp(im->options->dims[i].name, dim->dim_param) == 0) {
            *out = im->options->dims[i].value;
            return true;
        }
    if (given && d < (size_t)given->rank) {
        *out = given->shape[d];
        return true;
    }
    im->good = false;
    return rk_diag_add(im->diag, RK_ERROR, "RK-O005", place_of(im, "input", value->name),
                       *dim->dim_param ? rk_arena_printf(im->arena, "--dim %s=N", dim->dim_param)
                                       : "export the model with a number or a name there",
                       "its dimension %zu has no number%s%s", d,
                       *dim->dim_param ? ", but the name " : "", dim->dim_param);
}

static bool add_input(rk_onnx_importer *im, const rk_onnx_value *value, rk_onnx_scope *scope)
{
    if (rk_names_find(&scope->names, value->name) != RK_NO_ID)
        return true; /* an initializer gives its value */
    const rk_onnx_given *given = rk_onnx_given_of(im, value->name);
    const rk_onnx_tensor_type *type = value->type ? value->type->tensor : NULL;
    const rk_dtype dtype = type ? rk_onnx_dtype(type->elem_type) : RK_DTYPE_NONE;
    int64_t shape[RK_MAX_RANK] = {0};
    size_t rank = type && type->shape ? type->shape->dim.count : 0;
    rk_onnx_define(scope, value->name, RK_ONNX_LOST);
    if (dtype == RK_DTYPE_NONE || rank > RK_MAX_RANK) {
        im->good = false;
        return rk_diag_add(im->diag, RK_ERROR, "RK-O003", place_of(im, "input", value->name),
                           "tensors of numbers with up to 8 dimensions are",
                           "an input of its type is not supported");
    }
    if (given && (!type->shape || rank != (size_t)given->rank)) {
        rank = (size_t)given->rank;
        memcpy(shape, given->shape, sizeof shape);
    } else if (!type->shape) {
        im->good = false;
        return rk_diag_add(im->diag, RK_ERROR, "RK-O005", place_of(im, "input", value->name),
                           "export the model with shapes, or give a value: --input NAME=FILE.npy",
                           "it has no shape");
    } else {
        for (size_t d = 0; d < rank; d++)
            if (!dim_of(&shape[d], im, value, d, given))
                return false;
    }
    const char *problem;
    if (!rk_onnx_shape_valid(&problem, (int)rank, shape)) {
        im->good = false;
        return rk_diag_add(im->diag, RK_ERROR, "RK-O002", place_of(im, "input", value->name), NULL,
                           "its shape %s", problem);
    }
    const rk_id id = rk_graph_tensor(im->graph, value->name, dtype, (int)rank, shape);
    if (rk_tensor_elements(&im->graph->tensors[id]) == 0)
        im->graph->tensors[id].data = ""; /* it has the one value that it can have */
    rk_graph_input(im->graph, id);
    /* An input has one name and one id in the map: the one that was lost is replaced. */
    for (size_t i = 0; i <= scope->names.mask; i++)
        if (scope->names.keys[i] && strcmp(scope->names.keys[i], value->name) == 0)
            scope->names.ids[i] = id;
    return true;
}

/** What a run returns lies in a buffer of its own: constants, inputs and views are copied. */
static void add_output(rk_onnx_importer *im, const rk_onnx_value *value, rk_onnx_scope *scope)
{
    const rk_onnx_node node = {.op_type = "output", .name = value->name};
    rk_onnx_call c = {.im = im, .node = &node, .scope = scope, .name = value->name};
    rk_id id = rk_onnx_lookup(scope, value->name);
    if (id == RK_NO_ID) {
        im->good = false;
        rk_diag_add(im->diag, RK_ERROR, "RK-O002", place_of(im, "output", value->name), NULL,
                    "nothing makes it");
        return;
    }
    if (id == RK_ONNX_LOST)
        return;
    const rk_tensor t = im->graph->tensors[id];
    bool own = t.base == id && !t.data;
    if (rk_tensor_elements(&t) == 0) {
        im->good = false;
        rk_diag_add(im->diag, RK_ERROR, "RK-O003", place_of(im, "output", value->name),
                    "tensors of at least one element are",
                    "an output of no elements is not supported");
        return;
    }
    for (size_t i = 0; i < im->graph->input_count; i++)
        own = own && im->graph->inputs[i] != id;
    for (size_t i = 0; i < im->graph->output_count; i++)
        own = own && im->graph->outputs[i] != id;
    if (!own) {
        rk_node copy = {.name = rk_arena_printf(im->arena, "%s#copy", value->name),
                        .op_name = "Move"};
        int64_t strides[RK_MAX_RANK];
        rk_onnx_row_major(strides, t.rank, t.shape);
        const rk_id to = rk_graph_tensor(im->graph, value->name, t.dtype, t.rank, t.shape);
        const rk_id n = rk_graph_node(im->graph, copy.name, "Move", &id, 1, &to, 1);
        rk_graph_attr_ints(im->graph, n, "shape", t.shape, (size_t)t.rank);
        rk_graph_attr_ints(im->graph, n, "strides", strides, (size_t)t.rank);
        id = to;
    }
    (void)c;
    rk_graph_output(im->graph, id);
}

/* The graph without what nothing needs. */

typedef struct {
    const rk_graph *from;
    bool *tensors, *nodes;
} needed;

static void need_tensor(needed *n, rk_id id)
{
    if (id != RK_NO_ID)
        n->tensors[id] = n->tensors[n->from->tensors[id].base] = true;
}

static void find_needed(needed *n)
{
    const rk_graph *g = n->from;
    for (size_t i = 0; i < g->output_count; i++)
        need_tensor(n, g->outputs[i]);
    for (size_t k = g->node_count; k-- > 0;) { /* in the order in which they were made */
        const rk_node *node = &g->nodes[k];
        for (size_t o = 0; o < node->output_count; o++)
            n->nodes[k] = n->nodes[k] || (n->tensors[g->tensors[node->outputs[o]].base] &&
                                          !g->tensors[node->outputs[o]].data);
        for (size_t i = 0; i < node->input_count && n->nodes[k]; i++)
            need_tensor(n, node->inputs[i]);
        for (size_t o = 0; o < node->output_count && n->nodes[k]; o++)
            need_tensor(n, node->outputs[o]);
    }
}

static rk_graph *only_needed(rk_onnx_importer *im, const char *name)
{
    const rk_graph *from = im->graph;
    needed n = {.from = from};
    n.tensors = RK_NEW_ARRAY(im->arena, bool, from->tensor_count + 1);
    n.nodes = RK_NEW_ARRAY(im->arena, bool, from->node_count + 1);
    rk_id *ids = RK_NEW_ARRAY(im->arena, rk_id, from->tensor_count + 1);
    rk_graph *to = rk_graph_new(im->arena, name);
    to->file = from->file;
    find_needed(&n);
    for (size_t i = 0; i < from->input_count; i++)
        if (!im->bound[i])
            n.tensors[from->inputs[i]] = true;
    for (size_t t = 0; t < from->tensor_count; t++) {
        if (!n.tensors[t])
            continue;
        ids[t] = rk_graph_tensor_inferred(to, from->tensors[t].name, RK_DTYPE_NONE);
        to->tensors[ids[t]] = from->tensors[t];
        if (from->tensors[t].base != t)
            to->tensors[ids[t]].data = NULL;
    }
    for (size_t t = 0; t < to->tensor_count; t++)
        to->tensors[t].base = ids[to->tensors[t].base];
    for (size_t k = 0; k < from->node_count; k++) {
        if (!n.nodes[k])
            continue;
        const rk_id id = rk_graph_node(to, from->nodes[k].name, from->nodes[k].op_name,
                                       from->nodes[k].inputs, from->nodes[k].input_count,
                                       from->nodes[k].outputs, from->nodes[k].output_count);
        rk_node *node = &to->nodes[id];
        node->attrs = from->nodes[k].attrs;
        node->attr_count = from->nodes[k].attr_count;
        for (size_t i = 0; i < node->input_count; i++)
            if (node->inputs[i] != RK_NO_ID)
                ((rk_id *)node->inputs)[i] = ids[node->inputs[i]];
        for (size_t o = 0; o < node->output_count; o++)
            ((rk_id *)node->outputs)[o] = ids[node->outputs[o]];
    }
    to->known = RK_NEW_ARRAY(im->arena, const char *, from->input_count + 1);
    for (size_t i = 0; i < from->input_count; i++)
        if (im->bound[i])
            to->known[to->known_count++] = from->tensors[from->inputs[i]].name;
        else
            rk_graph_input(to, ids[from->inputs[i]]);
    for (size_t i = 0; i < from->output_count; i++)
        rk_graph_output(to, ids[from->outputs[i]]);
    return to;
}

/** Outputs have the names that the model gives them, which the tensors that became them have not yet. */
static void name_outputs(rk_graph *graph, const rk_onnx_graph *from)
{
    for (size_t i = 0; i < graph->output_count && i < from->output.count; i++)
        graph->tensors[graph->outputs[i]].name = from->output.items[i]->name;
}

static bool lower_model(rk_onnx_importer *im)
{
    const rk_onnx_graph *g = im->model->graph;
    im->opset = opset_of(im->model->opset_import.items, im->model->opset_import.count, 1);
    if (im->opset < OLDEST_OPSET)
        return rk_diag_add(im->diag, RK_ERROR, "RK-O003", rk_place_file(im->file),
                           "convert it with onnx.version_converter",
                           "opset %lld is older than %d, the first that is read",
                           (long long)im->opset, OLDEST_OPSET);
    if (g->sparse_initializer.count)
        return rk_diag_add(im->diag, RK_ERROR, "RK-O003", rk_place_file(im->file), NULL,
                           "sparse initializers are not supported");
    rk_onnx_scope *scope = rk_onnx_scope_new(im, g, NULL, 0);
    for (size_t i = 0; i < g->input.count; i++)
        add_input(im, g->input.items[i], scope);
    im->bound = RK_NEW_ARRAY(im->arena, bool, im->graph->input_count + 1);
    for (size_t i = 0; i < im->graph->input_count; i++)
        im->bound[i] = im->graph->tensors[im->graph->inputs[i]].data != NULL;
    rk_onnx_lower_nodes(im, g->node.items, g->node.count, scope);
    for (size_t i = 0; i < g->output.count; i++)
        add_output(im, g->output.items[i], scope);
    if (im->good && !im->options->varies)
        rk_onnx_place_joins(im->graph, im->arena);
    return im->good;
}

static const rk_onnx_model *read_model(const char *path, rk_arena *arena, rk_diag *diag)
{
    rk_slice bytes;
    if (!rk_onnx_map_file(&bytes, path, arena, diag))
        return NULL;
    const rk_onnx_model *model = rk_wire_read(&rk_onnx_model_message, bytes, path, arena, diag);
    if (model && !model->graph) {
        rk_diag_add(diag, RK_ERROR, "RK-O002", rk_place_file(path), NULL, "it has no graph");
        return NULL;
    }
    return model;
}

bool rk_onnx_input_names(const char ***names, size_t *count, const char *path, rk_arena *arena,
                         rk_diag *diag)
{
    const rk_onnx_model *model = read_model(path, arena, diag);
    if (!model)
        return false;
    const rk_onnx_graph *g = model->graph;
    *names = RK_NEW_ARRAY(arena, const char *, g->input.count + 1);
    *count = 0;
    for (size_t i = 0; i < g->input.count; i++) {
        bool given = false;
        for (size_t k = 0; k < g->initializer.count; k++)
            given = given || strcmp(g->initializer.items[k]->name, g->input.items[i]->name) == 0;
        if (!given)
            (*names)[(*count)++] = g->input.items[i]->name;
    }
    return true;
}

rk_graph *rk_onnx_import_bound(const char *path, const rk_onnx_options *options, rk_arena *arena,
                               rk_diag *diag)
{
    const rk_onnx_model *model = read_model(path, arena, diag);
    if (!model)
        return NULL;
    const char *stem = rk_path_stem(arena, path);
    rk_onnx_importer im = {.graph = rk_graph_new(arena, stem),
                           .arena = arena,
                           .diag = diag,
                           .file = rk_arena_strdup(arena, path),
                           .model = model,
                           .options = options,
                           .good = true};
    im.graph->file = im.file;
    if (!lower_model(&im))
        return NULL;
    rk_graph *graph = only_needed(&im, stem);
    name_outputs(graph, model->graph);
    return rk_graph_validate(graph, diag) ? graph : NULL;
}
