#include "sched/onnx/wire.h"

#include "base/vec.h"

#include <string.h>

/** How a field's value is written. */
enum { VARINT = 0, EIGHT_BYTES = 1, SIZED = 2, FOUR_BYTES = 5 };

typedef struct {
    const char *start; /**< of the file */
    const char *at, *end;
    const char *file;
    rk_arena *arena;
    rk_diag *diag;
} reader;

static bool fail(const reader *r, const rk_wire_message *message, const char *what)
{
    return rk_diag_add(r->diag, RK_ERROR, "RK-O001", rk_place_file(r->file),
                       "export the model again, or fetch it again: it may be cut off",
                       "it is no ONNX model: at byte %zu, in %s, %s", (size_t)(r->at - r->start),
                       message->name, what);
}

static bool read_varint(uint64_t *out, reader *r)
{
    *out = 0;
    for (int shift = 0; shift < 70 && r->at < r->end; shift += 7) {
        const unsigned char byte = (unsigned char)*r->at++;
        if (shift < 64)
            *out |= (uint64_t)(byte & 127) << shift;
        if (!(byte & 128))
            return true;
    }
    return false;
}

static bool read_fixed(void *out, size_t size, reader *r)
{
    if ((size_t)(r->end - r->at) < size)
        return false;
    memcpy(out, r->at, size);
    r->at += size;
    return true;
}

static bool read_sized(rk_slice *out, reader *r)
{
    uint64_t size;
    if (!read_varint(&size, r) || size > (uint64_t)(r->end - r->at))
        return false;
    *out = (rk_slice){r->at, (size_t)size};
    r->at += size;
    return true;
}

static bool skip(reader *r, unsigned how)
{
    uint64_t number;
    rk_slice bytes;
    switch (how) {
    case VARINT:
        return read_varint(&number, r);
    case EIGHT_BYTES:
        return read_fixed(&number, 8, r);
    case SIZED:
        return read_sized(&bytes, r);
    case FOUR_BYTES:
        return read_fixed(&number, 4, r);
    default:
        return false;
    }
}

static size_t item_size(rk_wire_kind kind)
{
    static const size_t sizes[] = {
        [RK_WIRE_INT] = sizeof(int64_t),    [RK_WIRE_FLOAT] = sizeof(float),
        [RK_WIRE_DOUBLE] = sizeof(double),  [RK_WIRE_TEXT] = sizeof(const char *),
        [RK_WIRE_BYTES] = sizeof(rk_slice), [RK_WIRE_MESSAGE] = sizeof(void *),
    };
    return sizes[kind];
}

typedef RK_VEC(char) any_list;

/** Where the next value of the field goes. */
static void *place_of(void *record, const rk_wire_field *field, reader *r)
{
    char *member = (char *)record + field->offset;
    if (!field->repeated)
        return member;
    any_list *list = (any_list *)(void *)member;
    const size_t size = item_size(field->kind);
    rk_vec_grow(r->arena, (void **)&list->items, list->count, &list->capacity, size);
    return list->items + size * list->count++;
}

static bool read_number(void *out, rk_wire_kind kind, reader *r)
{
    uint64_t value;
    if (kind == RK_WIRE_FLOAT)
        return read_fixed(out, 4, r);
    if (kind == RK_WIRE_DOUBLE)
        return read_fixed(out, 8, r);
    if (!read_varint(&value, r))
        return false;
    memcpy(out, &value, sizeof value);
    return true;
}

static unsigned how_written(rk_wire_kind kind)
{
    return kind == RK_WIRE_INT      ? VARINT
           : kind == RK_WIRE_FLOAT  ? FOUR_BYTES
           : kind == RK_WIRE_DOUBLE ? EIGHT_BYTES
                                    : SIZED;
}

static bool read_message(void *record, const rk_wire_message *message, reader *r, int depth);

static bool read_inner(void *record, const rk_wire_message *message, const rk_wire_field *field,
                       reader *r, int depth)
{
    rk_slice bytes;
    if (!read_sized(&bytes, r))
        return fail(r, message, "a length goes beyond the end");
    if (field->kind == RK_WIRE_BYTES) {
        memcpy(place_of(record, field, r), &bytes, sizeof bytes);
        return true;
    }
    if (field->kind == RK_WIRE_TEXT) {
        if (memchr(bytes.data, 0, bytes.size))
            return fail(r, message, "a name holds a zero byte");
        *(const char **)place_of(record, field, r) =
            rk_arena_strndup(r->arena, bytes.data, bytes.size);
        return true;
    }
    if (depth >= RK_WIRE_DEPTH)
        return fail(r, message, "messages are nested too deep");
    void **to = place_of(record, field, r);
    void *inner = *to ? *to : rk_arena_alloc(r->arena, field->message->size);
    *to = inner;
    reader within = *r;
    within.at = bytes.data;
    within.end = bytes.data + bytes.size;
    return read_message(inner, field->message, &within, depth + 1);
}

static bool read_field(void *record, const rk_wire_message *message, const rk_wire_field *field,
                       unsigned how, reader *r, int depth)
{
    const unsigned expected = how_written(field->kind);
    if (how == SIZED && expected == SIZED)
        return read_inner(record, message, field, r, depth);
    if (how == expected)
        return read_number(place_of(record, field, r), field->kind, r) ||
               fail(r, message, "a number goes beyond the end");
    if (how != SIZED || !field->repeated)
        return fail(r, message, "a field has another type than ONNX gives it");
    rk_slice bytes;
    if (!read_sized(&bytes, r))
        return fail(r, message, "a length goes beyond the end");
    reader packed = *r;
    packed.at = bytes.data;
    packed.end = bytes.data + bytes.size;
    while (packed.at < packed.end)
        if (!read_number(place_of(record, field, &packed), field->kind, &packed))
            return fail(&packed, message, "a list of numbers goes beyond its end");
    return true;
}

/** Texts that are not there are empty, so that readers need not ask. */
static void set_texts(void *record, const rk_wire_message *message)
{
    for (const rk_wire_field *f = message->fields; f->number; f++)
        if (f->kind == RK_WIRE_TEXT && !f->repeated)
            if (!*(const char **)(void *)((char *)record + f->offset))
                *(const char **)(void *)((char *)record + f->offset) = "";
}

static bool read_message(void *record, const rk_wire_message *message, reader *r, int depth)
{
    while (r->at < r->end) {
        uint64_t key;
        if (!read_varint(&key, r))
            return fail(r, message, "a field's number goes beyond the end");
        const rk_wire_field *field = message->fields;
        while (field->number && field->number != key >> 3)
            field++;
        const unsigned how = (unsigned)(key & 7);
        if (key >> 3 == 0)
            return fail(r, message, "a field has the number 0");
        if (!field->number) {
            if (!skip(r, how))
                return fail(r, message, "a field that is not known goes beyond the end");
            continue;
        }
        *(uint64_t *)record |= UINT64_C(1) << (field - message->fields);
        if (!read_field(record, message, field, how, r, depth))
            return false;
    }
    set_texts(record, message);
    return true;
}

void *rk_wire_read(const rk_wire_message *message, rk_slice bytes, const char *file,
                   rk_arena *arena, rk_diag *diag)
{
    reader r = {bytes.data, bytes.data, bytes.data + bytes.size, file, arena, diag};
    void *record = rk_arena_alloc(arena, message->size);
    return read_message(record, message, &r, 1) ? record : NULL;
}
