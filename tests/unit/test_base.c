#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/vec.h"

#include <stddef.h>
#include <stdint.h>

#include <criterion/criterion.h>
#include <string.h>

static rk_arena *arena;
static rk_diag *diag;

static void setup(void)
{
    arena = rk_arena_new();
    diag = rk_diag_new(arena);
}

static void teardown(void)
{
    rk_arena_free(arena);
}

TestSuite(base, .init = setup, .fini = teardown);

Test(base, arena_memory_is_zeroed_and_aligned)
{
    for (size_t size = 1; size < 5000; size = size * 3 + 1) {
        unsigned char *p = rk_arena_alloc(arena, size);
        cr_assert_eq((uintptr_t)p % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++)
            cr_assert_eq(p[i], 0);
        memset(p, 0xff, size);
    }
    rk_arena_reset(arena);
    unsigned char *again = rk_arena_alloc(arena, 4000);
    for (size_t i = 0; i < 4000; i++)
        cr_assert_eq(again[i], 0, "byte %zu is stale after a reset", i);
}

Test(base, vec_keeps_items_as_it_grows)
{
    RK_VEC(int) v = {0};
    for (int i = 0; i < 1000; i++)
        *rk_push(arena, &v) = i;
    cr_assert_eq(v.count, 1000);
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(v.items[i], i);
}
