#include "sched/model/npy.h"

#include "base/file.h"
#include "base/str.h"

#include <ctype.h>
#include <string.h>

static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

/** NumPy's name of each element type; little-endian where order matters. */
static const char *const descrs[] = {
    [RK_F32] = "<f4", [RK_F64] = "<f8", [RK_F16] = "<f2",  [RK_BF16] = "<V2", [RK_I8] = "|i1",
    [RK_U8] = "|u1",  [RK_I16] = "<i2", [RK_U16] = "<u2",  [RK_I32] = "<i4",  [RK_U32] = "<u4",
    [RK_I64] = "<i8", [RK_U64] = "<u8", [RK_BOOL] = "|b1",
};

/** What is left of a header, a Python literal, and where to report. */
typedef struct {
    const char *at, *end;
    const char *file;
    rk_diag *diag;
} cursor;

static bool fail(const cursor *c, const char *code, const char *hint, const char *message)
{
    return rk_diag_add(c->diag, RK_ERROR, code, rk_place_file(c->file), hint, "%s", message);
}

static bool malformed(const cursor *c, const char *message)
{
    return fail(c, "RK-N002", "write the file again with numpy.save", message);
}

static void skip_space(cursor *c)
{
    while (c->at < c->end && isspace((unsigned char)*c->at))
        c->at++;
}

/** Takes the character after any space, when it is the next. */
static bool accept(cursor *c, char expected)
{
    skip_space(c);
    if (c->at == c->end || *c->at != expected)
        return false;
    c->at++;
    return true;
}

enum { LONGEST_WORD = 31 };

/** A quoted string, without its quotes. */
static bool read_quoted(cursor *c, char word[LONGEST_WORD + 1])
{
    char quote = accept(c, '\'') ? '\'' : '"';
    if (quote == '"' && !accept(c, '"'))
        return false;
    size_t n = 0;
    while (c->at < c->end && *c->at != quote && n < LONGEST_WORD)
        word[n++] = *c->at++;
    word[n] = '\0';
    return accept(c, quote);
}

static bool read_dtype(rk_npy *out, cursor *c)
{
    char descr[LONGEST_WORD + 1];
    if (!read_quoted(c, descr))
        return fail(c, "RK-N003", "convert it with numpy's astype",
                    "the element type is structured, and not one that tensors have");
    for (int i = 0; i <= RK_BOOL; i++)
        if (strcmp(descrs[i] + 1, descr[0] ? descr + 1 : descr) == 0 &&
            (descr[0] == '<' || descr[0] == '|' ||
             (descr[0] != '\0' && rk_dtype_size((rk_dtype)i) == 1))) {
            out->dtype = (rk_dtype)i;
            return true;
        }
    rk_diag_add(c->diag, RK_ERROR, "RK-N003", rk_place_file(c->file),
                "convert it with numpy's astype, to little-endian",
                "the element type is '%s', and not one that tensors have", descr);
    return false;
}

static bool read_order(cursor *c)
{
    skip_space(c);
    size_t left = (size_t)(c->end - c->at);
    if (left >= 5 && memcmp(c->at, "False", 5) == 0) {
        c->at += 5;
        return true;
    }
    if (left >= 4 && memcmp(c->at, "True", 4) == 0)
        return fail(c, "RK-N004", "save numpy.ascontiguousarray of it",
                    "the array is in Fortran order");
    return malformed(c, "the header's fortran_order is neither True nor False");
}

static bool read_extent(int64_t *out, cursor *c)
{
    skip_space(c);
    int64_t value = 0;
    const char *start = c->at;
    for (; c->at < c->end && isdigit((unsigned char)*c->at); c->at++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *c->at - '0', &value))
            return fail(c, "RK-N005", NULL, "a dimension of the array is beyond 2^63");
    *out = value;
    return c->at > start || malformed(c, "the header's shape is no tuple of integers");
}

static bool read_shape(rk_npy *out, cursor *c)
{
    if (!accept(c, '('))
        return malformed(c, "the header's shape is no tuple of integers");
    out->rank = 0;
    while (!accept(c, ')')) {
        int64_t extent = 0;
        if (!read_extent(&extent, c))
            return false;
        if (out->rank == RK_MAX_RANK)
            return fail(c, "RK-N005", NULL, "the array has more than 8 dimensions");
        out->shape[out->rank++] = extent;
        if (!accept(c, ',') && (c->at == c->end || *c->at != ')'))
            return malformed(c, "the header's shape is no tuple of integers");
    }
    const char *problem;
    if (!rk_shape_valid(&problem, out->rank, out->shape))
        return rk_diag_add(c->diag, RK_ERROR, "RK-N005", rk_place_file(c->file), NULL,
                           "the array %s", problem);
    return true;
}

static bool read_member(rk_npy *out, cursor *c, unsigned *seen)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    char key[LONGEST_WORD + 1];
    if (!read_quoted(c, key) || !accept(c, ':'))
        return malformed(c, "the header is no dictionary");
    unsigned which = 0;
    while (which < 3 && strcmp(keys[which], key) != 0)
        which++;
    if (which == 3 || (*seen & 1U << which))
        return malformed(c, "the header has another member than descr, fortran_order and shape, "
                            "or one of them twice");
    *seen |= 1U << which;
    return which == 0 ? read_dtype(out, c) : which == 1 ? read_order(c) : read_shape(out, c);
}

/** {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } */
static bool read_header(rk_npy *out, cursor *c)
{
    unsigned seen = 0;
    if (!accept(c, '{'))
        return malformed(c, "the header is no dictionary");
    while (!accept(c, '}')) {
        if (!read_member(out, c, &seen))
            return false;
        if (!accept(c, ',') && (c->at == c->end || *c->at != '}'))
            return malformed(c, "the header is no dictionary");
    }
    skip_space(c);
    if (c->at < c->end)
        return malformed(c, "the header goes on after its dictionary");
    return seen == 7 || malformed(c, "the header lacks one of descr, fortran_order and shape");
}

/** Finds the header; the first byte after it is at c->end. */
static bool find_header(cursor *c, const unsigned char *bytes, size_t size)
{
    if (size < 10 || memcmp(bytes, magic, sizeof magic) != 0)
        return fail(c, "RK-N001", "write it with numpy.save", "this is no .npy file");
    if (bytes[6] < 1 || bytes[6] > 3)
        return rk_diag_add(c->diag, RK_ERROR, "RK-N001", rk_place_file(c->file),
                           "write it with numpy.save", "its .npy version, %d, is not known",
                           bytes[6]);
    size_t start = bytes[6] == 1 ? 10 : 12;
    size_t length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (size < start)
        return malformed(c, "the file ends within its header");
    if (start == 12)
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (length > size - start)
        return malformed(c, "the file ends within its header");
    c->at = (const char *)bytes + start;
    c->end = c->at + length;
    return true;
}

bool rk_npy_parse(rk_npy *out, const void *bytes, size_t size, const char *file, rk_arena *arena,
                  rk_diag *diag)
{
    cursor c = {.file = file, .diag = diag};
    *out = (rk_npy){.dtype = RK_DTYPE_NONE};
    if (!find_header(&c, bytes, size) || !read_header(out, &c))
        return false;
    size_t found = size - (size_t)(c.end - (const char *)bytes);
    out->bytes = rk_dtype_size(out->dtype);
    for (int i = 0; i < out->rank; i++)
        out->bytes *= (size_t)out->shape[i];
    if (found != out->bytes)
        return rk_diag_add(diag, RK_ERROR, "RK-N006", rk_place_file(file),
                           found < out->bytes ? "the file is cut off" : NULL,
                           "%zu bytes of elements follow the header, and its shape needs %zu",
                           found, out->bytes);
    bool aligned = (uintptr_t)c.end % rk_dtype_size(out->dtype) == 0;
    out->data = aligned ? c.end : rk_arena_copy(arena, c.end, found);
    return true;
}

bool rk_npy_read(rk_npy *out, const char *path, rk_arena *arena, rk_diag *diag)
{
    rk_bytes bytes;
    return rk_file_read(&bytes, path, arena, diag) &&
           rk_npy_parse(out, bytes.data, bytes.size, path, arena, diag);
}

/** The first bytes of a file, up to its elements: a multiple of 64. */
static void print_header(rk_str *out, rk_dtype dtype, int rank, const int64_t *shape)
{
    enum { PREFIX = 10, ALIGN = 64 };
    rk_str text = {.arena = out->arena};
    rk_str_addf(&text, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                descrs[rk_dtype_stored(dtype)]);
    for (int i = 0; i < rank; i++)
        rk_str_addf(&text, "%s%lld", i ? ", " : "", (long long)shape[i]);
    rk_str_add(&text, rank == 1 ? ",), }" : "), }");
    while ((PREFIX + text.length + 1) % ALIGN)
        rk_str_add(&text, " ");
    rk_str_add(&text, "\n");
    char prefix[PREFIX] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0};
    prefix[8] = (char)(text.length & 0xFF);
    prefix[9] = (char)(text.length >> 8);
    rk_str_addn(out, prefix, sizeof prefix);
    rk_str_addn(out, text.text, text.length);
}

bool rk_npy_write(const char *path, rk_dtype dtype, int rank, const int64_t *shape,
                  const void *data, rk_diag *diag)
{
    rk_arena *scratch = rk_arena_new();
    rk_str file = {.arena = scratch};
    size_t bytes = rk_dtype_size(dtype);
    for (int i = 0; i < rank; i++)
        bytes *= (size_t)shape[i];
    print_header(&file, dtype, rank, shape);
    rk_str_addn(&file, data, bytes);
    bool good = rk_file_write(path, file.text, file.length, diag);
    rk_arena_free(scratch);
    return good;
}

const void *rk_npy_read_tensor(const char *path, const rk_tensor *tensor, rk_arena *arena,
                               rk_diag *diag)
{
    rk_npy npy;
    if (!rk_npy_read(&npy, path, arena, diag))
        return NULL;
    bool same = npy.dtype == rk_dtype_stored(tensor->dtype) && npy.rank == tensor->rank;
    for (int i = 0; same && i < npy.rank; i++)
        same = npy.shape[i] == tensor->shape[i];
    if (same)
        return npy.data;
    rk_str text = {.arena = arena};
    rk_str_addf(&text, "the array is %s [", rk_dtype_name(npy.dtype));
    for (int i = 0; i < npy.rank; i++)
        rk_str_addf(&text, "%s%lld", i ? ", " : "", (long long)npy.shape[i]);
    rk_str_addf(&text, "], and the tensor '%s' %s [", tensor->name, rk_dtype_name(tensor->dtype));
    for (int i = 0; i < tensor->rank; i++)
        rk_str_addf(&text, "%s%lld", i ? ", " : "", (long long)tensor->shape[i]);
    rk_diag_add(diag, RK_ERROR, "RK-N007", rk_place_file(path), NULL, "%s]", rk_str_text(&text));
    return NULL;
}

char *rk_npy_path(rk_arena *arena, const char *dir, const char *name)
{
    rk_str text = {.arena = arena};
    for (const char *p = name; *p; p++) {
        unsigned char ch = (unsigned char)*p;
        bool plain =
            (ch < 0x80 && isalnum(ch)) || ch == '_' || ch == '-' || (ch == '.' && p != name);
        if (plain)
            rk_str_addn(&text, p, 1);
        else
            rk_str_addf(&text, "%%%02X", ch);
    }
    rk_str_add(&text, ".npy");
    return rk_path_join(arena, dir, rk_str_text(&text));
}
