#include "convert/program/program_internal.h"

#include <string.h>

/** A declaration `extern __shared__ T name[];` by its tokens. */
typedef struct {
    size_t begin, end; /**< tokens of the statement, `end` being its `;` */
    const char *text;  /**< the pointers that take its place */
    RK_VEC(const char *) names;
} declaration;

/** Skips `__align__(16)` and the like: dynamic memory is aligned for any type of CUDA's. */
static size_t skip_alignment(const rk_tokens *tokens, size_t i)
{
    if ((rk_token_is(tokens, i, "__align__") || rk_token_is(tokens, i, "alignas") ||
         rk_token_is(tokens, i, "__attribute__")) &&
        rk_token_is(tokens, i + 1, "("))
        return rk_tokens_close(tokens, i + 1) + 1;
    return i;
}

static bool is_storage(const rk_tokens *tokens, size_t i)
{
    return rk_token_is(tokens, i, "extern") || rk_token_is(tokens, i, "__shared__") ||
           rk_token_is(tokens, i, "static");
}

static void add_token(rk_str *out, const rk_tokens *tokens, size_t i)
{
    const char *text = rk_token_text(tokens, i, out->arena);
    const bool tight = !out->length || strcmp(text, "::") == 0 || strcmp(text, ">") == 0 ||
                       strcmp(text, "<") == 0 || strcmp(text, ",") == 0 ||
                       out->text[out->length - 1] == ':' || out->text[out->length - 1] == '<';
    rk_str_addf(out, "%s%s", tight ? "" : " ", text);
}

/** The first `[` of the statement outside of template arguments: the declarator's. */
static size_t find_bracket(const rk_tokens *tokens, size_t i, size_t end)
{
    for (; i < end && !rk_token_is(tokens, i, "["); i++)
        if (rk_token_is(tokens, i, "<") && rk_tokens_close(tokens, i) < end)
            i = rk_tokens_close(tokens, i);
    return i;
}

/** Reads the declarators from `i`, each `name[]` or `name[][M]`, of the element type `type`. */
static bool read_declarators(rk_str *out, declaration *d, const rk_tokens *tokens, size_t i,
                             const char *type)
{
    rk_arena *arena = out->arena;
    while (i < d->end) {
        if (tokens->items[i].kind != RK_TOKEN_NAME || !rk_token_is(tokens, i + 1, "[") ||
            !rk_token_is(tokens, i + 2, "]"))
            return false;
        const char *name = rk_token_text(tokens, i, arena);
        const size_t from = i + 3;
        for (i = from; i < d->end && !rk_token_is(tokens, i, ","); i++)
            if (rk_token_is(tokens, i, "["))
                i = rk_tokens_close(tokens, i);
        const size_t first = tokens->items[from].offset;
        const char *dims = rk_arena_strndup(arena, tokens->text + first,
                                            from < i ? tokens->items[i].offset - first : 0);
        rk_str_addf(out, "%sauto *%s = rk__::dynamic_shared<%s%s>();", out->length ? " " : "", name,
                    type, dims);
        *rk_push(arena, &d->names) = name;
        i++;
    }
    return d->names.count > 0;
}

/** The first token of the declaration around token `at`. */
static size_t declaration_begin(const rk_tokens *tokens, size_t at)
{
    const size_t floor = rk_token_is(tokens, 0, "define") ? 2 : 0;
    size_t i = at;
    while (i > floor) {
        if (rk_token_is(tokens, i - 1, ")")) {
            const size_t open = rk_program_open_before(tokens, i - 1);
            if (open == 0 || skip_alignment(tokens, open - 1) != i)
                break;
            i = open - 1;
        } else if (tokens->items[i - 1].kind == RK_TOKEN_NAME || rk_token_is(tokens, i - 1, "::")) {
            i--;
        } else {
            break;
        }
    }
    return i;
}

/** Reads the statement around `__shared__` at token `at`; false when it is not dynamic memory's. */
static bool read_dynamic(declaration *d, const rk_tokens *tokens, size_t at, rk_arena *arena)
{
    bool is_extern = false;
    *d = (declaration){.begin = declaration_begin(tokens, at), .end = at};
    while (d->end < tokens->count && !rk_token_is(tokens, d->end, ";"))
        d->end++;
    const size_t bracket = find_bracket(tokens, at, d->end);
    if (bracket >= d->end || bracket < d->begin + 2)
        return false;
    rk_str type = {.arena = arena}, out = {.arena = arena};
    for (size_t i = d->begin; i < bracket - 1; i++) {
        const size_t next = skip_alignment(tokens, i);
        if (next != i) {
            i = next - 1;
            continue;
        }
        is_extern |= rk_token_is(tokens, i, "extern");
        if (!is_storage(tokens, i))
            add_token(&type, tokens, i);
    }
    if (!is_extern || !read_declarators(&out, d, tokens, bracket - 1, rk_str_text(&type)))
        return false;
    d->text = rk_str_text(&out);
    return true;
}

/** The innermost function whose body holds token `i` of the stretch. */
static const rk_device_text *around(const rk_program *program, const rk_stretch *s, size_t i)
{
    const rk_device_text *found = NULL;
    for (size_t k = 0; k < program->functions.count; k++) {
        const rk_device_text *f = &program->functions.items[k];
        if (f->stretch == s && f->body < i && i < f->body_end)
            found = f;
    }
    return found;
}

static bool names_it(const rk_tokens *tokens, size_t from, size_t to, const char *name)
{
    for (size_t i = from; i < to; i++)
        if (rk_token_is(tokens, i, name) &&
            (i == 0 || (!rk_token_is(tokens, i - 1, ".") && !rk_token_is(tokens, i - 1, "->") &&
                        !rk_token_is(tokens, i - 1, "::"))))
            return true;
    return false;
}

/** Whether a function has a declaration of its own of that name in dynamic shared memory. */
static bool declares_it(const rk_device_text *f, const char *name, rk_arena *arena)
{
    const rk_tokens *t = &f->stretch->tokens;
    for (size_t i = f->body; i < f->body_end; i++) {
        declaration d;
        if (!rk_token_is(t, i, "__shared__") || !read_dynamic(&d, t, i, arena))
            continue;
        for (size_t k = 0; k < d.names.count; k++)
            if (strcmp(d.names.items[k], name) == 0)
                return true;
    }
    return false;
}

/** An array at file scope becomes a pointer in each function that names it. */
static void move_into_functions(rk_program *program, const declaration *d)
{
    rk_arena *arena = program->unit->arena;
    for (size_t k = 0; k < program->functions.count; k++) {
        const rk_device_text *f = &program->functions.items[k];
        const rk_tokens *t = &f->stretch->tokens;
        bool uses = false;
        for (size_t i = 0; i < d->names.count; i++)
            uses |= names_it(t, f->body, f->body_end, d->names.items[i]) &&
                    !names_it(t, f->params, f->params_end, d->names.items[i]) &&
                    !declares_it(f, d->names.items[i], arena);
        if (uses)
            rk_program_insert(program, f->stretch, t->items[f->body].offset + 1, 1,
                              rk_arena_printf(arena, " %s", d->text));
    }
}

/** `__shared__ alignas(16) T x;`: where thread_local takes the place of an attribute, alignas goes first. */
static void move_alignment(rk_program *program, const rk_stretch *s, size_t at)
{
    const rk_tokens *t = &s->tokens;
    const size_t align = rk_token_is(t, at + 1, "alignas") ? at + 1 : RK_NONE;
    if (align == RK_NONE || !rk_token_is(t, align + 1, "("))
        return;
    const size_t close = rk_tokens_close(t, align + 1);
    if (close >= t->count)
        return;
    const size_t begin = t->items[align].offset, end = t->items[close].offset + 1;
    const char *text = rk_arena_strndup(program->unit->arena, t->text + begin, end - begin);
    rk_program_insert(program, s, t->items[declaration_begin(t, at)].offset, 0,
                      rk_arena_printf(program->unit->arena, "%s ", text));
    rk_program_edit(program, s, begin, end - begin, "");
}

void rk_program_edit_shared(rk_program *program)
{
    for (size_t s = 0; s < program->stretches.count; s++) {
        const rk_stretch *stretch = program->stretches.items[s];
        const rk_tokens *t = &stretch->tokens;
        for (size_t i = 0; i < t->count; i++) {
            declaration d;
            if (!rk_token_is(t, i, "__shared__"))
                continue;
            if (!read_dynamic(&d, t, i, program->unit->arena)) {
                move_alignment(program, stretch, i);
                continue;
            }
            const size_t begin = t->items[d.begin].offset;
            const size_t end = d.end < t->count ? t->items[d.end].offset + 1 : t->size;
            if (stretch->macro || around(program, stretch, i))
                rk_program_edit(program, stretch, begin, end - begin, d.text);
            else
                move_into_functions(program, &d);
        }
    }
}
