#ifndef RK_FOLDER_FIXTURE_H
#define RK_FOLDER_FIXTURE_H

#include "base/file.h"

#include <criterion/criterion.h>

/** What a suite that writes files has: TestSuite(name, .init = folder_setup, .fini = folder_teardown). */
static rk_arena *arena;
static rk_diag *diag;
static const char *folder;

static void folder_setup(void)
{
    arena = rk_arena_new();
    diag = rk_diag_new(arena);
    folder = rk_file_temporary("rammer_unit", arena, diag);
    cr_assert(folder);
}

static void folder_teardown(void)
{
    rk_file_remove(folder, diag);
    rk_arena_free(arena);
}

#endif
