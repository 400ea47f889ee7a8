#include "convert/ptx/ptx_internal.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *ptx, *cpp, *bits; /**< `bits`: what adds up modulo 2^n */
} types[] = {{"u8", "unsigned char", "unsigned char"},
             {"b8", "unsigned char", "unsigned char"},
             {"s8", "signed char", "unsigned char"},
             {"u16", "unsigned short", "unsigned short"},
             {"b16", "unsigned short", "unsigned short"},
             {"s16", "short", "unsigned short"},
             {"u32", "unsigned", "unsigned"},
             {"b32", "unsigned", "unsigned"},
             {"s32", "int", "unsigned"},
             {"u64", "unsigned long long", "unsigned long long"},
             {"b64", "unsigned long long", "unsigned long long"},
             {"s64", "long long", "unsigned long long"},
             {"f32", "float", "float"},
             {"f64", "double", "double"},
             {"pred", "bool", "bool"}};

const char *rk_ptx_type(const char *piece)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].ptx, piece) == 0)
            return types[i].cpp;
    return NULL;
}

const char *rk_ptx_bits(const char *cpp)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].cpp, cpp) == 0)
            return types[i].bits;
    return cpp;
}

const char *rk_ptx_function(const char *prefix, const char *name, rk_arena *arena)
{
    char *text = rk_arena_printf(arena, "rk__::ptx_%s%s", prefix, name);
    for (char *c = text; *c; c++)
        *c = *c == '.' ? '_' : *c;
    return text;
}

const char *rk_ptx_register(const char *name, rk_arena *arena)
{
    static const char *const registers[] = {
        "laneid",      "warpid",      "smid",        "lanemask_eq", "lanemask_lt", "lanemask_le",
        "lanemask_ge", "lanemask_gt", "tid.x",       "tid.y",       "tid.z",       "ntid.x",
        "ntid.y",      "ntid.z",      "ctaid.x",     "ctaid.y",     "ctaid.z",     "nctaid.x",
        "nctaid.y",    "nctaid.z",    "globaltimer", "clock",       "clock64"};
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        if (strcmp(name, registers[i]) == 0)
            return rk_arena_printf(arena, "%s()", rk_ptx_function("reg_", name, arena));
    return NULL;
}

/* Operands. */

bool rk_ptx_is_name_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

bool rk_ptx_is_name(const char *text)
{
    size_t n = 0;
    while (rk_ptx_is_name_byte(text[n]))
        n++;
    return n > 0 && text[n] == '\0' && !isdigit((unsigned char)text[0]);
}

const char *rk_ptx_local(const char *prefix, const char *name, rk_arena *arena)
{
    char *text = rk_arena_printf(arena, "rk__%s_%s", prefix, name);
    for (char *c = text; *c; c++)
        *c = *c == '$' ? '_' : *c;
    return text;
}

const char *rk_ptx_value(const rk_ptx *t, const char *text)
{
    if (text[0] == '%' && isdigit((unsigned char)text[1])) {
        size_t n = 0;
        for (text++; isdigit((unsigned char)*text); text++)
            n = n * 10 + (size_t)(*text - '0');
        return *text == '\0' && n < t->count ? rk_arena_printf(t->arena, "rk__%zu", n) : NULL;
    }
    if (text[0] == '%') {
        const char *name = text + 1 + (text[1] == '%');
        const char *special = rk_ptx_register(name, t->arena);
        return special ? special : rk_ptx_is_name(name) ? rk_ptx_local("v", name, t->arena) : NULL;
    }
    const size_t length = strlen(text);
    if (length == 10 && rk_str_starts(text, "0f") &&
        strspn(text + 2, "0123456789abcdefABCDEF") == 8)
        return rk_arena_printf(t->arena, "rk__::ptx_as<float>(0x%su)", text + 2);
    const size_t sign = text[0] == '-';
    if (isdigit((unsigned char)text[sign]) &&
        strspn(text + sign, "0123456789abcdefABCDEFxXU.") == length - sign)
        return text;
    return rk_ptx_is_name(text) ? rk_ptx_local("v", text, t->arena) : NULL;
}

const char *rk_ptx_address(const rk_ptx *t, const char *text, bool shared)
{
    const size_t length = strlen(text);
    if (length < 3 || text[0] != '[' || text[length - 1] != ']')
        return NULL;
    const size_t base = strcspn(text + 1, "+-]");
    const char *offset = rk_arena_strndup(t->arena, text + 1 + base, length - 2 - base);
    const char *at = rk_ptx_value(t, rk_arena_strndup(t->arena, text + 1, base));
    if (!at || strspn(offset, "+-0123456789xabcdefABCDEF") != strlen(offset))
        return NULL;
    return rk_arena_printf(t->arena, "rk__::ptx_%s(%s)%s", shared ? "shared" : "generic", at,
                           offset);
}

size_t rk_ptx_elements(const rk_ptx *t, const char *text, const char **out)
{
    const size_t length = strlen(text);
    if (text[0] != '{') {
        out[0] = rk_ptx_value(t, text);
        return out[0] != NULL;
    }
    size_t count = 0;
    for (size_t i = 1; i + 1 < length && count < 4;) {
        const size_t n = strcspn(text + i, ",}");
        out[count] = rk_ptx_value(t, rk_arena_strndup(t->arena, text + i, n));
        if (!out[count++])
            return 0;
        i += n + 1;
    }
    return count;
}

/* Instructions. */

bool rk_ptx_has(const rk_ptx_instruction *in, const char *piece)
{
    for (size_t i = 1; i < in->piece_count; i++)
        if (strcmp(in->pieces[i], piece) == 0)
            return true;
    return false;
}

bool rk_ptx_only(const rk_ptx_instruction *in, const char *allowed)
{
    for (size_t i = 1; i < in->piece_count; i++) {
        const size_t n = strlen(in->pieces[i]);
        const char *at = allowed;
        while (at && !(strncmp(at, in->pieces[i], n) == 0 && (at[n] == ' ' || at[n] == '\0')))
            at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL;
        if (!at)
            return false;
    }
    return true;
}

bool rk_ptx_add_sources(rk_ptx *t, const rk_ptx_instruction *in)
{
    for (size_t k = 1; k < in->operand_count; k++) {
        const char *from = rk_ptx_value(t, in->operands[k]);
        if (!from)
            return false;
        rk_str_addf(&t->out, "%s%s", k > 1 ? ", " : "", from);
    }
    return true;
}
