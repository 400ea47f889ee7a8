#ifndef RK_TESTS_RANGED_FIXTURE_H
#define RK_TESTS_RANGED_FIXTURE_H

#include "sched/plan/candidate.h"
#include "sched_fixture.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Nodes whose rTasks touch ranges: for tests and benchmarks of what follows from them. */

static const rk_param ranged_parameters[] = {
    {.name = "a", .type = "const float *", .dtype = RK_F32, .pointer = true, .role = RK_ROLE_READ},
    {.name = "b", .type = "const float *", .dtype = RK_F32, .pointer = true, .role = RK_ROLE_READ},
    {.name = "y", .type = "float *", .dtype = RK_F32, .pointer = true, .role = RK_ROLE_WRITTEN}};
static const rk_kernel ranged_kernel = {
    .id = "ranged", .name = "ranged", .params = ranged_parameters, .param_count = 3};

static inline const rk_block_expr *ranged_compile(fixture *f, const char *text)
{
    static const rk_env no_names;
    const rk_expr *e = rk_expr_parse(text, (rk_place){0}, f->arena, f->diag);
    const rk_block_expr *b = e ? rk_block_expr_compile(e, &no_names, f->arena, f->diag) : NULL;
    assert(b);
    return b;
}

/** "4: by, by + 1; 6: 3 * bx, 3 * bx + 3": extents and ranges; "4; 6" for whole dimensions. */
static inline const rk_access *ranged_box(fixture *f, const char *text)
{
    if (!text)
        return NULL;
    rk_access *access = RK_NEW(f->arena, rk_access);
    char *copy = rk_arena_strdup(f->arena, text);
    for (char *next, *dim = copy; dim; dim = next) {
        rk_access_dim *d = &access->dims[access->rank++];
        next = strchr(dim, ';');
        if (next)
            *next++ = '\0';
        d->extent = strtoll(dim, NULL, 10);
        char *range = strchr(dim, ':');
        if (!range)
            continue;
        char *comma = strchr(range, ',');
        *comma = '\0';
        d->first = ranged_compile(f, range + 1);
        d->end = ranged_compile(f, comma + 1);
    }
    return access;
}

/** A node's grid and the ranges of its parameters; NULL: no range. */
typedef struct {
    int64_t grid[3];
    const char *a, *b, *y;
} ranged_shape;

/** A node that reads a and b (RK_NO_ID: none) and writes y. */
static inline rk_id ranged_node(fixture *f, const char *name, rk_id a, rk_id b, rk_id y,
                                ranged_shape s)
{
    rk_id node =
        fixture_node(f, name, a, b, y, (uint32_t)(s.grid[0] * s.grid[1] * s.grid[2]), 1000);
    rk_candidate *c = (rk_candidate *)(uintptr_t)&f->candidates->nodes[node].items[0];
    memcpy(c->grid, s.grid, sizeof c->grid);
    rk_kernel_arg *args = RK_NEW_ARRAY(f->arena, rk_kernel_arg, 3);
    args[0].tensor = a;
    args[1].tensor = b;
    args[2].tensor = y;
    const rk_access **access = RK_NEW_ARRAY(f->arena, const rk_access *, 3);
    access[0] = ranged_box(f, s.a);
    access[1] = ranged_box(f, s.b);
    access[2] = ranged_box(f, s.y);
    c->kernel = &ranged_kernel;
    c->args = args;
    c->access = access;
    return node;
}

#endif
