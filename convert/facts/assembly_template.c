#include "convert/facts/walk.h"

#include "convert/unit/sources.h"

#include <ctype.h>
#include <string.h>

/*
 * The template of inline assembly as the assembler gets it: strings in a row, some of them in macros, those in others.
 * Every definition that a macro has in the project counts, since which one holds is not asked.
 */

enum { DEEPEST = 8 };

/** A string that is part of it, without its quotes. */
typedef struct {
    size_t file, offset, length;
} piece;

typedef struct {
    const rk_unit *unit;
    rk_str text;
    RK_VEC(piece) pieces;
} template_text;

static void add_macro(template_text *t, const char *name, unsigned depth);

/** Adds the strings of tokens from `i` on, up to the operands or to what closes the parenthesis around. */
static void add_tokens(template_text *t, const rk_tokens *tokens, size_t i, size_t file,
                       size_t from, unsigned depth)
{
    for (size_t open = 0; i < tokens->count; i++) {
        const rk_token *token = &tokens->items[i];
        const bool close = rk_token_is(tokens, i, ")");
        if (rk_token_is(tokens, i, ":") || rk_token_is(tokens, i, "::") || (close && open == 0))
            return;
        open += rk_token_is(tokens, i, "(");
        open -= close;
        if (token->kind == RK_TOKEN_NAME)
            add_macro(t, rk_token_text(tokens, i, t->unit->arena), depth + 1);
        if (token->kind != RK_TOKEN_STRING)
            continue;
        const char *begin = memchr(tokens->text + token->offset, '"', token->length);
        const char *end = tokens->text + token->offset + token->length - 1;
        if (!begin || end <= begin)
            continue;
        rk_str_addn(&t->text, begin + 1, (size_t)(end - begin - 1));
        *rk_push(t->unit->arena, &t->pieces) =
            (piece){file, from + (size_t)(begin + 1 - tokens->text), (size_t)(end - begin - 1)};
    }
}

/** Adds the text of each definition of the macro in the project. */
static void add_macro(template_text *t, const char *name, unsigned depth)
{
    const size_t length = strlen(name);
    for (size_t f = 0; depth < DEEPEST && f < t->unit->files.count; f++) {
        const rk_tokens *all = &t->unit->files.items[f]->tokens;
        for (size_t i = 0; i < all->count; i++) {
            const rk_token *line = &all->items[i];
            if (line->kind != RK_TOKEN_DIRECTIVE ||
                !memmem(all->text + line->offset, line->length, name, length))
                continue;
            const rk_tokens inside =
                rk_lex_directive(all->text + line->offset, line->length, t->unit->arena);
            if (!rk_token_is(&inside, 0, "define") || !rk_token_is(&inside, 1, name))
                continue;
            const size_t after = inside.items[1].offset + inside.items[1].length;
            const bool call = rk_token_is(&inside, 2, "(") && inside.items[2].offset == after;
            add_tokens(t, &inside, call ? rk_tokens_close(&inside, 2) + 1 : 2, f, line->offset,
                       depth);
        }
    }
}

/** Adds the strings of the statement at `at`, behind its first parenthesis. */
static void add_statement(template_text *t, rk_where at)
{
    size_t i, from;
    if (at.file == RK_NONE)
        return;
    const rk_tokens tokens = rk_walk_tokens(t->unit, at, &i, &from);
    while (i < tokens.count && !rk_token_is(&tokens, i, "("))
        i++;
    if (i < tokens.count)
        add_tokens(t, &tokens, i + 1, at.file, from, 0);
}

/** The strings of the statement, and of the macro's use where one makes it, whose arguments may be strings. */
static template_text read_template(const rk_unit *unit, CXCursor cursor)
{
    template_text t = {.unit = unit, .text = {.arena = unit->arena}};
    const rk_where at = rk_ast_spelling(unit, clang_getCursorLocation(cursor));
    const rk_where use = rk_ast_expansion(unit, clang_getCursorLocation(cursor));
    add_statement(&t, at);
    if (use.file != at.file || use.offset != at.offset)
        add_statement(&t, use);
    return t;
}

const char *rk_assembly_template(const rk_unit *unit, CXCursor cursor)
{
    const template_text t = read_template(unit, cursor);
    return rk_str_text(&t.text);
}

void rk_assembly_make_coherent(rk_unit *unit, CXCursor cursor)
{
    const template_text t = read_template(unit, cursor);
    for (size_t i = 0; i < t.pieces.count; i++) {
        const piece *p = &t.pieces.items[i];
        const char *text = unit->files.items[p->file]->bytes.data + p->offset;
        for (size_t k = 0; k + 3 <= p->length; k++)
            if (strncmp(text + k, ".nc", 3) == 0 &&
                (k + 3 == p->length ||
                 !(isalnum((unsigned char)text[k + 3]) || text[k + 3] == '_')))
                *rk_push(unit->arena, &unit->value_edits) =
                    (rk_text_edit){p->file, p->offset + k, 3, ""};
    }
}
