#include "convert/clang/expand.h"

#include "base/str.h"
#include "convert/unit/sources.h"

#include <string.h>

/** A macro of the project. */
typedef struct {
    const char *name;
    bool has_list; /**< it takes arguments */
    RK_VEC(const char *) params;
    bool variadic; /**< the last one is `__VA_ARGS__`, or has another name */
    rk_tokens body;
} macro;

/** Reads the parameters behind the name; false for a list that is broken. */
static bool read_params(macro *m, const rk_tokens *tokens, size_t *body, rk_arena *arena)
{
    const size_t close = rk_tokens_close(tokens, 0);
    if (close >= tokens->count)
        return false;
    for (size_t i = 1; i < close; i++) {
        if (rk_token_is(tokens, i, ","))
            continue;
        const bool dots = rk_token_is(tokens, i, "...");
        if (dots && m->variadic)
            return false;
        m->variadic |= dots || rk_token_is(tokens, i + 1, "...");
        *rk_push(arena, &m->params) = dots ? "__VA_ARGS__" : rk_token_text(tokens, i, arena);
        i += !dots && rk_token_is(tokens, i + 1, "...");
    }
    *body = close + 1;
    return true;
}

/** The tokens of a directive behind its `#`; the ends of its lines are none. */
static rk_tokens directive_tokens(const char *text, size_t size, rk_arena *arena)
{
    rk_tokens all = rk_lex_directive(text, size, arena);
    rk_token *items = RK_NEW_ARRAY(arena, rk_token, all.count + 1);
    size_t count = 0;
    for (size_t i = 0; i < all.count; i++)
        if (!rk_token_is(&all, i, "\\"))
            items[count++] = all.items[i];
    all.items = items;
    all.count = count;
    return all;
}

/** Drops the first tokens. */
static rk_tokens tokens_from(rk_tokens tokens, size_t first)
{
    tokens.items += first;
    tokens.count -= first;
    return tokens;
}

/** The macro of that name; false when the project has none, or more than one. */
static bool find_macro(macro *out, const rk_unit *unit, const char *name)
{
    rk_arena *arena = unit->arena;
    size_t found = 0;
    bool ok = true;
    for (size_t f = 0; f < unit->files.count; f++) {
        const rk_tokens *tokens = &unit->files.items[f]->tokens;
        for (size_t i = 0; i < tokens->count; i++) {
            if (tokens->items[i].kind != RK_TOKEN_DIRECTIVE)
                continue;
            const rk_token *line = &tokens->items[i];
            const rk_tokens all =
                directive_tokens(tokens->text + line->offset, line->length, arena);
            if (!rk_token_is(&all, 0, "define") || !rk_token_is(&all, 1, name))
                continue;
            found++;
            size_t body = 0;
            *out = (macro){.name = name, .body = tokens_from(all, 2)};
            out->has_list = rk_token_is(&all, 2, "(") &&
                            all.items[2].offset == all.items[1].offset + all.items[1].length;
            ok &= !out->has_list || read_params(out, &out->body, &body, arena);
            out->body = tokens_from(out->body, body);
        }
    }
    return ok && found == 1;
}

/** Whether a macro's definition has what only a kernel's head may have. */
static bool has_kernel_word(const rk_tokens *body)
{
    static const char *const words[] = {"__launch_bounds__", "__maxnreg__", "__global__"};
    for (size_t i = 0; i < body->count; i++)
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (rk_token_is(body, i, words[k]))
                return true;
    return false;
}

/** The text of tokens [first, end) on one line, comments as spaces. */
static const char *joined(const rk_tokens *tokens, size_t first, size_t end, rk_arena *arena)
{
    rk_str out = {.arena = arena};
    for (size_t i = first; i < end; i++) {
        const rk_token *t = &tokens->items[i];
        const bool apart = i > first && t[-1].offset + t[-1].length < t->offset;
        rk_str_addf(&out, "%s%.*s", apart ? " " : "", (int)t->length, tokens->text + t->offset);
    }
    return rk_arena_strdup(arena, rk_str_text(&out));
}

typedef RK_VEC(const char *) text_vec;

/** The arguments of a use whose `(` is at `open`; a variadic macro's last one has all the rest. */
static bool read_args(text_vec *out, const macro *m, const rk_tokens *tokens, size_t open,
                      size_t close, rk_arena *arena)
{
    size_t first = open + 1;
    int depth = 0;
    for (size_t i = open + 1; i <= close; i++) {
        depth += rk_token_is(tokens, i, "(");
        const bool rest = m->variadic && out->count + 1 >= m->params.count;
        if (i == close || (depth == 0 && !rest && rk_token_is(tokens, i, ","))) {
            *rk_push(arena, out) = joined(tokens, first, i, arena);
            first = i + 1;
        }
        depth -= rk_token_is(tokens, i, ")");
    }
    if (m->variadic && out->count + 1 == m->params.count)
        *rk_push(arena, out) = "";
    return out->count == m->params.count ||
           (m->params.count == 0 && out->count == 1 && !*out->items[0]);
}

static const char *argument_of(const macro *m, const text_vec *args, size_t i)
{
    for (size_t p = 0; p < m->params.count; p++)
        if (rk_token_is(&m->body, i, m->params.items[p]))
            return args->items[p];
    return NULL;
}

/** Whether `##` is at token `i`. */
static bool pastes(const rk_tokens *body, size_t i)
{
    return rk_token_is(body, i, "#") && rk_token_is(body, i + 1, "#") &&
           body->items[i].offset + 1 == body->items[i + 1].offset;
}

static void add_quoted(rk_str *out, const char *text)
{
    rk_str_add(out, "\"");
    for (; *text; text++)
        rk_str_addf(out, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
    rk_str_add(out, "\"");
}

/** Macros that are being replaced, whose names stay where they come again. */
typedef struct hidden {
    const char *name;
    const struct hidden *outer;
} hidden;

static const char *expanded(const rk_unit *unit, const char *text, const hidden *outer);

/** Whether an argument goes in as it is written: beside `##`. */
static bool is_pasted(const rk_tokens *body, size_t i)
{
    return pastes(body, i + 1) || (i >= 2 && pastes(body, i - 2));
}

/** What the macro stands for; NULL when that cannot be said. */
static const char *expansion(const rk_unit *unit, const macro *m, const text_vec *args,
                             const hidden *outer)
{
    rk_str out = {.arena = unit->arena};
    const rk_tokens *body = &m->body;
    bool glued = true;
    for (size_t i = 0; i < body->count; i++) {
        const rk_token *t = &body->items[i];
        if (rk_token_is(body, i, m->name) || rk_token_is(body, i, "__VA_OPT__"))
            return NULL;
        if (pastes(body, i)) { /* GNU's comma before an empty rest goes away */
            const char *next = argument_of(m, args, i + 2);
            if (next && !*next && out.length && out.text[out.length - 1] == ',')
                out.length--;
            glued = true;
            i++;
            continue;
        }
        if (!glued && t[-1].offset + t[-1].length < t->offset)
            rk_str_add(&out, " ");
        const char *argument = argument_of(m, args, i);
        if (m->has_list && rk_token_is(body, i, "#") && argument_of(m, args, i + 1))
            add_quoted(&out, argument_of(m, args, ++i));
        else if (argument)
            rk_str_add(&out, is_pasted(body, i) ? argument : expanded(unit, argument, outer));
        else
            rk_str_addf(&out, "%.*s", (int)t->length, body->text + t->offset);
        glued = false;
    }
    return rk_arena_strdup(unit->arena, rk_str_text(&out));
}

/** What the macro's use at token `i` stands for, up to token `last`; NULL when that cannot be said. */
static const char *use_text(const rk_unit *unit, const rk_tokens *tokens, size_t i, size_t *last,
                            const hidden *outer)
{
    rk_arena *arena = unit->arena;
    macro m;
    if (!find_macro(&m, unit, rk_token_text(tokens, i, arena)))
        return NULL;
    text_vec args = {0};
    *last = i;
    if (m.has_list) {
        *last = rk_token_is(tokens, i + 1, "(") ? rk_tokens_close(tokens, i + 1) : tokens->count;
        if (*last >= tokens->count || !read_args(&args, &m, tokens, i + 1, *last, arena))
            return NULL;
    }
    return expansion(unit, &m, &args, outer);
}

/** An argument with the macros in it replaced, which the compiler does before it is put into a macro's text. */
static const char *expanded(const rk_unit *unit, const char *text, const hidden *outer)
{
    rk_str out = {.arena = unit->arena};
    const rk_tokens tokens = rk_lex(text, strlen(text), unit->arena);
    size_t copied = 0;
    for (size_t i = 0, last; i < tokens.count; i++) {
        const rk_token *t = &tokens.items[i];
        const hidden here = {rk_token_text(&tokens, i, unit->arena), outer};
        bool again = false;
        for (const hidden *h = outer; h; h = h->outer)
            again |= strcmp(h->name, here.name) == 0;
        const char *use =
            again || t->kind != RK_TOKEN_NAME ? NULL : use_text(unit, &tokens, i, &last, outer);
        if (!use)
            continue;
        rk_str_addn(&out, text + copied, t->offset - copied);
        rk_str_add(&out, expanded(unit, use, &here));
        copied = tokens.items[last].offset + tokens.items[last].length;
        i = last;
    }
    rk_str_add(&out, text + copied);
    return rk_arena_strdup(unit->arena, rk_str_text(&out));
}

/** Replaces the macro's use at `at`; lines stay as many as they were, and so does what cannot be replaced. */
static void expand_use(rk_unit *unit, rk_edits *edits, size_t file, size_t at)
{
    rk_arena *arena = unit->arena;
    const rk_tokens *tokens = &unit->files.items[file]->tokens;
    const size_t i = rk_tokens_at(tokens, at);
    size_t last = i;
    const bool named = i < tokens->count && tokens->items[i].offset == at &&
                       tokens->items[i].kind == RK_TOKEN_NAME;
    const char *text = named ? use_text(unit, tokens, i, &last, NULL) : NULL;
    if (!text)
        return;
    const size_t end = tokens->items[last].offset + tokens->items[last].length;
    rk_str out = {.arena = arena};
    rk_str_add(&out, text);
    for (size_t c = at; c < end; c++)
        if (tokens->text[c] == '\n')
            rk_str_add(&out, "\n");
    rk_edits_add(edits, at, end - at, rk_str_text(&out));
}

/** Whether token `i` is a macro with arguments that hides what is edited in a kernel's head. */
static bool hides_head(const rk_unit *unit, const rk_tokens *tokens, size_t i)
{
    macro m = {0};
    if (i + 1 >= tokens->count || tokens->items[i].kind != RK_TOKEN_NAME ||
        !rk_token_is(tokens, i + 1, "("))
        return false;
    find_macro(&m, unit, rk_token_text(tokens, i, unit->arena));
    return m.has_list && has_kernel_word(&m.body);
}

const char *rk_expand_head(const rk_unit *unit, const rk_tokens *tokens, size_t i, size_t *last)
{
    if (!hides_head(unit, tokens, i))
        return NULL;
    *last = rk_tokens_close(tokens, i + 1);
    return use_text(unit, tokens, i, last, NULL);
}

static void expand_head(rk_unit *unit, rk_edits *edits, const rk_declaration *d)
{
    const rk_tokens *tokens = &unit->files.items[d->file]->tokens;
    for (size_t i = rk_tokens_at(tokens, d->begin);
         i < tokens->count && tokens->items[i].offset < d->name; i++)
        if (hides_head(unit, tokens, i))
            expand_use(unit, edits, d->file, tokens->items[i].offset);
}

bool rk_expand_is_hidden(const rk_unit *unit, const rk_declaration *d)
{
    const rk_tokens *tokens = &unit->files.items[d->file]->tokens;
    size_t last;
    for (size_t i = rk_tokens_at(tokens, d->begin);
         i < tokens->count && tokens->items[i].offset < d->name; i++)
        if (hides_head(unit, tokens, i) && !use_text(unit, tokens, i, &last, NULL))
            return true;
    return false;
}

/** Expands what the heads of a kernel's declarations in a file hide. */
static void expand_heads(rk_unit *unit, rk_edits *edits, size_t file, const rk_function *f)
{
    if (f->definition.file == file)
        expand_head(unit, edits, &f->definition);
    for (size_t i = 0; i < f->others.count; i++)
        if (f->others.items[i].file == file)
            expand_head(unit, edits, &f->others.items[i]);
}

bool rk_expand_kernels(rk_unit *unit)
{
    bool any = false;
    for (size_t file = 0; file < unit->files.count; file++) {
        rk_source_file *source = unit->files.items[file];
        rk_edits edits = {.arena = unit->arena};
        for (size_t i = 0; i < unit->functions.count; i++) {
            const rk_function *f = unit->functions.items[i];
            if (f->from_macro && f->definition.file == file &&
                (f->kernel || (f->device && f->needs_context)))
                expand_use(unit, &edits, file, f->definition.name);
            else if (f->kernel && !f->from_macro)
                expand_heads(unit, &edits, file, f);
        }
        for (size_t i = 0; i < unit->macro_uses.count; i++)
            if (unit->macro_uses.items[i].file == file)
                expand_use(unit, &edits, file, unit->macro_uses.items[i].offset);
        any |= rk_sources_expand(source, &edits);
    }
    return any;
}
