#include "base/str.h"
#include "base/vec.h"
#include "rkernel_lib/catalog/catalog.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "rkconvert_tool.h"

static const char help[] =
    "usage: rkconvert merge <catalog.json>... -o FILE\n"
    "\n"
    "Puts the kernels of several catalogs into one; those that they share have the launches of all. Paths in it\n"
    "start at FILE's folder. Kernels of one name whose sources differ are an error, each with its place.\n"
    "\n"
    "exit: 0; 2 usage or input errors, kernels that do not go together\n";

typedef struct {
    rk_arena *arena;
    rk_diag *diag;
    RK_VEC(const char *) inputs;
    const char *output;
} command;

static bool read_command(command *c, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
            c->output = argv[++i];
        else if (argv[i][0] == '-')
            return rk_diag_add(c->diag, RK_ERROR, "RK-U001", (rk_place){0},
                               "see rkconvert merge --help", "there is no option '%s'", argv[i]);
        else
            *rk_push(c->arena, &c->inputs) = argv[i];
    }
    if (c->inputs.count == 0 || !c->output)
        return rk_diag_add(c->diag, RK_ERROR, "RK-U003", (rk_place){0},
                           "see rkconvert merge --help",
                           "name the catalogs, and with -o where they go");
    return true;
}

/** Reads every catalog before any is merged, so that all that is wrong is told at once. */
static bool merge(command *c)
{
    RK_VEC(const rk_catalog *) all = {0};
    bool ok = rk_file_mkdirs(rk_path_dir(c->arena, c->output), c->diag);
    for (size_t i = 0; i < c->inputs.count; i++) {
        const rk_catalog *catalog = rk_catalog_read(c->inputs.items[i], c->arena, c->diag);
        ok &= catalog != NULL;
        *rk_push(c->arena, &all) = catalog;
    }
    const rk_catalog empty = {.folder = rk_path_dir(c->arena, c->output)};
    const rk_catalog *merged = &empty;
    for (size_t i = 0; ok && i < all.count; i++) {
        const rk_catalog *more = rk_catalog_merge(merged, all.items[i], c->arena, c->diag);
        ok = more != NULL;
        merged = more;
    }
    return ok && rk_catalog_write(merged, c->output, c->arena, c->diag);
}

int rk_tool_merge(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        fputs(help, stdout);
        return 0;
    }
    rk_arena *arena = rk_arena_new();
    command c = {.arena = arena, .diag = rk_diag_new(arena)};
    const bool ok = read_command(&c, argc, argv) && merge(&c);
    rk_diag_print(c.diag, 0, stderr, isatty(STDERR_FILENO));
    rk_arena_free(arena);
    return ok ? 0 : 2;
}
