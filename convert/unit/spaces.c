#include "convert/unit/spaces.h"

#include "base/str.h"
#include "base/vec.h"

#include <string.h>

typedef RK_VEC(const char *) path_vec;

static void add_path(rk_arena *arena, path_vec *paths, const char *path)
{
    for (size_t i = 0; i < paths->count; i++)
        if (strcmp(paths->items[i], path) == 0)
            return;
    *rk_push(arena, paths) = path;
}

/** Reads "a::b" after `namespace`, if its braces come next; returns the index of the `{`, or 0. */
static size_t read_names(const char **path, const rk_tokens *tokens, size_t i, const char *around,
                         path_vec *paths, rk_arena *arena)
{
    *path = around;
    for (; i + 1 < tokens->count && tokens->items[i].kind == RK_TOKEN_NAME; i += 2) {
        const char *name = rk_token_text(tokens, i, arena);
        *path = **path ? rk_arena_printf(arena, "%s::%s", *path, name) : name;
        if (rk_token_is(tokens, i + 1, "{")) {
            add_path(arena, paths, *path);
            return i + 1;
        }
        if (!rk_token_is(tokens, i + 1, "::"))
            return 0;
        add_path(arena, paths, *path);
    }
    return 0;
}

/** The namespaces that a file opens, the outer ones before those in them. */
static void find_spaces(const rk_source_file *file, path_vec *paths, rk_arena *arena)
{
    const rk_tokens *tokens = &file->tokens;
    path_vec open = {0}; /* what each brace is in */
    const char *inside = "";
    for (size_t i = 0; i < tokens->count; i++) {
        if (rk_token_is(tokens, i, "namespace")) {
            const char *path;
            const size_t brace = read_names(&path, tokens, i + 1, inside, paths, arena);
            if (!brace)
                continue;
            *rk_push(arena, &open) = inside;
            inside = path;
            i = brace;
        } else if (rk_token_is(tokens, i, "{")) {
            *rk_push(arena, &open) = inside;
        } else if (rk_token_is(tokens, i, "}") && open.count) {
            inside = open.items[--open.count];
        }
    }
}

static size_t depth_of(const char *path)
{
    size_t depth = 1;
    for (const char *at = strstr(path, "::"); at; at = strstr(at + 2, "::"))
        depth++;
    return depth;
}

/** "namespace a { namespace b { " of "a::b". */
static void open_spaces(rk_str *out, const char *path)
{
    while (path) {
        const char *end = strstr(path, "::");
        const size_t length = end ? (size_t)(end - path) : strlen(path);
        rk_str_addf(out, "namespace %.*s { ", (int)length, path);
        path = end ? end + 2 : NULL;
    }
}

static void close_spaces(rk_str *out, size_t count)
{
    while (count-- > 0)
        rk_str_add(out, "} ");
}

void rk_spaces_find(rk_unit *unit)
{
    path_vec paths = {0};
    for (size_t i = 0; i < unit->files.count; i++)
        find_spaces(unit->files.items[i], &paths, unit->arena);
    for (size_t i = 0; i < paths.count; i++)
        *rk_push(unit->arena, &unit->spaces) = paths.items[i];
}

char *rk_spaces_text(const rk_unit *unit)
{
    rk_str out = {.arena = unit->arena};
    for (size_t i = 0; i < unit->both.count; i++) {
        const char *path = unit->both.items[i];
        open_spaces(&out, path);
        close_spaces(&out, depth_of(path));
        rk_str_addf(&out, "namespace %s { ", unit->space);
        open_spaces(&out, path);
        rk_str_addf(&out, "using namespace ::%s; ", path);
        close_spaces(&out, depth_of(path) + 1);
    }
    if (out.length)
        rk_str_add(&out, "\n");
    return rk_arena_strdup(unit->arena, rk_str_text(&out));
}
