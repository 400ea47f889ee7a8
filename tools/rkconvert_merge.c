#include "base/str.h"
#include "base/vec.h"
#include "convert/run/database_internal.h"
#include "rkernel_lib/catalog/catalog.h"
#include "rkernel_lib/catalog/files.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "rkconvert_tool.h"

static const char help[] =
    "usage: rkconvert merge <catalog.json | @FILE>... -o FILE\n"
    "\n"
    "Puts the kernels of several catalogs into one; those that they share have the launches of all. The files of a\n"
    "catalog that is not in FILE's folder are copied there, into a folder with a hash in its name. Kernels of\n"
    "one name whose sources differ are told apart: k@a.cu, k@b.cu. @FILE stands for the names in it.\n"
    "\n"
    "exit: 0; 2 usage or input errors\n";

typedef struct {
    rk_arena *arena;
    rk_diag *diag;
    RK_VEC(const char *) inputs;
    const char *output;
} command;

/** Adds a catalog, or those that the file behind an @ names. */
static bool add_input(command *c, const char *name)
{
    rk_bytes text;
    rk_shell_words words = {0};
    if (name[0] != '@') {
        *rk_push(c->arena, &c->inputs) = name;
        return true;
    }
    if (!rk_file_read(&text, name + 1, c->arena, c->diag))
        return false;
    rk_shell_split(&words, text.data, false, c->arena);
    for (size_t i = 0; i < words.count; i++)
        *rk_push(c->arena, &c->inputs) = words.items[i];
    return true;
}

static bool read_command(command *c, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
            c->output = argv[++i];
        else if (argv[i][0] == '-')
            return rk_diag_add(c->diag, RK_ERROR, "RK-U001", (rk_place){0},
                               "see rkconvert merge --help", "there is no option '%s'", argv[i]);
        else if (!add_input(c, argv[i]))
            return false;
    }
    if (c->inputs.count == 0 || !c->output)
        return rk_diag_add(c->diag, RK_ERROR, "RK-U003", (rk_place){0},
                           "see rkconvert merge --help",
                           "name the catalogs, and with -o where they go");
    return true;
}

typedef RK_VEC(const rk_catalog *) catalog_vec;

/** All in one, as if each lay in `folder`; NULL where they do not go together. */
static const rk_catalog *join(command *c, const char *folder, const catalog_vec *all)
{
    rk_catalog *empty = RK_NEW(c->arena, rk_catalog);
    empty->folder = folder;
    const rk_catalog *joined = empty;
    for (size_t i = 0; joined && i < all->count; i++)
        joined = rk_catalog_merge(joined, all->items[i], c->arena, c->diag);
    return joined;
}

/** Whether the catalogs go together, wherever they lie. */
static bool check(command *c, const char *folder, const catalog_vec *all)
{
    catalog_vec moved = {0};
    for (size_t i = 0; i < all->count; i++) {
        rk_catalog *copy = rk_arena_copy(c->arena, all->items[i], sizeof *copy);
        copy->folder = folder;
        *rk_push(c->arena, &moved) = copy;
    }
    return join(c, folder, &moved) != NULL;
}

/**
 * A copy of a catalog that lies elsewhere, with the files that it needs, in a folder of `folder` with a name that the
 * same catalog has again. NULL on failure.
 */
static const rk_catalog *adopt(command *c, const char *folder, const rk_catalog *catalog)
{
    char real[PATH_MAX];
    const char *from = realpath(catalog->folder, real) ? rk_path_base(real) : "catalog";
    const char *name = rk_arena_printf(c->arena, "%s-%016" PRIx64, from, catalog->hash);
    rk_folder copies;
    if (!rk_folder_begin(&copies, rk_path_join(c->arena, folder, name), c->arena, c->diag))
        return NULL;
    if (!rk_catalog_copy_files(catalog, copies.temporary, c->arena, c->diag)) {
        rk_folder_abandon(&copies, c->diag);
        return NULL;
    }
    rk_catalog *copy = rk_arena_copy(c->arena, catalog, sizeof *copy);
    copy->folder = copies.path;
    return rk_folder_commit(&copies, c->arena, c->diag) ? copy : NULL;
}

/** Reads every catalog before any is merged, so that all that is wrong is told at once. */
static bool merge(command *c)
{
    catalog_vec all = {0};
    const char *folder = rk_path_dir(c->arena, c->output);
    bool ok = rk_file_mkdirs(folder, c->diag);
    for (size_t i = 0; i < c->inputs.count; i++) {
        const rk_catalog *catalog = rk_catalog_read(c->inputs.items[i], c->arena, c->diag);
        ok &= catalog != NULL;
        *rk_push(c->arena, &all) = catalog;
    }
    ok = ok && check(c, folder, &all);
    for (size_t i = 0; ok && i < all.count; i++) {
        if (!rk_catalog_is_below(all.items[i], folder))
            all.items[i] = adopt(c, folder, all.items[i]);
        ok = all.items[i] != NULL;
    }
    const rk_catalog *merged = ok ? join(c, folder, &all) : NULL;
    return merged && rk_catalog_write(merged, c->output, c->arena, c->diag);
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
