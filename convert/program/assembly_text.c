#include "convert/facts/undefined.h"
#include "convert/program/program_internal.h"
#include "convert/ptx/ptx.h"

#include <string.h>

/*
 * Inline assembly whose meaning needs no GPU becomes calls of rk/cpu/cpu_ptx.h. All other is refused.
 */

/** A statement of inline assembly, taken apart. */
typedef struct {
    size_t begin, end;               /**< tokens: `asm`, and the last `)` */
    const char *text;                /**< of the instructions, without quotes */
    RK_VEC(rk_ptx_operand) operands; /**< outputs first */
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
            rk_str_add(out, text[k + 1] == 'n' ? "\n" : " ");
            k++;
        } else {
            rk_str_addn(out, text + k, 1);
        }
    }
    return true;
}

/** The text from token `first` to `last`, with what its conversions and shifts need (facts/undefined.h). */
static const char *operand_text(const rk_program *program, const rk_stretch *s, size_t first, size_t last)
{
    const rk_token *items = s->tokens.items;
    rk_str out = {.arena = program->unit->arena};
    const rk_range whole = {s->file, s->base + items[first].offset,
                            s->base + items[last].offset + items[last].length};
    for (size_t i = first, end = items[first].offset; i <= last; i++) {
        rk_str_addn(&out, s->tokens.text + end, items[i].offset - end);
        end = items[i].offset + items[i].length;
        rk_undefined_text(program->unit, &out, &whole, s->base + items[i].offset, false);
        rk_str_addn(&out, s->tokens.text + items[i].offset, items[i].length);
        rk_undefined_text(program->unit, &out, &whole, s->base + end, true);
    }
    return rk_str_text(&out);
}

/** Reads the operands after the first `:`; a third one begins the clobbers. */
static bool read_operands(assembly *a, const rk_program *program, const rk_stretch *s, size_t i)
{
    const rk_tokens *t = &s->tokens;
    for (int colons = 0; i < a->end; i++) {
        colons += rk_token_is(t, i, "::") ? 2 : rk_token_is(t, i, ":");
        if (colons > 2 || t->items[i].kind != RK_TOKEN_STRING)
            continue;
        if (!rk_token_is(t, i + 1, "("))
            return colons > 2;
        const size_t close = rk_tokens_close(t, i + 1);
        if (close >= a->end)
            return false;
        *rk_push(program->unit->arena, &a->operands) =
            (rk_ptx_operand){.text = operand_text(program, s, i + 1, close), .output = colons == 1};
        i = close;
    }
    return true;
}

static bool read_assembly(assembly *a, const rk_program *program, const rk_stretch *s, size_t at)
{
    const rk_tokens *t = &s->tokens;
    rk_str text = {.arena = program->unit->arena};
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
    return read_operands(a, program, s, i);
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
    const bool whole = read_assembly(&a, program, s, i);
    const char *text =
        whole ? rk_ptx_translate(a.text, a.operands.items, a.operands.count, arena) : NULL;
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
                       whole ? a.text + strspn(a.text, " \n") : "");
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
