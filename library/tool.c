#include "library/tool.h"

#include "base/str.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void rk_tool_progress(const rk_tool *tool, const char *what)
{
    if (tool->progress)
        tool->progress(what);
}

void rk_tool_reads(const rk_tool *tool, const char *path)
{
    if (tool->reads && path)
        tool->reads(path);
}

/** The file that this code was loaded from. */
static const char *own_file(rk_arena *arena)
{
    Dl_info info;
    struct link_map *map = NULL;
    char path[PATH_MAX];
    /* The program itself has no name in the list of what is loaded. */
    const bool shared = dladdr1((const void *)(uintptr_t)rk_tool_home, &info, (void **)&map,
                                RTLD_DL_LINKMAP) &&
                        map && map->l_name && map->l_name[0];
    if (shared)
        return rk_arena_strdup(arena, realpath(map->l_name, path) ? path : map->l_name);
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    return rk_arena_strndup(arena, path, length < 0 ? 0 : (size_t)length);
}

const char *rk_tool_home(rk_arena *arena)
{
    const char *given = getenv("RAMMER_HOME");
    if (given && *given)
        return rk_arena_strdup(arena, given);
    /* lib/<triplet>/librammer.so is three folders below the prefix. */
    enum { MOST_ABOVE = 3 };
    const char *dir = own_file(arena);
    const char *first = NULL;
    for (int i = 0; i < MOST_ABOVE; i++) {
        dir = rk_path_dir(arena, dir);
        const char *home = rk_path_join(arena, dir, "share/rammer");
        if (rk_file_is_dir(rk_path_join(arena, home, "devices")))
            return home;
        first = i == 1 ? home : first;
    }
    return first;
}

const char *rk_tool_share(const rk_tool *tool, const char *name)
{
    return rk_path_join(tool->arena, tool->home ? tool->home : rk_tool_home(tool->arena), name);
}

bool rk_tool_unknown(const rk_tool *tool, const char *kind, const char *name, const char *const *names,
                     size_t count)
{
    const char *near = rk_str_nearest(name, names, count);
    rk_str hint = {.arena = tool->arena};
    if (near)
        rk_str_addf(&hint, "did you mean '%s'?", near);
    for (size_t i = 0; !near && i < count; i++)
        rk_str_addf(&hint, "%s%s", i ? ", " : "there are: ", names[i]);
    return rk_diag_add(tool->diag, RK_ERROR, "RK-U004", (rk_place){0}, hint.text, "unknown %s '%s'",
                       kind, name);
}
