#include "cases.h"

#include "sched/model/model.h"
#include "sched/ops/op.h"

#include <string.h>

#define DEFAULT_TOLERANCE 2e-5

/** Of a case; outputs that are inferred come on top. */
enum { MAX_OPERANDS = 12, MAX_TENSORS = 16 };

static bool read_shape(eq_operand *out, const rk_json *json, const cJSON *list, const char *where)
{
    for (const cJSON *d = list->child; d; d = d->next) {
        if (!cJSON_IsNumber(d) || out->rank == RK_MAX_RANK)
            return rk_json_fail(json, "RK-J004", where, NULL, "a shape is a list of numbers");
        out->shape[out->rank++] = (int64_t)d->valuedouble;
    }
    return true;
}

/** Either a shape, or null, or {"shape", "dtype", "range", "output"}. */
static bool read_operand(eq_operand *out, const rk_json *json, const cJSON *at, const char *where)
{
    *out = (eq_operand){
        .name = at->string, .present = !cJSON_IsNull(at), .dtype = RK_F32, .low = -1, .high = 1};
    if (!out->present)
        return true;
    if (cJSON_IsArray(at))
        return read_shape(out, json, at, where);
    const cJSON *shape;
    const cJSON *range;
    const char *dtype;
    if (!rk_json_array(&shape, json, at, where, "shape") ||
        !rk_json_array_or(&range, json, at, where, "range") ||
        !rk_json_string_or(&dtype, json, at, where, "dtype", "f32") ||
        !rk_json_bool_or(&out->output, json, at, where, "output", false) ||
        !rk_json_bool_or(&out->nonfinite, json, at, where, "nonfinite", false) ||
        !read_shape(out, json, shape, where))
        return false;
    out->dtype = rk_dtype_of(dtype);
    if (range) {
        out->low = cJSON_GetNumberValue(cJSON_GetArrayItem(range, 0));
        out->high = cJSON_GetNumberValue(cJSON_GetArrayItem(range, 1));
    }
    return out->dtype != RK_DTYPE_NONE ||
           rk_json_fail(json, "RK-J004", where, NULL, "there is no dtype '%s'", dtype);
}

static bool read_case(eq_case *out, const rk_json *json, const cJSON *at, const char *where)
{
    const cJSON *operands = cJSON_GetObjectItemCaseSensitive(at, "operands");
    int count = operands ? cJSON_GetArraySize(operands) : 0;
    if (count == 0 || count > MAX_OPERANDS)
        return rk_json_fail(json, "RK-J003", where, NULL, "a case has 1 to %d operands",
                            MAX_OPERANDS);
    eq_operand *items = RK_NEW_ARRAY(json->arena, eq_operand, (size_t)count);
    *out = (eq_case){.where = where, .operands = items, .operand_count = (size_t)count};
    size_t i = 0;
    for (const cJSON *o = operands->child; o; o = o->next)
        if (!read_operand(&items[i++], json, o, where))
            return false;
    return rk_json_object_or(&out->attrs, json, at, where, "attrs") &&
           rk_json_bool_or(&out->unaligned, json, at, where, "unaligned", false) &&
           rk_json_number_or(&out->tolerance, json, at, where, "tolerance", DEFAULT_TOLERANCE);
}

static bool read_group(eq_group *out, const rk_json *json, const cJSON *at, const char *where)
{
    const cJSON *kernels;
    const cJSON *cases;
    if (!rk_json_array(&kernels, json, at, where, "kernels") ||
        !rk_json_array(&cases, json, at, where, "cases") ||
        !rk_json_string_or(&out->op, json, at, where, "op", NULL) ||
        !rk_json_string_or(&out->launcher, json, at, where, "launcher", NULL) ||
        !rk_json_string_or(&out->reference, json, at, where, "reference", NULL))
        return false;
    const char **names =
        RK_NEW_ARRAY(json->arena, const char *, (size_t)cJSON_GetArraySize(kernels) + 1);
    eq_case *items = RK_NEW_ARRAY(json->arena, eq_case, (size_t)cJSON_GetArraySize(cases) + 1);
    for (const cJSON *k = kernels->child; k; k = k->next)
        names[out->kernel_count++] = k->valuestring;
    for (const cJSON *c = cases->child; c; c = c->next) {
        const char *path = rk_arena_printf(json->arena, "%s.cases[%zu]", where, out->case_count);
        if (!read_case(&items[out->case_count++], json, c, path))
            return false;
    }
    out->kernels = names;
    out->cases = items;
    return out->case_count > 0 && (out->op || (out->launcher && out->reference)) &&
           out->kernel_count > 0;
}

bool eq_cases_read(eq_cases *out, const char *path, rk_arena *arena, rk_diag *diag)
{
    rk_json json;
    const cJSON *groups;
    if (!rk_json_read(&json, path, NULL, arena, diag) ||
        !rk_json_array(&groups, &json, json.root, "", "groups"))
        return false;
    eq_group *items = RK_NEW_ARRAY(arena, eq_group, (size_t)cJSON_GetArraySize(groups) + 1);
    *out = (eq_cases){.groups = items};
    for (const cJSON *g = groups->child; g; g = g->next) {
        const char *where = rk_arena_printf(arena, "groups[%zu]", out->count);
        if (!read_group(&items[out->count++], &json, g, where))
            return rk_json_fail(&json, "RK-J003", where, NULL,
                                "a group has kernels, cases, and an op or launcher and reference");
    }
    return true;
}

static void add_attr(rk_graph *graph, rk_id node, const cJSON *a)
{
    if (cJSON_IsArray(a)) {
        int64_t values[16];
        size_t count = 0;
        for (const cJSON *v = a->child; v && count < 16; v = v->next)
            values[count++] = (int64_t)v->valuedouble;
        rk_graph_attr_ints(graph, node, a->string, values, count);
    } else if (cJSON_IsString(a)) {
        rk_graph_attr_string(graph, node, a->string, a->valuestring);
    } else if (a->valuedouble == (double)(int64_t)a->valuedouble &&
               strcmp(a->string, "alpha") != 0 && strcmp(a->string, "beta") != 0 &&
               strcmp(a->string, "limit") != 0) {
        rk_graph_attr_int(graph, node, a->string, (int64_t)a->valuedouble);
    } else {
        rk_graph_attr_real(graph, node, a->string, a->valuedouble);
    }
}

/** Tensors of one node's operands. */
typedef struct {
    rk_id in[MAX_TENSORS], out[MAX_TENSORS];
    const char *in_names[MAX_TENSORS], *out_names[MAX_TENSORS];
    size_t in_count, out_count;
} operands;

static void add_operand(operands *all, rk_graph *graph, const eq_operand *o, size_t index)
{
    char name[32];
    snprintf(name, sizeof name, "t%zu", index);
    rk_id id = o->present ? rk_graph_tensor(graph, name, o->dtype, o->rank, o->shape) : RK_NO_ID;
    if (o->output) {
        rk_graph_output(graph, id);
        all->out_names[all->out_count] = o->name;
        all->out[all->out_count++] = id;
        return;
    }
    if (o->present)
        rk_graph_input(graph, id);
    all->in_names[all->in_count] = o->name;
    all->in[all->in_count++] = id;
}

static void infer_outputs(operands *all, rk_graph *graph, const rk_op *op)
{
    for (size_t i = 0; op && op->outputs[i]; i++) {
        char name[32];
        snprintf(name, sizeof name, "y%zu", i);
        rk_id id = rk_graph_tensor_inferred(graph, name, RK_DTYPE_NONE);
        rk_graph_output(graph, id);
        all->out[all->out_count++] = id;
    }
}

rk_graph *eq_case_graph(const eq_group *group, const char *kernel, const eq_case *c,
                        rk_arena *arena, rk_diag *diag)
{
    rk_graph *graph = rk_graph_new(arena, "case");
    operands all = {0};
    for (size_t i = 0; i < c->operand_count; i++)
        add_operand(&all, graph, &c->operands[i], i);
    rk_id node;
    if (group->op) {
        infer_outputs(&all, graph, rk_op_find(group->op));
        node =
            rk_graph_node(graph, "node", group->op, all.in, all.in_count, all.out, all.out_count);
    } else {
        rk_node n = {.name = "node",
                     .kernel = kernel,
                     .launcher = group->launcher,
                     .inputs = all.in,
                     .input_count = all.in_count,
                     .input_names = all.in_names,
                     .outputs = all.out,
                     .output_count = all.out_count,
                     .output_names = all.out_names};
        node = rk_graph_kernel_node(graph, &n);
    }
    for (const cJSON *a = c->attrs ? c->attrs->child : NULL; a; a = a->next)
        add_attr(graph, node, a);
    return rk_graph_validate(graph, diag) ? graph : NULL;
}
