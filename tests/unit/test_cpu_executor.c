#include "tests/proof/threads/phrases.h"

#include "rkernel_lib/runtime/cpu/veu.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* The executor on hand-made tables; tests/proof/threads has what needs ThreadSanitizer. */

static layers l;
static rk_executor_fault fault;

static rk_executor *make(uint32_t veus, uint32_t workers, uint32_t first_base)
{
    layers_make(&l, veus);
    rk_executor_options options = {.workers = workers, .first_base = first_base};
    rk_executor *e = rk_executor_new(&l.plan, &options, &fault);
    cr_assert(e, "%s", fault.message);
    return e;
}

static void check_runs(uint32_t veus, uint32_t workers, uint32_t first_base, uint32_t runs)
{
    rk_executor *e = make(veus, workers, first_base);
    cr_assert_leq(rk_executor_workers(e), veus);
    for (uint32_t run = 1; run <= runs; run++) {
        bool scheduled = run % 4 != 0;
        cr_assert(scheduled ? rk_executor_run(e, &fault) : rk_executor_run_one_by_one(e, NULL, &fault));
        uint64_t expected[TASKS];
        layers_expect(expected, run);
        cr_assert_arr_eq(l.values[LAYERS - 1], expected, sizeof expected);
    }
    rk_executor_free(e);
}

Test(cpu_executor, same_values_on_any_number_of_veus)
{
    static const uint32_t veus[] = {1, 2, 3, 8};
    for (size_t i = 0; i < sizeof veus / sizeof *veus; i++) {
        check_runs(veus[i], 0, 0, 8);
        check_runs(veus[i], 1, 0, 8);
        check_runs(veus[i], 2, 0, 8);
        check_runs(veus[i], veus[i], 0, 8);
    }
}

Test(cpu_executor, steps_wrap_around)
{
    for (uint32_t base = UINT32_MAX - 40; base > UINT32_MAX - 200; base -= 23) {
        check_runs(3, 3, base, 12);
        check_runs(8, 2, base, 12);
    }
    check_runs(3, 2, UINT32_MAX / 2 - 5, 5);
}

static void check_phrases(uint32_t veus, uint32_t workers)
{
    static phrased p;
    static uint64_t expected[LAYERS][TASKS];
    phrases_make(&p, veus);
    memset(expected, 0, sizeof expected);
    const rk_executor_options options = {.workers = workers, .first_base = UINT32_MAX - 500};
    rk_executor *e = rk_executor_new(&p.layers.plan, &options, &fault);
    cr_assert(e, "%s", fault.message);
    for (uint32_t run = 1; run <= 40; run++) {
        phrases_set(&p, run);
        cr_assert(run % 4 ? rk_executor_run(e, &fault) : rk_executor_run_one_by_one(e, NULL, &fault));
        phrases_expect(expected, &p);
        cr_assert_arr_eq(p.layers.values, expected, sizeof expected);
    }
    rk_executor_free(e);
}

Test(cpu_executor, phrases_have_other_counts_in_each_run)
{
    for (uint32_t veus = 1; veus <= LAYER_MOST_VEUS; veus++) {
        check_phrases(veus, 1);
        check_phrases(veus, 2);
        check_phrases(veus, veus);
    }
}

Test(cpu_executor, broken_phrases_are_refused)
{
    static phrased p;
    phrases_make(&p, 3);
    const struct {
        uint32_t *field, value;
        const char *says;
    } cases[] = {{&p.phrases[2].op, LAYERS, "an op or a vEU that does not exist"},
                 {&p.phrases[2].origin, 3, "an op or a vEU that does not exist"},
                 {&p.phrases[2].wait, LAYERS + 1, "a wait list that does not exist"},
                 {&p.layers.items[2 * LAYERS - 1].step, 1, "a counter does not end"},
                 {&p.layers.items[2 * LAYERS + 1].veu, 3 + 4, "can never all be met"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t before = *cases[i].field;
        *cases[i].field = cases[i].value;
        cr_assert_null(rk_executor_new(&p.layers.plan, NULL, &fault));
        cr_expect(strstr(fault.message, cases[i].says), "%s", fault.message);
        *cases[i].field = before;
    }
}

static uint32_t failing_layer;

static void fail_in_one_layer(const rk_cpu_call *call)
{
    if (call->args[1] == l.args[failing_layer][1] && call->rtask == 3)
        call->veu->api->fault(call->veu, "planted");
    else
        layers_kernel(call);
}

Test(cpu_executor, a_fault_ends_the_run_and_the_next_starts_clean)
{
    rk_executor *e = make(3, 3, UINT32_MAX - 30);
    for (failing_layer = 0; failing_layer < LAYERS; failing_layer += 5) {
        for (uint32_t i = 0; i < LAYERS; i++)
            l.ops[i].entry = fail_in_one_layer;
        cr_assert_not(rk_executor_run(e, &fault));
        cr_assert_str_eq(fault.op, "layer");
        cr_assert_eq(fault.rtask, 3);
        cr_assert_str_eq(fault.message, "planted");
        cr_assert_not(rk_executor_run_one_by_one(e, NULL, &fault));
        cr_assert_str_eq(fault.message, "planted");

        for (uint32_t i = 0; i < LAYERS; i++)
            l.ops[i].entry = layers_kernel;
        memset(l.values, 0, sizeof l.values);
        uint64_t expected[TASKS];
        layers_expect(expected, 1);
        cr_assert(rk_executor_run(e, &fault));
        cr_assert_arr_eq(l.values[LAYERS - 1], expected, sizeof expected);
    }
    rk_executor_free(e);
}

static void write_out_of_bounds(const rk_cpu_call *call)
{
    volatile char *wild = (volatile char *)(uintptr_t)0x7ffffff000;
    if (call->rtask == 3)
        *wild = 1;
}

/** On the caller's thread and on another: the process dies with a sentence, and by the signal. */
Test(cpu_executor, a_memory_fault_names_node_and_rtask)
{
    for (uint32_t workers = 1; workers <= 3; workers += 2) {
        char said[4096] = "";
        int ends[2], status;
        cr_assert_eq(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0) {
            dup2(ends[1], STDERR_FILENO);
            rk_executor *e = make(3, workers, 0);
            for (uint32_t i = 0; i < LAYERS; i++)
                l.ops[i].entry = write_out_of_bounds;
            rk_executor_run(e, &fault);
            _exit(0);
        }
        close(ends[1]);
        for (size_t at = 0; at + 1 < sizeof said;) {
            const ssize_t n = read(ends[0], said + at, sizeof said - 1 - at);
            if (n <= 0)
                break;
            at += (size_t)n;
        }
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_assert(!WIFEXITED(status) || WEXITSTATUS(status) != 0);
#ifndef __SANITIZE_ADDRESS__ /* tells of it in its own words */
        cr_assert_eq(WTERMSIG(status), SIGSEGV);
        cr_assert(strstr(said, "node 'layer', rTask 3: its kernel accesses address 0x7ffffff000"),
                  "'%s'", said);
#endif
    }
}

static unsigned char *buffers[LAYER_MOST_VEUS];
static uint32_t buffer_count, dirty;

/** Each vEU has one buffer, which is not cleared between rTasks. */
static void look_at_shared(const rk_cpu_call *call)
{
    unsigned char *shared = call->veu->shared;
    cr_assert_eq((uintptr_t)shared % 256, 0);
    cr_assert_geq(call->veu->shared_bytes, 1000);
    uint32_t i = 0;
    while (i < buffer_count && buffers[i] != shared)
        i++;
    if (i == buffer_count)
        buffers[buffer_count++] = shared;
    dirty += shared[999];
    shared[999] = 1;
}

Test(cpu_executor, each_veu_owns_a_shared_buffer)
{
    layers_make(&l, 3);
    l.plan.veu_shared = 1000;
    for (uint32_t i = 0; i < LAYERS; i++)
        l.ops[i].entry = look_at_shared;
    rk_executor *e = rk_executor_new(&l.plan, &(rk_executor_options){.workers = 1}, &fault);
    cr_assert(rk_executor_run(e, &fault));
    cr_assert_eq(buffer_count, 3);
    cr_assert_eq(dirty, LAYERS * TASKS - 3);
    rk_executor_free(e);
}

static void expect_refused(const char *part)
{
    cr_assert_null(rk_executor_new(&l.plan, NULL, &fault));
    cr_assert(strstr(fault.message, part), "'%s' lacks '%s'", fault.message, part);
    layers_make(&l, 3);
}

Test(cpu_executor, broken_tables_are_refused)
{
    layers_make(&l, 3);
    l.items[0].step = LAYERS * TASKS;
    expect_refused("can never all be met");
    l.items[5].veu = 3;
    expect_refused("a vEU that does not exist");
    l.entries[0].rtask = TASKS;
    expect_refused("an rTask that does not exist");
    l.entries[0].op = LAYERS;
    expect_refused("an rTask that does not exist");
    l.plan.wait_count = 1;
    expect_refused("a wait list that does not exist");
    l.waits[0].count = UINT32_MAX;
    expect_refused("beyond the items");
    l.plan.entry_count--;
    expect_refused("do not end");
    l.programs[1].steps--;
    expect_refused("steps");
    l.plan.veu_count = 0;
    expect_refused("no vEU");
}

/* One by one, an op comes before another that the schedule has after it, whatever their numbers. */

static uint32_t ran[2], ran_count;

static void note(const rk_cpu_call *call)
{
    ran[ran_count++] = (uint32_t)call->args[0];
}

Test(cpu_executor, one_by_one_follows_the_schedule)
{
    uint64_t args[2] = {0, 1};
    rk_executor_op ops[2] = {
        {.entry = note, .grid = {1, 1, 1}, .block = {1, 1, 1}, .args = &args[0]},
        {.entry = note, .grid = {1, 1, 1}, .block = {1, 1, 1}, .args = &args[1]}};
    rk_executor_entry entries[] = {
        {RK_EXECUTOR_WAIT, 0}, {0, 0}, {RK_EXECUTOR_END, 0}, {1, 0}, {RK_EXECUTOR_END, 0}};
    rk_executor_wait wait = {0, 1};
    rk_executor_item item = {1, 1};
    uint32_t first[2] = {0, 3};
    rk_executor_program program = {first, 1};
    rk_executor_plan plan = {.veu_count = 2,
                             .veu_threads = 1,
                             .ops = ops,
                             .op_count = 2,
                             .entries = entries,
                             .entry_count = 5,
                             .waits = &wait,
                             .wait_count = 1,
                             .items = &item,
                             .item_count = 1,
                             .programs = &program,
                             .program_count = 1};
    rk_executor *e = rk_executor_new(&plan, &(rk_executor_options){.workers = 1}, &fault);
    cr_assert(e, "%s", fault.message);
    cr_assert(rk_executor_run_one_by_one(e, NULL, &fault));
    cr_assert_eq(ran_count, 2);
    cr_assert_eq(ran[0], 1);
    cr_assert_eq(ran[1], 0);
    rk_executor_free(e);
}

/* rTasks of an ordered op begin behind those below them, though one worker has all vEUs. */

static uint32_t begun[8], begun_count;

static void note_rtask(const rk_cpu_call *call)
{
    begun[begun_count++ % 8] = call->rtask;
}

static rk_executor_plan ordered_plan(rk_executor_op *op, const rk_executor_entry *entries,
                                     const rk_executor_program *program)
{
    *op = (rk_executor_op){
        .entry = note_rtask, .grid = {4, 1, 1}, .block = {1, 1, 1}, .ordered = true};
    return (rk_executor_plan){.veu_count = 2,
                              .veu_threads = 1,
                              .ops = op,
                              .op_count = 1,
                              .entries = entries,
                              .entry_count = 6,
                              .programs = program,
                              .program_count = 1};
}

Test(cpu_executor, rtasks_of_an_ordered_op_begin_in_order)
{
    static const rk_executor_entry entries[] = {{0, 0}, {0, 2}, {RK_EXECUTOR_END, 0},
                                                {0, 1}, {0, 3}, {RK_EXECUTOR_END, 0}};
    static const uint32_t first[2] = {0, 3};
    const rk_executor_program program = {first, 2};
    rk_executor_op op;
    rk_executor_plan plan = ordered_plan(&op, entries, &program);
    rk_executor *e = rk_executor_new(&plan, &(rk_executor_options){.workers = 1}, &fault);
    cr_assert(e, "%s", fault.message);
    for (uint32_t run = 0; run < 2; run++) {
        cr_assert(rk_executor_run(e, &fault));
        for (uint32_t i = 0; i < 4; i++)
            cr_expect_eq(begun[4 * run + i], i, "rTask %u is number %u", begun[4 * run + i], i);
    }
    rk_executor_free(e);
}

Test(cpu_executor, an_order_that_never_ends_is_refused)
{
    static const rk_executor_entry entries[] = {{0, 2}, {0, 0}, {RK_EXECUTOR_END, 0},
                                                {0, 1}, {0, 3}, {RK_EXECUTOR_END, 0}};
    static const uint32_t first[2] = {0, 3};
    const rk_executor_program program = {first, 2};
    rk_executor_op op;
    rk_executor_plan plan = ordered_plan(&op, entries, &program);
    cr_assert_null(rk_executor_new(&plan, NULL, &fault));
    cr_expect(strstr(fault.message, "another order"), "%s", fault.message);
}

static void wait_for_ever(void *veu, uint32_t thread)
{
    const rk_cpu_api *api = ((rk_cpu_veu *)veu)->api;
    if (thread > 0)
        api->barrier(veu, RK_CPU_BARRIER_PLAIN, 0, "in.cu", 9);
    for (api->wait(veu, "in.cu", 7);;)
        api->round(veu);
}

static void wait_in_one_rtask(const rk_cpu_call *call)
{
    if (call->args[1] == l.args[2][1] && call->rtask == 3)
        call->veu->api->run(call->veu, 2, wait_for_ever, call->veu);
    else
        layers_kernel(call);
}

/** In a process of its own, since it ends. */
static void run_stuck(int out)
{
    setenv("RK_WATCHDOG", "1", 1);
    dup2(out, STDERR_FILENO);
    signal(SIGABRT, SIG_DFL);
    rk_executor *e = make(3, 3, 0);
    for (uint32_t i = 0; i < LAYERS; i++)
        l.ops[i].entry = wait_in_one_rtask;
    rk_executor_run(e, &fault);
    _exit(0);
}

Test(cpu_executor, the_watchdog_ends_a_run_that_waits_for_ever, .timeout = 60)
{
    int ends[2], status;
    cr_assert_eq(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0)
        run_stuck(ends[1]);
    close(ends[1]);
    char text[4096] = "";
    size_t length = 0;
    for (ssize_t n; (n = read(ends[0], text + length, sizeof text - 1 - length)) > 0;)
        length += (size_t)n;
    waitpid(child, &status, 0);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "%s", text);
    static const char *const said[] = {
        "kernel of layer, rTask 3, block (3, 0, 0): ",
        "1 thread (thread 0 first) in the loop, which waits, at in.cu:7",
        "1 thread (thread 1 first) in barrier 0 at in.cu:9",
        "its vEUs wait for the rTasks of others", "every thread waits for another one"};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        cr_assert(strstr(text, said[i]), "%s is not in %s", said[i], text);
}
