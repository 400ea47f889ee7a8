#include "convert/unit/collectives.h"

#include "convert/cuda/cuda_names.h"
#include "convert/unit/sources.h"

#include <string.h>

#define OURS "rk_cub"

/** What the project's text has of CUB. */
typedef struct {
    rk_unit *unit;
    const char *library;  /**< the namespace's name */
    bool includes, names; /**< a header and a name that something of ours stands in for */
    bool whole;           /**< it needs CUB itself, too */
    bool opened;          /**< by a using-directive: names stand alone */
} search;

const char *rk_collectives_folder(const rk_unit *unit)
{
    return rk_path_join(unit->arena, unit->options->home, "include/rk/cub");
}

bool rk_collectives_is_library(const char *path, const char *name, rk_arena *arena)
{
    const char *library = rk_cuda_namespace_of(RK_IN_CUB)->name;
    const size_t length = strlen(library), tail = strlen(name), all = strlen(path);
    if (strncmp(name, library, length) != 0 || name[length] != '/' || tail > all ||
        strcmp(path + all - tail, name) != 0)
        return false;
    const char *folder = rk_arena_printf(arena, "%.*s%s", (int)(all - tail), path, library);
    return rk_file_exists(rk_path_join(arena, folder, "util_namespace.cuh"));
}

/* Headers. */

/** What follows `cub/` in an operand as `<cub/block/block_scan.cuh>` or `"../cub/cub.cuh"`; NULL when it has none. */
static const char *header_of(const search *s, const char *operand)
{
    const size_t length = strlen(s->library);
    for (const char *at = operand; (at = strstr(at, s->library)); at++)
        if (at > operand && strchr("<\"/", at[-1]) && at[length] == '/')
            return at + length + 1;
    return NULL;
}

static bool is_whole(const search *s, const char *header)
{
    const size_t length = strlen(s->library);
    return strncmp(header, s->library, length) == 0 && strncmp(header + length, ".cuh", 4) == 0;
}

static bool is_collective(const char *header)
{
    return rk_str_starts(header, "block/") || rk_str_starts(header, "warp/");
}

static void look_at_include(search *s, const rk_directive *d)
{
    const char *header = header_of(s, d->rest);
    s->includes |= header && (is_whole(s, header) || is_collective(header));
    s->whole |= header && !is_whole(s, header) && !is_collective(header);
}

static void edit_include(const search *s, rk_edits *edits, const rk_directive *d, size_t shift)
{
    const char *header = header_of(s, d->rest);
    if (!header || (!is_whole(s, header) && !is_collective(header)))
        return;
    const char *name = s->whole && is_whole(s, header) ? "all.cuh" : "cub.cuh";
    const char *path = rk_path_join(s->unit->arena, rk_collectives_folder(s->unit), name);
    rk_edits_add(edits, shift + d->rest_offset, strlen(d->rest),
                 rk_arena_printf(s->unit->arena, "\"%s\"", path));
}

/* Names. */

static unsigned kind_of(const rk_tokens *t, size_t i)
{
    if (i >= t->count || t->items[i].kind != RK_TOKEN_NAME)
        return 0;
    return rk_cuda_find_text(RK_IN_CUB, t->text + t->items[i].offset, t->items[i].length)->is &
           (RK_IS_COLLECTIVE | RK_IS_OPERAND);
}

/** Whether the token is the `cub` of `cub::Name`. */
static bool is_qualifier(const search *s, const rk_tokens *t, size_t i)
{
    return rk_token_is(t, i, s->library) && rk_token_is(t, i + 1, "::") && i + 2 < t->count &&
           t->items[i + 2].kind == RK_TOKEN_NAME;
}

static bool is_using(const search *s, const rk_tokens *t, size_t i)
{
    return rk_token_is(t, i, s->library) && rk_token_is(t, i + 1, ";") && i >= 2 &&
           (rk_token_is(t, i - 1, "namespace") ||
            (rk_token_is(t, i - 1, "::") &&
             (rk_token_is(t, i - 2, "namespace") || rk_token_is(t, i - 3, "namespace"))));
}

static void look_at_names(search *s, const rk_tokens *t)
{
    for (size_t i = 0; i < t->count; i++) {
        if (is_qualifier(s, t, i)) {
            const unsigned kind = kind_of(t, i + 2);
            s->names |= kind == RK_IS_COLLECTIVE;
            s->whole |= kind == 0;
        } else if (is_using(s, t, i)) {
            s->opened = s->whole = true;
        } else if (rk_token_is(t, i, s->library)) {
            s->whole |= rk_token_is(t, i + 1, "{") ||
                        rk_token_is(t, i + 1, "="); /* its own, or another name */
        }
    }
}

/** Names that stand alone, behind a using-directive for all of CUB. */
static void look_at_open_names(search *s, const rk_tokens *t)
{
    for (size_t i = 0; s->opened && i < t->count; i++)
        s->names |= kind_of(t, i) == RK_IS_COLLECTIVE && rk_token_is(t, i + 1, "<");
}

/** Where the name that the token `i` is part of begins, with all its qualifiers but a leading `::`. */
static size_t chain_begin(const rk_tokens *t, size_t i)
{
    while (i >= 2 && rk_token_is(t, i - 1, "::") && t->items[i - 2].kind == RK_TOKEN_NAME &&
           t->items[i - 2].offset + t->items[i - 2].length == t->items[i - 1].offset)
        i -= 2;
    return i;
}

static bool stands_in(const search *s, unsigned kind)
{
    return kind == RK_IS_COLLECTIVE || (kind && !s->whole);
}

static void edit_names(const search *s, rk_edits *edits, const rk_tokens *t, size_t shift)
{
    for (size_t i = 0; i < t->count; i++) {
        if (is_qualifier(s, t, i) && stands_in(s, kind_of(t, i + 2))) {
            const size_t begin = t->items[chain_begin(t, i)].offset;
            rk_edits_add(edits, shift + begin, t->items[i].offset + t->items[i].length - begin,
                         OURS);
        } else if (s->opened && kind_of(t, i) == RK_IS_COLLECTIVE && rk_token_is(t, i + 1, "<") &&
                   (i == 0 || (!rk_token_is(t, i - 1, "::") && !rk_token_is(t, i - 1, ".")))) {
            rk_edits_insert(edits, shift + t->items[i].offset, 0, OURS "::");
        }
    }
}

/* Files. */

/** Both of what a file has outside of directives and in the texts of its macros. */
static void look_at_file(search *s, const rk_source_file *file, bool alone)
{
    const rk_tokens *t = &file->tokens;
    (alone ? look_at_open_names : look_at_names)(s, t);
    for (size_t i = 0; i < t->count; i++) {
        if (t->items[i].kind != RK_TOKEN_DIRECTIVE)
            continue;
        const rk_directive d = rk_directive_of(t, i, s->unit->arena);
        const rk_tokens inside =
            rk_lex_directive(t->text + t->items[i].offset, t->items[i].length, s->unit->arena);
        if (strcmp(d.name, "include") == 0)
            look_at_include(s, &d);
        else if (strcmp(d.name, "define") == 0)
            (alone ? look_at_open_names : look_at_names)(s, &inside);
    }
}

static bool edit_file(const search *s, rk_source_file *file)
{
    rk_edits edits = {.arena = s->unit->arena};
    const rk_tokens *t = &file->tokens;
    edit_names(s, &edits, t, 0);
    for (size_t i = 0; i < t->count; i++) {
        if (t->items[i].kind != RK_TOKEN_DIRECTIVE)
            continue;
        const rk_directive d = rk_directive_of(t, i, s->unit->arena);
        const rk_tokens inside =
            rk_lex_directive(t->text + t->items[i].offset, t->items[i].length, s->unit->arena);
        if (strcmp(d.name, "include") == 0)
            edit_include(s, &edits, &d, 0);
        else if (strcmp(d.name, "define") == 0)
            edit_names(s, &edits, &inside, t->items[i].offset);
    }
    return rk_sources_expand(file, &edits);
}

static bool mentions(const rk_source_file *file, const char *word)
{
    return memmem(file->bytes.data, file->bytes.size, word, strlen(word)) != NULL;
}

bool rk_collectives_stand_in(rk_unit *unit)
{
    search s = {.unit = unit, .library = rk_cuda_namespace_of(RK_IN_CUB)->name};
    bool any = false;
    for (size_t i = 0; i < unit->files.count; i++)
        if (rk_str_starts(unit->files.items[i]->path, rk_collectives_folder(unit)))
            return false; /* it was done before */
    for (int alone = 0; alone < 2; alone++)
        for (size_t i = 0; i < unit->files.count; i++)
            if (s.opened || mentions(unit->files.items[i], s.library))
                look_at_file(&s, unit->files.items[i], alone);
    for (size_t i = 0; s.includes && s.names && i < unit->files.count; i++)
        if (s.opened || mentions(unit->files.items[i], s.library))
            any |= edit_file(&s, unit->files.items[i]);
    return any;
}
