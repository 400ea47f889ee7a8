#include "rkernel_lib/runtime/cpu/veu.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Threads of a block: barriers over the threads that have not returned, and what is said when they can
 * never complete.
 */

enum { MOST = 1024, PHASES = 5 };

typedef struct {
    rk_cpu_block *block;
    uint32_t threads;
    uint32_t phase[MOST];
    uint32_t started[MOST], start_count;
    uint32_t result[PHASES][MOST];
    uint32_t errors;
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

static void meet(void)
{
    rk_cpu_block_barrier(f.block, RK_CPU_BARRIER_PLAIN, 0, "kernel.cu", 7);
}

static bool run(uint32_t threads, rk_cpu_thread thread)
{
    f.threads = threads;
    memset(f.phase, 0, sizeof f.phase);
    return rk_cpu_block_run(f.block, threads, thread, NULL);
}

static const uint32_t sizes[] = {1, 2, 31, 32, 33, 48, 100, 255, 256, 1000, 1024};
#define FOR_SIZES(i) for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)

static void alone(void *user, uint32_t thread)
{
    (void)user;
    f.started[f.start_count++] = thread;
}

Test(cpu_block, threads_start_in_order_once, .init = setup, .fini = teardown)
{
    FOR_SIZES(i) {
        f.start_count = 0;
        cr_assert(run(sizes[i], alone));
        cr_assert_eq(f.start_count, sizes[i]);
        for (uint32_t t = 0; t < sizes[i]; t++)
            cr_assert_eq(f.started[t], t);
    }
}

/** After each barrier every thread has done the phase before it, and none the one after. */
static void phases(void *user, uint32_t thread)
{
    (void)user;
    for (uint32_t p = 1; p <= PHASES; p++) {
        f.phase[thread] = p;
        meet();
        for (uint32_t t = 0; t < f.threads; t++)
            f.errors += f.phase[t] != p;
        meet();
    }
}

Test(cpu_block, barrier_separates_phases, .init = setup, .fini = teardown)
{
    FOR_SIZES(i) {
        cr_assert(run(sizes[i], phases), "%s", rk_cpu_block_fault(f.block));
        cr_assert_eq(f.errors, 0);
        for (uint32_t t = 0; t < sizes[i]; t++)
            cr_assert_eq(f.phase[t], PHASES);
    }
}

/** Threads leave before the first, the second, ... barrier; those left still meet. */
static void leaving(void *user, uint32_t thread)
{
    (void)user;
    for (uint32_t p = 0; p < PHASES; p++) {
        if (thread % PHASES == p)
            return;
        f.phase[thread]++;
        meet();
        for (uint32_t t = 0; t < f.threads; t++)
            f.errors += f.phase[t] != (t % PHASES > p ? p + 1 : t % PHASES);
        meet();
    }
}

Test(cpu_block, returned_threads_leave_the_barrier, .init = setup, .fini = teardown)
{
    FOR_SIZES(i) {
        cr_assert(run(sizes[i], leaving), "%s", rk_cpu_block_fault(f.block));
        cr_assert_eq(f.errors, 0);
    }
}

/** Half of the threads return; the last one does only when all others wait. */
static void last_returns(void *user, uint32_t thread)
{
    (void)user;
    if (thread == f.threads - 1)
        return;
    f.phase[thread] = 1;
    meet();
    f.phase[thread] = 2;
}

Test(cpu_block, a_return_can_complete_a_barrier, .init = setup, .fini = teardown)
{
    cr_assert(run(100, last_returns));
    for (uint32_t t = 0; t < 99; t++)
        cr_assert_eq(f.phase[t], 2);
}

static uint32_t reduce(rk_cpu_barrier_kind kind, bool predicate)
{
    return rk_cpu_block_barrier(f.block, kind, predicate, NULL, 0);
}

/** Threads 0, 7, 14, ... return first; then one reduction follows another. */
static void reductions(void *user, uint32_t thread)
{
    (void)user;
    if (thread % 7 == 0)
        return;
    f.result[0][thread] = reduce(RK_CPU_BARRIER_COUNT, thread % 3 == 0);
    f.result[1][thread] = reduce(RK_CPU_BARRIER_AND, thread % 7 != 0);
    f.result[2][thread] = reduce(RK_CPU_BARRIER_AND, thread != f.threads - 1);
    f.result[3][thread] = reduce(RK_CPU_BARRIER_OR, thread == f.threads - 1);
    f.result[4][thread] = reduce(RK_CPU_BARRIER_OR, false);
}

Test(cpu_block, reductions_count_live_threads, .init = setup, .fini = teardown)
{
    FOR_SIZES(i) {
        uint32_t n = sizes[i], expected = 0;
        for (uint32_t t = 0; t < n; t++)
            expected += t % 7 != 0 && t % 3 == 0;
        bool last_lives = (n - 1) % 7 != 0;
        cr_assert(run(n, reductions));
        for (uint32_t t = 0; t < n; t++) {
            if (t % 7 == 0)
                continue;
            cr_assert_eq(f.result[0][t], expected);
            cr_assert_eq(f.result[1][t], 1);
            cr_assert_eq(f.result[2][t], !last_lives);
            cr_assert_eq(f.result[3][t], last_lives);
            cr_assert_eq(f.result[4][t], 0);
        }
    }
}

static void barrier_against_shuffle(void *user, uint32_t thread)
{
    (void)user;
    rk_cpu_warp_op op = {.kind = RK_CPU_SHFL, .mask = 0xffffffff, .width = 32, .file = "k.cu",
                         .line = 12};
    if (thread == 3)
        return;
    if (thread % 2)
        meet();
    else
        rk_cpu_block_warp(f.block, &op);
}

static void masks_differ(void *user, uint32_t thread)
{
    (void)user;
    rk_cpu_warp_op op = {.kind = RK_CPU_BALLOT, .mask = thread < 16 ? 0xffffffff : 0xfffffffe};
    rk_cpu_block_warp(f.block, &op);
}

static void not_in_mask(void *user, uint32_t thread)
{
    (void)user;
    rk_cpu_warp_op op = {.kind = RK_CPU_BALLOT, .mask = 0xfffffffb};
    if (thread == 2)
        rk_cpu_block_warp(f.block, &op);
}

static void gives_up(void *user, uint32_t thread)
{
    (void)user;
    if (thread == 5)
        rk_cpu_block_fail(f.block, "thread 5 gave up");
    meet();
}

static void expect_fault(uint32_t threads, rk_cpu_thread thread, const char *const *parts)
{
    cr_assert_not(run(threads, thread));
    const char *fault = rk_cpu_block_fault(f.block);
    for (; *parts; parts++)
        cr_assert(strstr(fault, *parts), "'%s' lacks '%s'", fault, *parts);
    cr_assert_not(rk_cpu_block_running(f.block));
    cr_assert(run(256, phases), "the block is unusable after: %s", *parts);
    cr_assert_eq(f.errors, 0);
}

#define EXPECT_FAULT(threads, thread, ...)                                                         \
    expect_fault(threads, thread, (const char *const[]){__VA_ARGS__, NULL})

Test(cpu_block, deadlocks_are_reported, .init = setup, .fini = teardown)
{
    EXPECT_FAULT(40, barrier_against_shuffle, "block of 40 threads", "20 threads (thread 0 first)",
                 "__shfl_sync with mask 0xffffffff at k.cu:12", "19 threads (thread 1 first)",
                 "a barrier at kernel.cu:7", "1 returned");
    EXPECT_FAULT(32, masks_differ, "16 threads (thread 0 first) wait in __ballot_sync with mask "
                                   "0xffffffff",
                 "16 threads (thread 16 first) wait in __ballot_sync with mask 0xfffffffe");
    EXPECT_FAULT(32, not_in_mask, "thread 2 (lane 2)", "0xfffffffb");
    EXPECT_FAULT(64, gives_up, "thread 5 gave up");
}

static uint32_t use_stack(uint32_t depth, uint32_t thread)
{
    volatile unsigned char bytes[1024];
    memset((void *)(uintptr_t)bytes, (int)(thread & 0xff), sizeof bytes);
    meet();
    uint32_t below = depth ? use_stack(depth - 1, thread) : 0;
    return below + (bytes[0] == (thread & 0xff)) + (bytes[1023] == (thread & 0xff));
}

static void deep(void *user, uint32_t thread)
{
    (void)user;
    f.result[0][thread] = use_stack(60, thread);
}

Test(cpu_block, each_thread_has_its_own_stack, .init = setup, .fini = teardown)
{
    cr_assert(run(128, deep));
    for (uint32_t t = 0; t < 128; t++)
        cr_assert_eq(f.result[0][t], 122);
}

static int endless(volatile int *depth)
{
    volatile char room[4096];
    room[0] = (char)*depth;
    return ++*depth < 100000 ? endless(depth) + room[0] : 0;
}

static void overflow(void *user, uint32_t thread)
{
    (void)user;
    (void)thread;
    volatile int depth = 0;
    endless(&depth);
}

Test(cpu_block, an_overflowing_stack_meets_its_guard_page, .init = setup, .fini = teardown)
{
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(0);
        run(2, overflow);
        _exit(0);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_not(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Doubles in callee-saved places live across switches. */
static void sums(void *user, uint32_t thread)
{
    (void)user;
    double a = thread, b = 0.5 * thread, c = 1;
    for (int i = 0; i < 50; i++) {
        meet();
        a += b;
        b += c;
        c = -c;
    }
    f.errors += a != thread + 50 * (0.5 * thread) + 25;
}

Test(cpu_block, values_survive_switches, .init = setup, .fini = teardown)
{
    cr_assert(run(300, sums));
    cr_assert_eq(f.errors, 0);
}

Test(cpu_veu, a_fault_is_taken_once)
{
    rk_cpu_veu *veu = rk_cpu_thread_veu(100);
    cr_assert(veu);
    cr_assert_eq((uintptr_t)veu->shared % 256, 0);
    cr_assert_geq(veu->shared_bytes, 100);
    cr_assert_eq(veu->api->version, RK_CPU_ABI_VERSION);
    cr_assert_null(rk_cpu_take_fault(veu));
    veu->api->fault(veu, "first");
    veu->api->fault(veu, "second");
    cr_assert_str_eq(rk_cpu_take_fault(veu), "first");
    cr_assert_null(rk_cpu_take_fault(veu));
    cr_assert_eq(rk_cpu_thread_veu(5000), veu);
    cr_assert_geq(veu->shared_bytes, 5000);
}
