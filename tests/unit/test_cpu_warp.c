#include "rkernel_lib/runtime/cpu/block.h"

#include <criterion/criterion.h>
#include <string.h>

/* Warp operations against results worked out from the CUDA programming guide's definitions. */

enum { WARP = 32, MOST = 128 };
#define FULL UINT32_C(0xffffffff)

/** What each thread does: its operation, or a return before it. */
typedef struct {
    rk_cpu_block *block;
    rk_cpu_warp_op ops[MOST];
    bool returns[MOST];
} fixture;

static fixture f;

static void setup(void)
{
    memset(&f, 0, sizeof f);
    f.block = rk_cpu_block_new();
    cr_assert(f.block);
}

static void teardown(void)
{
    rk_cpu_block_free(f.block);
}

static void thread_main(void *user, uint32_t thread)
{
    (void)user;
    if (!f.returns[thread])
        rk_cpu_block_warp(f.block, &f.ops[thread]);
}

static void run(uint32_t threads)
{
    cr_assert(rk_cpu_block_run(f.block, threads, thread_main, NULL), "%s",
              rk_cpu_block_fault(f.block));
}

static void set_all(rk_cpu_warp_op op)
{
    for (uint32_t t = 0; t < MOST; t++) {
        f.ops[t] = op;
        f.ops[t].value = UINT64_C(0x100000000) * (t + 1) + 7 * t;
    }
}

/** Whether lane `lane` of `thread`'s warp takes part. */
static bool takes_part(uint32_t thread, int lane, uint32_t threads, uint32_t mask)
{
    if (lane < 0 || lane >= WARP)
        return false;
    uint32_t other = thread / WARP * WARP + (uint32_t)lane;
    return other < threads && !f.returns[other] && (mask >> lane & 1);
}

/** The guide's words on each shuffle: the lane it reads; its own when the source is out of range. */
static int guide_source(uint32_t kind, int lane, int argument, int width)
{
    int segment = lane / width * width;
    int source = lane;
    switch (kind) {
    case RK_CPU_SHFL:
        source = segment + (argument % width + width) % width;
        break;
    case RK_CPU_SHFL_UP:
        source = lane - argument < segment ? lane : lane - argument;
        break;
    case RK_CPU_SHFL_DOWN:
        source = lane + argument >= segment + width ? lane : lane + argument;
        break;
    case RK_CPU_SHFL_XOR:
        source = (lane ^ argument) >= segment + width ? lane : lane ^ argument;
        break;
    }
    return source;
}

static void check_shuffle(uint32_t kind, uint32_t threads, int argument, int width)
{
    set_all((rk_cpu_warp_op){.kind = kind, .mask = FULL, .lane = (uint32_t)argument,
                             .width = (uint32_t)width});
    run(threads);
    for (uint32_t t = 0; t < threads; t++) {
        if (f.returns[t])
            continue;
        int source = guide_source(kind, (int)(t % WARP), argument, width);
        if (!takes_part(t, source, threads, FULL))
            source = (int)(t % WARP);
        uint64_t expected = f.ops[t / WARP * WARP + (uint32_t)source].value;
        cr_assert_eq(f.ops[t].result, expected, "%u: kind %u, argument %d, width %d", t, kind,
                     argument, width);
    }
}

static const uint32_t sizes[] = {1, 17, 32, 33, 48, 100, 128};

Test(cpu_warp, shuffles, .init = setup, .fini = teardown)
{
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (int width = 1; width <= WARP; width *= 2) {
            for (int a = 0; a < WARP; a += sizes[s] == 32 ? 1 : 5) {
                check_shuffle(RK_CPU_SHFL, sizes[s], a, width);
                check_shuffle(RK_CPU_SHFL_UP, sizes[s], a, width);
                check_shuffle(RK_CPU_SHFL_DOWN, sizes[s], a, width);
                check_shuffle(RK_CPU_SHFL_XOR, sizes[s], a, width);
            }
            check_shuffle(RK_CPU_SHFL, sizes[s], 35, width);
            check_shuffle(RK_CPU_SHFL, sizes[s], -1, width);
        }
    }
}

Test(cpu_warp, shuffles_among_lanes_that_are_left, .init = setup, .fini = teardown)
{
    for (uint32_t t = 0; t < MOST; t++)
        f.returns[t] = t % 3 == 1 || t / WARP == 2;
    for (int a = 0; a < WARP; a++) {
        check_shuffle(RK_CPU_SHFL_DOWN, 128, a, 32);
        check_shuffle(RK_CPU_SHFL_XOR, 100, a, 16);
    }
}

Test(cpu_warp, lanes_read_different_sources, .init = setup, .fini = teardown)
{
    set_all((rk_cpu_warp_op){.kind = RK_CPU_SHFL, .mask = FULL, .width = 32});
    for (uint32_t t = 0; t < WARP; t++)
        f.ops[t].lane = 31 - t;
    run(WARP);
    for (uint32_t t = 0; t < WARP; t++)
        cr_assert_eq(f.ops[t].result, f.ops[31 - t].value);
}

Test(cpu_warp, groups_of_one_warp_are_apart, .init = setup, .fini = teardown)
{
    set_all((rk_cpu_warp_op){.kind = RK_CPU_SHFL_XOR, .lane = 2, .width = 32});
    for (uint32_t t = 0; t < WARP; t++) {
        f.ops[t].mask = t % 2 ? 0xaaaaaaaa : 0x55555555;
        if (t % 2)
            f.ops[t].kind = RK_CPU_BALLOT;
        if (t % 2)
            f.ops[t].value = t % 4 == 3;
    }
    run(WARP);
    for (uint32_t t = 0; t < WARP; t++)
        cr_assert_eq(f.ops[t].result, t % 2 ? 0x88888888 : f.ops[t ^ 2].value);
}

static void check_votes(uint32_t threads, uint32_t mask, uint32_t yes)
{
    static const uint32_t kinds[] = {RK_CPU_BALLOT, RK_CPU_ANY, RK_CPU_ALL};
    for (size_t k = 0; k < 3; k++) {
        for (uint32_t t = 0; t < MOST; t++) {
            f.ops[t] = (rk_cpu_warp_op){.kind = kinds[k], .mask = mask,
                                        .value = (yes >> t % WARP & 1) * 2};
            f.returns[t] = f.returns[t] || !(mask >> t % WARP & 1);
        }
        run(threads);
        for (uint32_t t = 0; t < threads; t++) {
            uint32_t there = 0;
            for (int lane = 0; lane < WARP; lane++)
                there |= takes_part(t, lane, threads, mask) ? UINT32_C(1) << lane : 0;
            uint32_t expected[] = {yes & there, (yes & there) != 0, (yes & there) == there};
            if (!f.returns[t])
                cr_assert_eq(f.ops[t].result, expected[k], "%u: vote %zu, %08x", t, k, yes);
        }
    }
}

Test(cpu_warp, votes, .init = setup, .fini = teardown)
{
    static const uint32_t patterns[] = {0, FULL, 1, 0x80000000, 0x0f0f3c01, 0x7fffffff};
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            memset(f.returns, 0, sizeof f.returns);
            check_votes(sizes[s], FULL, patterns[p]);
            check_votes(sizes[s], 0x00ffff01, patterns[p]);
        }
    }
}

Test(cpu_warp, match, .init = setup, .fini = teardown)
{
    for (uint32_t t = 0; t < MOST; t++)
        f.ops[t] = (rk_cpu_warp_op){.kind = RK_CPU_MATCH_ANY, .mask = FULL, .value = t % 5};
    f.returns[10] = true;
    run(48);
    for (uint32_t t = 0; t < 48; t++) {
        uint32_t expected = 0;
        for (uint32_t other = t / WARP * WARP; other < 48 && other / WARP == t / WARP; other++)
            expected |= other % 5 == t % 5 && other != 10 ? UINT32_C(1) << other % WARP : 0;
        if (t != 10)
            cr_assert_eq(f.ops[t].result, expected);
    }

    for (uint32_t t = 0; t < MOST; t++)
        f.ops[t] = (rk_cpu_warp_op){.kind = RK_CPU_MATCH_ALL, .mask = FULL,
                                    .value = t < WARP ? 9 : t};
    run(48);
    for (uint32_t t = 0; t < 48; t++) {
        if (t == 10)
            continue;
        cr_assert_eq(f.ops[t].all, t < WARP);
        cr_assert_eq(f.ops[t].result, t < WARP ? FULL & ~(UINT32_C(1) << 10) : 0);
    }
}

static void check_reduce(uint32_t kind, uint32_t threads, uint32_t expected)
{
    for (uint32_t t = 0; t < threads; t++) {
        f.ops[t] = (rk_cpu_warp_op){.kind = kind, .mask = FULL,
                                    .value = (uint32_t)(int32_t)(t * 3) - 5};
    }
    run(threads);
    for (uint32_t t = 0; t < threads; t++)
        cr_assert_eq(f.ops[t].result, expected, "kind %u: %llx", kind,
                     (unsigned long long)f.ops[t].result);
}

/* Values are -5, -2, 1, 4, ..., 3 * (n - 1) - 5. */
Test(cpu_warp, reductions, .init = setup, .fini = teardown)
{
    check_reduce(RK_CPU_REDUCE_ADD, 32, 3 * 496 - 5 * 32);
    check_reduce(RK_CPU_REDUCE_ADD, 2, (uint32_t)-7);
    check_reduce(RK_CPU_REDUCE_IMIN, 20, (uint32_t)-5);
    check_reduce(RK_CPU_REDUCE_IMAX, 20, 52);
    check_reduce(RK_CPU_REDUCE_MIN, 20, 1);
    check_reduce(RK_CPU_REDUCE_MAX, 20, (uint32_t)-2);
    check_reduce(RK_CPU_REDUCE_AND, 2, (uint32_t)-6);
    check_reduce(RK_CPU_REDUCE_OR, 2, (uint32_t)-1);
    check_reduce(RK_CPU_REDUCE_XOR, 3, (uint32_t)(-5 ^ -2 ^ 1));
    check_reduce(RK_CPU_REDUCE_ADD, 1, (uint32_t)-5);
}

Test(cpu_warp, active_mask_is_those_of_the_same_call, .init = setup, .fini = teardown)
{
    for (uint32_t t = 0; t < MOST; t++)
        f.ops[t] = (rk_cpu_warp_op){.kind = RK_CPU_ACTIVEMASK, .mask = FULL, .value = t % 4 == 0};
    f.returns[8] = true;
    run(40);
    for (uint32_t t = 0; t < 40; t++) {
        uint32_t expected = t % 4 ? 0xeeeeeeee : 0x11111111;
        expected &= t < WARP ? ~(UINT32_C(1) << 8) : 0xff;
        if (t != 8)
            cr_assert_eq(f.ops[t].result, expected, "%u: %llx", t,
                         (unsigned long long)f.ops[t].result);
    }
}

static uint32_t order[2 * WARP], order_count;

static void warp_then_block(void *user, uint32_t thread)
{
    (void)user;
    rk_cpu_warp_op op = {.kind = RK_CPU_SYNCWARP, .mask = FULL};
    rk_cpu_block_warp(f.block, &op);
    order[order_count++] = thread;
}

Test(cpu_warp, syncwarp_waits_for_its_warp_only, .init = setup, .fini = teardown)
{
    cr_assert(rk_cpu_block_run(f.block, 2 * WARP, warp_then_block, NULL));
    cr_assert_eq(order_count, 2 * WARP);
    for (uint32_t i = 0; i < WARP; i++)
        cr_assert_lt(order[i], WARP);
}
