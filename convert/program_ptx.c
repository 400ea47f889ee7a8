#include "convert/program_internal.h"

#include <ctype.h>
#include <string.h>

/*
 * Inline assembly of one PTX instruction whose meaning needs no GPU becomes a call of rk/cpu_ptx.h. All
 * other is refused.
 */

/** An instruction that rk/cpu_ptx.h has, and what the text of its call is made of. */
typedef struct {
    const char *name;
    size_t operands;  /**< with the destination, which comes first */
    const char *call; /**< of the sources in brackets; NULL for rk::ptx_<name> with dots as `_` */
} instruction;

static const instruction instructions[] = {
    {"mov.u32", 2, NULL},
    {"mov.s32", 2, NULL},
    {"mov.b32", 2, NULL},
    {"mov.u64", 2, NULL},
    {"mov.b64", 2, NULL},
    {"bfe.u32", 4, NULL},
    {"bfe.s32", 4, NULL},
    {"bfi.b32", 5, NULL},
    {"bfind.u32", 2, NULL},
    {"lop3.b32", 5, NULL},
    {"prmt.b32", 4, NULL},
    {"popc.b32", 2, NULL},
    {"clz.b32", 2, NULL},
    {"brev.b32", 2, NULL},
    {"add.u32", 3, NULL},
    {"add.s32", 3, NULL},
    {"vabsdiff4.u32.u32.u32.add", 4, NULL},
    {"ld.global.cg.u32", 2, "rk::ptx_load<unsigned>"},
    {"ld.global.ca.u32", 2, "rk::ptx_load<unsigned>"},
    {"ld.global.nc.u32", 2, "rk::ptx_load<unsigned>"},
    {"ld.global.cs.u32", 2, "rk::ptx_load<unsigned>"},
    {"ld.global.cg.s32", 2, "rk::ptx_load<int>"},
    {"ld.global.cg.f32", 2, "rk::ptx_load<float>"},
    {"ld.global.nc.f32", 2, "rk::ptx_load<float>"},
    {"ld.global.cs.f32", 2, "rk::ptx_load<float>"},
    {"ld.global.cg.f64", 2, "rk::ptx_load<double>"},
    {"ld.global.cg.u64", 2, "rk::ptx_load<unsigned long long>"},
    {"st.global.cg.u32", 2, "rk::ptx_store<unsigned>"},
    {"st.global.cs.u32", 2, "rk::ptx_store<unsigned>"},
    {"st.global.cg.s32", 2, "rk::ptx_store<int>"},
    {"st.global.cg.f32", 2, "rk::ptx_store<float>"},
    {"st.global.cs.f32", 2, "rk::ptx_store<float>"},
    {"membar.gl", 0, NULL},
    {"membar.cta", 0, NULL},
    {"membar.sys", 0, NULL},
    {"bar.sync", 1, "rk::named_barrier"},
    {"barrier.sync", 1, "rk::named_barrier"},
    {"bar.sync", 2, "rk::named_barrier"},
    {"barrier.sync", 2, "rk::named_barrier"},
    {"bar.arrive", 2, "rk::named_arrive"},
    {"bar.warp.sync", 1, "__syncwarp"},
};

static const char *const registers[] = {
    "laneid",      "warpid",      "smid",        "lanemask_eq", "lanemask_lt", "lanemask_le",
    "lanemask_ge", "lanemask_gt", "tid.x",       "tid.y",       "tid.z",       "ntid.x",
    "ntid.y",      "ntid.z",      "ctaid.x",     "ctaid.y",     "ctaid.z",     "nctaid.x",
    "nctaid.y",    "nctaid.z",    "globaltimer", "clock",       "clock64"};

/** A statement of inline assembly, taken apart. */
typedef struct {
    size_t begin, end;             /**< tokens: `asm`, and the last `)` */
    const char *text;              /**< of the instructions, without quotes */
    RK_VEC(const char *) operands; /**< the C++ expressions, outputs first */
} assembly;

static bool is_asm(const rk_tokens *tokens, size_t i)
{
    return rk_token_is(tokens, i, "asm") || rk_token_is(tokens, i, "__asm__") ||
           rk_token_is(tokens, i, "__asm");
}

static bool is_volatile(const rk_tokens *tokens, size_t i)
{
    return rk_token_is(tokens, i, "volatile") || rk_token_is(tokens, i, "__volatile__") ||
           rk_token_is(tokens, i, "__volatile");
}

/** Adds a string literal's contents. False for one with a prefix, as raw ones have. */
static bool add_literal(rk_str *out, const rk_tokens *tokens, size_t i)
{
    const rk_token *t = &tokens->items[i];
    const char *text = tokens->text + t->offset;
    if (text[0] != '"' || t->length < 2)
        return false;
    for (size_t k = 1; k + 1 < t->length; k++) {
        if (text[k] == '\\' && (text[k + 1] == 'n' || text[k + 1] == 't')) {
            rk_str_add(out, " ");
            k++;
        } else {
            rk_str_addn(out, text + k, 1);
        }
    }
    return true;
}

/** Reads the operands after the first `:`; a third one begins the clobbers. */
static bool read_operands(assembly *a, const rk_tokens *t, size_t i, rk_arena *arena)
{
    for (int colons = 0; i < a->end; i++) {
        colons += rk_token_is(t, i, "::") ? 2 : rk_token_is(t, i, ":");
        if (colons > 2 || t->items[i].kind != RK_TOKEN_STRING)
            continue;
        if (!rk_token_is(t, i + 1, "("))
            return colons > 2;
        const size_t close = rk_tokens_close(t, i + 1);
        if (close >= a->end)
            return false;
        const size_t from = t->items[i + 1].offset;
        *rk_push(arena, &a->operands) =
            rk_arena_strndup(arena, t->text + from, t->items[close].offset + 1 - from);
        i = close;
    }
    return true;
}

static bool read_assembly(assembly *a, const rk_tokens *t, size_t at, rk_arena *arena)
{
    rk_str text = {.arena = arena};
    *a = (assembly){.begin = at};
    size_t i = at + 1;
    while (is_volatile(t, i))
        i++;
    if (!rk_token_is(t, i, "("))
        return false;
    a->end = rk_tokens_close(t, i);
    if (a->end >= t->count)
        return false;
    for (i++; i < a->end && t->items[i].kind == RK_TOKEN_STRING; i++)
        if (!add_literal(&text, t, i))
            return false;
    a->text = rk_str_text(&text);
    return read_operands(a, t, i, arena);
}

/* One instruction. */

static const char *skip_space(const char *text)
{
    return text + strspn(text, " \t");
}

/** "rk::ptx_" and the name with `_` for dots. */
static const char *function_name(const char *prefix, const char *name, rk_arena *arena)
{
    char *text = rk_arena_printf(arena, "rk::ptx_%s%s", prefix, name);
    for (char *c = text; *c; c++)
        *c = *c == '.' ? '_' : *c;
    return text;
}

/** The C++ of an operand: `%1`, `[%1]`, `0x1f`, `%%laneid`; NULL for others. */
static const char *operand(const assembly *a, const char *text, rk_arena *arena)
{
    const size_t length = strlen(text);
    if (length > 2 && text[0] == '[' && text[length - 1] == ']')
        return operand(a, rk_arena_strndup(arena, text + 1, length - 2), arena);
    if (text[0] == '%' && isdigit((unsigned char)text[1])) {
        size_t n = 0;
        for (text++; isdigit((unsigned char)*text); text++)
            n = n * 10 + (size_t)(*text - '0');
        return *text == '\0' && n < a->operands.count ? a->operands.items[n] : NULL;
    }
    if (text[0] == '%') {
        const char *name = text + 1 + (text[1] == '%');
        for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
            if (strcmp(name, registers[i]) == 0)
                return rk_arena_printf(arena, "%s()", function_name("reg_", name, arena));
        return NULL;
    }
    return isdigit((unsigned char)text[0]) && strspn(text, "0123456789abcdefABCDEFxX") == length
               ? text
               : NULL;
}

/** Splits "%0, %1, 3" into operands as C++; false when one is of another kind. */
static bool split_operands(const assembly *a, const char *text, size_t length, const char **out,
                           size_t *count, rk_arena *arena)
{
    enum { MOST = 6 };
    *count = 0;
    for (const char *end = text + length; text < end;) {
        text += strspn(text, " \t");
        if (text >= end)
            break;
        const char *stop = memchr(text, ',', (size_t)(end - text));
        const size_t n = (size_t)((stop ? stop : end) - text);
        size_t trimmed = n;
        while (trimmed > 0 && (text[trimmed - 1] == ' ' || text[trimmed - 1] == '\t'))
            trimmed--;
        if (*count == MOST || trimmed == 0)
            return false;
        out[*count] = operand(a, rk_arena_strndup(arena, text, trimmed), arena);
        if (!out[(*count)++])
            return false;
        text += n + (stop != NULL);
    }
    return true;
}

/** The statement that does the same; NULL when the assembly is not one known instruction. */
static const char *translate(const assembly *a, rk_arena *arena)
{
    const char *text = skip_space(a->text);
    const char *operands[6];
    size_t count;
    const size_t name_length = strcspn(text, " \t;");
    const size_t length = strcspn(text, ";");
    if (*skip_space(text + length + (text[length] == ';')) || length < name_length)
        return NULL;
    const char *name = rk_arena_strndup(arena, text, name_length);
    if (!split_operands(a, text + name_length, length - name_length, operands, &count, arena))
        return NULL;
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++) {
        const instruction *known = &instructions[i];
        if (strcmp(known->name, name) != 0 || known->operands != count)
            continue;
        const bool stores =
            known->call && (rk_str_starts(name, "st.") || count < 2 || rk_str_starts(name, "bar"));
        rk_str out = {.arena = arena};
        const size_t first = count && !stores ? 1 : 0;
        if (first)
            rk_str_addf(&out, "%s = ", operands[0]);
        rk_str_addf(&out, "%s(", known->call ? known->call : function_name("", name, arena));
        for (size_t k = first; k < count; k++)
            rk_str_addf(&out, "%s%s", k > first ? ", " : "", operands[k]);
        rk_str_add(&out, ")");
        return rk_str_text(&out);
    }
    return NULL;
}

/* All of them. */

/** Whether token `i` is in a function for the device alone, or in a macro, where only PTX counts. */
static bool for_device(const rk_program *program, const rk_stretch *s, size_t i)
{
    for (size_t k = 0; k < program->functions.count; k++) {
        const rk_device_text *f = &program->functions.items[k];
        if (f->stretch == s && !f->host && f->body < i && i < f->body_end)
            return true;
    }
    return false;
}

static bool edit_statement(rk_program *program, const rk_stretch *s, size_t i, bool device)
{
    rk_arena *arena = program->unit->arena;
    assembly a;
    const bool whole = read_assembly(&a, &s->tokens, i, arena);
    const char *text = whole ? translate(&a, arena) : NULL;
    if (text && (device || s->macro)) {
        const size_t begin = s->tokens.items[i].offset;
        rk_program_edit(program, s, begin, s->tokens.items[a.end].offset + 1 - begin, text);
        return true;
    }
    return !device ||
           rk_diag_add(program->unit->diag, RK_ERROR, "RK-V131", rk_program_place(program, s, i),
                       "write it with CUDA's own functions, or leave it out where "
                       "__CUDA_ARCH__ is not defined",
                       "inline PTX does not run on a CPU%s%s", whole ? ": " : "",
                       whole ? skip_space(a.text) : "");
}

bool rk_program_edit_assembly(rk_program *program)
{
    bool ok = true;
    for (size_t i = 0; i < program->stretches.count; i++) {
        const rk_stretch *s = program->stretches.items[i];
        for (size_t k = 0; k < s->tokens.count; k++)
            if (is_asm(&s->tokens, k))
                ok &= edit_statement(program, s, k, for_device(program, s, k));
    }
    return ok;
}
