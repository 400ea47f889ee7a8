#include "convert/rkernel/rewrite.h"

#include "convert/unit/sources.h"

#include <stdlib.h>
#include <string.h>

/*
 * Host code and device code that is not converted are disabled in converted text. What stays may name them all the
 * same, a template that nothing instantiates for one: then their declarations stay.
 */

static const rk_tokens *tokens_of(const rk_unit *unit, const rk_function *f)
{
    return &unit->files.items[f->definition.file]->tokens;
}

/** The token after the `)` of the function's parameters; `count` when it has no list in its text. */
static size_t after_parameters(const rk_tokens *t, const rk_function *f)
{
    size_t i = rk_tokens_at(t, f->definition.name);
    while (i < t->count && t->items[i].offset < f->definition.end && !rk_token_is(t, i, "("))
        i++;
    if (rk_token_is(t, i + 1, ")") && rk_token_is(t, i + 2, "(")) /* operator() */
        i += 2;
    return rk_token_is(t, i, "(") ? rk_tokens_close(t, i) + 1 : t->count;
}

/** Whether only its body tells what it returns. */
static bool is_deduced(const rk_unit *unit, const rk_function *f)
{
    const rk_tokens *t = tokens_of(unit, f);
    bool deduced = false;
    for (size_t i = rk_tokens_at(t, f->definition.begin);
         i < t->count && t->items[i].offset < f->definition.name; i++)
        deduced |= rk_token_is(t, i, "auto");
    for (size_t i = after_parameters(t, f);
         deduced && i < t->count && t->items[i].offset < f->definition.end; i++)
        deduced = !rk_token_is(t, i, "->");
    return deduced;
}

/** A host function that nothing kept can need: a definition at file or namespace scope. */
static bool is_host_code(const rk_unit *unit, const rk_function *f)
{
    if (f->kernel || f->device || f->is_constexpr)
        return false;
    return f->launches || (!f->in_class && !is_deduced(unit, f));
}

/** Whether the function calls or takes what is disabled or gets another signature. */
static bool calls_changed(const rk_unit *unit, const rk_function *f)
{
    for (size_t c = 0; c < f->calls.count; c++) {
        const rk_function *to = unit->functions.items[f->calls.items[c].callee];
        if (to->removed || to->kernel || to->needs_context)
            return true;
    }
    return false;
}

/** Whether an #if begins or ends in it: it stays, unless it launches. */
static bool cannot_go(const rk_unit *unit, const rk_function *f)
{
    return !f->launches &&
           !rk_tokens_balanced(tokens_of(unit, f), f->definition.begin, f->end, unit->arena);
}

void rk_host_close(rk_unit *unit)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < unit->functions.count; i++) {
            rk_function *f = unit->functions.items[i];
            if (f->removed || f->kernel || f->device || cannot_go(unit, f))
                continue;
            f->removed = is_host_code(unit, f) || calls_changed(unit, f);
            changed |= f->removed;
        }
    }
}

/* Which of it is named. */

static bool may_be_named(const rk_function *f)
{
    return f->removed && !f->kernel && !f->local_class;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(rk_function *const *)a)->name, (*(rk_function *const *)b)->name);
}

/** Disabled functions by name. */
typedef struct {
    rk_function **items;
    size_t count;
} name_table;

static void mark_name(const name_table *names, const char *name)
{
    size_t low = 0, high = names->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (strcmp(names->items[middle]->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < names->count && strcmp(names->items[low]->name, name) == 0; low++)
        names->items[low]->named = true;
}

static void mark_tokens(const rk_unit *unit, const name_table *names, const rk_tokens *t,
                        const bool *gone)
{
    for (size_t i = 0; i < t->count; i++) {
        if (gone && gone[i])
            continue;
        if (t->items[i].kind == RK_TOKEN_NAME) {
            mark_name(names, rk_token_text(t, i, unit->arena));
        } else if (t->items[i].kind == RK_TOKEN_DIRECTIVE) {
            const rk_tokens inside =
                rk_lex_directive(t->text + t->items[i].offset, t->items[i].length, unit->arena);
            if (rk_token_is(&inside, 0, "define"))
                mark_tokens(unit, names, &inside, NULL);
        }
    }
}

void rk_host_find_named(rk_unit *unit)
{
    name_table names = {RK_NEW_ARRAY(unit->arena, rk_function *, unit->functions.count + 1), 0};
    for (size_t i = 0; i < unit->functions.count; i++) {
        unit->functions.items[i]->named = false;
        if (may_be_named(unit->functions.items[i]))
            names.items[names.count++] = unit->functions.items[i];
    }
    qsort(names.items, names.count, sizeof *names.items, by_name);
    for (size_t file = 0; names.count && file < unit->files.count; file++) {
        const rk_tokens *t = &unit->files.items[file]->tokens;
        bool *gone = RK_NEW_ARRAY(unit->arena, bool, t->count + 1);
        for (size_t i = 0; i < unit->functions.count; i++) {
            const rk_function *f = unit->functions.items[i];
            if (!f->removed || f->definition.file != file)
                continue;
            for (size_t k = rk_tokens_at(t, f->definition.begin);
                 k < t->count && t->items[k].offset < f->end; k++)
                gone[k] = true;
        }
        mark_tokens(unit, &names, t, gone);
    }
}

const char *rk_host_declaration(const rk_unit *unit, const rk_function *f, size_t begin)
{
    const bool unnamed = strncmp(f->name, "operator", 8) == 0;
    const bool member = strcmp(f->scope, f->spaces_prefix) != 0;
    if (!may_be_named(f) || !(f->named || unnamed) || f->from_macro || f->others.count ||
        f->specialisation || (member && !f->in_class))
        return "";
    const rk_tokens *t = tokens_of(unit, f);
    size_t i = after_parameters(t, f);
    while (i < t->count && t->items[i].offset < f->definition.end && !rk_token_is(t, i, ":") &&
           !rk_token_is(t, i, "try"))
        i++;
    if (i >= t->count)
        return "";
    const size_t end = t->items[i - 1].offset + t->items[i - 1].length;
    return rk_arena_printf(unit->arena, "%.*s;\n", (int)(end - begin), t->text + begin);
}
