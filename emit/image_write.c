#include "emit/emit_internal.h"

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "rkernel_lib/catalog/files.h"

#include <inttypes.h>
#include <string.h>

static void add_number(cJSON *to, const char *member, int64_t value)
{
    cJSON_AddNumberToObject(to, member, (double)value);
}

static void add_numbers(cJSON *to, const char *member, const int64_t *values, size_t count)
{
    cJSON *array = cJSON_AddArrayToObject(to, member);
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(array, cJSON_CreateNumber((double)values[i]));
}

static cJSON *add_item(cJSON *array)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToArray(array, item);
    return item;
}

static void add_ios(cJSON *to, const char *member, const rk_image_io *ios, size_t count)
{
    cJSON *array = cJSON_AddArrayToObject(to, member);
    for (size_t i = 0; i < count; i++) {
        cJSON *item = add_item(array);
        cJSON_AddStringToObject(item, "name", ios[i].name);
        cJSON_AddStringToObject(item, "dtype", rk_dtype_name(ios[i].dtype));
        add_numbers(item, "shape", ios[i].shape, (size_t)ios[i].rank);
        add_number(item, "offset", ios[i].offset);
        add_number(item, "bytes", ios[i].bytes);
    }
}

bool rk_emit_library_hash(const char **out, const rk_kernel *kernel, const rk_catalog *catalog,
                          rk_arena *arena, rk_diag *diag)
{
    const rk_file_names names = rk_catalog_libraries(kernel, arena);
    uint64_t hash = 0;
    for (size_t i = 0; i < names.count; i++) {
        rk_bytes bytes;
        const char *path = rk_catalog_file(catalog, names.items[i], arena, diag);
        if (!path || !rk_file_read(&bytes, path, arena, diag))
            return false;
        hash = rk_hash(bytes.data, bytes.size, hash);
    }
    *out = names.count ? rk_emit_hash_text(hash, arena) : NULL;
    return true;
}

/** Adds the hash of the function's shared objects, where the catalog has one. */
static bool add_library(cJSON *item, const char *id, const rk_catalog *beside, rk_arena *arena,
                        rk_diag *diag)
{
    const char *hash;
    const rk_kernel *kernel = rk_catalog_find(beside, id);
    if (!kernel)
        return true;
    if (!rk_emit_library_hash(&hash, kernel, beside, arena, diag))
        return false;
    if (hash)
        cJSON_AddStringToObject(item, "library", hash);
    return true;
}

static bool add_fns(cJSON *to, const rk_image *image, const rk_catalog *beside, rk_arena *arena,
                    rk_diag *diag)
{
    bool good = true;
    cJSON *array = cJSON_AddArrayToObject(to, "kernels");
    for (size_t i = 0; i < image->fn_count; i++) {
        const rk_image_fn *fn = &image->fns[i];
        cJSON *item = add_item(array);
        cJSON_AddStringToObject(item, "kernel", fn->kernel->id);
        cJSON_AddStringToObject(item, "hash", fn->kernel->hash ? fn->kernel->hash : "");
        add_numbers(item, "grid", fn->grid, 3);
        add_numbers(item, "block", fn->block, 3);
        add_number(item, "shared", fn->shared);
        good = (!beside || add_library(item, fn->kernel->id, beside, arena, diag)) && good;
    }
    return good;
}

static void add_ops(cJSON *to, const rk_image *image, rk_arena *arena)
{
    cJSON *array = cJSON_AddArrayToObject(to, "nodes");
    for (size_t i = 0; i < image->op_count; i++) {
        const rk_image_op *op = &image->ops[i];
        rk_str slots = {.arena = arena};
        for (size_t j = 0; j < image->fns[op->fn].kernel->param_count; j++)
            rk_str_addf(&slots, "%s0x%" PRIx64, j ? " " : "", image->args[op->first_arg + j]);
        cJSON *item = add_item(array);
        cJSON_AddStringToObject(item, "node", op->node);
        add_number(item, "kernel", op->fn);
        cJSON_AddStringToObject(item, "args", rk_str_text(&slots));
        if (op->signal)
            add_number(item, "counter", image->items[op->signal].veu - image->veu_count);
    }
}

static void add_programs(cJSON *to, const rk_image *image, rk_arena *arena)
{
    cJSON *array = cJSON_AddArrayToObject(to, "programs");
    for (size_t i = 0; i < image->program_count; i++) {
        cJSON *lists = cJSON_AddArrayToObject(add_item(array), "veus");
        for (uint32_t v = 0; v < image->veu_count; v++) {
            rk_str list = {.arena = arena};
            const rk_image_entry *e = &image->entries[image->programs[i].veu_first[v]];
            for (; e->op != RK_IMAGE_END; e++) {
                const char *space = list.length ? " " : "";
                if (e->op == RK_IMAGE_WAIT)
                    rk_str_addf(&list, "%sw%" PRIu32, space, e->rtask);
                else
                    rk_str_addf(&list, "%s%" PRIu32 ":%" PRIu32, space, e->op, e->rtask);
            }
            cJSON_AddItemToArray(lists, cJSON_CreateString(rk_str_text(&list)));
        }
    }
}

static void add_waits(cJSON *to, const rk_image *image, rk_arena *arena)
{
    cJSON *array = cJSON_AddArrayToObject(to, "waits");
    for (size_t i = 0; i < image->wait_count; i++) {
        rk_str list = {.arena = arena};
        for (uint32_t j = 0; j < image->waits[i].count; j++) {
            const rk_wait_item *item = &image->items[image->waits[i].first + j];
            rk_str_addf(&list, "%s%" PRIu32 ":%" PRIu32, j ? " " : "", item->veu, item->step);
        }
        cJSON_AddItemToArray(array, cJSON_CreateString(rk_str_text(&list)));
    }
}

/** The hash of a catalog's file. */
static const char *catalog_hash(const rk_catalog *catalog, rk_arena *arena)
{
    const char *text = rk_catalog_print(catalog, arena);
    return rk_emit_hash_text(rk_hash(text, strlen(text), 0), arena);
}

static bool describe(cJSON *root, const rk_image *image, const rk_catalog *beside, rk_arena *arena,
                     rk_diag *diag)
{
    cJSON_AddStringToObject(root, "schema", RK_IMAGE_SCHEMA);
    cJSON_AddStringToObject(root, "name", image->name);
    cJSON *device = cJSON_AddObjectToObject(root, "device");
    cJSON_AddStringToObject(device, "name", image->device->name);
    cJSON_AddStringToObject(device, "target", image->device->target);
    cJSON_AddStringToObject(device, "arch", image->device->arch);
    add_number(device, "sms", image->device->sms);
    add_number(root, "veu_count", image->veu_count);
    add_number(root, "veu_threads", image->veu_threads);
    add_number(root, "veu_shared", image->veu_shared);
    add_number(root, "blocks_per_sm", image->blocks_per_sm);
    add_number(root, "memory_bytes", image->memory_bytes);
    add_number(root, "constant_bytes", image->constant_bytes);
    cJSON_AddStringToObject(root, "constants", rk_emit_constants_hash(image, arena));
    if (beside)
        cJSON_AddStringToObject(root, "catalog", catalog_hash(beside, arena));
    add_ios(root, "inputs", image->inputs, image->input_count);
    add_ios(root, "outputs", image->outputs, image->output_count);
    const bool good = add_fns(root, image, beside, arena, diag);
    add_ops(root, image, arena);
    add_programs(root, image, arena);
    add_waits(root, image, arena);
    return good;
}

const char *rk_emit_hash_text(uint64_t hash, rk_arena *arena)
{
    return rk_arena_printf(arena, "%016" PRIx64, hash);
}

const char *rk_emit_tables_hash(const cJSON *root, rk_arena *arena)
{
    const char *text = rk_json_print(root, arena);
    return rk_emit_hash_text(rk_hash(text, strlen(text), 0), arena);
}

const char *rk_emit_constants_hash(const rk_image *image, rk_arena *arena)
{
    return rk_emit_hash_text(rk_hash(image->constants, (size_t)image->constant_bytes, 0), arena);
}

bool rk_image_write(const rk_image *image, const rk_catalog *beside, const char *dir,
                    rk_arena *arena, rk_diag *diag)
{
    cJSON *root = cJSON_CreateObject();
    bool good = describe(root, image, beside, arena, diag);
    cJSON_AddStringToObject(root, "hash", rk_emit_tables_hash(root, arena));
    good = good &&
           rk_file_write(rk_path_join(arena, dir, RK_WEIGHTS_FILE), image->constants,
                         (size_t)image->constant_bytes, diag) &&
           rk_json_write(rk_path_join(arena, dir, RK_IMAGE_FILE), root, arena, diag);
    cJSON_Delete(root);
    return good;
}
