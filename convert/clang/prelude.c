#include "convert/clang/prelude.h"

#include "convert/clang/arguments.h"
#include "convert/clang/ast.h"
#include "convert/clang/pch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void add_file(rk_str *key, const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0)
        rk_str_addf(key, "\n%s %jd %jd", path, (intmax_t)status.st_size, (intmax_t)status.st_mtime);
}

/** Our own headers: clang does not look whether system headers have changed. */
static void add_headers(rk_str *key, const rk_convert_options *options, rk_arena *arena)
{
    static const char *const folders[] = {".", "builtin", "toolkit", "check", "after"};
    rk_diag *unheard = rk_diag_new(arena);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const char *folder = rk_parse_file(options, folders[i], arena);
        char **names;
        size_t count;
        if (!rk_file_list(&names, &count, folder, ".h", arena, unheard))
            continue;
        for (size_t k = 0; k < count; k++)
            add_file(key, rk_path_join(arena, folder, names[k]));
    }
}

/** What the file depends on, as a number for its name. */
static uint64_t fingerprint(const rk_convert_options *options, const rk_clang_args *args,
                            rk_arena *arena)
{
    rk_str key = {.arena = arena};
    rk_str_add(&key, rk_ast_text(clang_getClangVersion(), arena));
    for (size_t i = 0; i < args->count; i++)
        rk_str_addf(&key, "\n%s", args->items[i]);
    const char *toolkit = rk_parse_toolkit(options, arena);
    add_headers(&key, options, arena);
    if (toolkit)
        add_file(&key, rk_path_join(arena, toolkit, "include/cuda_runtime.h"));
    return rk_hash(rk_str_text(&key), key.length, 0);
}

/** Where the file goes: into the cache, or into a temporary file when there can be none. */
static char *choose_path(uint64_t key, rk_arena *arena)
{
    char *kept = rk_pch_path(key, arena);
    if (kept)
        return kept;
    const char *temporary = getenv("TMPDIR");
    char *path = rk_arena_printf(arena, "%s/rammer-XXXXXX", temporary ? temporary : "/tmp");
    const int file = mkstemp(path);
    if (file < 0)
        return NULL;
    close(file);
    return path;
}

const char *rk_prelude_open(const rk_convert_options *options, rk_arena *arena)
{
    const rk_clang_args args = rk_parse_args(options, true, arena);
    const char *path = choose_path(fingerprint(options, &args, arena), arena);
    if (!path)
        return NULL;
    if (rk_pch_look(path) == RK_PCH_GOOD ||
        rk_pch_build(path, rk_parse_file(options, "prelude.h", arena), &args, NULL, NULL, arena))
        return path;
    rk_pch_close(path, true);
    return NULL;
}
