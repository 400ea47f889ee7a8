#include "convert/clang/headers_internal.h"

#include "base/str.h"

#include <string.h>

/** Slots for names, and directives: with more it is not worth it. */
enum { SLOTS = 1 << 16, MAX_DIRECTIVES = 1 << 15 };

/** A conditional that is open. */
typedef struct {
    size_t branch; /**< the present one */
    bool has_else;
    long depth; /**< before it */
} conditional;

/** The files being read, twice: as they are, and after the headers are there, which must come to the same. */
typedef struct {
    const rk_unit *unit;
    bool again; /**< it is the second reading */
    rk_str text;
    size_t kept;        /**< length after the last header of a library */
    size_t kept_nested; /**< conditionals that are open in the text there */
    long depth;         /**< of braces */
    bool in_c;          /**< the outermost is that of `extern "C"` */
    size_t nested;      /**< conditionals that are open in the text */
    size_t directives, branches, names;
    RK_VEC(conditional) open;
    RK_VEC(const char *) macros; /**< that the project defines */
    RK_VEC(const char *) guards;
    RK_VEC(const char *) early; /**< headers before all other text */
    uint64_t *slots;            /**< hashes of names with the branch that they were seen in */
    bool *done, *inside;        /**< of the unit's files: read for good, being read */
    bool other;                 /**< other text came */
    bool arch;                  /**< some condition asks for the device's compilation */
    bool costly, lost;
} replay;

/** A branch begins, which the second reading must take, too. */
static size_t take_branch(replay *r)
{
    const size_t branch = ++r->branches;
    if (r->again)
        rk_str_addf(&r->text, "#ifndef rk__took_%zu\n#error\n#endif\n", branch);
    else
        rk_str_addf(&r->text, "#define rk__took_%zu\n", branch);
    return branch;
}

/** Whether the name was not seen in this branch; it is from now on. */
static bool is_new(replay *r, const char *name, size_t length, size_t branch)
{
    const uint64_t hash = rk_hash(name, length, branch + 1) | 1;
    size_t at = (size_t)hash % SLOTS;
    for (; r->slots[at]; at = (at + 1) % SLOTS)
        if (r->slots[at] == hash)
            return false;
    r->lost |= ++r->names > SLOTS / 2;
    if (!r->lost)
        r->slots[at] = hash;
    return !r->lost;
}

/** A token of the text: the name of no macro in one reading is none in the other. */
static void read_token(replay *r, const rk_tokens *tokens, size_t i)
{
    const rk_token *t = &tokens->items[i];
    const size_t branch = r->open.count ? r->open.items[r->open.count - 1].branch : 0;
    r->other = true;
    if (r->depth == 0 && rk_token_is(tokens, i, "{"))
        r->in_c =
            i >= 2 && rk_token_is(tokens, i - 1, "\"C\"") && rk_token_is(tokens, i - 2, "extern");
    r->depth += rk_token_is(tokens, i, "{") - rk_token_is(tokens, i, "}");
    if (t->kind != RK_TOKEN_NAME || !is_new(r, tokens->text + t->offset, t->length, branch))
        return;
    const char *name = rk_token_text(tokens, i, r->unit->arena);
    if (r->again)
        rk_str_addf(&r->text, "#if defined %s && defined rk__free_%s\n#error\n#endif\n", name,
                    name);
    else
        rk_str_addf(&r->text, "#ifndef %s\n#define rk__free_%s\n#endif\n", name, name);
}

/** `#define` and `#undef`: of no macro that the project did not define. */
static void read_macro(replay *r, const rk_directive *d)
{
    rk_arena *arena = r->unit->arena;
    const char *name = rk_arena_strndup(arena, d->rest, strcspn(d->rest, " \t\r\n\\(/"));
    if (!*name)
        return;
    rk_str_addf(&r->text, "#if defined %s && !defined rk__own_%s\n#error\n#endif\n", name, name);
    const bool defines = strcmp(d->name, "define") == 0;
    rk_str_addf(&r->text, "#%s rk__own_%s\n#%s %s\n\n", d->name, name, d->name, d->rest);
    if (defines)
        *rk_push(arena, &r->macros) = name;
}

static void read_conditional(replay *r, const rk_directive *d)
{
    rk_arena *arena = r->unit->arena;
    const bool begins = rk_str_starts(d->name, "if");
    const bool ends = strcmp(d->name, "endif") == 0;
    for (size_t i = 0; i < r->guards.count; i++)
        r->lost |= strstr(d->rest, r->guards.items[i]) != NULL;
    r->arch |= strstr(d->rest, "__CUDA_ARCH__") != NULL;
    r->lost |= !begins && !r->open.count;
    if (r->lost)
        return;
    const size_t last = r->open.count - 1;
    if (ends) {
        if (!r->open.items[last].has_else) {
            rk_str_add(&r->text, "#else\n");
            take_branch(r);
        }
        r->open.count = last;
        r->nested--;
    }
    rk_str_addf(&r->text, "#%s %s\n\n", d->name, d->rest);
    if (ends)
        return;
    if (begins)
        *rk_push(arena, &r->open) = (conditional){.depth = r->depth};
    r->nested += begins;
    conditional *present = &r->open.items[r->open.count - 1];
    present->has_else |= strcmp(d->name, "else") == 0;
    present->branch = take_branch(r);
    r->depth = present->depth;
}

static bool is_early(const replay *r, const char *operand)
{
    for (size_t i = 0; i < r->early.count; i++)
        if (strcmp(r->early.items[i], operand) == 0)
            return true;
    return false;
}

static void read_library(replay *r, const char *operand)
{
    if (!r->other)
        *rk_push(r->unit->arena, &r->early) = operand;
    else
        r->costly |= !rk_headers_is_cheap(operand) && !is_early(r, operand);
    r->lost |= r->arch;
    if (r->depth == 0)
        rk_str_addf(&r->text, "#include %s\n", operand);
    else if (r->depth == 1 && r->in_c)
        rk_str_addf(&r->text, "extern \"C\" {\n#include %s\n}\n", operand);
    else
        rk_str_add(&r->text, "#error\n");
    r->kept = r->text.length;
    r->kept_nested = r->nested;
}

static void read_file(replay *r, size_t index);

static void read_directive(replay *r, const rk_source_file *file, size_t i)
{
    const rk_directive d = rk_directive_of(&file->tokens, i, r->unit->arena);
    const bool includes = strcmp(d.name, "include") == 0;
    const bool pragma = strcmp(d.name, "pragma") == 0;
    r->lost |= ++r->directives > MAX_DIRECTIVES;
    if (r->lost || !*d.name ||
        (pragma && (strcmp(d.rest, "once") == 0 || strstr(d.rest, "diagnostic"))))
        return;
    if (includes && *d.rest && strchr("<\"", *d.rest)) {
        const char *operand = d.rest;
        const size_t target = rk_headers_target(&operand, r->unit, file, i);
        if (target == RK_NONE)
            read_library(r, operand);
        else
            read_file(r, target);
        return;
    }
    r->other = true;
    if (strcmp(d.name, "define") == 0 || strcmp(d.name, "undef") == 0)
        read_macro(r, &d);
    else if (rk_str_starts(d.name, "if") || rk_str_starts(d.name, "el") ||
             strcmp(d.name, "endif") == 0)
        read_conditional(r, &d);
    else
        rk_str_add(&r->text, "#error\n");
}

/** Whether a file is read once, by `#pragma once` or a guard; its tokens without the guard's. */
static bool is_once(replay *r, const rk_tokens *tokens, size_t *first, size_t *end)
{
    rk_arena *arena = r->unit->arena;
    *first = 0;
    *end = tokens->count;
    if (rk_headers_is_guarded(tokens, arena)) {
        *first = 2;
        *end = tokens->count - 1;
        *rk_push(arena, &r->guards) = rk_directive_of(tokens, 0, arena).rest;
        return true;
    }
    for (size_t i = 0; i < tokens->count; i++) {
        if (tokens->items[i].kind != RK_TOKEN_DIRECTIVE)
            continue;
        const rk_directive d = rk_directive_of(tokens, i, arena);
        if (strcmp(d.name, "pragma") == 0 && strcmp(d.rest, "once") == 0)
            return true;
    }
    return false;
}

static void read_file(replay *r, size_t index)
{
    const rk_source_file *file = r->unit->files.items[index];
    size_t first, end;
    const bool once = is_once(r, &file->tokens, &first, &end);
    if (once && (r->done[index] || r->inside[index]))
        return;
    const bool for_good = r->open.count == 0;
    r->inside[index] = true;
    if (once)
        rk_str_addf(&r->text, "#ifndef rk__file_%zu\n#define rk__file_%zu\n", index, index);
    r->nested += once;
    for (size_t i = first; i < end && !r->lost; i++)
        if (file->tokens.items[i].kind == RK_TOKEN_DIRECTIVE)
            read_directive(r, file, i);
        else
            read_token(r, &file->tokens, i);
    if (once)
        rk_str_add(&r->text, "#endif\n");
    r->nested -= once;
    r->inside[index] = false;
    r->done[index] = for_good;
}

/** One of the two readings, after which the project's macros are gone. */
static void read_all(replay *r)
{
    const size_t files = r->unit->files.count;
    const rk_str text = r->text;
    *r = (replay){.unit = r->unit, .again = r->again, .text = text};
    r->slots = RK_NEW_ARRAY(r->unit->arena, uint64_t, SLOTS);
    r->done = RK_NEW_ARRAY(r->unit->arena, bool, files);
    r->inside = RK_NEW_ARRAY(r->unit->arena, bool, files);
    read_file(r, 0);
    r->text.length = r->kept;
    for (size_t i = 0; i < r->kept_nested; i++)
        rk_str_add(&r->text, "#endif\n");
    for (size_t i = 0; i < r->macros.count; i++)
        rk_str_addf(&r->text, "#ifdef rk__own_%s\n#undef %s\n#undef rk__own_%s\n#endif\n",
                    r->macros.items[i], r->macros.items[i], r->macros.items[i]);
    for (size_t i = 0; i < files; i++)
        rk_str_addf(&r->text, "#undef rk__file_%zu\n", i);
}

const char *rk_headers_text(const rk_unit *unit)
{
    replay r = {.unit = unit, .text = {.arena = unit->arena}};
    read_all(&r);
    if (r.lost || !r.costly)
        return NULL;
    r.again = true;
    read_all(&r);
    return r.lost ? NULL : rk_str_text(&r.text);
}
