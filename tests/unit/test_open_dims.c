#include "base/file.h"
#include "sched/model/model.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** n = 1..64 unless it is bound, through operators whose shapes follow. */
static rk_graph *read_layer(int64_t least, int64_t most, const char *more, rk_diag **diag)
{
    char text[2000];
    snprintf(
        text, sizeof text,
        "{\"schema\": \"rammer.graph/1\", \"tensors\": {"
        "\"x\": {\"dtype\": \"f32\", \"shape\": [\"n\", 8]},"
        "\"q\": {\"dtype\": \"f32\", \"shape\": [%s, 8]},"
        "\"w\": {\"dtype\": \"f32\", \"shape\": [8, 8]},"
        "\"a\": {}, \"t\": {}, \"s\": {}, \"p\": {}, \"y\": {}, \"z\": {}},"
        "\"nodes\": ["
        "{\"name\": \"N1\", \"op\": \"MatMul\", \"inputs\": [\"x\", \"w\"], \"outputs\": [\"a\"]},"
        "{\"name\": \"N2\", \"op\": \"Transpose\", \"inputs\": [\"x\"], \"outputs\": [\"t\"]},"
        "{\"name\": \"N3\", \"op\": \"MatMul\", \"inputs\": [\"a\", \"t\"], \"outputs\": [\"s\"]},"
        "{\"name\": \"N4\", \"op\": \"Softmax\", \"inputs\": [\"s\"], \"outputs\": [\"p\"]},"
        "{\"name\": \"N5\", \"op\": \"MatMul\", \"inputs\": [\"p\", \"a\"], \"outputs\": [\"y\"]},"
        "{\"name\": \"N6\", \"op\": \"Add\", \"inputs\": [\"y\", \"q\"], \"outputs\": [\"z\"]}],"
        "\"inputs\": [\"x\", \"q\", \"w\"], \"outputs\": [\"z\"]}",
        more);
    const rk_binding_dim n = {"n", least, most};
    rk_arena *arena = rk_arena_new();
    *diag = rk_diag_new(arena);
    const char *path = rk_arena_printf(arena, "%s/open.%d.json", getenv("TMPDIR"), (int)getpid());
    cr_assert(rk_file_write(path, text, strlen(text), *diag));
    rk_graph *graph = rk_graph_read(path, &n, 1, arena, *diag);
    unlink(path);
    return graph;
}

Test(open_dims, shapes_are_inferred_once_and_hold_at_each_value)
{
    rk_diag *diag;
    rk_graph *open = read_layer(1, 64, "\"n\"", &diag);
    cr_assert(open);
    cr_expect(rk_graph_is_open(open));
    cr_expect_eq(open->checks->count, 0);
    const rk_tensor *s = &open->tensors[rk_graph_find_tensor(open, "s")];
    cr_expect_str_eq(rk_sym_text(rk_tensor_size(open, s), open->arena), "n*n");
    cr_expect_eq(s->open[0], s->open[1], "equal extents are one expression");
    cr_expect_eq(s->shape[0], 64);
    for (int64_t n = 1; n <= 64; n++) {
        rk_diag *other;
        rk_graph *bound = read_layer(n, n, "\"n\"", &other);
        rk_graph *at = rk_graph_at(open, &n, open->arena, diag);
        cr_assert(bound && at);
        cr_expect_not(rk_graph_is_open(bound) || rk_graph_is_open(at));
        for (rk_id t = 0; t < at->tensor_count; t++) {
            const rk_tensor *a = &at->tensors[t];
            const rk_tensor *b = &bound->tensors[t];
            cr_assert(a->rank == b->rank &&
                          memcmp(a->shape, b->shape, sizeof(int64_t) * (size_t)a->rank) == 0,
                      "%s at n=%lld", a->name, (long long)n);
        }
        rk_arena_free(bound->arena);
    }
    int64_t n = 65;
    cr_expect_null(rk_graph_at(open, &n, open->arena, diag));
    cr_expect_str_eq(rk_diag_at(diag, 0)->message,
                     "the dimension 'n' is 65, and the model is built for 1 to 64");
    rk_arena_free(open->arena);
}

Test(open_dims, what_is_not_decided_is_checked_in_each_run)
{
    rk_diag *diag;
    rk_graph *open = read_layer(1, 64, "48", &diag);
    cr_assert(open);
    cr_assert_eq(open->checks->count, 1);
    int64_t n = 48;
    cr_expect(rk_graph_at(open, &n, open->arena, diag));
    n = 47;
    cr_expect_null(rk_graph_at(open, &n, open->arena, diag));
    cr_expect_str_eq(rk_diag_at(diag, 0)->message,
                     "the extents n and 48 must be the same, and are 47 and 48");
    rk_arena_free(open->arena);
    cr_expect_null(read_layer(1, 64, "65", &diag), "never the same");
    cr_expect_null(read_layer(1, 64, "\"n + 1\"", &diag), "never the same");
    open = read_layer(2, 64, "\"2*n - n\"", &diag);
    cr_assert(open);
    cr_expect_eq(open->checks->count, 0, "one form");
    rk_arena_free(open->arena);
}
