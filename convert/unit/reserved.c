#include "convert/unit/reserved.h"

#include "base/str.h"
#include "convert/unit/sources.h"

#include <string.h>
#include <strings.h>

static bool is_reserved(const char *name, size_t length)
{
    static const char *const prefixes[] = {"rk_cpu_", "rk_cuda_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (length > strlen(prefixes[i]) &&
            strncasecmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    for (size_t i = 0; i + 4 <= length; i++) /* a word of it: __KLOCWORK__ is not */
        if ((i == 0 || name[i - 1] == '_') && strncasecmp(name + i, "rk__", 4) == 0)
            return true;
    return false;
}

bool rk_name_is_reserved(const char *name)
{
    return is_reserved(name, strlen(name));
}

/** The first reserved name among the tokens; the directives' own ones are looked at, too. NULL if there is none. */
static const char *find_reserved(const rk_tokens *tokens, size_t *offset, rk_arena *arena)
{
    for (size_t i = 0; i < tokens->count; i++) {
        const rk_token *t = &tokens->items[i];
        const char *text = tokens->text + t->offset;
        if (t->kind == RK_TOKEN_DIRECTIVE) {
            const rk_tokens inside = rk_lex_directive(text, t->length, arena);
            const char *name = find_reserved(&inside, offset, arena);
            *offset += t->offset;
            if (name)
                return name;
        } else if (t->kind == RK_TOKEN_NAME && is_reserved(text, t->length)) {
            *offset = t->offset;
            return rk_token_text(tokens, i, arena);
        }
    }
    return NULL;
}

/** The word behind a `-D` at argument `i`: what the macro is called, and more; NULL for another argument. */
static const char *defined_at(const rk_convert_options *options, size_t i)
{
    const char *arg = options->args[i];
    if (!rk_str_starts(arg, "-D"))
        return NULL;
    return arg[2] || i + 1 == options->arg_count ? arg + 2 : options->args[i + 1];
}

/** False, RK-V138, for an option that defines a macro of a reserved name. */
static bool reserved_options(const rk_unit *unit)
{
    bool ok = true;
    for (size_t i = 0; i < unit->options->arg_count; i++) {
        const char *text = defined_at(unit->options, i);
        const size_t length = text ? strcspn(text, " \t(=") : 0;
        if (length && is_reserved(text, length))
            ok = rk_diag_add(unit->diag, RK_ERROR, "RK-V138", rk_place_file(unit->path),
                             RK_RESERVED_HINT,
                             "-D%.*s: '%.*s' is a reserved name, which converted text has itself",
                             (int)length, text, (int)length, text);
    }
    return ok;
}

bool rk_reserved_names(rk_unit *unit)
{
    bool ok = reserved_options(unit);
    for (size_t f = 0; f < unit->files.count; f++) {
        const rk_source_file *file = unit->files.items[f];
        size_t offset = 0;
        const char *name = find_reserved(&file->tokens, &offset, unit->arena);
        if (name)
            ok = rk_diag_add(unit->diag, RK_ERROR, "RK-V138", rk_sources_place(unit, f, offset),
                             RK_RESERVED_HINT,
                             "'%s' is a reserved name, which converted text has itself", name);
    }
    return ok;
}

/* Members that we write. */

/** The name whose template arguments end with the `>` at `i`; `i` itself without one. */
static size_t before_arguments(const rk_tokens *t, size_t i)
{
    int depth = 0;
    for (size_t k = i; rk_token_is(t, i, ">") && k > 0; k--) {
        depth += rk_token_is(t, k, ">") - rk_token_is(t, k, "<");
        if (depth == 0)
            return k - 1;
    }
    return i;
}

/** Whether token `i` is a member, by `.` or `::`, of a name of ours or of another member of one. */
static bool is_own_member(const rk_tokens *t, size_t i)
{
    while (i >= 2) {
        i -= rk_token_is(t, i - 1, "template");
        if (i < 2 || !(rk_token_is(t, i - 1, ".") || rk_token_is(t, i - 1, "::")))
            return false;
        i = before_arguments(t, i - 2);
        if (t->items[i].kind != RK_TOKEN_NAME)
            return false;
        if (memmem(t->text + t->items[i].offset, t->items[i].length, "rk__", 4))
            return true;
    }
    return false;
}

typedef RK_VEC(const char *) name_vec;

static bool has_name(const name_vec *names, const char *name, size_t length)
{
    for (size_t i = 0; i < names->count; i++)
        if (strlen(names->items[i]) == length && strncmp(names->items[i], name, length) == 0)
            return true;
    return false;
}

/** The members that the file's edits write. */
static name_vec own_members(const rk_unit *unit, const rk_source_file *file)
{
    name_vec names = {0};
    for (size_t e = 0; e < file->edits.list.count; e++) {
        const char *text = file->edits.list.items[e].text;
        const rk_tokens t = rk_lex(text, strlen(text), unit->arena);
        for (size_t i = 2; i < t.count; i++)
            if (t.items[i].kind == RK_TOKEN_NAME && is_own_member(&t, i) &&
                !has_name(&names, text + t.items[i].offset, t.items[i].length))
                *rk_push(unit->arena, &names) = rk_token_text(&t, i, unit->arena);
    }
    return names;
}

/** RK-V138 for a macro that has the name of one of them. */
static bool check_macro(const rk_unit *unit, const name_vec *names, const char *text,
                        rk_place place)
{
    const size_t length = strcspn(text, " \t(=");
    return !has_name(names, text, length) ||
           rk_diag_add(unit->diag, RK_ERROR, "RK-V138", place, "rename the macro",
                       "the macro '%.*s' has the name of what the converted text asks of the rTask",
                       (int)length, text);
}

bool rk_reserved_macros(rk_unit *unit, const rk_source_file *file)
{
    bool ok = true;
    const name_vec names = own_members(unit, file);
    for (size_t f = 0; names.count && f < unit->files.count; f++) {
        const rk_tokens *tokens = &unit->files.items[f]->tokens;
        for (size_t i = 0; i < tokens->count; i++) {
            if (tokens->items[i].kind != RK_TOKEN_DIRECTIVE)
                continue;
            const rk_directive d = rk_directive_of(tokens, i, unit->arena);
            if (strcmp(d.name, "define") == 0)
                ok &= check_macro(unit, &names, d.rest, rk_sources_place(unit, f, d.rest_offset));
        }
    }
    for (size_t i = 0; i < unit->options->arg_count; i++) {
        const char *text = defined_at(unit->options, i);
        if (text)
            ok &= check_macro(unit, &names, text, rk_place_file(unit->path));
    }
    return ok;
}
