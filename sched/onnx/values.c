#include "sched/onnx/import_internal.h"

#include "base/file.h"
#include "base/str.h"
#include "sched/ops/narrow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool rk_onnx_map_file(rk_slice *out, const char *path, rk_arena *arena, rk_diag *diag)
{
    struct stat about;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0) {
        rk_bytes bytes;
        if (file >= 0)
            close(file);
        if (!rk_file_read(&bytes, path, arena, diag)) /* it says why; pipes are read */
            return false;
        *out = (rk_slice){bytes.data, bytes.size};
        return true;
    }
    void *data = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    const int error = errno;
    close(file);
    if (data == MAP_FAILED)
        return rk_diag_add(diag, RK_ERROR, "RK-F002", rk_place_file(path), NULL, "%s",
                           strerror(error));
    rk_arena_own_mapping(arena, data, (size_t)about.st_size);
    *out = (rk_slice){data, (size_t)about.st_size};
    return true;
}

rk_dtype rk_onnx_dtype(int64_t data_type)
{
    static const rk_dtype types[] = {
        RK_DTYPE_NONE, RK_F32,        RK_U8,     RK_I8,     RK_U16,      RK_I16,    RK_I32,
        RK_I64,        RK_DTYPE_NONE, RK_BOOL,   RK_F16,    RK_F64,      RK_U32,    RK_U64,
        RK_DTYPE_NONE, RK_DTYPE_NONE, RK_BF16,   RK_F8E4M3, RK_F8E4M3UZ, RK_F8E5M2, RK_F8E5M2UZ,
        RK_U4,         RK_I4,         RK_F4E2M1, RK_F8E8M0, RK_U2,       RK_I2};
    return data_type >= 0 && data_type < (int64_t)(sizeof types / sizeof *types) ? types[data_type]
                                                                                 : RK_DTYPE_NONE;
}

int64_t rk_onnx_given_elements(const rk_onnx_given *given)
{
    int64_t n = 1;
    for (int d = 0; d < given->rank; d++)
        n *= given->shape[d];
    return n;
}

bool rk_onnx_shape_valid(const char **problem, int rank, const int64_t *shape)
{
    int64_t full[RK_MAX_RANK];
    for (int d = 0; d < rank && rank <= RK_MAX_RANK; d++)
        full[d] = shape[d] == 0 ? 1 : shape[d];
    return rk_shape_valid(problem, rank, full);
}

static bool bad_tensor(const rk_onnx_tensor *tensor, const char *file, rk_arena *arena,
                       rk_diag *diag, const char *what)
{
    return rk_diag_add(diag, RK_ERROR, "RK-O002",
                       rk_place_object(arena, file, "tensor", tensor->name), NULL, "%s", what);
}

static const char *entry_of(const rk_onnx_tensor *tensor, const char *key)
{
    for (size_t i = 0; i < tensor->external_data.count; i++)
        if (strcmp(tensor->external_data.items[i]->key, key) == 0)
            return tensor->external_data.items[i]->value;
    return NULL;
}

/** The elements that lie in another file of the model's folder. */
static bool external(rk_slice *out, const rk_onnx_tensor *tensor, size_t bytes, const char *file,
                     rk_arena *arena, rk_diag *diag)
{
    const char *location = entry_of(tensor, "location");
    const char *offset_text = entry_of(tensor, "offset");
    const char *length_text = entry_of(tensor, "length");
    if (!location)
        return bad_tensor(tensor, file, arena, diag, "its external data has no location");
    char *path =
        rk_file_named(rk_path_dir(arena, file), location,
                      rk_place_object(arena, file, "tensor", tensor->name), NULL, arena, diag);
    rk_slice all;
    if (!path || !rk_onnx_map_file(&all, path, arena, diag))
        return false;
    const unsigned long long offset = offset_text ? strtoull(offset_text, NULL, 10) : 0;
    const unsigned long long length = length_text ? strtoull(length_text, NULL, 10) : bytes;
    if (offset > all.size || length > all.size - offset || length != bytes)
        return bad_tensor(tensor, file, arena, diag,
                          "its external data is not the bytes that its shape needs");
    *out = (rk_slice){all.data + offset, bytes};
    return true;
}

/** Bytes of the elements in a file: types of 4 and 2 bits are packed there, the first element in the low bits. */
static size_t packed_size(rk_dtype dtype, size_t n)
{
    return (n * (size_t)rk_dtype_bits(dtype) + 7) / 8;
}

static void *unpack(const char *packed, size_t step, rk_dtype dtype, size_t n, rk_arena *arena)
{
    const size_t bits = (size_t)rk_dtype_bits(dtype), each = 8 / bits;
    uint8_t *data = rk_arena_alloc(arena, n + 1);
    for (size_t i = 0; i < n; i++) {
        const unsigned byte = (unsigned char)packed[i / each * step];
        data[i] = (uint8_t)rk_narrow_integer(dtype, byte >> i % each * bits & ((1U << bits) - 1));
    }
    return data;
}

/** The elements from the list of numbers that the type has; NULL when it is not as long as the shape needs. */
static void *from_lists(const rk_onnx_tensor *t, rk_dtype dtype, size_t n, rk_arena *arena)
{
    const size_t size = rk_dtype_size(dtype);
    const void *items = t->int32_data.items;
    size_t count = t->int32_data.count;
    size_t step = sizeof(int64_t);
    if (dtype == RK_F32) {
        items = t->float_data.items;
        count = t->float_data.count;
        step = sizeof(float);
    } else if (dtype == RK_F64) {
        items = t->double_data.items;
        count = t->double_data.count;
    } else if (dtype == RK_I64) {
        items = t->int64_data.items;
        count = t->int64_data.count;
    } else if (dtype == RK_U64 || dtype == RK_U32) {
        items = t->uint64_data.items;
        count = t->uint64_data.count;
    }
    const bool narrow = rk_dtype_bits(dtype) < 8;
    if (count != (narrow ? packed_size(dtype, n) : n))
        return NULL;
    if (narrow)
        return unpack(items, step, dtype, n, arena);
    char *data = rk_arena_alloc(arena, n * size + 1);
    for (size_t i = 0; i < n; i++)
        memcpy(data + i * size, (const char *)items + i * step, size);
    return data;
}

bool rk_onnx_take_tensor(rk_onnx_given *out, const rk_onnx_tensor *tensor, const char *file,
                         rk_arena *arena, rk_diag *diag)
{
    const char *problem = NULL;
    *out = (rk_onnx_given){.name = tensor->name, .dtype = rk_onnx_dtype(tensor->data_type)};
    if (out->dtype == RK_DTYPE_NONE)
        return rk_diag_add(
            diag, RK_ERROR, "RK-O003", rk_place_object(arena, file, "tensor", tensor->name),
            "texts and complex numbers have no kernels", "its type, %lld of ONNX, is not supported",
            (long long)tensor->data_type);
    if (tensor->dims.count > RK_MAX_RANK)
        return bad_tensor(tensor, file, arena, diag, "it has more than 8 dimensions");
    out->rank = (int)tensor->dims.count;
    for (int d = 0; d < out->rank; d++)
        out->shape[d] = tensor->dims.items[d];
    if (!rk_onnx_shape_valid(&problem, out->rank, out->shape))
        return bad_tensor(tensor, file, arena, diag,
                          rk_arena_printf(arena, "its shape %s", problem));
    rk_tensor as = {.rank = out->rank, .dtype = out->dtype};
    memcpy(as.shape, out->shape, sizeof as.shape);
    const size_t n = (size_t)rk_tensor_elements(&as);
    const size_t bytes = packed_size(out->dtype, n);
    rk_slice raw = tensor->raw_data;
    if (tensor->data_location == 1) {
        if (!external(&raw, tensor, bytes, file, arena, diag))
            return false;
    } else if (!raw.data) {
        out->data = from_lists(tensor, out->dtype, n, arena);
        return out->data || bad_tensor(tensor, file, arena, diag,
                                       "it has not as many elements as its shape needs");
    }
    if (raw.size != bytes)
        return bad_tensor(tensor, file, arena, diag,
                          "its data is not as many bytes as its shape needs");
    if (rk_dtype_bits(out->dtype) < 8) {
        out->data = unpack(raw.data, 1, out->dtype, n, arena);
        return true;
    }
    const bool aligned = (uintptr_t)raw.data % rk_dtype_size(out->dtype) == 0;
    out->data = aligned && bytes ? raw.data : rk_arena_copy(arena, raw.data, bytes);
    return true;
}

bool rk_onnx_read_tensor(rk_onnx_given *out, const char *path, rk_arena *arena, rk_diag *diag)
{
    rk_slice bytes;
    if (!rk_onnx_map_file(&bytes, path, arena, diag))
        return false;
    const rk_onnx_tensor *tensor = rk_wire_read(&rk_onnx_tensor_message, bytes, path, arena, diag);
    return tensor && rk_onnx_take_tensor(out, tensor, path, arena, diag);
}

bool rk_onnx_is(const char *path)
{
    return rk_str_ends(path, ".onnx");
}
