#include "convert/facts/undefined_range.h"

#include "convert/clang/ast.h"

#include <string.h>

/** The tokens that a place is among: a file's, or those of the line of a `#define` there. */
typedef struct {
    rk_tokens tokens;
    size_t base; /**< of their offsets in the file */
    bool macro;
    size_t body; /**< of a macro: its first token behind the name and the parameters */
} text;

/** Where a macro's text begins. */
static size_t body_of(const rk_tokens *t)
{
    const bool has_list =
        rk_token_is(t, 2, "(") && t->items[2].offset == t->items[1].offset + t->items[1].length;
    return has_list ? rk_tokens_close(t, 2) + 1 : 2;
}

/** Without the backslashes at the ends of lines. */
static rk_tokens directive_tokens(const rk_tokens *file, size_t i, rk_arena *arena)
{
    rk_tokens all =
        rk_lex_directive(file->text + file->items[i].offset, file->items[i].length, arena);
    rk_token *items = RK_NEW_ARRAY(arena, rk_token, all.count + 1);
    size_t count = 0;
    for (size_t k = 0; k < all.count; k++)
        if (!rk_token_is(&all, k, "\\"))
            items[count++] = all.items[k];
    all.items = items;
    all.count = count;
    return all;
}

static text text_at(rk_unit *unit, rk_where at)
{
    const rk_tokens *file = &unit->files.items[at.file]->tokens;
    const size_t i = rk_tokens_at(file, at.offset);
    text out = {.tokens = *file};
    if (i >= file->count || file->items[i].kind != RK_TOKEN_DIRECTIVE ||
        at.offset < file->items[i].offset)
        return out;
    out.tokens = directive_tokens(file, i, unit->arena);
    out.base = file->items[i].offset;
    out.macro = true;
    out.body = rk_token_is(&out.tokens, 0, "define") ? body_of(&out.tokens) : out.tokens.count;
    return out;
}

static size_t token_at(const text *t, size_t offset)
{
    return rk_tokens_at(&t->tokens, offset - t->base);
}

static size_t end_of(const text *t, size_t token)
{
    return t->base + t->tokens.items[token].offset + t->tokens.items[token].length;
}

/* Macros. */

/** The project's macros, read once. */
struct rk_macros {
    RK_VEC(text) items;
    RK_VEC(const char *) names;
    RK_VEC(const char *) asked; /**< names that an #if leads to */
};

static bool has_name(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/** Notes the names in a conditional, or in a macro that one leads to. */
static void ask(struct rk_macros *all, const rk_tokens *t, size_t first, rk_arena *arena)
{
    for (size_t i = first; i < t->count; i++) {
        if (t->items[i].kind != RK_TOKEN_NAME)
            continue;
        const char *name = rk_token_text(t, i, arena);
        if (has_name(all->names.items, all->names.count, name) &&
            !has_name(all->asked.items, all->asked.count, name))
            *rk_push(arena, &all->asked) = name;
    }
}

static const struct rk_macros *macros_of(rk_unit *unit)
{
    rk_arena *arena = unit->arena;
    if (unit->macro_texts)
        return unit->macro_texts;
    struct rk_macros *all = unit->macro_texts = RK_NEW(arena, struct rk_macros);
    for (int pass = 0; pass < 2; pass++)
        for (size_t f = 0; f < unit->files.count; f++) {
            const rk_tokens *tokens = &unit->files.items[f]->tokens;
            for (size_t i = 0; i < tokens->count; i++) {
                if (tokens->items[i].kind != RK_TOKEN_DIRECTIVE)
                    continue;
                const char *kind = rk_directive_of(tokens, i, arena).name;
                const text line = text_at(unit, (rk_where){f, tokens->items[i].offset});
                if (pass == 0 && strcmp(kind, "define") == 0 && line.tokens.count > 1) {
                    *rk_push(arena, &all->items) = line;
                    *rk_push(arena, &all->names) = rk_token_text(&line.tokens, 1, arena);
                } else if (pass == 1 && (strcmp(kind, "if") == 0 || strcmp(kind, "elif") == 0)) {
                    ask(all, &line.tokens, 1, arena);
                }
            }
        }
    for (size_t i = 0; i < all->asked.count; i++) /* more come meanwhile */
        for (size_t k = 0; k < all->items.count; k++)
            if (strcmp(all->names.items[k], all->asked.items[i]) == 0)
                ask(all, &all->items.items[k].tokens, all->items.items[k].body, arena);
    return all;
}

/** The one definition of a macro in the project; false for none or more. */
static bool find_macro(text *out, rk_unit *unit, const rk_tokens *t, size_t name)
{
    const struct rk_macros *all = macros_of(unit);
    size_t found = 0;
    for (size_t i = 0; i < all->items.count; i++)
        if (rk_token_is(t, name, all->names.items[i])) {
            found++;
            *out = all->items.items[i];
        }
    return found == 1;
}

/** Whether a function may be put into a macro's text: no preprocessor's condition uses it. */
static bool is_editable(rk_unit *unit, const text *macro)
{
    const struct rk_macros *all = macros_of(unit);
    return macro->tokens.count > 1 && !has_name(all->asked.items, all->asked.count,
                                                rk_token_text(&macro->tokens, 1, unit->arena));
}

/** The end of a macro's use whose name is at token `i`. */
static size_t use_end(rk_unit *unit, const rk_tokens *t, size_t i)
{
    text macro;
    const bool has_list =
        find_macro(&macro, unit, t, i) ? macro.body > 2 : rk_token_is(t, i + 1, "(");
    const size_t last = has_list && rk_token_is(t, i + 1, "(") ? rk_tokens_close(t, i + 1) : i;
    return last < t->count ? t->items[last].offset + t->items[last].length : t->size;
}

/** Whether a macro's text has some other macro with arguments, or names a parameter not exactly once. */
static bool is_used_once(rk_unit *unit, const text *macro, const char *parameter)
{
    size_t uses = 0;
    for (size_t i = macro->body; i < macro->tokens.count; i++) {
        text other;
        uses += rk_token_is(&macro->tokens, i, parameter);
        if (rk_token_is(&macro->tokens, i, "#") || (macro->tokens.items[i].kind == RK_TOKEN_NAME &&
                                                    rk_token_is(&macro->tokens, i + 1, "(") &&
                                                    find_macro(&other, unit, &macro->tokens, i)))
            return false;
    }
    return uses == 1;
}

/** Whether what a macro is given at `at`, in a use that begins at `use`, is one operand in its text. */
static bool is_one_argument(rk_unit *unit, rk_where use, const rk_range *at)
{
    const rk_tokens *t = &unit->files.items[use.file]->tokens;
    const size_t name = rk_tokens_at(t, use.offset);
    text macro;
    if (name >= t->count || use.file != at->file || !rk_token_is(t, name + 1, "(") ||
        !find_macro(&macro, unit, t, name) || macro.body <= 2)
        return false;
    const size_t close = rk_tokens_close(t, name + 1);
    size_t index = 0, parameter = 3;
    for (size_t i = name + 2; i < close && t->items[i].offset < at->begin; i++) {
        const bool opens = rk_token_is(t, i, "(");
        index += rk_token_is(t, i, ",");
        if (opens && t->items[rk_tokens_close(t, i)].offset < at->begin)
            i = rk_tokens_close(t, i);
    }
    for (; index && parameter < macro.body; parameter++)
        index -= rk_token_is(&macro.tokens, parameter, ",");
    return parameter < macro.body && close < t->count && at->end <= t->items[close].offset &&
           macro.tokens.items[parameter].kind == RK_TOKEN_NAME &&
           is_used_once(unit, &macro, rk_token_text(&macro.tokens, parameter, unit->arena));
}

/* Ends, by the text. */

/** The last token of a primary expression and what follows it: `a::b<c>(d)[e].f`. */
static size_t postfix_end(const rk_tokens *t, size_t i)
{
    while (rk_token_is(t, i, "::") || rk_token_is(t, i + 1, "::"))
        i++;
    if (rk_token_is(t, i, "("))
        i = rk_tokens_close(t, i);
    for (;;) {
        if (rk_token_is(t, i + 1, "(") || rk_token_is(t, i + 1, "["))
            i = rk_tokens_close(t, i + 1);
        else if (rk_token_is(t, i + 1, ".") || rk_token_is(t, i + 1, "->"))
            i += 2;
        else
            return i;
    }
}

/** The last token of a unary expression that is no cast itself. */
static size_t unary_end(const rk_tokens *t, size_t i)
{
    static const char *const prefixes[] = {"-", "+", "*", "&", "!", "~"};
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++)
        if (rk_token_is(t, i, prefixes[k]))
            return unary_end(t, i + 1);
    return postfix_end(t, i);
}

static CXCursor last_child(CXCursor e, rk_arena *arena)
{
    const rk_cursors children = rk_ast_children(e, arena);
    return children.count ? children.items[children.count - 1] : clang_getNullCursor();
}

static enum CXCursorKind inner_kind(CXCursor e, rk_arena *arena)
{
    while (clang_getCursorKind(e) == CXCursor_UnexposedExpr)
        e = last_child(e, arena);
    return clang_getCursorKind(e);
}

/** The last token, in a macro's text, of the expression that begins at token `i`; `count` when it cannot be told. */
static size_t end_in_macro(rk_unit *unit, CXCursor e, rk_operand of, const text *macro, size_t i)
{
    const rk_tokens *t = &macro->tokens;
    switch (inner_kind(e, unit->arena)) {
    case CXCursor_ParenExpr:
    case CXCursor_DeclRefExpr:
    case CXCursor_MemberRefExpr:
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_IntegerLiteral:
    case CXCursor_FloatingLiteral:
    case CXCursor_CallExpr:
        break;
    case CXCursor_UnaryOperator:
        return rk_token_is(t, i, "-") || rk_token_is(t, i, "*") ? unary_end(t, i) : t->count;
    case CXCursor_BinaryOperator:
        /* all between the parentheses around it */
        if (of == RK_OPERAND_LEFT || !rk_token_is(t, i - 1, "("))
            return t->count;
        return rk_tokens_close(t, i - 1) < t->count ? rk_tokens_close(t, i - 1) - 1 : t->count;
    default:
        return t->count;
    }
    return postfix_end(t, i);
}

/** Whether a macro's text is one expression, as far as its commas and semicolons tell. */
static bool is_one_expression(const text *macro)
{
    const rk_tokens *t = &macro->tokens;
    for (size_t i = macro->body; i < t->count; i++) {
        if (rk_token_is(t, i, "(") || rk_token_is(t, i, "["))
            i = rk_tokens_close(t, i);
        else if (rk_token_is(t, i, ",") || rk_token_is(t, i, ";") || rk_token_is(t, i, "{"))
            return false;
    }
    return true;
}

static bool set(rk_range *out, size_t file, size_t begin, size_t end)
{
    *out = (rk_range){file, begin, end};
    return file != RK_NONE && begin < end;
}

bool rk_undefined_range(rk_unit *unit, CXCursor e, rk_operand of, rk_range *out)
{
    const CXSourceRange range = clang_getCursorExtent(e);
    const rk_where begin = rk_ast_spelling(unit, clang_getRangeStart(range)),
                   use = rk_ast_expansion(unit, clang_getRangeStart(range)),
                   end = rk_ast_spelling(unit, clang_getRangeEnd(range));
    if (begin.file == RK_NONE || use.file == RK_NONE || end.file == RK_NONE)
        return false;
    if (begin.file == use.file && begin.offset == use.offset)
        return begin.file == end.file && set(out, begin.file, begin.offset, end.offset);
    const text macro = text_at(unit, begin);
    if (!macro.macro) /* an argument */
        return begin.file == end.file && set(out, begin.file, begin.offset, end.offset) &&
               is_one_argument(unit, use, out);
    const rk_tokens *written = &unit->files.items[use.file]->tokens;
    const size_t i = token_at(&macro, begin.offset);
    if (i < macro.body || i >= macro.tokens.count)
        return false;
    const size_t used = use_end(unit, written, rk_tokens_at(written, use.offset));
    const bool whole = of == RK_OPERAND_WHOLE && is_one_expression(&macro);
    if (i == macro.body && end.file == use.file && (end.offset > used || whole)) /* or is it */
        return set(out, use.file, use.offset, end.offset > used ? end.offset : used);
    const size_t last = end_in_macro(unit, e, of, &macro, i);
    if (last >= macro.tokens.count)
        return false;
    if (i == macro.body && last + 1 == macro.tokens.count && end.file == use.file)
        return set(out, use.file, use.offset, end.offset); /* it is the macro */
    return is_editable(unit, &macro) && set(out, begin.file, begin.offset, end_of(&macro, last));
}

/** The first token behind a cast's type, whose own first token is `i`; `count` where that is not to be seen. */
static size_t behind_type(const rk_tokens *t, enum CXCursorKind kind, size_t i)
{
    if (kind == CXCursor_CStyleCastExpr)
        return rk_token_is(t, i, "(") ? rk_tokens_close(t, i) + 1 : t->count;
    if (kind == CXCursor_CXXStaticCastExpr) {
        const size_t close =
            rk_token_is(t, i, "static_cast") ? rk_tokens_close(t, i + 1) : t->count;
        return rk_token_is(t, close + 1, "(") ? close + 2 : t->count;
    }
    while (i < t->count && (t->items[i].kind == RK_TOKEN_NAME || rk_token_is(t, i, "::")))
        i++;
    return rk_token_is(t, i, "(") ? i + 1 : t->count;
}

bool rk_undefined_cast_operand(rk_unit *unit, CXCursor cast, CXCursor operand, rk_range *out)
{
    const rk_where begin = rk_ast_spelling(unit, clang_getRangeStart(clang_getCursorExtent(cast)));
    const enum CXCursorKind kind = clang_getCursorKind(cast);
    if (begin.file == RK_NONE)
        return false;
    const text macro = text_at(unit, begin);
    if (!macro.macro)
        return rk_undefined_range(unit, operand, RK_OPERAND_WHOLE, out);
    const rk_tokens *t = &macro.tokens;
    const size_t i = behind_type(t, kind, token_at(&macro, begin.offset));
    if (i >= t->count)
        return false;
    size_t last = kind == CXCursor_CStyleCastExpr ? i : rk_tokens_close(t, i - 1) - 1;
    while (kind == CXCursor_CStyleCastExpr &&
           inner_kind(operand, unit->arena) == CXCursor_CStyleCastExpr &&
           rk_token_is(t, last, "(")) {
        while (clang_getCursorKind(operand) == CXCursor_UnexposedExpr)
            operand = last_child(operand, unit->arena);
        operand = last_child(operand, unit->arena);
        last = rk_tokens_close(t, last) + 1;
    }
    if (kind == CXCursor_CStyleCastExpr && last < t->count)
        last = unary_end(t, last);
    return last < t->count &&
           set(out, begin.file, macro.base + t->items[i].offset, end_of(&macro, last));
}

bool rk_undefined_in_macro(rk_unit *unit, const rk_range *at)
{
    return text_at(unit, (rk_where){at->file, at->begin}).macro;
}

const char *rk_undefined_cast_type(rk_unit *unit, CXCursor cast, const rk_range *operand)
{
    const text t = text_at(unit, (rk_where){operand->file, operand->begin});
    const size_t i = token_at(&t, operand->begin);
    if (i < 2 || i >= t.tokens.count)
        return NULL;
    size_t first = RK_NONE, end = i - 1;
    const enum CXCursorKind kind = clang_getCursorKind(cast);
    if (kind == CXCursor_CXXFunctionalCastExpr) {
        first = i - 2;
        while (first > 0 &&
               (rk_token_is(&t.tokens, first - 1, "::") || rk_token_is(&t.tokens, first, "::")))
            first--;
    } else {
        const bool named = kind == CXCursor_CXXStaticCastExpr;
        const char *open = named ? "<" : "(", *close = named ? ">" : ")";
        end = named ? i - 2 : i - 1;
        if (!rk_token_is(&t.tokens, end, close) || (named && !rk_token_is(&t.tokens, i - 1, "(")))
            return NULL;
        int depth = 0;
        for (first = end + 1; first > 0 && (depth || first > end);) {
            first--;
            depth += rk_token_is(&t.tokens, first, close) - rk_token_is(&t.tokens, first, open);
        }
        if (depth)
            return NULL;
        first++;
    }
    if (first >= end)
        return NULL;
    const size_t from = t.tokens.items[first].offset;
    return rk_arena_strndup(unit->arena, t.tokens.text + from,
                            t.tokens.items[end - 1].offset + t.tokens.items[end - 1].length - from);
}
