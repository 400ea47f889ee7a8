#include "emit/emit_internal.h"
#include "emit/family_image.h"

#include "base/file.h"
#include "base/json.h"
#include "base/vec.h"
#include "rkernel_lib/catalog/files.h"

#include <ctype.h>
#include <string.h>

char *rk_emit_identifier(rk_arena *arena, const char *text)
{
    char *name = rk_arena_printf(arena, "%s%s", isdigit((unsigned char)*text) ? "_" : "",
                                 *text ? text : "model");
    for (char *c = name; *c; c++) {
        if (!isalnum((unsigned char)*c))
            *c = '_';
    }
    return name;
}

char *rk_emit_string(rk_arena *arena, const char *text)
{
    rk_str out = {.arena = arena};
    rk_str_add(&out, "\"");
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            rk_str_addf(&out, "\\%c", c);
        else if (c < 32 || c > 126)
            rk_str_addf(&out, "\\%03o", c);
        else
            rk_str_addn(&out, text, 1);
    }
    rk_str_add(&out, "\"");
    return out.text;
}

int64_t rk_emit_volume(const int64_t size[3])
{
    int64_t volume = 1;
    for (int i = 0; i < 3; i++) {
        if (size[i] < 0 || __builtin_mul_overflow(volume, size[i], &volume))
            return INT64_MAX;
    }
    return volume;
}

int64_t rk_emit_shared(const rk_image_fn *fn)
{
    return (fn->kernel->static_shared + 15) / 16 * 16 + fn->shared;
}

int64_t rk_emit_veu_shared(const rk_image *image)
{
    int64_t most = image->veu_shared;
    for (size_t i = 0; i < image->fn_count; i++) {
        int64_t bytes = rk_emit_shared(&image->fns[i]);
        if (bytes > most)
            most = bytes;
    }
    return most;
}

bool rk_emit_file(const char *dir, const char *name, const rk_str *text, rk_arena *arena,
                  rk_diag *diag)
{
    return rk_file_write(rk_path_join(arena, dir, name), rk_str_text(text), text->length, diag);
}

/* Converted files. */

typedef RK_VEC(rk_emit_source) source_vec;

bool rk_emit_sources(rk_emit_source **out, size_t *count, const rk_image *image,
                     const rk_catalog *catalog, rk_arena *arena, rk_diag *diag)
{
    source_vec sources = {0};
    rk_file_names seen = {0};
    bool good = true;
    for (size_t i = 0; i < image->fn_count; i++) {
        const char *file = image->fns[i].kernel->rkernel_file;
        if (!file || rk_file_names_hold(&seen, file))
            continue;
        *rk_push(arena, &seen) = file;
        rk_bytes text;
        rk_file_names includes = {0};
        const char *path = rk_catalog_file(catalog, file, arena, diag);
        if (!path || !rk_file_read(&text, path, arena, diag) ||
            !rk_catalog_includes(&includes, file, catalog, arena, diag)) {
            good = false;
            continue;
        }
        rk_file_names macros = {0};
        rk_find_directives(&macros, text.data, "define", rk_directive_quoted, arena);
        *rk_push(arena, &sources) = (rk_emit_source){file, macros.items, macros.count};
    }
    *out = sources.items;
    *count = sources.count;
    return good;
}

bool rk_emit_copy_kernels(const rk_image *image, const rk_catalog *catalog, const char *to,
                          rk_arena *arena, rk_diag *diag)
{
    rk_file_names files = {0};
    bool good = rk_file_mkdirs(to, diag);
    for (size_t i = 0; i < image->fn_count; i++) {
        const char *file = image->fns[i].kernel->rkernel_file;
        if (!good || !file || rk_file_names_hold(&files, file))
            continue;
        *rk_push(arena, &files) = file;
        good = rk_catalog_includes(&files, file, catalog, arena, diag);
    }
    for (size_t i = 0; good && i < files.count; i++)
        good = rk_catalog_copy_file(files.items[i], catalog, to, arena, diag);
    return good;
}

/* The runtime's headers. */

/** What of the runtime a directive includes: "name" of `<rk/name>` and `"rk/name"`; else NULL. */
static char *runtime_name(rk_arena *arena, const char *rest)
{
    const char *close = *rest == '<' ? ">\n" : *rest == '"' ? "\"\n" : NULL;
    if (!close || !rk_str_starts(rest + 1, "rk/"))
        return NULL;
    const char *name = rest + strlen("<rk/");
    const size_t length = strcspn(name, close);
    return name[length] == *close ? rk_arena_strndup(arena, name, length) : NULL;
}

/** The name below rk/ of what the header `by` includes as `quoted`, which is relative to its folder. */
static const char *beside(rk_arena *arena, const char *by, const char *quoted)
{
    const char *dir = rk_path_dir(arena, by);
    for (; rk_str_starts(quoted, "../"); quoted += strlen("../"))
        dir = rk_path_dir(arena, dir);
    return rk_path_join(arena, dir, quoted);
}

/** Adds what the files under `dir` include of the runtime. */
static bool find_runtime(rk_file_names *headers, const char *dir, rk_arena *arena, rk_diag *diag)
{
    char **names;
    size_t count;
    bool good = rk_file_list(&names, &count, dir, NULL, arena, diag);
    for (size_t i = 0; good && i < count; i++) {
        const char *path = rk_path_join(arena, dir, names[i]);
        rk_bytes text;
        if (rk_file_is_dir(path)) {
            good = find_runtime(headers, path, arena, diag);
            continue;
        }
        good = rk_file_read(&text, path, arena, diag);
        if (good)
            rk_find_directives(headers, text.data, "include", runtime_name, arena);
    }
    return good;
}

bool rk_emit_copy_runtime(const char *dir, const char *runtime_dir, const char *const *others,
                          rk_arena *arena, rk_diag *diag)
{
    const char *from = rk_path_join(arena, runtime_dir, "rk");
    const char *to = rk_path_join(arena, dir, "include/rk");
    rk_file_names headers = {0};
    bool good = find_runtime(&headers, dir, arena, diag) && rk_file_mkdirs(to, diag);
    for (size_t i = 0; good && i < headers.count; i++) {
        bool other = false;
        for (const char *const *prefix = others; *prefix; prefix++)
            other = other || rk_str_starts(headers.items[i], *prefix);
        if (other)
            continue;
        rk_bytes text;
        const rk_place place = rk_place_object(arena, NULL, "include", headers.items[i]);
        const char *source = rk_file_named(from, headers.items[i], place, NULL, arena, diag);
        const char *target = rk_path_join(arena, to, headers.items[i]);
        good = source && rk_file_read(&text, source, arena, diag) &&
               rk_file_mkdirs(rk_path_dir(arena, target), diag) &&
               rk_file_copy(target, source, arena, diag);
        if (!good)
            break;
        rk_find_directives(&headers, text.data, "include", runtime_name, arena);
        rk_file_names quoted = {0};
        rk_find_directives(&quoted, text.data, "include", rk_directive_quoted, arena);
        for (size_t k = 0; k < quoted.count; k++) {
            const char *name = beside(arena, headers.items[i], quoted.items[k]);
            if (!rk_file_names_hold(&headers, name))
                *rk_push(arena, &headers) = name;
        }
    }
    return good;
}

/* Reference values. */

static bool write_values(cJSON *index, const char *dir, const char *kind, const rk_image_io *ios,
                         size_t count, const void *const *values, rk_arena *arena, rk_diag *diag)
{
    cJSON *array = cJSON_AddArrayToObject(index, rk_arena_printf(arena, "%ss", kind));
    for (size_t i = 0; i < count; i++) {
        const char *file = rk_arena_printf(arena, "%s_%zu.bin", kind, i);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(array, item);
        cJSON_AddStringToObject(item, "name", ios[i].name);
        cJSON_AddStringToObject(item, "file", file);
        cJSON_AddStringToObject(item, "dtype", rk_dtype_name(ios[i].dtype));
        cJSON *shape = cJSON_AddArrayToObject(item, "shape");
        for (int d = 0; d < ios[i].rank; d++)
            cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)ios[i].shape[d]));
        if (!rk_file_write(rk_path_join(arena, dir, file), values[i], (size_t)ios[i].bytes, diag))
            return false;
    }
    return true;
}

static bool write_reference(const rk_reference *reference, const char *dir, rk_arena *arena,
                            rk_diag *diag)
{
    const rk_image *image = reference->image;
    if (!rk_file_mkdirs(dir, diag))
        return false;
    cJSON *index = cJSON_CreateObject();
    bool good = write_values(index, dir, "input", image->inputs, image->input_count,
                             reference->inputs, arena, diag) &&
                write_values(index, dir, "output", image->outputs, image->output_count,
                             reference->outputs, arena, diag) &&
                rk_json_write(rk_path_join(arena, dir, "index.json"), index, arena, diag);
    cJSON_Delete(index);
    return good;
}

bool rk_emit_references(const rk_emit_request *request, rk_arena *arena, rk_diag *diag)
{
    const char *dir = rk_path_join(arena, request->dir, "reference");
    bool good = true;
    for (size_t i = 0; good && i < request->reference_count; i++) {
        const rk_reference *reference = &request->references[i];
        const char *to = request->spine ? rk_arena_printf(arena, "%s/%zu", dir, i) : dir;
        good = write_reference(reference, to, arena, diag);
        if (good && request->spine)
            good = rk_file_write(rk_path_join(arena, to, "dims.bin"), reference->dims,
                                 rk_syms_dim_count(request->spine->family->graph->syms) *
                                     sizeof *reference->dims,
                                 diag);
    }
    return good;
}
