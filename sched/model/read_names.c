#include "sched/model/read_internal.h"

#include "base/str.h"

#include <stdarg.h>
#include <string.h>

bool rk_read_fail(rk_graph_reader *reader, const char *code, const char *kind, const char *name,
                  const char *hint, const char *format, ...)
{
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    rk_place place = rk_place_object(reader->arena, reader->json.file, kind, name);
    reader->good = rk_diag_add(reader->json.diag, RK_ERROR, code, place, hint, "%s", message);
    return false;
}

enum { MOST_HINTS = 32 };

/** "did you mean 'x'?" or NULL. */
static const char *hint_of(rk_graph_reader *reader, const char *name, const char *const *names,
                           size_t count)
{
    if (reader->hints++ >= MOST_HINTS)
        return NULL;
    const char *near = rk_str_nearest(name, names, count);
    return near ? rk_arena_printf(reader->arena, "did you mean '%s'?", near) : NULL;
}

void rk_read_members(rk_graph_reader *reader, const cJSON *object, const char *where,
                     const char *const *known)
{
    size_t count = 0;
    while (known[count])
        count++;
    const cJSON *member;
    cJSON_ArrayForEach (member, object) {
        size_t i = 0;
        while (i < count && strcmp(known[i], member->string) != 0)
            i++;
        if (i == count)
            reader->good = rk_json_fail(&reader->json, "RK-G015", where,
                                        hint_of(reader, member->string, known, count),
                                        "there is no member \"%s\" here", member->string);
    }
}

static rk_read_dim *find_dim(rk_graph_reader *reader, const char *name)
{
    for (size_t i = 0; i < reader->dims.count; i++)
        if (strcmp(reader->dims.items[i].name, name) == 0)
            return &reader->dims.items[i];
    return NULL;
}

void rk_read_dims(rk_graph_reader *reader, const rk_binding_dim *given, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        rk_read_dim *dim = find_dim(reader, given[i].name);
        if (!dim)
            dim = rk_push(reader->arena, &reader->dims);
        *dim = (rk_read_dim){
            .name = given[i].name, .value = given[i].value, .most = given[i].most, .bound = true};
    }
    const cJSON *dims;
    const cJSON *entry;
    if (!rk_json_object_or(&dims, &reader->json, reader->json.root, "", "dims"))
        reader->good = false;
    cJSON_ArrayForEach (entry, dims) {
        rk_read_dim *dim = find_dim(reader, entry->string);
        if (!dim) {
            dim = rk_push(reader->arena, &reader->dims);
            *dim = (rk_read_dim){.name = entry->string};
        }
        dim->used = true;
        int64_t value = 0;
        if (cJSON_IsNull(entry))
            continue;
        if (!rk_json_int(&value, &reader->json, dims, "dims", entry->string))
            reader->good = false;
        if (!dim->bound)
            *dim = (rk_read_dim){entry->string, value, value, true, true};
    }
}

void rk_read_check_dims(rk_graph_reader *reader, const rk_binding_dim *given, size_t count)
{
    RK_VEC(const char *) known = {0};
    for (size_t i = 0; i < reader->dims.count; i++)
        if (reader->dims.items[i].used)
            *rk_push(reader->arena, &known) = reader->dims.items[i].name;
    for (size_t i = 0; i < count; i++) {
        if (find_dim(reader, given[i].name)->used)
            continue;
        rk_place place = rk_place_file(reader->json.file);
        reader->good = rk_diag_add(reader->json.diag, RK_ERROR, "RK-G012", place,
                                   hint_of(reader, given[i].name, known.items, known.count),
                                   "the graph has no dimension of the name '%s'", given[i].name);
    }
}

rk_id rk_read_find(rk_graph_reader *reader, const char *kind, const char *object,
                   const char *tensor)
{
    rk_id id = rk_names_find(&reader->ids, tensor);
    if (id == RK_NO_ID)
        rk_read_fail(reader, "RK-G002", kind, object,
                     hint_of(reader, tensor, reader->names.items, reader->names.count),
                     "there is no tensor '%s'", tensor);
    return id;
}
