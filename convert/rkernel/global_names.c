#include "convert/rkernel/rewrite.h"

#include "convert/facts/scopes.h"

#include <string.h>

/*
 * The names of a source at global scope are in its own namespace in converted text. What names them from the outermost
 * scope on, or stands outside of the namespace, says so.
 */

enum { RANK_NAME = -4 };

const char *rk_rewrite_space(const rk_unit *unit, size_t file)
{
    return file ? RK__SPACE : unit->space;
}

/** Whether the `>` at the token ends the arguments of a name, and no template's head or comparison. */
static bool ends_arguments(const rk_tokens *t, size_t i)
{
    int depth = 0;
    for (size_t k = i + 1; k-- > 0;) {
        if (rk_token_is(t, k, ">"))
            depth++;
        else if (rk_token_is(t, k, "<") && --depth == 0)
            return k > 0 && t->items[k - 1].kind == RK_TOKEN_NAME &&
                   !rk_token_is(t, k - 1, "template");
        else if (rk_token_is(t, k, ";") || rk_token_is(t, k, "{") || rk_token_is(t, k, "}") ||
                 (k > 0 && rk_token_is(t, k, "|") && rk_token_is(t, k - 1, "|")) ||
                 (k > 0 && rk_token_is(t, k, "&") && rk_token_is(t, k - 1, "&") &&
                  t->items[k + 1].kind == RK_TOKEN_NAME))
            return false;
    }
    return false;
}

/** Whether the word before a `::` leaves it the outermost scope: a keyword or an attribute, and no name of a scope. */
static bool leads(const rk_unit *unit, const rk_tokens *t, size_t i)
{
    static const char *const words[] = {
        "return",   "case",      "else",    "new",      "delete",  "typename",    "const",
        "static",   "constexpr", "inline",  "extern",   "throw",   "using",       "class",
        "struct",   "enum",      "friend",  "public",   "private", "protected",   "virtual",
        "operator", "typedef",   "mutable", "volatile", "sizeof",  "do",          "co_return",
        "goto",     "and",       "or",      "not",      "union",   "thread_local"};
    if (i == 0)
        return true;
    const rk_token *before = &t->items[i - 1];
    if (rk_token_is(t, i - 1, ">"))
        return !ends_arguments(t, i - 1);
    if (before->kind != RK_TOKEN_NAME)
        return true;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (rk_token_is(t, i - 1, words[w]))
            return true;
    /* a macro of a library, as one for an attribute, is not known by its text */
    const size_t end = before->offset + before->length;
    const bool apart = end < t->items[i].offset &&
                       !rk_scopes_global(unit, t->text + before->offset, before->length);
    return apart || (before->length > 4 && strncmp(t->text + before->offset, "__", 2) == 0);
}

/** The project's name at the token, which is of its namespace alone, or has in there what system headers have, too. */
static const rk_global *moved(const rk_unit *unit, const rk_tokens *t, size_t i)
{
    if (i >= t->count || t->items[i].kind != RK_TOKEN_NAME)
        return NULL;
    const rk_global *g = rk_scopes_global(unit, t->text + t->items[i].offset, t->items[i].length);
    return g && (!g->system || g->function) ? g : NULL;
}

static void add_space(rk_unit *unit, size_t file, size_t offset, const char *format)
{
    rk_edits_insert(&unit->files.items[file]->edits, offset, RANK_NAME,
                    rk_arena_printf(unit->arena, format, rk_rewrite_space(unit, file)));
}

/** Whether the place is inside of text that gives way. */
static bool goes(const rk_edits *edits, size_t offset)
{
    for (size_t i = 0; i < edits->list.count; i++)
        if (edits->list.items[i].offset < offset &&
            offset < edits->list.items[i].offset + edits->list.items[i].length)
            return true;
    return false;
}

/** Whether token `i` is the `::` of a name of the project, from the outermost scope on. */
static bool leads_to_moved(const rk_unit *unit, const rk_tokens *t, size_t i)
{
    return rk_token_is(t, i, "::") && leads(unit, t, i) && moved(unit, t, i + 1);
}

const char *rk_rewrite_leading(const rk_unit *unit, size_t file, const char *text)
{
    rk_edits edits = {.arena = unit->arena};
    const rk_tokens t = rk_lex(text, strlen(text), unit->arena);
    size_t size, conflict[2];
    for (size_t i = 0; i < t.count; i++)
        if (leads_to_moved(unit, &t, i))
            rk_edits_insert(&edits, t.items[i + 1].offset, RANK_NAME,
                            rk_arena_printf(unit->arena, "%s::", rk_rewrite_space(unit, file)));
    if (!edits.list.count)
        return text;
    const char *edited = rk_edits_apply(&edits, text, t.size, &size, conflict);
    return rk_arena_strndup(unit->arena, edited, size);
}

/** `::name` of the project becomes `::space::name`; `shift` is what the tokens' offsets lack. */
static void edit_leading(rk_unit *unit, size_t file, const rk_tokens *t, size_t shift)
{
    for (size_t i = 0; i + 1 < t->count; i++) {
        if (t->items[i].kind == RK_TOKEN_DIRECTIVE) {
            const rk_token *d = &t->items[i];
            const rk_tokens inside = rk_lex_directive(t->text + d->offset, d->length, unit->arena);
            if (rk_token_is(&inside, 0, "define"))
                edit_leading(unit, file, &inside, d->offset);
        } else if (leads_to_moved(unit, t, i) &&
                   !goes(&unit->files.items[file]->edits, shift + t->items[i + 1].offset)) {
            add_space(unit, file, shift + t->items[i + 1].offset, "%s::");
        }
    }
}

/** Whether the token before a function's name shows that it is called there, and not declared. */
static bool is_called(const rk_tokens *t, size_t i)
{
    const rk_token *before = &t->items[i - 1];
    return rk_token_is(t, i + 1, "(") &&
           (rk_token_is(t, i - 1, "return") ||
            (before->kind == RK_TOKEN_PUNCT && !strchr("&*>", t->text[before->offset])));
}

/** Names of the project in text that stays outside. */
static void edit_outside(rk_unit *unit, size_t file, const rk_range *range)
{
    const rk_tokens *t = &unit->files.items[file]->tokens;
    for (size_t i = rk_tokens_at(t, range->begin) + 1;
         i < t->count && t->items[i].offset < range->end; i++) {
        const rk_global *g = moved(unit, t, i);
        if (!g || rk_token_is(t, i - 1, "::") || rk_token_is(t, i - 1, ".") ||
            rk_token_is(t, i - 1, "->") || rk_token_is(t, i - 1, "namespace"))
            continue;
        if (g->type || is_called(t, i))
            add_space(unit, file, t->items[i].offset, "::%s::");
    }
}

/**
 * A device variable that another source may define has one name for all: that of C, which a variable of global scope
 * has in C++, too.
 */
static void edit_external(rk_unit *unit, const rk_range *range)
{
    const rk_tokens *t = &unit->files.items[range->file]->tokens;
    size_t first = rk_tokens_at(t, range->begin);
    while (first > 0 && t->items[first - 1].kind != RK_TOKEN_DIRECTIVE &&
           t->items[first - 1].kind != RK_TOKEN_STRING && !rk_token_is(t, first - 1, ";") &&
           !rk_token_is(t, first - 1, "{") && !rk_token_is(t, first - 1, "}"))
        first--;
    size_t last = first;
    while (last < t->count && !rk_token_is(t, last, ";"))
        last++;
    if (last >= t->count || (first > 0 && t->items[first - 1].kind == RK_TOKEN_STRING))
        return;
    rk_edits *edits = &unit->files.items[range->file]->edits;
    rk_edits_insert(edits, t->items[first].offset, RANK_NAME, "extern \"C\" { ");
    rk_edits_insert(edits, t->items[last].offset + 1, RANK_NAME, " }");
}

/** Whether [first, last] has something of the device, which another source may name or define. */
static bool has_device(const rk_tokens *t, size_t first, size_t last)
{
    for (size_t i = first; i < t->count && i <= last; i++)
        if (rk_token_is(t, i, "__device__") || rk_token_is(t, i, "__constant__") ||
            rk_token_is(t, i, "__managed__"))
            return true;
    return false;
}

static bool is_edited(const rk_edits *edits, size_t offset)
{
    for (size_t i = 0; i < edits->list.count; i++)
        if (edits->list.items[i].offset <= offset &&
            offset < edits->list.items[i].offset + edits->list.items[i].length)
            return true;
    return false;
}

/**
 * Host functions of C: two sources of one program have the types of their parameters in namespaces of their own, so
 * that they are functions of C++ there.
 */
static void edit_linkage(rk_unit *unit, size_t file)
{
    const rk_tokens *t = &unit->files.items[file]->tokens;
    rk_edits *edits = &unit->files.items[file]->edits;
    for (size_t i = 0; i + 2 < t->count; i++) {
        const rk_token *string = &t->items[i + 1];
        if (!rk_token_is(t, i, "extern") || !rk_token_is(t, i + 1, "\"C\""))
            continue;
        size_t last = i + 2;
        if (rk_token_is(t, last, "{"))
            last = rk_tokens_close(t, last);
        else
            while (last < t->count && !rk_token_is(t, last, ";") && !rk_token_is(t, last, "{"))
                last++;
        if (!has_device(t, i, last) && !is_edited(edits, string->offset))
            rk_edits_add(edits, string->offset, string->length, "\"C++\"");
    }
}

void rk_rewrite_names(rk_unit *unit, size_t file)
{
    edit_linkage(unit, file);
    edit_leading(unit, file, &unit->files.items[file]->tokens, 0);
    for (size_t i = 0; i < unit->outside.count; i++)
        if (unit->outside.items[i].file == file)
            edit_outside(unit, file, &unit->outside.items[i]);
    for (size_t i = 0; i < unit->external.count; i++)
        if (unit->external.items[i].file == file)
            edit_external(unit, &unit->external.items[i]);
}
