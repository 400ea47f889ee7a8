#include "convert/program/program_internal.h"

#include "convert/unit/sources.h"

#include <string.h>

void rk_program_split(rk_program *program)
{
    rk_unit *unit = program->unit;
    program->stretches.count = 0;
    for (size_t f = 0; f < unit->files.count; f++) {
        const rk_tokens *tokens = &unit->files.items[f]->tokens;
        rk_stretch *whole = RK_NEW(unit->arena, rk_stretch);
        *whole = (rk_stretch){f, *tokens, 0, false};
        *rk_push(unit->arena, &program->stretches) = whole;
        for (size_t i = 0; i < tokens->count; i++) {
            if (tokens->items[i].kind != RK_TOKEN_DIRECTIVE)
                continue;
            const rk_token *token = &tokens->items[i];
            rk_stretch *line = RK_NEW(unit->arena, rk_stretch);
            *line = (rk_stretch){
                f, rk_lex_directive(tokens->text + token->offset, token->length, unit->arena),
                token->offset, true};
            *rk_push(unit->arena, &program->stretches) = line;
        }
    }
}

const rk_stretch *rk_program_stretch(const rk_program *program, rk_where at, size_t *token)
{
    const rk_stretch *best = NULL;
    for (size_t i = 0; i < program->stretches.count; i++) {
        const rk_stretch *s = program->stretches.items[i];
        if (s->file != at.file || at.offset < s->base)
            continue;
        if (!s->macro || at.offset - s->base < s->tokens.size)
            best = s;
    }
    if (best)
        *token = rk_tokens_at(&best->tokens, at.offset - best->base);
    return best && *token < best->tokens.count ? best : NULL;
}

rk_place rk_program_place(const rk_program *program, const rk_stretch *stretch, size_t token)
{
    return rk_sources_place(program->unit, stretch->file,
                            stretch->base + stretch->tokens.items[token].offset);
}

void rk_program_edit(rk_program *program, const rk_stretch *stretch, size_t offset, size_t length,
                     const char *text)
{
    rk_source_file *file = program->unit->files.items[stretch->file];
    file->touched = true;
    rk_edits_add(&file->edits, stretch->base + offset, length, text);
}

void rk_program_insert(rk_program *program, const rk_stretch *stretch, size_t offset, int rank,
                       const char *text)
{
    rk_source_file *file = program->unit->files.items[stretch->file];
    file->touched = true;
    rk_edits_insert(&file->edits, stretch->base + offset, rank, text);
}

/* Names. */

static bool is_name(const rk_tokens *tokens, size_t i)
{
    return i < tokens->count && tokens->items[i].kind == RK_TOKEN_NAME;
}

size_t rk_program_open_before(const rk_tokens *tokens, size_t close)
{
    const bool angle = rk_token_is(tokens, close, ">");
    const bool square = rk_token_is(tokens, close, "]");
    const char *opens = angle ? "<" : square ? "[" : "(";
    const char *closes = angle ? ">" : square ? "]" : ")";
    int depth = 0;
    size_t i = close + 1;
    do {
        i--;
        if (angle && rk_token_is(tokens, i, ")"))
            i = rk_program_open_before(tokens, i);
        else
            depth += rk_token_is(tokens, i, closes) - rk_token_is(tokens, i, opens);
    } while (i > 0 && depth > 0);
    return i;
}

static bool is_statement_keyword(const rk_tokens *tokens, size_t i)
{
    static const char *const words[] = {"return", "else", "do",     "if",    "while",
                                        "for",    "case", "switch", "throw", "co_return"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (rk_token_is(tokens, i, words[k]))
            return true;
    return false;
}

/** Whether token `i` joins what is around it into one name: `a::b`, `a.b`, `a->b`, `a ## b`. */
static size_t joint_before(const rk_tokens *tokens, size_t i)
{
    if (i == 0)
        return 0;
    if (rk_token_is(tokens, i - 1, "::") || rk_token_is(tokens, i - 1, ".") ||
        rk_token_is(tokens, i - 1, "->"))
        return 1;
    if (i >= 2 && rk_token_is(tokens, i - 1, "#") && rk_token_is(tokens, i - 2, "#"))
        return 2;
    return rk_token_is(tokens, i - 1, "template") ? 1 : 0;
}

/** The first token of one part of a name that ends before `end`; `end` when there is none. */
static size_t part_begin(const rk_tokens *tokens, size_t end)
{
    size_t i = end;
    if (i > 0 && rk_token_is(tokens, i - 1, ">")) {
        const size_t open = rk_program_open_before(tokens, i - 1);
        return is_name(tokens, open - 1) ? open - 1 : end;
    }
    while (i > 0 && (rk_token_is(tokens, i - 1, ")") || rk_token_is(tokens, i - 1, "]")))
        i = rk_program_open_before(tokens, i - 1);
    return is_name(tokens, i - 1) && !is_statement_keyword(tokens, i - 1) ? i - 1 : i;
}

size_t rk_program_callee_begin(const rk_tokens *tokens, size_t end)
{
    size_t i = end ? part_begin(tokens, end) : 0;
    for (;;) {
        const size_t joint = i == end ? 0 : joint_before(tokens, i);
        if (joint == 0)
            return i;
        i -= joint;
        const bool scope = rk_token_is(tokens, i, "::");
        while (i > 0 && rk_token_is(tokens, i - 1, "::"))
            i--;
        const size_t before = i ? part_begin(tokens, i) : 0;
        if (before == i || (scope && rk_token_is(tokens, before, "("))) /* `if (c) ::k` */
            return i;
        i = before;
    }
}

/* Functions with device code. */

typedef enum { WORD_NONE, WORD_KERNEL = 1, WORD_DEVICE = 2, WORD_HOST = 4 } word;

/** A name that stands for qualifiers, by the project's macros. */
typedef struct {
    const char *name;
    unsigned words;
    bool function; /**< it takes arguments, and makes the parameter list, too */
} alias;

typedef struct {
    rk_program *program;
    RK_VEC(alias) aliases;
} finder;

static unsigned plain_word(const rk_tokens *tokens, size_t i)
{
    if (rk_token_is(tokens, i, "__global__"))
        return WORD_KERNEL;
    if (rk_token_is(tokens, i, "__device__"))
        return WORD_DEVICE;
    return rk_token_is(tokens, i, "__host__") ? WORD_HOST : WORD_NONE;
}

static unsigned word_at(const finder *f, const rk_tokens *tokens, size_t i)
{
    if (!is_name(tokens, i))
        return WORD_NONE;
    unsigned words = plain_word(tokens, i);
    for (size_t k = 0; k < f->aliases.count && !words; k++)
        if (!f->aliases.items[k].function && rk_token_is(tokens, i, f->aliases.items[k].name))
            words = f->aliases.items[k].words;
    return words;
}

/**
 * `KERNEL(name) {`, where `#define KERNEL(name) __global__ void name(int *a)`, and `KERNEL(name)(int *a) {`, where
 * the macro ends before the parameters.
 */
static bool read_macro_head(const finder *f, const rk_tokens *tokens, size_t i, rk_device_text *out)
{
    if (!is_name(tokens, i) || !rk_token_is(tokens, i + 1, "("))
        return false;
    for (size_t k = 0; k < f->aliases.count; k++) {
        const alias *a = &f->aliases.items[k];
        if (!a->function || !rk_token_is(tokens, i, a->name))
            continue;
        out->params = i + 1;
        out->params_end = rk_tokens_close(tokens, i + 1);
        if (rk_token_is(tokens, out->params_end + 1, "(")) {
            out->params = out->params_end + 1;
            out->params_end = rk_tokens_close(tokens, out->params);
        }
        out->body = out->params_end + 1;
        if (!rk_token_is(tokens, out->body, "{"))
            return false;
        out->body_end = rk_tokens_close(tokens, out->body);
        out->kernel = (a->words & WORD_KERNEL) != 0;
        out->host = !out->kernel && (a->words & WORD_HOST) != 0;
        out->macro_head = true;
        out->name = i;
        return out->body_end < tokens->count;
    }
    return false;
}

/** Names of macros that are qualifiers: `#define DEVICE __device__ __forceinline__`. */
static void find_aliases(finder *f)
{
    rk_arena *arena = f->program->unit->arena;
    for (size_t s = 0; s < f->program->stretches.count; s++) {
        const rk_stretch *stretch = f->program->stretches.items[s];
        const rk_tokens *t = &stretch->tokens;
        if (!stretch->macro || !rk_token_is(t, 0, "define") || !is_name(t, 1))
            continue;
        const rk_token *name = &t->items[1];
        unsigned words = WORD_NONE;
        const bool function = t->count > 2 && rk_token_is(t, 2, "(") &&
                              t->items[2].offset == name->offset + name->length;
        for (size_t i = 2; i < t->count; i++) {
            words |= word_at(f, t, i);
            if (t->items[i].kind == RK_TOKEN_PUNCT && rk_token_is(t, i, "{"))
                words = WORD_NONE;
        }
        if (words)
            *rk_push(arena, &f->aliases) = (alias){rk_token_text(t, 1, arena), words, function};
    }
}

/** Skips directives, and the other branches of a conditional that began before token `i`. */
static size_t skip_directives(const rk_program *program, const rk_tokens *tokens, size_t i)
{
    size_t depth = 0;
    for (; i < tokens->count; i++) {
        if (tokens->items[i].kind != RK_TOKEN_DIRECTIVE) {
            if (depth == 0)
                return i;
            continue;
        }
        const char *name = rk_directive_of(tokens, i, program->unit->arena).name;
        if (rk_str_starts(name, "if") && depth)
            depth++;
        else if (rk_str_starts(name, "el") && depth == 0)
            depth = 1;
        else if (strcmp(name, "endif") == 0 && depth)
            depth--;
    }
    return i;
}

/** After a parameter list: the token of the body's `{`; `count` when none follows. */
static size_t find_body(const rk_program *program, const rk_tokens *tokens, size_t i)
{
    for (i = skip_directives(program, tokens, i); i < tokens->count;
         i = skip_directives(program, tokens, i + 1)) {
        if (rk_token_is(tokens, i, "{"))
            return i;
        if (rk_token_is(tokens, i, "(") || rk_token_is(tokens, i, "["))
            i = rk_tokens_close(tokens, i);
        else if (rk_token_is(tokens, i, ";") || rk_token_is(tokens, i, "=") ||
                 rk_token_is(tokens, i, "}") || rk_token_is(tokens, i, ")") ||
                 rk_token_is(tokens, i, "]"))
            break;
    }
    return tokens->count;
}

/** Whether what follows a `)` shows that the parentheses were a function's parameters. */
static bool ends_parameters(const rk_tokens *tokens, size_t i)
{
    static const char *const after[] = {"{",        ":",     "->",       "const",
                                        "noexcept", "final", "override", "mutable"};
    for (size_t k = 0; k < sizeof after / sizeof *after; k++)
        if (rk_token_is(tokens, i, after[k]))
            return true;
    return false;
}

/**
 * Reads on from qualifiers to the parameter list and the body. False when no body follows: a declaration,
 * a variable.
 */
static bool read_function(const finder *f, const rk_tokens *tokens, size_t i, rk_device_text *out)
{
    for (; i < tokens->count; i++) {
        if (rk_token_is(tokens, i, ";") || rk_token_is(tokens, i, "=") ||
            rk_token_is(tokens, i, "}") || rk_token_is(tokens, i, "{") ||
            rk_token_is(tokens, i, ")") || rk_token_is(tokens, i, ","))
            return false;
        if (rk_token_is(tokens, i, "[") || rk_token_is(tokens, i, "<")) {
            const size_t close = rk_tokens_close(tokens, i);
            i = close < tokens->count ? close : i;
            continue;
        }
        if (!rk_token_is(tokens, i, "("))
            continue;
        const size_t close = rk_tokens_close(tokens, i);
        if (close >= tokens->count)
            return false;
        const size_t next = skip_directives(f->program, tokens, close + 1);
        if (!ends_parameters(tokens, next)) {
            i = close;
            continue;
        }
        out->params = i;
        out->params_end = close;
        out->body = find_body(f->program, tokens, close + 1);
        if (out->body >= tokens->count)
            return false;
        out->body_end = rk_tokens_close(tokens, out->body);
        return out->body_end < tokens->count;
    }
    return false;
}

/** The function's name, before its parameters or its explicit template arguments. */
static size_t name_before(const rk_tokens *tokens, size_t params)
{
    size_t i = params;
    if (i > 0 && rk_token_is(tokens, i - 1, ">"))
        i = rk_program_open_before(tokens, i - 1);
    return i > 0 && is_name(tokens, i - 1) ? i - 1 : RK_NONE;
}

/** The qualifiers from the start of the declaration to its parameters. */
static unsigned head_words(const finder *f, const rk_tokens *tokens, size_t at, size_t params)
{
    unsigned words = WORD_NONE;
    size_t i = at;
    while (i > 0 && !rk_token_is(tokens, i - 1, ";") && !rk_token_is(tokens, i - 1, "{") &&
           !rk_token_is(tokens, i - 1, "}") && !rk_token_is(tokens, i - 1, "(") &&
           !rk_token_is(tokens, i - 1, ",") && tokens->items[i - 1].kind != RK_TOKEN_DIRECTIVE)
        i--;
    for (; i < params; i++)
        words |= word_at(f, tokens, i);
    return words;
}

static void find_in(finder *f, const rk_stretch *stretch)
{
    const rk_tokens *t = &stretch->tokens;
    size_t done = 0; /* the body of the last one starts here: its head is not read twice */
    for (size_t i = 0; i < t->count; i++) {
        rk_device_text found = {.stretch = stretch};
        if (i < done)
            continue;
        if (read_macro_head(f, t, i, &found)) {
            *rk_push(f->program->unit->arena, &f->program->functions) = found;
            done = found.body;
            continue;
        }
        if (!(word_at(f, t, i) & (WORD_KERNEL | WORD_DEVICE)))
            continue;
        if (!read_function(f, t, i + 1, &found))
            continue;
        const unsigned words = head_words(f, t, i, found.params);
        found.kernel = (words & WORD_KERNEL) != 0;
        found.host = !found.kernel && (words & WORD_HOST) != 0;
        found.name = name_before(t, found.params);
        *rk_push(f->program->unit->arena, &f->program->functions) = found;
        done = found.body;
    }
}

void rk_program_find_functions(rk_program *program)
{
    finder f = {.program = program};
    program->functions.count = 0;
    find_aliases(&f);
    for (size_t s = 0; s < program->stretches.count; s++)
        find_in(&f, program->stretches.items[s]);
}

/* Launches. */

bool rk_program_adjacent(const rk_tokens *tokens, size_t i, const char *text)
{
    for (size_t k = 0; k < 3; k++)
        if (!rk_token_is(tokens, i + k, text) ||
            (k && tokens->items[i + k].offset != tokens->items[i].offset + k))
            return false;
    return true;
}
