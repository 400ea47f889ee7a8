#include "convert/rkernel/rewrite.h"

#include "convert/unit/sources.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { RANK_GUARD = -5, RANK_OPEN, RANK_DISABLE, RANK_CLOSE = 4, RANK_END };

/** Text of a file that is disabled: whole definitions with what lies between neighbours. */
typedef struct {
    size_t begin, end;
    bool host;
    const char *stays; /**< what goes before it: declarations, or NULL */
} stretch;

typedef RK_VEC(stretch) stretch_vec;

static void add_stretch(stretch_vec *out, rk_arena *arena, stretch s)
{
    size_t at = out->count;
    *rk_push(arena, out) = s;
    for (; at > 0 && out->items[at - 1].begin > s.begin; at--)
        out->items[at] = out->items[at - 1];
    out->items[at] = s;
}

/* What becomes of the functions of a name. */

typedef struct {
    const char *name;
    bool outside; /**< there is one outside of classes, */
    bool stays;   /**< and one of those that stays as it is */
    bool device;  /**< one is of the device */
    bool changed; /**< one changed or goes away */
} fate;

/** Sorted; of each name one. */
typedef RK_VEC(fate) fate_vec;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const fate *)a)->name, ((const fate *)b)->name);
}

static fate_vec name_functions(const rk_unit *unit)
{
    fate_vec out = {0};
    for (size_t k = 0; k < unit->functions.count; k++) {
        const rk_function *f = unit->functions.items[k];
        *rk_push(unit->arena, &out) = (fate){.name = f->name,
                                             .outside = !f->in_class,
                                             .stays = !f->in_class && !f->kernel && !f->removed,
                                             .device = f->device,
                                             .changed = f->removed || f->needs_context};
    }
    if (out.count)
        qsort(out.items, out.count, sizeof *out.items, by_name);
    size_t kept = 0;
    for (size_t i = 1; i < out.count; i++) {
        const fate *n = &out.items[i];
        fate *last = &out.items[kept];
        if (strcmp(n->name, last->name) != 0) {
            out.items[++kept] = *n;
            continue;
        }
        last->outside |= n->outside;
        last->stays |= n->stays;
        last->device |= n->device;
        last->changed |= n->changed;
    }
    out.count = out.count ? kept + 1 : 0;
    return out;
}

/** What is known of the functions that a token names; NULL: there are none. */
static const fate *fate_at(const fate_vec *all, const rk_tokens *tokens, size_t i)
{
    if (i >= tokens->count || tokens->items[i].kind != RK_TOKEN_NAME)
        return NULL;
    const char *name = tokens->text + tokens->items[i].offset;
    const size_t length = tokens->items[i].length;
    size_t low = 0, high = all->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        int order = strncmp(name, all->items[middle].name, length);
        if (order == 0 && !all->items[middle].name[length])
            return &all->items[middle];
        if (order <= 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/** Whether the template's explicit instantiation names a function that changed or went away. */
static bool names_changed(const fate_vec *all, const rk_tokens *tokens, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++) {
        if (!rk_token_is(tokens, i + 1, "<") && !rk_token_is(tokens, i + 1, "("))
            continue;
        const fate *n = fate_at(all, tokens, i);
        if (n && n->changed)
            return true;
    }
    return false;
}

static void add_instantiations(const rk_unit *unit, const fate_vec *all, size_t file,
                               stretch_vec *out)
{
    const rk_tokens *tokens = &unit->files.items[file]->tokens;
    for (size_t i = 0; i < tokens->count; i++) {
        if (!rk_token_is(tokens, i, "template") || rk_token_is(tokens, i + 1, "<") ||
            (i > 0 && (rk_token_is(tokens, i - 1, ".") || rk_token_is(tokens, i - 1, "->") ||
                       rk_token_is(tokens, i - 1, "::"))))
            continue;
        size_t last = i;
        while (last < tokens->count && !rk_token_is(tokens, last, ";"))
            last++;
        const size_t first = i > 0 && rk_token_is(tokens, i - 1, "extern") ? i - 1 : i;
        if (last < tokens->count && names_changed(all, tokens, i, last))
            add_stretch(
                out, unit->arena,
                (stretch){tokens->items[first].offset, tokens->items[last].offset + 1, true, NULL});
        i = last;
    }
}

/** A macro with parameters, and whether its text instantiates such a function. */
typedef struct {
    const char *name;
    rk_tokens body;
    bool instantiates;
} macro;

typedef RK_VEC(macro) macro_vec;

static macro_vec function_macros(const rk_unit *unit)
{
    macro_vec out = {0};
    for (size_t k = 0; k < unit->files.count; k++) {
        const rk_tokens *tokens = &unit->files.items[k]->tokens;
        for (size_t i = 0; i < tokens->count; i++) {
            if (tokens->items[i].kind != RK_TOKEN_DIRECTIVE)
                continue;
            const rk_directive d = rk_directive_of(tokens, i, unit->arena);
            const size_t length = strcspn(d.rest, "( \t");
            const char *rest = d.rest + length;
            if (strcmp(d.name, "define") == 0 && *rest == '(')
                *rk_push(unit->arena, &out) =
                    (macro){.name = rk_arena_strndup(unit->arena, d.rest, length),
                            .body = rk_lex(rest, strlen(rest), unit->arena)};
        }
    }
    return out;
}

static bool names_instantiating(const macro_vec *macros, const rk_tokens *tokens, size_t i)
{
    for (size_t m = 0; m < macros->count; m++)
        if (macros->items[m].instantiates && rk_token_is(tokens, i, macros->items[m].name))
            return true;
    return false;
}

static bool body_instantiates(const fate_vec *all, const macro_vec *macros, const rk_tokens *body)
{
    for (size_t b = 0; b < body->count; b++)
        if (names_instantiating(macros, body, b) ||
            (rk_token_is(body, b, "template") && !rk_token_is(body, b + 1, "<") &&
             names_changed(all, body, b, body->count)))
            return true;
    return false;
}

/** Those macros, with the ones that instantiate by another macro marked, too. */
static macro_vec instantiating_macros(const rk_unit *unit, const fate_vec *all)
{
    macro_vec macros = function_macros(unit);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t m = 0; m < macros.count; m++) {
            macro *one = &macros.items[m];
            if (!one->instantiates && body_instantiates(all, &macros, &one->body))
                one->instantiates = changed = true;
        }
    }
    return macros;
}

/** Whether token `i` uses such a macro, or gives it to another one, `FOR_EACH_TYPE(INSTANTIATE)`; `close` is the use's `)`. */
static bool uses_instantiating(const macro_vec *macros, const rk_tokens *tokens, size_t i,
                               size_t *close)
{
    if (!rk_token_is(tokens, i + 1, "(") || tokens->items[i].kind != RK_TOKEN_NAME)
        return false;
    bool known = false, any = names_instantiating(macros, tokens, i);
    for (size_t m = 0; m < macros->count; m++)
        known |= rk_token_is(tokens, i, macros->items[m].name);
    *close = known ? rk_tokens_close(tokens, i + 1) : tokens->count;
    for (size_t k = i + 2; *close < tokens->count && k < *close; k++)
        any |= names_instantiating(macros, tokens, k);
    return any && *close < tokens->count;
}

/** Uses of such macros between declarations: `INSTANTIATE(float)`. */
static void add_macro_instantiations(const rk_unit *unit, const macro_vec *macros, size_t file,
                                     stretch_vec *out)
{
    const rk_tokens *tokens = &unit->files.items[file]->tokens;
    for (size_t i = 0; macros->count && i + 1 < tokens->count; i++) {
        size_t close;
        if (!uses_instantiating(macros, tokens, i, &close))
            continue;
        const size_t last = rk_token_is(tokens, close + 1, ";") ? close + 1 : close;
        add_stretch(out, unit->arena,
                    (stretch){tokens->items[i].offset,
                              tokens->items[last].offset + tokens->items[last].length, true, NULL});
    }
}

/** The token after a declaration that begins at `i` outside of functions; *value: where its initialiser begins, or 0. */
static size_t end_of_declaration(const rk_tokens *tokens, size_t i, size_t *value)
{
    bool class = false;
    *value = 0;
    while (rk_token_is(tokens, i, "template") && rk_token_is(tokens, i + 1, "<") &&
           rk_tokens_close(tokens, i + 1) < tokens->count)
        i = rk_tokens_close(tokens, i + 1) + 1; /* default arguments are no values */
    for (; i < tokens->count && !rk_token_is(tokens, i, ";"); i++) {
        class |= rk_token_is(tokens, i, "struct") || rk_token_is(tokens, i, "class") ||
                 rk_token_is(tokens, i, "union") || rk_token_is(tokens, i, "enum");
        if (rk_token_is(tokens, i, "=") && !*value)
            *value = i;
        if (rk_token_is(tokens, i, "(") || rk_token_is(tokens, i, "["))
            i = rk_tokens_close(tokens, i);
        else if (rk_token_is(tokens, i, "{")) {
            i = rk_tokens_close(tokens, i);
            if (!*value && !class)
                return i + 1; /* a function */
        }
    }
    return i < tokens->count ? i + 1 : i;
}

/** Whether every function of the name, outside of classes, goes away or becomes another. */
static bool is_disabled(const fate *n)
{
    return n && n->outside && !n->stays;
}

static bool names_disabled(const fate_vec *all, const rk_tokens *tokens, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++)
        if (is_disabled(fate_at(all, tokens, i)))
            return true;
    return false;
}

/** Whether a function of the device that goes away is named; others may have a device variable's name. */
static bool names_removed(const fate_vec *all, const rk_tokens *tokens, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++) {
        const fate *n = fate_at(all, tokens, i);
        if (is_disabled(n) && n->device)
            return true;
    }
    return false;
}

/** Variables outside of functions that hold kernels, or functions that are disabled. */
static void add_tables(const rk_unit *unit, const fate_vec *all, size_t file, stretch_vec *out)
{
    const rk_tokens *tokens = &unit->files.items[file]->tokens;
    for (size_t i = 0, end, value; i < tokens->count; i = end) {
        const bool named = rk_token_is(tokens, i, "namespace") || rk_token_is(tokens, i, "extern");
        size_t brace = i;
        while (named && brace < tokens->count && brace < i + 8 &&
               !rk_token_is(tokens, brace, "{") && !rk_token_is(tokens, brace, ";") &&
               !rk_token_is(tokens, brace, "=") && !rk_token_is(tokens, brace, "("))
            brace++;
        end = i + 1;
        if (tokens->items[i].kind == RK_TOKEN_DIRECTIVE || rk_token_is(tokens, i, "}") ||
            rk_token_is(tokens, i, ";"))
            continue;
        if (named && rk_token_is(tokens, brace, "{")) {
            end = brace + 1;
            continue;
        }
        end = end_of_declaration(tokens, i, &value);
        bool device = false;
        for (size_t k = i; k < value; k++)
            device |= rk_token_is(tokens, k, "__device__") ||
                      rk_token_is(tokens, k, "__constant__") || rk_token_is(tokens, k, "using") ||
                      rk_token_is(tokens, k, "template");
        if (value && (device ? names_removed(all, tokens, value, end)
                             : names_disabled(all, tokens, value, end)))
            add_stretch(out, unit->arena,
                        (stretch){tokens->items[i].offset, tokens->items[end - 1].offset + 1,
                                  !device, NULL});
    }
}

static size_t definition_begin(const rk_unit *unit, const rk_function *f)
{
    const rk_tokens *tokens = &unit->files.items[f->definition.file]->tokens;
    const size_t i = rk_tokens_at(tokens, f->definition.begin);
    return i >= 2 && tokens->items[i - 1].kind == RK_TOKEN_STRING &&
                   rk_token_is(tokens, i - 2, "extern")
               ? tokens->items[i - 2].offset
               : f->definition.begin;
}

/** The text that stands for a kernel that was split is ours, and goes without a trace. */
static bool stands_for_phases(const rk_function *f)
{
    return f->phased && f->phase == RK_NONE;
}

static void remove_stand_ins(rk_unit *unit, size_t file)
{
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        if (f->definition.file == file && stands_for_phases(f))
            rk_edits_add(&unit->files.items[file]->edits, f->definition.begin,
                         f->end - f->definition.begin, "");
    }
}

/** Declarations of specialisations that go away, whose templates may do so, too. */
static void add_specialised(const rk_unit *unit, size_t file, stretch_vec *out)
{
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        for (size_t k = 0; f->removed && f->specialisation && k < f->others.count; k++)
            if (f->others.items[k].file == file)
                add_stretch(
                    out, unit->arena,
                    (stretch){f->others.items[k].begin, f->others.items[k].end + 1, false, NULL});
    }
}

static stretch_vec find_stretches(rk_unit *unit, const fate_vec *all, const macro_vec *macros,
                                  size_t file)
{
    stretch_vec out = {0};
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        if (f->definition.file != file || !f->removed || f->local_class || stands_for_phases(f))
            continue;
        const size_t begin = definition_begin(unit, f);
        bool known = false;
        for (size_t k = 0; k < out.count; k++)
            known |= begin >= out.items[k].begin && begin < out.items[k].end;
        const bool host = !f->kernel && !f->device;
        if (known ||
            (host && !f->launches &&
             !rk_tokens_balanced(&unit->files.items[file]->tokens, begin, f->end, unit->arena)))
            continue;
        add_stretch(&out, unit->arena,
                    (stretch){begin, f->end, host, rk_host_declaration(unit, f, begin)});
    }
    add_specialised(unit, file, &out);
    add_instantiations(unit, all, file, &out);
    add_macro_instantiations(unit, macros, file, &out);
    add_tables(unit, all, file, &out);
    return out;
}

/** Whether nothing but white space and comments lies in [begin, end). */
static bool only_blank(const rk_tokens *tokens, size_t begin, size_t end)
{
    const size_t i = rk_tokens_at(tokens, begin);
    return i >= tokens->count || tokens->items[i].offset >= end;
}

static bool only_space(const char *text, size_t begin, size_t end)
{
    for (; begin < end; begin++)
        if (!isspace((unsigned char)text[begin]))
            return false;
    return true;
}

/** Joins neighbours that nothing but comments parts. */
static void join_stretches(const rk_tokens *tokens, stretch_vec *all, rk_arena *arena)
{
    size_t kept = 0;
    for (size_t i = 1; i < all->count; i++) {
        stretch *last = &all->items[kept];
        if (all->items[i].host == last->host &&
            only_blank(tokens, last->end, all->items[i].begin)) {
            last->end = all->items[i].end;
            last->stays = rk_arena_printf(arena, "%s%s", last->stays ? last->stays : "",
                                          all->items[i].stays ? all->items[i].stays : "");
        } else
            all->items[++kept] = all->items[i];
    }
    all->count = all->count ? kept + 1 : 0;
}

static void disable(rk_unit *unit, size_t file, const stretch *s)
{
    rk_source_file *source = unit->files.items[file];
    const char *text = source->bytes.data;
    const char *why = s->host ? "#if 0 // host code, see the catalog\n"
                              : "#if 0 // not converted, see the catalog\n";
    const size_t line = rk_line_begin(text, s->begin);
    if (s->stays && *s->stays)
        why = rk_arena_printf(unit->arena, "%s%s", s->stays, why);
    if (only_space(text, line, s->begin))
        rk_edits_insert(&source->edits, line, RANK_DISABLE, why);
    else
        rk_edits_insert(&source->edits, s->begin, RANK_DISABLE,
                        rk_arena_printf(unit->arena, "\n%s", why));
    const size_t next = rk_line_end(text, source->bytes.size, s->end);
    if (only_blank(&source->tokens, s->end, next) && next > s->end && text[next - 1] == '\n')
        rk_edits_insert(&source->edits, next, RANK_OPEN, "#endif\n");
    else
        rk_edits_insert(&source->edits, s->end, RANK_DISABLE, "\n#endif\n");
}

static bool disable_all(rk_unit *unit, const fate_vec *fates, const macro_vec *macros, size_t file)
{
    bool ok = true;
    rk_source_file *source = unit->files.items[file];
    stretch_vec all = find_stretches(unit, fates, macros, file);
    join_stretches(&source->tokens, &all, unit->arena);
    remove_stand_ins(unit, file);
    for (size_t i = 0; i < all.count; i++) {
        if (rk_tokens_balanced(&source->tokens, all.items[i].begin, all.items[i].end, unit->arena))
            disable(unit, file, &all.items[i]);
        else
            ok = rk_diag_add(unit->diag, RK_ERROR, "RK-V004",
                             rk_sources_place(unit, file, all.items[i].begin),
                             "close each #if in the function that opens it",
                             "a function that is not converted begins or ends inside an #if");
    }
    return ok;
}

/* Includes and the namespace. */

static const rk_include *include_at(const rk_source_file *file, size_t token)
{
    for (size_t i = 0; i < file->includes.count; i++)
        if (file->includes.items[i].token == token)
            return &file->includes.items[i];
    return NULL;
}

/** The operand with another last component. */
static const char *beside(const char *operand, const char *name, rk_arena *arena)
{
    const char *slash = strrchr(operand, '/');
    const size_t kept = slash ? (size_t)(slash - operand) + 1 : 1;
    return rk_arena_printf(arena, "%.*s%s%c", (int)kept, operand, name,
                           operand[0] == '<' ? '>' : '"');
}

static void redirect_includes(rk_unit *unit, rk_source_file *file)
{
    for (size_t i = 0; i < file->includes.count; i++) {
        const rk_include *include = &file->includes.items[i];
        if (include->target == RK_NONE)
            continue;
        const rk_source_file *target = unit->files.items[include->target];
        const rk_directive d = rk_directive_of(&file->tokens, include->token, unit->arena);
        const char *text = unit->options->in_place
                               ? beside(d.rest, target->out_name, unit->arena)
                               : rk_arena_printf(unit->arena, "\"%s\"", target->out_name);
        if (strcmp(text, d.rest) != 0)
            rk_edits_add(&file->edits, d.rest_offset, strlen(d.rest), text);
    }
}

/** The tokens inside a guard that spans the file; all of them when there is none. */
typedef struct {
    size_t first, last; /**< the tokens between, `last` excluded */
    const char *macro;  /**< NULL: none */
} guard;

static size_t matching_endif(const rk_tokens *tokens, size_t from, rk_arena *arena)
{
    int depth = 0;
    for (size_t i = from; i < tokens->count; i++) {
        if (tokens->items[i].kind != RK_TOKEN_DIRECTIVE)
            continue;
        const char *name = rk_directive_of(tokens, i, arena).name;
        depth += rk_str_starts(name, "if") - (strcmp(name, "endif") == 0);
        if (depth == 0)
            return i;
    }
    return tokens->count;
}

static guard find_guard(const rk_tokens *tokens, rk_arena *arena)
{
    const guard none = {0, tokens->count, NULL};
    if (tokens->count < 3 || tokens->items[0].kind != RK_TOKEN_DIRECTIVE ||
        tokens->items[1].kind != RK_TOKEN_DIRECTIVE)
        return none;
    const rk_directive test = rk_directive_of(tokens, 0, arena);
    const rk_directive define = rk_directive_of(tokens, 1, arena);
    if (strcmp(test.name, "ifndef") != 0 || strcmp(define.name, "define") != 0 ||
        strcmp(test.rest, define.rest) != 0 ||
        matching_endif(tokens, 0, arena) != tokens->count - 1)
        return none;
    return (guard){2, tokens->count - 1, test.rest};
}

/** A macro's name of the file's own. */
static const char *once_name(const rk_unit *unit, const rk_source_file *file)
{
    char *name = rk_arena_printf(unit->arena, "RK__ONCE_%s", file->out_name);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    return name;
}

/**
 * Finds the header's guard. Each source that includes the header reads it into its own namespace, so that `#pragma
 * once` gives way to a guard, which the sources can take back.
 */
static void guard_header(rk_unit *unit, rk_source_file *file, const guard *g)
{
    file->guard = g->macro;
    for (size_t i = 0; i < file->tokens.count && !file->guard; i++) {
        const rk_token *token = &file->tokens.items[i];
        if (token->kind != RK_TOKEN_DIRECTIVE)
            continue;
        const rk_directive d = rk_directive_of(&file->tokens, i, unit->arena);
        if (strcmp(d.name, "pragma") != 0 || strcmp(d.rest, "once") != 0)
            continue;
        file->guard = once_name(unit, file);
        const size_t size = file->bytes.size;
        const bool fresh = file->bytes.data[size - 1] == '\n';
        rk_edits_add(&file->edits, token->offset, token->length, "");
        rk_edits_insert(
            &file->edits, 0, RANK_GUARD,
            rk_arena_printf(unit->arena, "#ifndef %s\n#define %s\n", file->guard, file->guard));
        rk_edits_insert(&file->edits, size, RANK_END, fresh ? "#endif\n" : "\n#endif\n");
    }
}

/** Puts the namespace around a file's text and out of its includes' way. */
typedef struct {
    rk_unit *unit;
    size_t index;
    rk_source_file *file;
    const rk_tokens *tokens;
    bool open;
    int conditions; /**< depth of #if around the current token */
    const char *space, *enter, *leave;
} wrapper;

static void enter_before(wrapper *w, size_t token)
{
    const size_t at = w->tokens->items[token].offset;
    const size_t line = rk_line_begin(w->tokens->text, at);
    const bool whole = only_space(w->tokens->text, line, at);
    rk_edits_insert(&w->file->edits, whole ? line : at, RANK_OPEN, w->enter);
    w->open = true;
}

/** Whether the directive includes what has, or is, a scope of its own. */
static bool is_include(const wrapper *w, size_t token)
{
    const rk_include *include = include_at(w->file, token);
    return include && !include->nested &&
           (include->target == RK_NONE || !w->unit->files.items[include->target]->nested);
}

/** Whether the directive includes a file whose text belongs to the scope around it. */
static bool is_text(const wrapper *w, size_t token)
{
    return include_at(w->file, token) && !is_include(w, token);
}

/** The range that begins at the token and stays at global scope; NULL for none. */
static const rk_range *outside_at(const wrapper *w, size_t token)
{
    for (size_t i = 0; i < w->unit->outside.count; i++) {
        const rk_range *r = &w->unit->outside.items[i];
        if (r->file == w->index && rk_tokens_at(w->tokens, r->begin) == token)
            return r;
    }
    return NULL;
}

/** Leaves the namespace before the include at `token`, and enters it again after its neighbours. */
static size_t step_out(wrapper *w, size_t token)
{
    rk_edits_insert(&w->file->edits, rk_line_begin(w->tokens->text, w->tokens->items[token].offset),
                    RANK_CLOSE, w->leave);
    while (token + 1 < w->tokens->count && is_include(w, token + 1))
        token++;
    if (w->conditions == 0) {
        w->open = false;
        return token;
    }
    const rk_token *last = &w->tokens->items[token];
    const size_t next = rk_line_end(w->tokens->text, w->tokens->size, last->offset + last->length);
    rk_edits_insert(&w->file->edits, next, RANK_OPEN, w->enter);
    return token;
}

/** Leaves the namespace for what begins at `token`; returns its last token. */
static size_t stay_out(wrapper *w, size_t token, const rk_range *range)
{
    const rk_token *first = &w->tokens->items[token];
    size_t last = rk_tokens_at(w->tokens, range->end - 1);
    if (rk_token_is(w->tokens, last + 1, ";"))
        last++;
    if (w->open)
        rk_edits_insert(&w->file->edits, first->offset, RANK_CLOSE, "} ");
    if (w->open && w->conditions)
        rk_edits_insert(&w->file->edits,
                        w->tokens->items[last].offset + w->tokens->items[last].length, RANK_CLOSE,
                        rk_arena_printf(w->unit->arena, " namespace %s {", w->space));
    w->open = w->open && w->conditions;
    return last;
}

/** Whether a conditional holds directives alone. */
static bool no_text(const wrapper *w, size_t first, size_t last)
{
    for (size_t i = first; i <= last && i < w->tokens->count; i++)
        if (w->tokens->items[i].kind != RK_TOKEN_DIRECTIVE || is_text(w, i))
            return false;
    return true;
}

static void wrap(wrapper *w, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++) {
        const rk_range *outside = outside_at(w, i);
        if (outside) {
            i = stay_out(w, i, outside);
            continue;
        }
        if (w->tokens->items[i].kind != RK_TOKEN_DIRECTIVE || is_text(w, i)) {
            if (!w->open)
                enter_before(w, i);
            continue;
        }
        const char *name = rk_directive_of(w->tokens, i, w->unit->arena).name;
        if (rk_str_starts(name, "if")) {
            const size_t end = matching_endif(w->tokens, i, w->unit->arena);
            if (!w->open && no_text(w, i, end)) {
                i = end;
                continue;
            }
            if (!w->open)
                enter_before(w, i);
            w->conditions++;
        } else if (strcmp(name, "endif") == 0) {
            w->conditions -= w->conditions > 0;
        } else if (w->open && is_include(w, i)) {
            i = step_out(w, i);
        }
    }
}

static void wrap_file(rk_unit *unit, size_t index)
{
    rk_source_file *file = unit->files.items[index];
    wrapper w = {.unit = unit, .index = index, .file = file, .tokens = &file->tokens};
    w.space = rk_rewrite_space(unit, index);
    w.enter = rk_arena_printf(unit->arena, "namespace %s {\n", w.space);
    w.leave = rk_arena_printf(unit->arena, "} // namespace %s\n", w.space);
    const guard g = find_guard(&file->tokens, unit->arena);
    if (index)
        guard_header(unit, file, &g);
    if (file->nested)
        return;
    wrap(&w, g.first, g.last);
    if (!w.open)
        return;
    const size_t size = file->bytes.size;
    const size_t end =
        g.macro ? rk_line_begin(file->bytes.data, file->tokens.items[g.last].offset) : size;
    const bool fresh = end == 0 || file->bytes.data[end - 1] == '\n';
    rk_edits_insert(&file->edits, end, RANK_CLOSE,
                    rk_arena_printf(unit->arena, "%s%s", fresh ? "" : "\n", w.leave));
}

bool rk_rewrite_layout(rk_unit *unit)
{
    bool ok = true;
    rk_host_close(unit);
    rk_host_find_named(unit);
    const fate_vec all = name_functions(unit);
    const macro_vec macros = instantiating_macros(unit, &all);
    for (size_t i = 0; i < unit->files.count; i++) {
        rk_source_file *file = unit->files.items[i];
        redirect_includes(unit, file);
        ok &= disable_all(unit, &all, &macros, i);
        wrap_file(unit, i);
        rk_rewrite_names(unit, i);
    }
    return ok;
}
