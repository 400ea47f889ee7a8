#include "sched/model/safetensors.h"

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { LENGTH_BYTES = 8 };

static const char *const dtype_names[] = {
    [RK_F32] = "F32", [RK_F64] = "F64", [RK_F16] = "F16",   [RK_BF16] = "BF16", [RK_I8] = "I8",
    [RK_U8] = "U8",   [RK_I16] = "I16", [RK_U16] = "U16",   [RK_I32] = "I32",   [RK_U32] = "U32",
    [RK_I64] = "I64", [RK_U64] = "U64", [RK_BOOL] = "BOOL",
};

/** A file being read. */
typedef struct {
    rk_json json;
    const char *data; /**< the elements' part */
    size_t data_size;
    RK_VEC(rk_safetensor) items;
    bool good;
} reader;

/** Where a tensor lies, for the check that all of the data is used once. */
typedef struct {
    size_t begin, end;
    const char *name;
} extent;

static void fail(reader *r, const char *code, const char *name, const char *message)
{
    rk_place place = rk_place_object(r->json.arena, r->json.file, "tensor", name);
    r->good = rk_diag_add(r->json.diag, RK_ERROR, code, place,
                          "write the file again with the tool that made it", "%s", message);
}

/** A JSON number that is a whole one, from 0 to 2^53. */
static bool to_size(int64_t *out, const cJSON *value)
{
    if (!cJSON_IsNumber(value) || !(value->valuedouble >= 0) ||
        value->valuedouble > 9007199254740992.0)
        return false;
    *out = (int64_t)value->valuedouble;
    return (double)*out == value->valuedouble;
}

static bool read_dtype(reader *r, rk_safetensor *tensor, const cJSON *value)
{
    for (int i = 0; i <= RK_BOOL; i++)
        if (strcmp(dtype_names[i], value->valuestring) == 0) {
            tensor->dtype = (rk_dtype)i;
            return true;
        }
    fail(r, "RK-T003", tensor->name,
         rk_arena_printf(r->json.arena, "its element type '%s' is not one that tensors have",
                         value->valuestring));
    return false;
}

/** Sets rank, shape and bytes. An extent of 0 is fine in a file. */
static bool read_shape(reader *r, rk_safetensor *tensor, const cJSON *value)
{
    const cJSON *dim;
    int64_t elements = 1;
    cJSON_ArrayForEach (dim, value) {
        int64_t d;
        if (tensor->rank == RK_MAX_RANK) {
            fail(r, "RK-T004", tensor->name, "it has more than 8 dimensions");
            return false;
        }
        if (!to_size(&d, dim) || __builtin_mul_overflow(elements, d, &elements) ||
            elements > RK_MAX_ELEMENTS) {
            fail(r, "RK-T004", tensor->name,
                 "its shape has a dimension that is no size, or more than 2^40 elements");
            return false;
        }
        tensor->shape[tensor->rank++] = d;
    }
    tensor->bytes = (size_t)elements * rk_dtype_size(tensor->dtype);
    return true;
}

static bool read_offsets(reader *r, rk_safetensor *tensor, extent *where, const cJSON *value)
{
    int64_t begin;
    int64_t end;
    if (cJSON_GetArraySize(value) != 2 || !to_size(&begin, value->child) ||
        !to_size(&end, value->child->next) || begin > end) {
        fail(r, "RK-T002", tensor->name, "its data_offsets are not a begin and an end");
        return false;
    }
    if ((size_t)end > r->data_size || (size_t)(end - begin) != tensor->bytes) {
        fail(r, "RK-T005", tensor->name,
             rk_arena_printf(r->json.arena,
                             "it takes bytes %lld to %lld of %zu, and its dtype and shape need %zu",
                             (long long)begin, (long long)end, r->data_size, tensor->bytes));
        return false;
    }
    *where = (extent){(size_t)begin, (size_t)end, tensor->name};
    const char *data = r->data + begin;
    bool aligned = (uintptr_t)data % rk_dtype_size(tensor->dtype) == 0;
    tensor->data = aligned ? data : rk_arena_copy(r->json.arena, data, tensor->bytes);
    return true;
}

static bool read_tensor(reader *r, extent *where, const cJSON *entry)
{
    rk_safetensor tensor = {.name = entry->string};
    const cJSON *dtype = cJSON_GetObjectItemCaseSensitive(entry, "dtype");
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(entry, "shape");
    const cJSON *offsets = cJSON_GetObjectItemCaseSensitive(entry, "data_offsets");
    if (!cJSON_IsObject(entry) || !cJSON_IsString(dtype) || !cJSON_IsArray(shape) ||
        !cJSON_IsArray(offsets) || cJSON_GetArraySize(entry) != 3) {
        fail(r, "RK-T002", tensor.name, "it does not have just dtype, shape and data_offsets");
        return false;
    }
    if (!read_dtype(r, &tensor, dtype) || !read_shape(r, &tensor, shape) ||
        !read_offsets(r, &tensor, where, offsets))
        return false;
    *rk_push(r->json.arena, &r->items) = tensor;
    return true;
}

static int by_begin(const void *a, const void *b)
{
    const extent *x = a;
    const extent *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static void check_extents(reader *r, extent *extents, size_t count)
{
    if (count)
        qsort(extents, count, sizeof *extents, by_begin);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        if (extents[i].begin != at) {
            fail(r, "RK-T006", extents[i].name,
                 extents[i].begin < at ? "its elements overlap another tensor's"
                                       : "there is a gap before its elements");
            return;
        }
        at = extents[i].end;
    }
    if (at != r->data_size)
        r->good = rk_diag_add(r->json.diag, RK_ERROR, "RK-T006", rk_place_file(r->json.file), NULL,
                              "%zu bytes follow the last tensor's", r->data_size - at);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const rk_safetensor *)a)->name, ((const rk_safetensor *)b)->name);
}

/** Finds the header; false when its length makes no sense. */
static bool split(reader *r, size_t *header, const unsigned char *bytes, size_t size)
{
    uint64_t length = 0;
    if (size < LENGTH_BYTES)
        return rk_diag_add(r->json.diag, RK_ERROR, "RK-T001", rk_place_file(r->json.file), NULL,
                           "this is no safetensors file: it has %zu bytes", size);
    for (int i = LENGTH_BYTES - 1; i >= 0; i--)
        length = length << 8 | bytes[i];
    if (length > size - LENGTH_BYTES)
        return rk_diag_add(r->json.diag, RK_ERROR, "RK-T001", rk_place_file(r->json.file),
                           "the file is cut off, or no safetensors file",
                           "its header has %llu bytes, and %zu follow", (unsigned long long)length,
                           size - LENGTH_BYTES);
    *header = (size_t)length;
    r->data = (const char *)bytes + LENGTH_BYTES + length;
    r->data_size = size - LENGTH_BYTES - (size_t)length;
    return true;
}

const rk_safetensors *rk_safetensors_parse(const void *bytes, size_t size, const char *file,
                                           rk_arena *arena, rk_diag *diag)
{
    reader r = {.json = {.file = file, .arena = arena, .diag = diag}, .good = true};
    size_t header = 0;
    if (!split(&r, &header, bytes, size) ||
        !rk_json_parse(&r.json, (const char *)bytes + LENGTH_BYTES, header, file, NULL, arena,
                       diag))
        return NULL;
    if (!cJSON_IsObject(r.json.root)) {
        rk_json_fail(&r.json, "RK-T002", NULL, NULL, "the header is no object");
        return NULL;
    }
    RK_VEC(extent) extents = {0};
    const cJSON *entry;
    cJSON_ArrayForEach (entry, r.json.root) {
        extent where;
        if (strcmp(entry->string, "__metadata__") != 0 && read_tensor(&r, &where, entry))
            *rk_push(arena, &extents) = where;
    }
    if (r.good)
        check_extents(&r, extents.items, extents.count);
    if (!r.good)
        return NULL;
    if (r.items.count)
        qsort(r.items.items, r.items.count, sizeof *r.items.items, by_name);
    rk_safetensors *out = RK_NEW(arena, rk_safetensors);
    *out = (rk_safetensors){file, r.items.items, r.items.count};
    return out;
}

const rk_safetensors *rk_safetensors_read(const char *path, rk_arena *arena, rk_diag *diag)
{
    rk_bytes bytes;
    if (!rk_file_read(&bytes, path, arena, diag))
        return NULL;
    return rk_safetensors_parse(bytes.data, bytes.size, rk_arena_strdup(arena, path), arena, diag);
}

const rk_safetensor *rk_safetensors_find(const rk_safetensors *file, const char *name)
{
    rk_safetensor key = {.name = name};
    if (file->count == 0)
        return NULL;
    return bsearch(&key, file->items, file->count, sizeof key, by_name);
}

/** The header, padded with spaces so that the elements begin at a multiple of 64 bytes. */
static void print_header(rk_str *out, const rk_safetensor *items, size_t count)
{
    enum { ALIGN = 64 };
    cJSON *root = cJSON_CreateObject();
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        cJSON *entry = cJSON_CreateObject();
        cJSON *shape = cJSON_CreateArray();
        cJSON *offsets = cJSON_CreateArray();
        for (int d = 0; d < items[i].rank; d++)
            cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)items[i].shape[d]));
        cJSON_AddItemToArray(offsets, cJSON_CreateNumber((double)at));
        at += items[i].bytes;
        cJSON_AddItemToArray(offsets, cJSON_CreateNumber((double)at));
        cJSON_AddStringToObject(entry, "dtype", dtype_names[rk_dtype_stored(items[i].dtype)]);
        cJSON_AddItemToObject(entry, "shape", shape);
        cJSON_AddItemToObject(entry, "data_offsets", offsets);
        cJSON_AddItemToObject(root, items[i].name, entry);
    }
    rk_str_add(out, rk_json_print(root, out->arena));
    cJSON_Delete(root);
    while ((LENGTH_BYTES + out->length) % ALIGN)
        rk_str_add(out, " ");
}

bool rk_safetensors_write(const char *path, const rk_safetensor *items, size_t count, rk_diag *diag)
{
    rk_arena *scratch = rk_arena_new();
    rk_str header = {.arena = scratch};
    print_header(&header, items, count);
    size_t size = LENGTH_BYTES + header.length;
    for (size_t i = 0; i < count; i++)
        size += items[i].bytes;
    char *file = rk_arena_alloc(scratch, size);
    for (int i = 0; i < LENGTH_BYTES; i++)
        file[i] = (char)((uint64_t)header.length >> 8 * i & 0xFF);
    memcpy(file + LENGTH_BYTES, header.text, header.length);
    char *at = file + LENGTH_BYTES + header.length;
    for (size_t i = 0; i < count; i++) {
        memcpy(at, items[i].data, items[i].bytes);
        at += items[i].bytes;
    }
    bool good = rk_file_write(path, file, size, diag);
    rk_arena_free(scratch);
    return good;
}
