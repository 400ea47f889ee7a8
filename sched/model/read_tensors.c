#include "sched/model/read_internal.h"

#include "base/file.h"
#include "base/str.h"
#include "sched/model/safetensors.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/** Safetensors files that tensors name, each read once. */
typedef struct {
    struct {
        const char *name;
        const rk_safetensors *file; /**< NULL when it could not be read */
    } * items;
    size_t count, capacity;
} data_files;

static bool read_dtype(rk_graph_reader *reader, rk_tensor *tensor, const rk_read_tensor *from)
{
    const char *text;
    if (!rk_json_string_or(&text, &reader->json, from->entry, from->where, "dtype", NULL))
        return false;
    if (!text)
        return true;
    tensor->dtype = rk_dtype_of(text);
    return tensor->dtype != RK_DTYPE_NONE ||
           rk_read_fail(reader, "RK-G009", "tensor", tensor->name,
                        "it is one of f32, f64, f16, bf16, i8, u8, i16, u16, i32, u32, i64, u64, "
                        "bool",
                        "there is no dtype '%s'", text);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/** The dimension of that name in the graph's table; NULL: there is none, or it has no value. */
static rk_sym known_dim(rk_graph_reader *reader, const char *name)
{
    for (size_t i = 0; i < reader->dims.count; i++) {
        rk_read_dim *dim = &reader->dims.items[i];
        if (strcmp(dim->name, name) != 0)
            continue;
        dim->used = true;
        if (dim->bound)
            return rk_sym_dim(reader->graph->syms, name, dim->value, dim->most);
    }
    return NULL;
}

/** Adds to the table the dimensions that an expression names. */
static void add_dims(rk_graph_reader *reader, const char *text)
{
    for (size_t i = 0; i < reader->dims.count; i++) {
        const char *name = reader->dims.items[i].name;
        const size_t length = strlen(name);
        for (const char *at = strstr(text, name); at; at = strstr(at + length, name))
            if (!is_word(at[length]) && (at == text || !is_word(at[-1])))
                known_dim(reader, name);
    }
}

static bool named_extent(rk_graph_reader *reader, int64_t *out, rk_tensor *tensor, const char *name)
{
    const char *problem;
    rk_sym extent = known_dim(reader, name);
    if (!extent && strpbrk(name, "+-*/%() ")) {
        add_dims(reader, name);
        extent = rk_sym_parse(reader->graph->syms, name, &problem);
        if (!extent)
            return rk_read_fail(reader, "RK-G012", "tensor", tensor->name, NULL,
                                "its dimension '%s' has no value: %s", name, problem);
    }
    if (extent && !rk_sym_is_number(extent, out)) {
        rk_tensor made = {.rank = 1};
        bool good = rk_tensor_set_extent(reader->graph, &made, 0, extent);
        *out = made.shape[0];
        if (tensor->rank < RK_MAX_RANK)
            tensor->open[tensor->rank] = made.open[0];
        return good ||
               rk_read_fail(reader, "RK-G008", "tensor", tensor->name, "let its range begin later",
                            "its dimension '%s' can be below 1", name);
    }
    if (extent)
        return true;
    return rk_read_fail(reader, "RK-G012", "tensor", tensor->name,
                        rk_arena_printf(reader->arena, "bind it: --bind %s=...", name),
                        "its dimension '%s' has no value", name);
}

static bool read_extent(rk_graph_reader *reader, int64_t *out, rk_tensor *tensor,
                        const cJSON *value, const char *where)
{
    if (cJSON_IsString(value))
        return named_extent(reader, out, tensor, value->valuestring);
    if (!cJSON_IsNumber(value) || value->valuedouble != floor(value->valuedouble) ||
        fabs(value->valuedouble) > 9007199254740992.0)
        return rk_json_fail(&reader->json, "RK-J004",
                            rk_arena_printf(reader->arena, "%s.shape", where), NULL,
                            "expected an integer or the name of a dimension");
    *out = (int64_t)value->valuedouble;
    return true;
}

static bool read_shape(rk_graph_reader *reader, rk_tensor *tensor, const rk_read_tensor *from)
{
    const cJSON *shape;
    const cJSON *value;
    bool good = true;
    if (!rk_json_array_or(&shape, &reader->json, from->entry, from->where, "shape"))
        return false;
    if (!shape)
        return true;
    tensor->shape_known = true;
    cJSON_ArrayForEach (value, shape) {
        int64_t extent = 0;
        good = read_extent(reader, &extent, tensor, value, from->where) && good;
        if (tensor->rank < RK_MAX_RANK)
            tensor->shape[tensor->rank] = extent;
        tensor->rank++;
    }
    return good;
}

static const rk_safetensors *open_data(rk_graph_reader *reader, data_files *files, const char *name)
{
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->items[i].name, name) == 0)
            return files->items[i].file;
    const char *folder = rk_path_dir(reader->arena, reader->json.file);
    const rk_place place = rk_place_object(reader->arena, reader->json.file, "constants", name);
    const char *path =
        reader->anywhere
            ? rk_path_join(reader->arena, folder, name)
            : rk_file_named(folder, name, place,
                            "put the file beside the graph, or allow it with --constants-anywhere",
                            reader->arena, reader->json.diag);
    size_t i = files->count;
    (void)rk_push(reader->arena, files);
    files->items[i].name = name;
    files->items[i].file =
        path ? rk_safetensors_read(path, reader->arena, reader->json.diag) : NULL;
    return files->items[i].file;
}

/** Gives the tensor the data, dtype and shape of the file, which must be those that it has. */
static bool take_data(rk_graph_reader *reader, rk_tensor *tensor, const rk_safetensor *data)
{
    if (tensor->dtype == RK_DTYPE_NONE)
        tensor->dtype = data->dtype;
    if (!tensor->shape_known) {
        tensor->rank = data->rank;
        memcpy(tensor->shape, data->shape, sizeof tensor->shape);
        tensor->shape_known = true;
    }
    if (rk_dtype_stored(tensor->dtype) != data->dtype)
        return rk_read_fail(reader, "RK-G011", "tensor", tensor->name, NULL,
                            "it is %s, and its data is %s", rk_dtype_name(tensor->dtype),
                            rk_dtype_name(data->dtype));
    bool same = tensor->rank == data->rank && !rk_tensor_is_open(tensor);
    for (int d = 0; same && d < tensor->rank; d++)
        same = tensor->shape[d] == data->shape[d];
    if (!same)
        return rk_read_fail(reader, "RK-G011", "tensor", tensor->name, NULL,
                            "its shape is not that of its data");
    tensor->data = data->data;
    return true;
}

/** A constant of zeros has dtype and shape of its own; rk_graph_validate checks the extents. */
static bool take_zeros(rk_graph_reader *reader, rk_tensor *tensor)
{
    if (tensor->dtype == RK_DTYPE_NONE || !tensor->shape_known)
        return rk_read_fail(reader, "RK-G011", "tensor", tensor->name, NULL,
                            "its data is " RK_GRAPH_ZEROS ", and its dtype or shape is missing");
    double elements = 1;
    for (int d = 0; d < tensor->rank && d < RK_MAX_RANK; d++)
        elements *= (double)tensor->shape[d];
    bool sensible = elements >= 0 && elements <= (double)RK_MAX_ELEMENTS;
    if (tensor->rank <= RK_MAX_RANK && rk_tensor_is_open(tensor))
        return rk_read_fail(reader, "RK-G018", "tensor", tensor->name, "bind them: --dim n=128",
                            "it is a constant, and has open dimensions");
    tensor->zeros = true;
    tensor->data = rk_graph_zeros(sensible ? (size_t)elements * rk_dtype_size(tensor->dtype) : 1);
    return true;
}

static bool read_data(rk_graph_reader *reader, rk_tensor *tensor, const rk_read_tensor *from,
                      data_files *files)
{
    const char *ref;
    if (!rk_json_string_or(&ref, &reader->json, from->entry, from->where, "data", NULL))
        return false;
    if (!ref)
        return true;
    if (strcmp(ref, RK_GRAPH_ZEROS) == 0)
        return take_zeros(reader, tensor);
    const char *hash = strchr(ref, '#');
    if (!hash || hash == ref || !hash[1])
        return rk_read_fail(reader, "RK-G011", "tensor", tensor->name, NULL,
                            "its data '%s' is neither \"file#name\" nor \"" RK_GRAPH_ZEROS "\"",
                            ref);
    tensor->data_ref = ref;
    const char *name = rk_arena_strndup(reader->arena, ref, (size_t)(hash - ref));
    const rk_safetensors *file = open_data(reader, files, name);
    if (!file)
        return false;
    const rk_safetensor *data = rk_safetensors_find(file, hash + 1);
    return data ? take_data(reader, tensor, data)
                : rk_read_fail(reader, "RK-G011", "tensor", tensor->name, NULL,
                               "'%s' has no tensor '%s'", name, hash + 1);
}

/** Reads "of" and "offset"; the range itself is resolved when all tensors are known. */
static bool read_view(rk_graph_reader *reader, rk_tensor *tensor, rk_read_tensor *from)
{
    const rk_json *json = &reader->json;
    const char *of;
    bool good = rk_json_string_or(&of, json, from->entry, from->where, "of", NULL);
    good = rk_json_int_or(&tensor->offset, json, from->entry, from->where, "offset", 0) && good;
    if (!good || !of)
        return good;
    from->of = rk_read_find(reader, "tensor", tensor->name, of);
    return from->of != RK_NO_ID;
}

static const char *const tensor_members[] = {"name", "dtype",  "shape", "data",
                                             "of",   "offset", NULL};

static void read_tensor(rk_graph_reader *reader, rk_id id, data_files *files)
{
    rk_read_tensor *from = &reader->tensors.items[id];
    rk_tensor *tensor = &reader->graph->tensors[id];
    if (!cJSON_IsObject(from->entry)) {
        reader->good =
            rk_json_fail(&reader->json, "RK-J004", from->where, NULL, "expected an object");
        reader->bad_tensors[id] = 1;
        return;
    }
    rk_read_members(reader, from->entry, from->where, tensor_members);
    bool good = read_dtype(reader, tensor, from);
    good = read_shape(reader, tensor, from) && good;
    good = read_view(reader, tensor, from) && good;
    good = good && read_data(reader, tensor, from, files);
    reader->bad_tensors[id] = !good;
    reader->good = reader->good && good;
}

/** Where a view of `of` lies, which is resolved. */
static void place_view(rk_graph_reader *reader, rk_id id)
{
    rk_tensor *view = &reader->graph->tensors[id];
    rk_id of = reader->tensors.items[id].of;
    const rk_tensor *from = &reader->graph->tensors[of];
    view->base = from->base;
    if (view->dtype == RK_DTYPE_NONE)
        view->dtype = from->dtype;
    if (view->offset < 0 || from->offset < 0 ||
        __builtin_add_overflow(view->offset, from->offset, &view->offset))
        view->offset = -1;
    if (reader->bad_tensors[of])
        reader->bad_tensors[id] = 1;
}

/** Follows views of views to the buffer, and places all on the way. */
static void resolve_views(rk_graph_reader *reader)
{
    size_t count = reader->graph->tensor_count;
    enum { NEW, OPEN, DONE };
    unsigned char *state = RK_NEW_ARRAY(reader->arena, unsigned char, count);
    rk_id *path = RK_NEW_ARRAY(reader->arena, rk_id, count);
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        rk_id at = (rk_id)i;
        while (reader->tensors.items[at].of != RK_NO_ID && state[at] == NEW) {
            state[at] = OPEN;
            path[length++] = at;
            at = reader->tensors.items[at].of;
        }
        bool cycle = state[at] == OPEN;
        if (cycle)
            rk_read_fail(reader, "RK-G010", "tensor", reader->graph->tensors[at].name, NULL,
                         "it is a view of itself");
        while (length-- > 0) {
            state[path[length]] = DONE;
            if (cycle)
                reader->bad_tensors[path[length]] = 1;
            else
                place_view(reader, path[length]);
        }
    }
}

/** Adds a tensor for each entry, in order, so that any can name any other. */
static void add_tensors(rk_graph_reader *reader, const cJSON *list)
{
    const cJSON *entry;
    size_t index = 0;
    bool array = cJSON_IsArray(list);
    cJSON_ArrayForEach (entry, list) {
        const char *where = array ? rk_arena_printf(reader->arena, "tensors[%zu]", index++)
                                  : rk_arena_printf(reader->arena, "tensors.%s", entry->string);
        const char *name = entry->string;
        if (array && !rk_json_string(&name, &reader->json, entry, where, "name")) {
            reader->good = false;
            name = where;
        }
        *rk_push(reader->arena, &reader->tensors) = (rk_read_tensor){entry, where, RK_NO_ID};
        *rk_push(reader->arena, &reader->names) = name;
        rk_graph_tensor_inferred(reader->graph, name, RK_DTYPE_NONE);
    }
}

void rk_read_tensors(rk_graph_reader *reader)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(reader->json.root, "tensors");
    data_files files = {0};
    if (cJSON_IsArray(list) || cJSON_IsObject(list))
        add_tensors(reader, list);
    else
        reader->good =
            list ? rk_json_fail(&reader->json, "RK-J004", "tensors", NULL, "expected an object")
                 : rk_json_fail(&reader->json, "RK-J003", NULL, NULL,
                                "the member \"tensors\" is missing");
    size_t count = reader->graph->tensor_count;
    reader->bad_tensors = RK_NEW_ARRAY(reader->arena, unsigned char, count);
    rk_names_init(&reader->ids, count, reader->arena);
    for (size_t i = 0; i < count; i++)
        rk_names_add(&reader->ids, reader->graph->tensors[i].name, (rk_id)i);
    for (size_t i = 0; i < count; i++)
        read_tensor(reader, (rk_id)i, &files);
    resolve_views(reader);
}
