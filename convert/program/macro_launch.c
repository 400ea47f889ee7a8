#include "convert/program/drop_in.h"
#include "convert/program/program_internal.h"

#include <string.h>

/*
 * Kernels that are arguments of macros which launch them: `#define RUN(K, n) K<<<1, 32>>>(n)`. Where a macro does no
 * more with one, the uses name its launcher; else they say the kernel's address, and the macro launches by that.
 */

/** A macro with arguments, and one of its parameters. */
typedef struct {
    const rk_stretch *stretch;
    size_t close; /**< token of the `)` behind the parameters */
    const char *param;
    size_t index;
    bool named; /**< it is only launched */
} macro_parameter;

static bool is_launched(const rk_tokens *t, size_t i, bool *args)
{
    *args = rk_token_is(t, i + 1, "<") && !rk_program_adjacent(t, i + 1, "<");
    const size_t after = *args ? rk_tokens_close(t, i + 1) + 1 : i + 1;
    return rk_program_adjacent(t, after, "<") && rk_program_callee_begin(t, after) == i;
}

/** Reads how the macro uses the parameter; false when it launches none, or makes a name or a string of it. */
static bool read_uses(macro_parameter *m)
{
    const rk_tokens *t = &m->stretch->tokens;
    size_t launched = 0, with_args = 0, other = 0;
    for (size_t i = m->close + 1; i < t->count; i++) {
        bool args;
        if (!rk_token_is(t, i, m->param))
            continue;
        if (rk_token_is(t, i - 1, "#") || rk_token_is(t, i + 1, "#"))
            return false;
        if (is_launched(t, i, &args)) {
            launched++;
            with_args += args;
        } else {
            other++;
        }
    }
    m->named = other == 0;
    return launched > 0 && (with_args == 0 || other == 0);
}

/** The tokens of a use's argument, without spaces that continue lines. */
static bool read_argument(size_t *first, size_t *last, const macro_parameter *m, const rk_tokens *t,
                          size_t open)
{
    const size_t close = rk_tokens_close(t, open);
    size_t index = 0;
    *first = *last = open + 1;
    for (size_t i = open + 1; i < t->count && i <= close; i++) {
        if (rk_token_is(t, i, "(") && i < close) {
            i = rk_tokens_close(t, i);
            continue;
        }
        if (i < close && !rk_token_is(t, i, ","))
            continue;
        *last = i;
        if (index++ == m->index)
            break;
        *first = i + 1;
    }
    while (*first < *last && rk_token_is(t, *first, "\\"))
        ++*first;
    while (*last > *first && rk_token_is(t, *last - 1, "\\"))
        --*last;
    return close < t->count && index == m->index + 1 && *first < *last;
}

/** Whether an argument is the expression, maybe in parentheses. */
static bool is_whole(const rk_kernel_expression *e, const rk_tokens *t, size_t first, size_t last)
{
    while (first < last && rk_token_is(t, first, "(") && rk_tokens_close(t, first) == last - 1) {
        first++;
        last--;
    }
    return e->begin == first && e->end == last;
}

/** Edits an argument that names a kernel; false when it cannot, or is more than the name. */
static bool edit_kernel(rk_program *program, const macro_parameter *m, const rk_stretch *s,
                        const rk_kernel_reference *r, size_t first, size_t last, bool edit)
{
    rk_arena *arena = program->unit->arena;
    const rk_tokens *t = &s->tokens;
    rk_kernel_expression e;
    const char *suffix = rk_drop_in_suffix(program->unit, r->name);
    if (!suffix ||
        !rk_program_read_expression(&e, t, rk_tokens_at(t, r->name.offset - s->base)) ||
        !is_whole(&e, t, first, last))
        return false;
    const rk_token *name = &t->items[e.name], *end = &t->items[e.end - 1];
    const char *address = m->named ? "" : rk_program_address(program, r, &e, suffix);
    if (!address || (m->named && e.begin < e.plain))
        return false;
    if (edit && m->named)
        rk_program_insert(program, s, name->offset + name->length, 0, suffix);
    else if (edit)
        rk_program_edit(program, s, t->items[e.begin].offset,
                        end->offset + end->length - t->items[e.begin].offset,
                        rk_arena_printf(arena, "(%s)", address));
    return true;
}

/** Edits one use of the macro, whose name is at token `at`, or only says whether it can. */
static bool edit_use(rk_program *program, const macro_parameter *m, const rk_stretch *s, size_t at,
                     bool edit)
{
    const rk_tokens *t = &s->tokens;
    size_t first, last;
    if (!read_argument(&first, &last, m, t, at + 1))
        return false;
    const size_t begin = t->items[first].offset;
    const size_t end = t->items[last - 1].offset + t->items[last - 1].length;
    for (size_t i = 0; i < program->references.count; i++) {
        const rk_kernel_reference *r = &program->references.items[i];
        if (r->name.file == s->file && r->name.offset >= s->base + begin &&
            r->name.offset < s->base + end)
            return edit_kernel(program, m, s, r, first, last, edit);
    }
    if (!rk_program_has_pointer(program, s->file, s->base + begin, s->base + end) ||
        rk_drop_in_is_device(program->unit, (rk_where){s->file, s->base + begin}))
        return false;
    if (edit && m->named) {
        rk_program_insert(program, s, begin, 0, "rk__::drop_in_launcher(");
        rk_program_insert(program, s, end, 0, ")");
    }
    return true;
}

/** The same of all its uses; false when there is one that cannot be edited. */
static bool edit_uses(rk_program *program, const macro_parameter *m, bool edit)
{
    const char *name = rk_token_text(&m->stretch->tokens, 1, program->unit->arena);
    for (size_t i = 0; i < program->stretches.count; i++) {
        const rk_stretch *s = program->stretches.items[i];
        for (size_t k = 0; k < s->tokens.count; k++)
            if (rk_token_is(&s->tokens, k, name) && rk_token_is(&s->tokens, k + 1, "(") &&
                !(s->macro && k == 1 && rk_token_is(&s->tokens, 0, "define")) &&
                !edit_use(program, m, s, k, edit))
                return false;
    }
    return true;
}

/** Whether a macro is defined once, so that its name says which one a use is of. */
static bool is_only(const rk_program *program, const rk_stretch *macro)
{
    const char *name = rk_token_text(&macro->tokens, 1, program->unit->arena);
    size_t count = 0;
    for (size_t i = 0; i < program->stretches.count; i++) {
        const rk_stretch *s = program->stretches.items[i];
        count += s->macro && rk_token_is(&s->tokens, 0, "define") && rk_token_is(&s->tokens, 1, name);
    }
    return count == 1;
}

static void look_at_macro(rk_program *program, const rk_stretch *s)
{
    const rk_tokens *t = &s->tokens;
    macro_parameter m = {.stretch = s, .close = rk_tokens_close(t, 2)};
    for (size_t i = 3; i < m.close && m.close < t->count; i++) {
        if (t->items[i].kind != RK_TOKEN_NAME)
            continue;
        m.param = rk_token_text(t, i, program->unit->arena);
        if (read_uses(&m) && is_only(program, s) && edit_uses(program, &m, false)) {
            edit_uses(program, &m, true);
            *rk_push(program->unit->arena, &program->macro_kernels) =
                (rk_macro_kernel){s, m.param, m.named};
        }
        m.index++;
    }
}

void rk_program_edit_macro_kernels(rk_program *program)
{
    for (size_t i = 0; i < program->stretches.count; i++) {
        const rk_stretch *s = program->stretches.items[i];
        const rk_token *name = s->tokens.items + 1;
        if (s->macro && rk_token_is(&s->tokens, 0, "define") && rk_token_is(&s->tokens, 2, "(") &&
            name[1].offset == name->offset + name->length)
            look_at_macro(program, s);
    }
}

const rk_macro_kernel *rk_program_macro_kernel(const rk_program *program, const rk_stretch *s,
                                               size_t name)
{
    for (size_t i = 0; i < program->macro_kernels.count; i++) {
        const rk_macro_kernel *m = &program->macro_kernels.items[i];
        if (m->macro == s && rk_token_is(&s->tokens, name, m->param))
            return m;
    }
    return NULL;
}
