#include "convert/clang/pch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/** What all of them may take. */
enum { MEGABYTES_KEPT = 512 };

char *rk_pch_path(uint64_t key, rk_arena *arena)
{
    const char *folder = rk_cache_folder(arena);
    if (!folder || !rk_file_mkdirs(folder, rk_diag_new(arena)) || access(folder, W_OK) != 0)
        return NULL;
    return rk_arena_printf(arena, "%s/parse-%016" PRIx64 ".pch", folder, key);
}

rk_pch_state rk_pch_look(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return RK_PCH_NONE;
    const struct timespec times[] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_OMIT}};
    utimensat(AT_FDCWD, path, times, 0); /* clang looks at when it was written */
    return status.st_size ? RK_PCH_GOOD : RK_PCH_IMPOSSIBLE;
}

/** In a process that ends with it: nothing is given back. */
static bool build_here(const char *path, const char *source, const rk_clang_args *args,
                       bool (*fits)(CXTranslationUnit, const rk_unit *), const rk_unit *user,
                       rk_arena *arena)
{
    char *partial = rk_arena_printf(arena, "%s.%jd", path, (intmax_t)getpid());
    CXIndex index = clang_createIndex(0, 0);
    CXTranslationUnit unit = NULL;
    bool ok =
        clang_parseTranslationUnit2(index, source, args->items, (int)args->count, NULL, 0,
                                    CXTranslationUnit_ForSerialization, &unit) == CXError_Success;
    for (unsigned i = 0; ok && i < clang_getNumDiagnostics(unit); i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
        ok = clang_getDiagnosticSeverity(diagnostic) < CXDiagnostic_Error;
        clang_disposeDiagnostic(diagnostic);
    }
    ok = ok && (!fits || fits(unit, user)) &&
         clang_saveTranslationUnit(unit, partial, 0) == CXSaveError_None && rename(partial, path) == 0;
    if (!ok)
        unlink(partial);
    return ok;
}

bool rk_pch_build(const char *path, const char *source, const rk_clang_args *args,
                  bool (*fits)(CXTranslationUnit, const rk_unit *), const rk_unit *unit,
                  rk_arena *arena)
{
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0)
        _exit(build_here(path, source, args, fits, unit, arena) ? 0 : 1);
    int status = 1;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return pid > 0 && status == 0;
}

/** A file of the cache. */
typedef struct {
    const char *path;
    size_t size;
    time_t used;
} kept;

static int by_use(const void *a, const void *b)
{
    const kept *x = a, *y = b;
    return x->used != y->used ? (x->used > y->used ? -1 : 1) : strcmp(x->path, y->path);
}

/** Whether the name is of what a process that is no more was writing. */
static bool is_left(const char *name)
{
    const char *mark = strstr(name, ".pch.");
    return mark && kill((pid_t)strtol(mark + strlen(".pch."), NULL, 10), 0) != 0 && errno == ESRCH;
}

void rk_pch_prune(rk_arena *arena)
{
    char **names;
    size_t count, size = 0;
    const char *folder = rk_cache_folder(arena);
    if (!folder || !rk_file_list(&names, &count, folder, NULL, arena, rk_diag_new(arena)))
        return;
    RK_VEC(kept) all = {0};
    for (size_t i = 0; i < count; i++) {
        const char *path = rk_path_join(arena, folder, names[i]);
        struct stat status;
        if (!rk_str_starts(names[i], "parse-"))
            continue;
        if (is_left(names[i]))
            unlink(path);
        else if (rk_str_ends(path, ".pch") && stat(path, &status) == 0)
            *rk_push(arena, &all) = (kept){path, (size_t)status.st_size, status.st_atime};
    }
    if (all.count)
        qsort(all.items, all.count, sizeof *all.items, by_use);
    for (size_t i = 0; i < all.count; i++) {
        size += all.items[i].size;
        if (size >> 20 < MEGABYTES_KEPT)
            continue;
        const size_t stem = strlen(all.items[i].path) - strlen(".pch");
        unlink(all.items[i].path);
        unlink(rk_arena_printf(arena, "%.*s.h", (int)stem, all.items[i].path));
    }
}

const char *rk_cache_folder(rk_arena *arena)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    if (cache && *cache)
        return rk_path_join(arena, cache, "rammer");
    return home && *home ? rk_path_join(arena, home, ".cache/rammer") : NULL;
}

void rk_pch_close(const char *path, bool fresh)
{
    if (path && (fresh || !rk_str_ends(path, ".pch")))
        unlink(path);
}
