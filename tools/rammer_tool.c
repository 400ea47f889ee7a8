#include "rammer_commands.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
