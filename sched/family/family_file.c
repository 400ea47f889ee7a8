#include "sched/family/family.h"

#include "base/json.h"

#include <string.h>

#define RK_FAMILY_SCHEMA "rammer.family/1"

/* A family beside its graph: the ranges of dimensions, and by name what it says of nodes and buffers. */

/** The how-manieth of its op's bindings to that kernel it is. */
static size_t number_of(const rk_bindings *bindings, const rk_binding *binding)
{
    size_t number = 0;
    for (size_t i = 0; i < bindings->count && &bindings->items[i] != binding; i++)
        number += strcmp(bindings->items[i].op, binding->op) == 0 &&
                  strcmp(bindings->items[i].kernel, binding->kernel) == 0;
    return number;
}

static cJSON *dims_json(const rk_graph *graph)
{
    cJSON *dims = cJSON_CreateObject();
    for (size_t d = 0; d < rk_syms_dim_count(graph->syms); d++) {
        const rk_sym_range r = rk_syms_dim_range(graph->syms, d);
        cJSON *range = cJSON_AddArrayToObject(dims, rk_syms_dim_name(graph->syms, d));
        cJSON_AddItemToArray(range, cJSON_CreateNumber((double)r.low));
        cJSON_AddItemToArray(range, cJSON_CreateNumber((double)r.high));
    }
    return dims;
}

/** Grid and integer arguments as text; null for a real argument, which is the same at every binding. */
static void add_launch(cJSON *o, const rk_open_launch *launch, const rk_kernel *kernel,
                       rk_arena *arena)
{
    cJSON *grid = cJSON_AddArrayToObject(o, "grid");
    for (int i = 0; i < 3; i++)
        cJSON_AddItemToArray(grid, cJSON_CreateString(rk_sym_text(launch->grid[i], arena)));
    cJSON *args = cJSON_AddArrayToObject(o, "args");
    for (size_t i = 0; i < kernel->param_count; i++)
        cJSON_AddItemToArray(args, launch->args[i]
                                       ? cJSON_CreateString(rk_sym_text(launch->args[i], arena))
                                       : cJSON_CreateNull());
}

static cJSON *phrase_json(const rk_family *family, const rk_phrase *phrase,
                          const rk_bindings *bindings)
{
    const rk_graph *graph = family->graph;
    const rk_family_choice *choice = &family->choices[phrase->op];
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "node", graph->nodes[phrase->op].name);
    cJSON_AddStringToObject(o, "kernel", choice->kernel->id);
    if (choice->binding)
        cJSON_AddNumberToObject(o, "binding", (double)number_of(bindings, choice->binding));
    add_launch(o, &family->launches[phrase->op], choice->kernel, graph->arena);
    cJSON *waits = cJSON_AddArrayToObject(o, "waits");
    for (uint32_t i = 0; i < phrase->wait_count; i++) {
        const rk_id other = family->phrases[family->waits[phrase->wait_first + i]].op;
        cJSON_AddItemToArray(waits, cJSON_CreateString(graph->nodes[other].name));
    }
    return o;
}

bool rk_family_write(const rk_family *family, const rk_bindings *bindings, const char *path,
                     rk_arena *arena, rk_diag *diag)
{
    const rk_graph *graph = family->graph;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", RK_FAMILY_SCHEMA);
    cJSON_AddStringToObject(root, "graph", graph->name);
    cJSON_AddItemToObject(root, "dims", dims_json(graph));
    cJSON_AddStringToObject(root, "device", family->device);
    cJSON_AddNumberToObject(root, "veus", family->veu_count);
    cJSON_AddNumberToObject(root, "veu_threads", family->veu_threads);
    cJSON_AddNumberToObject(root, "veu_shared", (double)family->veu_shared);
    cJSON_AddNumberToObject(root, "blocks_per_sm", family->blocks_per_sm);
    cJSON *phrases = cJSON_AddArrayToObject(root, "phrases");
    for (size_t p = 0; p < family->phrase_count; p++)
        cJSON_AddItemToArray(phrases, phrase_json(family, &family->phrases[p], bindings));
    cJSON_AddNumberToObject(root, "constant_bytes", (double)family->memory.constant_bytes);
    cJSON_AddNumberToObject(root, "total_bytes", (double)family->memory.total_bytes);
    cJSON *places = cJSON_AddObjectToObject(root, "places");
    for (size_t i = 0; i < graph->tensor_count; i++)
        if (graph->tensors[i].base == i)
            cJSON_AddNumberToObject(places, graph->tensors[i].name,
                                    (double)family->memory.offsets[i]);
    const bool good = rk_json_write(path, root, arena, diag);
    cJSON_Delete(root);
    return good;
}

bool rk_family_read_ranges(rk_family_ranges *out, const char *path, rk_arena *arena, rk_diag *diag)
{
    rk_json json;
    const cJSON *dims;
    const cJSON *entry;
    if (!rk_json_read(&json, path, RK_FAMILY_SCHEMA, arena, diag) ||
        !rk_json_object(&dims, &json, json.root, NULL, "dims") ||
        !rk_json_string(&out->device, &json, json.root, NULL, "device"))
        return false;
    out->items = RK_NEW_ARRAY(arena, rk_binding_dim, (size_t)cJSON_GetArraySize(dims) + 1);
    out->count = 0;
    cJSON_ArrayForEach (entry, dims) {
        const cJSON *low = cJSON_GetArrayItem(entry, 0);
        const cJSON *high = cJSON_GetArrayItem(entry, 1);
        if (!cJSON_IsNumber(low) || !cJSON_IsNumber(high) || low->valuedouble < 1 ||
            high->valuedouble < low->valuedouble || high->valuedouble > (double)RK_MAX_ELEMENTS)
            return rk_json_fail(&json, "RK-J004", "dims", NULL, "'%s' has no range", entry->string);
        out->items[out->count++] =
            (rk_binding_dim){rk_arena_strdup(arena, entry->string), (int64_t)low->valuedouble,
                             (int64_t)high->valuedouble};
    }
    return true;
}

/** A file that is being read. */
typedef struct {
    rk_json json;
    rk_family *family;
    const rk_catalog *catalog;
    const rk_bindings *bindings;
    uint32_t *phrase_of; /**< by node, plus 1 */
    RK_VEC(uint32_t) waits;
    rk_family_choice *choices;
    rk_arena *arena;
} reader;

static rk_id find_node(const rk_graph *graph, const char *name)
{
    for (rk_id i = 0; i < graph->node_count; i++)
        if (strcmp(graph->nodes[i].name, name) == 0)
            return i;
    return RK_NO_ID;
}

static const rk_binding *find_binding(const reader *r, const char *op, const char *kernel,
                                      int64_t number)
{
    for (size_t i = 0; op && i < r->bindings->count; i++) {
        const rk_binding *b = &r->bindings->items[i];
        if (strcmp(b->op, op) == 0 && strcmp(b->kernel, kernel) == 0 && number-- == 0)
            return b;
    }
    return NULL;
}

static bool read_choice(reader *r, rk_id node, const cJSON *entry, const char *where)
{
    const rk_node *n = &r->family->graph->nodes[node];
    const char *kernel;
    int64_t number;
    if (!rk_json_string(&kernel, &r->json, entry, where, "kernel") ||
        !rk_json_int_or(&number, &r->json, entry, where, "binding", -1))
        return false;
    rk_family_choice choice = {rk_catalog_find(r->catalog, kernel), NULL};
    if (n->op)
        choice.binding = find_binding(r, n->op_name, kernel, number);
    r->choices[node] = choice;
    return (choice.kernel && (!n->op || choice.binding)) ||
           rk_json_fail(&r->json, "RK-I002", where, "build the family again with this catalog",
                        "the catalog has no such kernel or binding '%s'", kernel);
}

static bool read_waits(reader *r, rk_phrase *phrase, const cJSON *entry, const char *where)
{
    const cJSON *waits;
    const cJSON *wait;
    if (!rk_json_array(&waits, &r->json, entry, where, "waits"))
        return false;
    phrase->wait_first = (uint32_t)r->waits.count;
    cJSON_ArrayForEach (wait, waits) {
        const rk_id other =
            cJSON_IsString(wait) ? find_node(r->family->graph, wait->valuestring) : RK_NO_ID;
        if (other == RK_NO_ID || r->phrase_of[other] == 0)
            return rk_json_fail(&r->json, "RK-J004", where, NULL,
                                "it waits for what is no node of an earlier phrase");
        *rk_push(r->arena, &r->waits) = r->phrase_of[other] - 1;
        phrase->wait_count++;
    }
    return true;
}

static bool read_sym(rk_sym *out, reader *r, const cJSON *text, const char *where)
{
    const char *problem = "it is no text";
    if (cJSON_IsString(text))
        *out = rk_sym_parse(r->family->graph->syms, text->valuestring, &problem);
    return *out || rk_json_fail(&r->json, "RK-J004", where, NULL,
                                "a grid or argument is no expression: %s", problem);
}

static bool read_launch(reader *r, rk_id node, const cJSON *entry, const char *where)
{
    const rk_kernel *kernel = r->choices[node].kernel;
    rk_open_launch *launch = &r->family->launches[node];
    const cJSON *grid;
    const cJSON *args;
    if (!rk_json_array(&grid, &r->json, entry, where, "grid") ||
        !rk_json_array(&args, &r->json, entry, where, "args"))
        return false;
    launch->args = RK_NEW_ARRAY(r->arena, rk_sym, kernel->param_count + 1);
    bool good = true;
    for (int i = 0; i < 3 && good; i++)
        good = read_sym(&launch->grid[i], r, cJSON_GetArrayItem(grid, i), where);
    for (size_t i = 0; i < kernel->param_count && good; i++) {
        const cJSON *text = cJSON_GetArrayItem(args, (int)i);
        good = (text && cJSON_IsNull(text)) || read_sym(&launch->args[i], r, text, where);
    }
    return good;
}

static bool read_phrases(reader *r)
{
    rk_family *f = r->family;
    const cJSON *phrases;
    const cJSON *entry;
    if (!rk_json_array(&phrases, &r->json, r->json.root, NULL, "phrases"))
        return false;
    f->phrases = RK_NEW_ARRAY(r->arena, rk_phrase, (size_t)cJSON_GetArraySize(phrases) + 1);
    cJSON_ArrayForEach (entry, phrases) {
        const char *where = rk_arena_printf(r->arena, "phrases[%zu]", f->phrase_count);
        const char *name;
        if (!rk_json_string(&name, &r->json, entry, where, "node"))
            return false;
        const rk_id node = find_node(f->graph, name);
        if (node == RK_NO_ID || r->phrase_of[node])
            return rk_json_fail(&r->json, "RK-J004", where, NULL,
                                "'%s' is no node, or in two phrases", name);
        rk_phrase *phrase = &f->phrases[f->phrase_count];
        *phrase = (rk_phrase){.op = node};
        if (!read_choice(r, node, entry, where) || !read_launch(r, node, entry, where) ||
            !read_waits(r, phrase, entry, where))
            return false;
        r->phrase_of[node] = (uint32_t)++f->phrase_count;
    }
    f->waits = r->waits.items;
    f->wait_count = r->waits.count;
    return true;
}

static bool read_memory(reader *r)
{
    rk_family *f = r->family;
    const rk_graph *graph = f->graph;
    const cJSON *places;
    if (!rk_json_int(&f->memory.constant_bytes, &r->json, r->json.root, NULL, "constant_bytes") ||
        !rk_json_int(&f->memory.total_bytes, &r->json, r->json.root, NULL, "total_bytes") ||
        !rk_json_object(&places, &r->json, r->json.root, NULL, "places"))
        return false;
    f->memory.offsets = RK_NEW_ARRAY(r->arena, int64_t, graph->tensor_count + 1);
    for (rk_id i = 0; i < graph->tensor_count; i++)
        if (graph->tensors[i].base == i &&
            !rk_json_int(&f->memory.offsets[i], &r->json, places, "places", graph->tensors[i].name))
            return false;
    for (rk_id i = 0; i < graph->tensor_count; i++) {
        const rk_tensor *t = &graph->tensors[i];
        if (t->base != i)
            f->memory.offsets[i] =
                f->memory.offsets[t->base] + t->offset * (int64_t)rk_dtype_size(t->dtype);
    }
    return true;
}

static bool read_vdevice(reader *r)
{
    rk_family *f = r->family;
    int64_t veus;
    int64_t threads;
    int64_t blocks;
    if (!rk_json_string(&f->device, &r->json, r->json.root, NULL, "device") ||
        !rk_json_int(&veus, &r->json, r->json.root, NULL, "veus") ||
        !rk_json_int(&threads, &r->json, r->json.root, NULL, "veu_threads") ||
        !rk_json_int(&f->veu_shared, &r->json, r->json.root, NULL, "veu_shared") ||
        !rk_json_int(&blocks, &r->json, r->json.root, NULL, "blocks_per_sm"))
        return false;
    f->veu_count = (uint32_t)veus;
    f->veu_threads = (int)threads;
    f->blocks_per_sm = (int)blocks;
    return (veus >= 1 && veus <= INT32_MAX && threads >= 1 && threads <= INT32_MAX && blocks >= 1 &&
            blocks <= INT32_MAX) ||
           rk_json_fail(&r->json, "RK-J004", NULL, NULL, "its vDevice has no sensible size");
}

rk_family *rk_family_read(const char *path, const rk_graph *graph, const rk_catalog *catalog,
                          const rk_bindings *bindings, rk_arena *arena, rk_diag *diag)
{
    reader r = {.family = RK_NEW(arena, rk_family),
                .catalog = catalog,
                .bindings = bindings,
                .phrase_of = RK_NEW_ARRAY(arena, uint32_t, graph->node_count + 1),
                .choices = RK_NEW_ARRAY(arena, rk_family_choice, graph->node_count + 1),
                .arena = arena};
    r.family->graph = graph;
    r.family->choices = r.choices;
    r.family->launches = RK_NEW_ARRAY(arena, rk_open_launch, graph->node_count + 1);
    if (!rk_json_read(&r.json, path, RK_FAMILY_SCHEMA, arena, diag) || !read_vdevice(&r) ||
        !read_phrases(&r) || !read_memory(&r))
        return NULL;
    return r.family;
}
