#include "sched/model/read_internal.h"

#include "base/file.h"
#include "base/str.h"

#include <math.h>
#include <string.h>

/** What is read of a node before it is added to the graph. */
typedef struct {
    RK_VEC(rk_id) ids;
    RK_VEC(const char *) params; /**< with a kernel */
    bool good;
} operands;

/** Reads "inputs" or "outputs": of an op a list of tensors, of a kernel an object by parameter. */
static operands read_operands(rk_graph_reader *reader, const cJSON *entry, const char *where,
                              const char *node, const char *member, bool kernel)
{
    operands o = {.good = true};
    const cJSON *list;
    const cJSON *item;
    size_t i = 0;
    if (kernel ? !rk_json_object(&list, &reader->json, entry, where, member)
               : !rk_json_array(&list, &reader->json, entry, where, member)) {
        o.good = reader->good = false;
        return o;
    }
    bool optional = strcmp(member, "inputs") == 0;
    cJSON_ArrayForEach (item, list) {
        rk_id id = RK_NO_ID;
        if (cJSON_IsString(item) && (*item->valuestring || !optional)) {
            id = rk_read_find(reader, "node", node, item->valuestring);
            o.good = o.good && id != RK_NO_ID;
        } else if (!optional || (!cJSON_IsNull(item) && !cJSON_IsString(item))) {
            const char *path = rk_arena_printf(reader->arena, "%s.%s[%zu]", where, member, i);
            o.good = reader->good =
                rk_json_fail(&reader->json, "RK-J004", path, NULL, "expected the name of a tensor");
        }
        *rk_push(reader->arena, &o.ids) = id;
        *rk_push(reader->arena, &o.params) = kernel ? item->string : NULL;
        i++;
    }
    return o;
}

static bool to_int(int64_t *out, const cJSON *value)
{
    if (!cJSON_IsNumber(value) || value->valuedouble != floor(value->valuedouble) ||
        fabs(value->valuedouble) > 9007199254740992.0)
        return false;
    *out = (int64_t)value->valuedouble;
    return true;
}

/** Gives the attribute that was added last its expressions. */
static void open_last(rk_graph_reader *reader, rk_id node, const rk_sym *open, size_t count)
{
    const rk_node *n = &reader->graph->nodes[node];
    rk_attr *attr = (rk_attr *)&n->attrs[n->attr_count - 1];
    attr->open = rk_arena_copy(reader->graph->arena, open, count * sizeof *open);
}

/** An expression over open dimensions, {"dim": "n + 1"}: its value where they are largest. */
static bool to_open(int64_t *value, rk_sym *open, rk_graph_reader *reader, const cJSON *item)
{
    const cJSON *text = cJSON_GetObjectItemCaseSensitive(item, "dim");
    const char *problem;
    if (!cJSON_IsObject(item) || !cJSON_IsString(text) || cJSON_GetArraySize(item) != 1)
        return false;
    *open = rk_sym_parse(reader->graph->syms, text->valuestring, &problem);
    int64_t most[RK_SYM_DIMS];
    for (size_t d = 0; d < rk_syms_dim_count(reader->graph->syms); d++)
        most[d] = rk_syms_dim_range(reader->graph->syms, d).high;
    if (!*open)
        return false;
    *value = rk_sym_eval(*open, most);
    return true;
}

static bool add_ints(rk_graph_reader *reader, rk_id node, const cJSON *attr)
{
    RK_VEC(int64_t) values = {0};
    RK_VEC(rk_sym) open = {0};
    bool any = false;
    const cJSON *item;
    cJSON_ArrayForEach (item, attr) {
        rk_sym *sym = rk_push(reader->arena, &open);
        *sym = NULL;
        int64_t *value = rk_push(reader->arena, &values);
        if (!to_int(value, item) && !to_open(value, sym, reader, item))
            return false;
        any = any || *sym;
    }
    rk_graph_attr_ints(reader->graph, node, attr->string, values.items, values.count);
    if (any)
        open_last(reader, node, open.items, open.count);
    return true;
}

static bool add_attr(rk_graph_reader *reader, rk_id node, const cJSON *attr)
{
    int64_t value;
    rk_sym open = NULL;
    if (cJSON_IsArray(attr))
        return add_ints(reader, node, attr);
    if (to_open(&value, &open, reader, attr)) {
        rk_graph_attr_int(reader->graph, node, attr->string, value);
        open_last(reader, node, &open, 1);
        return true;
    }
    if (cJSON_IsString(attr))
        rk_graph_attr_string(reader->graph, node, attr->string, attr->valuestring);
    else if (cJSON_IsBool(attr))
        rk_graph_attr_int(reader->graph, node, attr->string, cJSON_IsTrue(attr));
    else if (to_int(&value, attr))
        rk_graph_attr_int(reader->graph, node, attr->string, value);
    else if (cJSON_IsNumber(attr) && isfinite(attr->valuedouble))
        rk_graph_attr_real(reader->graph, node, attr->string, attr->valuedouble);
    else
        return false;
    return true;
}

static bool read_attrs(rk_graph_reader *reader, rk_id node, const char *name, const cJSON *entry,
                       const char *where)
{
    const cJSON *attrs;
    const cJSON *attr;
    bool good = rk_json_object_or(&attrs, &reader->json, entry, where, "attrs");
    if (!good)
        attrs = NULL;
    cJSON_ArrayForEach (attr, attrs) {
        if (!add_attr(reader, node, attr))
            good = rk_read_fail(reader, "RK-G007", "node", name, NULL,
                                "the attribute '%s' is no number, string or list of integers",
                                attr->string);
    }
    reader->good = reader->good && good;
    return good;
}

static const char *const node_members[] = {"name",   "op",      "kernel", "launcher",
                                           "inputs", "outputs", "attrs",  NULL};

static void read_node(rk_graph_reader *reader, const cJSON *entry, size_t index)
{
    const rk_json *json = &reader->json;
    const char *where = rk_arena_printf(reader->arena, "nodes[%zu]", index);
    rk_node node = {0};
    rk_read_members(reader, entry, where, node_members);
    bool good = rk_json_string(&node.name, json, entry, where, "name");
    if (!good)
        node.name = where;
    good = rk_json_string_or(&node.op_name, json, entry, where, "op", NULL) && good;
    good = rk_json_string_or(&node.kernel, json, entry, where, "kernel", NULL) && good;
    good = rk_json_string_or(&node.launcher, json, entry, where, "launcher", NULL) && good;
    if (good && (!node.op_name == !node.kernel || (node.launcher && !node.kernel)))
        good = rk_read_fail(reader, "RK-G005", "node", node.name, NULL,
                            "it must name an op, or a kernel and its launcher");
    bool kernel = node.kernel != NULL;
    operands in = read_operands(reader, entry, where, node.name, "inputs", kernel);
    operands out = read_operands(reader, entry, where, node.name, "outputs", kernel);
    node.inputs = in.ids.items;
    node.input_count = in.ids.count;
    node.input_names = in.params.items;
    node.outputs = out.ids.items;
    node.output_count = out.ids.count;
    node.output_names = out.params.items;
    rk_id id = kernel
                   ? rk_graph_kernel_node(reader->graph, &node)
                   : rk_graph_node(reader->graph, node.name, node.op_name ? node.op_name : "",
                                   node.inputs, node.input_count, node.outputs, node.output_count);
    good = read_attrs(reader, id, node.name, entry, where) && good && in.good && out.good;
    *rk_push(reader->arena, &reader->bad_nodes) = !good;
    reader->good = reader->good && good;
}

static void read_nodes(rk_graph_reader *reader)
{
    const cJSON *nodes;
    const cJSON *entry;
    size_t index = 0;
    if (!rk_json_array(&nodes, &reader->json, reader->json.root, "", "nodes")) {
        reader->good = false;
        return;
    }
    cJSON_ArrayForEach (entry, nodes) {
        if (cJSON_IsObject(entry))
            read_node(reader, entry, index);
        else
            reader->good = rk_json_fail(&reader->json, "RK-J004",
                                        rk_arena_printf(reader->arena, "nodes[%zu]", index), NULL,
                                        "expected an object");
        index++;
    }
}

static void read_ends(rk_graph_reader *reader, const char *member,
                      void (*add)(rk_graph *graph, rk_id tensor))
{
    const cJSON *list;
    const cJSON *item;
    if (!rk_json_array(&list, &reader->json, reader->json.root, "", member)) {
        reader->good = false;
        return;
    }
    cJSON_ArrayForEach (item, list) {
        if (!cJSON_IsString(item)) {
            reader->good =
                rk_json_fail(&reader->json, "RK-J004", member, NULL, "expected names of tensors");
            continue;
        }
        rk_id id = rk_read_find(reader, "member", member, item->valuestring);
        if (id != RK_NO_ID)
            add(reader->graph, id);
    }
}

static const char *const graph_members[] = {"schema", "name",   "dims",    "tensors",
                                            "nodes",  "inputs", "outputs", NULL};

rk_graph *rk_graph_read(const char *path, const rk_binding_dim *dims, size_t dim_count,
                        rk_arena *arena, rk_diag *diag)
{
    return rk_graph_read_with(path, (rk_graph_options){dims, dim_count, false}, arena, diag);
}

rk_graph *rk_graph_read_with(const char *path, rk_graph_options options, rk_arena *arena,
                             rk_diag *diag)
{
    rk_graph_reader reader = {.arena = arena, .anywhere = options.anywhere, .good = true};
    const char *name;
    if (!rk_json_read(&reader.json, path, RK_GRAPH_SCHEMA, arena, diag))
        return NULL;
    if (!rk_json_string_or(&name, &reader.json, reader.json.root, "", "name",
                           rk_path_stem(arena, path)))
        reader.good = false;
    reader.graph = rk_graph_new(arena, reader.good ? name : "");
    reader.graph->file = reader.json.file;
    rk_read_members(&reader, reader.json.root, NULL, graph_members);
    rk_read_dims(&reader, options.dims, options.dim_count);
    rk_read_tensors(&reader);
    rk_read_check_dims(&reader, options.dims, options.dim_count);
    read_nodes(&reader);
    read_ends(&reader, "inputs", rk_graph_input);
    read_ends(&reader, "outputs", rk_graph_output);
    rk_graph_marks marks = {.tensors = reader.bad_tensors, .nodes = reader.bad_nodes.items};
    bool valid = rk_graph_validate_marked(reader.graph, marks, diag);
    return valid && reader.good ? reader.graph : NULL;
}
