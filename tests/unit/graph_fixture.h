#ifndef RK_TESTS_GRAPH_FIXTURE_H
#define RK_TESTS_GRAPH_FIXTURE_H

#include "base/file.h"
#include "sched/ops/op.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* What the tests of graphs and ops share: an arena, diagnostics and a folder for each test. */

static rk_arena *arena;
static rk_diag *diag;
static const char *folder;

static inline void fixture_setup(void)
{
    arena = rk_arena_new();
    diag = rk_diag_new(arena);
    folder = rk_file_temporary("rammer_graph", arena, diag);
    cr_assert(folder);
}

static inline void fixture_teardown(void)
{
    rk_file_remove(folder, diag);
    rk_arena_free(arena);
}

static inline char *in_folder(const char *name)
{
    return rk_path_join(arena, folder, name);
}

/** A shape, as two arguments. */
#define SHAPE(...)                                                                                 \
    ((int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))), (const int64_t[])           \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define SCALAR 0, NULL

/** A list of ids, as two arguments. */
#define IDS(...) (const rk_id[]){__VA_ARGS__}, sizeof((const rk_id[]){__VA_ARGS__}) / sizeof(rk_id)

static inline size_t count_code(const char *code)
{
    size_t n = 0;
    for (size_t i = 0; i < rk_diag_count(diag); i++)
        n += strcmp(rk_diag_at(diag, i)->code, code) == 0;
    return n;
}

static inline const char *said(size_t i)
{
    return i < rk_diag_count(diag) ? rk_diag_at(diag, i)->message : "(nothing)";
}

/** Exactly one diagnostic, of that code. */
static inline void expect_only(const char *code)
{
    for (size_t i = 0; i < rk_diag_count(diag); i++)
        cr_expect_str_eq(rk_diag_at(diag, i)->code, code, "%s: %s", rk_diag_at(diag, i)->code,
                         said(i));
    cr_expect_eq(rk_diag_count(diag), 1, "%zu diagnostics, the first: %s", rk_diag_count(diag),
                 said(0));
}

#endif
