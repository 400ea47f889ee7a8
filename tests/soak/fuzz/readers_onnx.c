/* ONNX models, changed by the structure of protobuf's wire format. */
#include "readers_onnx.h"
#include "base/str.h"
#include "sched/onnx/import.h"

#include <stdint.h>
#include <string.h>

enum { VARINT, FIXED64, BYTES, FIXED32 = 5, MOST_DEPTH = 12 };

bool read_onnx(const char *path, rk_arena *arena, rk_diag *diag)
{
    const rk_onnx_options options = {0};
    return rk_onnx_import(path, &options, arena, diag) != NULL;
}

typedef struct {
    uint64_t number;
    unsigned kind;
    rk_bytes value;  /**< without the length that is before bytes */
    const char *end; /**< where the next one begins */
} field;

static const char *read_varint(uint64_t *out, const char *at, const char *end)
{
    *out = 0;
    for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
        *out |= (uint64_t)(*at & 127) << shift;
        if (!(*at++ & 128))
            return at;
    }
    return NULL;
}

/** Reads the field at `at`; false where there is none. */
static bool read_field(field *out, const char *at, const char *end)
{
    uint64_t tag, length = 0;
    if (!(at = read_varint(&tag, at, end)) || tag >> 3 == 0)
        return false;
    *out = (field){.number = tag >> 3, .kind = tag & 7};
    const char *begin = at;
    switch (out->kind) {
    case VARINT:
        at = read_varint(&length, at, end);
        length = at ? (uint64_t)(at - begin) : 0;
        break;
    case FIXED64:
    case FIXED32:
        length = out->kind == FIXED32 ? 4 : 8;
        break;
    case BYTES:
        begin = at = read_varint(&length, at, end);
        break;
    default:
        return false;
    }
    if (!at || length > (uint64_t)(end - begin))
        return false;
    out->value = (rk_bytes){(char *)(uintptr_t)begin, (size_t)length};
    out->end = begin + length;
    return true;
}

/** How many fields the message has at all depths; 0 where the bytes are none. */
static size_t count_fields(rk_bytes in, int depth)
{
    const char *end = in.data + in.size;
    size_t count = 0;
    field f;
    for (const char *at = in.data; at < end; at = f.end) {
        if (!read_field(&f, at, end))
            return 0;
        count += 1 + (f.kind == BYTES && depth < MOST_DEPTH ? count_fields(f.value, depth + 1) : 0);
    }
    return count;
}

static void add_varint(rk_str *out, uint64_t value)
{
    char byte;
    for (; value > 127; value >>= 7) {
        byte = (char)(value | 128);
        rk_str_addn(out, &byte, 1);
    }
    byte = (char)value;
    rk_str_addn(out, &byte, 1);
}

static void add_field(rk_str *out, const field *f)
{
    add_varint(out, f->number << 3 | f->kind);
    if (f->kind == BYTES)
        add_varint(out, f->value.size);
    rk_str_addn(out, f->value.data, f->value.size);
}

typedef struct {
    size_t (*below)(size_t limit);
    rk_arena *arena;
    rk_bytes whole;
    size_t left; /**< fields before the one that is changed */
} change;

static rk_bytes bytes_of(const change *c, rk_str *text)
{
    const size_t size = text->length;
    return (rk_bytes){size ? rk_arena_strndup(c->arena, text->text, size) : (char *)(uintptr_t) "",
                      size};
}

/** A number as others take it for a size, an index or an enum. */
static rk_bytes some_number(const change *c)
{
    static const uint64_t numbers[] = {
        0,     1,         2,        3,          7,         64,         127,        255,
        65536, INT32_MAX, 1u << 31, 1ull << 32, INT64_MAX, 1ull << 63, UINT64_MAX, UINT64_MAX - 1};
    rk_str out = {.arena = c->arena};
    add_varint(&out, numbers[c->below(sizeof numbers / sizeof *numbers)]);
    return bytes_of(c, &out);
}

static rk_bytes some_bytes(const change *c, rk_bytes in)
{
    rk_bytes out = {rk_arena_strndup(c->arena, in.data, in.size), in.size};
    switch (c->below(4)) {
    case 0: /* shorter */
        out.size = c->below(in.size + 1);
        break;
    case 1: { /* of another place */
        const size_t begin = c->below(c->whole.size);
        out = (rk_bytes){c->whole.data + begin, c->below(c->whole.size - begin + 1)};
        break;
    }
    case 2: /* the whole in itself */
        out = c->whole;
        break;
    default:
        for (size_t n = c->below(4) + 1; n > 0 && in.size; n--)
            out.data[c->below(in.size)] = (char)c->below(256);
    }
    return out;
}

/** Writes what becomes of the chosen field. */
static void add_changed(change *c, rk_str *out, field f)
{
    switch (c->below(7)) {
    case 0: /* left out */
        return;
    case 1:
        for (size_t n = c->below(40) + 2; n > 0; n--)
            add_field(out, &f);
        return;
    case 2:
        f.number = c->below(2) ? c->below(32) + 1 : f.number + c->below(3);
        break;
    case 3: /* as another kind */
        f.kind = f.kind == BYTES ? VARINT : BYTES;
        f.value = f.kind == BYTES ? c->whole : some_number(c);
        break;
    case 4: /* in messages of its own number */
        for (size_t n = c->below(150); n > 0; n--) {
            rk_str inner = {.arena = c->arena};
            add_field(&inner, &f);
            f = (field){.number = f.number, .kind = BYTES, .value = bytes_of(c, &inner)};
        }
        break;
    default:
        if (f.kind == VARINT)
            f.value = some_number(c);
        else
            f.value = some_bytes(c, f.value);
        if (f.kind == FIXED32 || f.kind == FIXED64)
            f.kind = BYTES;
    }
    add_field(out, &f);
}

static rk_bytes changed(change *c, rk_bytes in, int depth)
{
    rk_str out = {.arena = c->arena};
    field f;
    for (const char *at = in.data; at < in.data + in.size; at = f.end) {
        if (!read_field(&f, at, in.data + in.size))
            break;
        const size_t inside =
            f.kind == BYTES && depth < MOST_DEPTH ? count_fields(f.value, depth + 1) : 0;
        if (c->left-- == 0) {
            add_changed(c, &out, f);
            continue;
        }
        if (c->left < inside)
            f.value = changed(c, f.value, depth + 1);
        else
            c->left -= inside;
        add_field(&out, &f);
    }
    return bytes_of(c, &out);
}

rk_bytes change_message(rk_bytes in, size_t (*below)(size_t limit), rk_arena *arena)
{
    change c = {below, arena, in, 0};
    for (size_t n = below(3) + 1; n > 0; n--) {
        c.whole = in;
        c.left = below(count_fields(in, 0) + 1);
        in = changed(&c, in, 0);
        if (in.size > 1 << 20)
            break;
    }
    return in;
}
