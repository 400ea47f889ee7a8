#include "cpu/built_kernels.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/*
 * Launches of kernels that launch themselves (rk/cpu/cpu_launch.h). The kernels are in cpu/launch.cpp, each
 * test a function there; the environment that they run in is set here.
 */

static void *library;

/** The library stays: threads of its own wait in it. */
static void setup(void)
{
    build_kernels();
    library = build_open("launch");
}

TestSuite(cpu_launch, .init = setup, .timeout = 120);

static void check(const char *name)
{
    int (*test)(void);
    *(void **)&test = build_symbol(library, "launch_", name);
    const int line = test();
    cr_assert_eq(line, 0, "launch.cpp:%d", line);
}

/** By the workers and the kinds of threads that a launch may run on. */
static void set(const char *workers, const char *fibers, const char *shuffle)
{
    setenv("RK_WORKERS", workers, 1);
    setenv("RK_FIBERS", fibers, 1);
    setenv("RK_SHUFFLE", shuffle, 1);
}

static void check_under(const char *workers, const char *fibers, const char *shuffle,
                        const char *name)
{
    set(workers, fibers, shuffle);
    check(name);
}

Test(cpu_launch, each_thread_once)
{
    check_under("3", "0", "", "each_thread_once");
}

Test(cpu_launch, each_thread_once_on_fibers)
{
    check_under("2", "1", "", "each_thread_once");
}

Test(cpu_launch, each_thread_once_shuffled)
{
    check_under("2", "0", "17", "each_thread_once");
}

Test(cpu_launch, parameters_are_each_threads_own)
{
    check("parameters_are_each_threads_own");
}

Test(cpu_launch, configurations_nest)
{
    check("configurations_nest");
}

Test(cpu_launch, limits)
{
    check("limits");
}

Test(cpu_launch, by_address)
{
    check("by_address");
}

Test(cpu_launch, captured_and_replayed)
{
    check("captured_and_replayed");
}

Test(cpu_launch, from_a_kernel)
{
    check("from_a_kernel");
}

Test(cpu_launch, shared_memory_is_the_blocks)
{
    check_under("4", "0", "", "shared_memory_is_the_blocks");
}

Test(cpu_launch, named_barriers)
{
    check("named_barriers");
}

Test(cpu_launch, named_barriers_shuffled)
{
    check_under("1", "0", "5", "named_barriers");
}

Test(cpu_launch, threads_that_poll_on_one_worker)
{
    check_under("1", "0", "", "threads_that_poll");
}

Test(cpu_launch, threads_that_poll_on_workers)
{
    check_under("3", "0", "", "threads_that_poll");
}

Test(cpu_launch, grid_wide_barrier)
{
    check_under("1", "0", "", "grid_wide_barrier");
}

Test(cpu_launch, barrier_that_some_never_reach)
{
    check("barrier_that_some_never_reach");
}

Test(cpu_launch, warp_operations_without_masks)
{
    check("warp_operations_without_masks");
}

Test(cpu_launch, warp_operations_without_masks_shuffled)
{
    check_under("1", "0", "9", "warp_operations_without_masks");
}

Test(cpu_launch, as_rtasks)
{
    check_under("2", "0", "", "as_rtasks");
}

Test(cpu_launch, as_rtasks_shuffled)
{
    check_under("2", "0", "3", "as_rtasks");
}

Test(cpu_launch, rtasks_end_with_all_threads)
{
    setenv("RK_VEU_THREADS", "224", 1);
    check("ends_rtasks_with_all_threads");
}

Test(cpu_launch, atomics)
{
    check_under("4", "0", "", "atomics");
}

#ifdef __SANITIZE_ADDRESS__
/** AddressSanitizer would tell of memory faults by itself; the runtime leaves them to it, so that they end the test. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "handle_segv=0:handle_sigbus=0:use_sigaltstack=0";
}
enum { FAULT_ENDS = SIGSEGV };
#else
enum { FAULT_ENDS = 0 };
#endif

Test(cpu_launch, a_stack_overflow_is_told, .signal = FAULT_ENDS)
{
    check("stack_overflow");
}

Test(cpu_launch, a_wild_pointer_is_told, .signal = FAULT_ENDS)
{
    check("wild_pointer");
}

static int orders(int *waiting)
{
    int (*test)(int *);
    *(void **)&test = build_symbol(library, "launch_", "orders");
    return test(waiting);
}

Test(cpu_launch, one_worker_keeps_the_order)
{
    set("1", "0", "");
    int waiting;
    cr_assert_eq(orders(&waiting), 1);
    cr_assert_eq(waiting, 1);
}

Test(cpu_launch, a_seed_makes_a_random_order)
{
    set("1", "0", "1");
    int waiting;
    cr_assert_eq(orders(&waiting), 2);
    cr_assert_eq(waiting, 2);
}
