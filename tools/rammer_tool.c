#include "rammer.h"

#include "base/file.h"
#include "base/str.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void rk_tool_progress(const rk_tool *tool, const char *what)
{
    if (tool->progress)
        fprintf(stderr, "\r\033[K%s%s", what ? what : "", what ? " ..." : "");
}

const char *rk_tool_share(const rk_tool *tool, const char *name)
{
    const char *home = getenv("RAMMER_HOME");
    if (!home || !*home) {
        char self[PATH_MAX];
        ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
        self[length < 0 ? 0 : length] = '\0';
        char *bin = rk_path_dir(tool->arena, self);
        home = rk_path_join(tool->arena, rk_path_dir(tool->arena, bin), "share/rammer");
    }
    return rk_path_join(tool->arena, home, name);
}

/** Whether a folder may be replaced: it is empty, or holds what `rammer` leaves in its own. */
static bool replaceable(const char *dir, rk_tool *tool)
{
    char **names;
    size_t count;
    if (!rk_file_list(&names, &count, dir, NULL, tool->arena, tool->diag))
        return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], "rammer.json") == 0)
            return true;
    return count == 0 || rk_diag_add(tool->diag, RK_ERROR, "RK-U005", rk_place_file(dir),
                                     "name a new folder, or remove this one yourself",
                                     "the folder holds files that rammer did not write");
}

bool rk_output_begin(rk_folder *out, const char *dir, rk_tool *tool)
{
    if (rk_file_is_dir(dir) && !replaceable(dir, tool))
        return false;
    return rk_folder_begin(out, dir, tool->arena, tool->diag);
}

void rk_grid_add(rk_grid *grid, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = rk_arena_alloc(grid->arena, (size_t)(length < 0 ? 0 : length) + 1);
    va_start(args, format);
    vsnprintf(text, (size_t)(length < 0 ? 0 : length) + 1, format, args);
    va_end(args);
    *rk_push(grid->arena, &grid->cells) = text;
}

void rk_grid_print(const rk_grid *grid)
{
    size_t columns = strlen(grid->align);
    int *width = RK_NEW_ARRAY(grid->arena, int, columns);
    for (size_t i = 0; i < grid->cells.count; i++) {
        int length = (int)strlen(grid->cells.items[i]);
        if (length > width[i % columns])
            width[i % columns] = length;
    }
    for (size_t i = 0; i < grid->cells.count; i++) {
        size_t c = i % columns;
        bool last = c + 1 == columns;
        if (grid->align[c] == 'r')
            printf("%*s", width[c], grid->cells.items[i]);
        else if (last)
            fputs(grid->cells.items[i], stdout);
        else
            printf("%-*s", width[c], grid->cells.items[i]);
        fputs(last ? "\n" : "  ", stdout);
    }
}
