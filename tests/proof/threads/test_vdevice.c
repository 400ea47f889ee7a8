#include "phrases.h"

#include "rkernel_lib/runtime/cpu/veu.h"

#include <stdio.h>

/*
 * The CPU's vDevice with a thread for each vEU: results of many runs, steps that wrap around, and kernels
 * whose threads are fibers. Plain C, so that it also runs under ThreadSanitizer, which Criterion does
 * not. mutants.sh compiles it with planted edits of the executor and expects it to fail.
 */

enum { RUNS = 60 };

static int failures;

static void check(bool good, const char *what, uint32_t veus)
{
    if (good)
        return;
    fprintf(stderr, "%u vEUs: %s\n", veus, what);
    failures++;
}

static void run_layers(uint32_t veus, uint32_t first_base)
{
    layers *l = malloc(sizeof *l);
    if (!l)
        abort();
    layers_make(l, veus);
    rk_executor_fault fault;
    rk_executor_options options = {.workers = veus, .first_base = first_base};
    rk_executor *e = rk_executor_new(&l->plan, &options, &fault);
    check(e != NULL, fault.message, veus);
    for (uint32_t run = 1; e && run <= RUNS; run++) {
        check(rk_executor_run(e, &fault), fault.message, veus);
        uint64_t expected[TASKS];
        layers_expect(expected, run);
        if (memcmp(expected, l->values[LAYERS - 1], sizeof expected) != 0) {
            check(false, "a run gave wrong values", veus);
            break;
        }
    }
    rk_executor_free(e);
    free(l);
}

static void run_phrases(uint32_t veus, uint32_t first_base)
{
    static uint64_t expected[LAYERS][TASKS];
    phrased *p = malloc(sizeof *p);
    if (!p)
        abort();
    phrases_make(p, veus);
    memset(expected, 0, sizeof expected);
    rk_executor_fault fault;
    rk_executor_options options = {.workers = veus, .first_base = first_base};
    rk_executor *e = rk_executor_new(&p->layers.plan, &options, &fault);
    check(e != NULL, fault.message, veus);
    for (uint32_t run = 1; e && run <= RUNS; run++) {
        phrases_set(p, run);
        check(rk_executor_run(e, &fault), fault.message, veus);
        phrases_expect(expected, p);
        if (memcmp(expected, p->layers.values, sizeof expected) != 0) {
            check(false, "a run of phrases gave wrong values", veus);
            break;
        }
    }
    rk_executor_free(e);
    free(p);
}

/* Fibers on several OS threads: each rTask adds its threads' numbers through shared memory. */

enum { FIBER_THREADS = 100 };

static void sum_thread(void *user, uint32_t thread)
{
    const rk_cpu_call *call = user;
    rk_cpu_veu *veu = call->veu;
    uint64_t *shared = (uint64_t *)(void *)veu->shared;
    shared[thread] = thread + call->rtask;
    veu->api->barrier(veu, RK_CPU_BARRIER_PLAIN, 0, __FILE__, __LINE__);
    if (thread > 0)
        return;
    uint64_t sum = 0;
    for (uint32_t t = 0; t < FIBER_THREADS; t++)
        sum += shared[t];
    ((uint64_t *)(uintptr_t)call->args[1])[call->rtask] += sum;
}

static void sum_kernel(const rk_cpu_call *call)
{
    rk_cpu_call copy = *call;
    call->veu->api->run(call->veu, FIBER_THREADS, sum_thread, &copy);
}

static void run_fibers(uint32_t veus)
{
    layers *l = malloc(sizeof *l);
    if (!l)
        abort();
    layers_make(l, veus);
    for (uint32_t i = 0; i < LAYERS; i++) {
        l->ops[i].entry = sum_kernel;
        l->args[i][1] = (uintptr_t)l->values[0];
    }
    l->plan.veu_shared = FIBER_THREADS * sizeof(uint64_t);
    rk_executor_fault fault;
    rk_executor *e = rk_executor_new(&l->plan, &(rk_executor_options){.workers = veus}, &fault);
    check(e && rk_executor_run(e, &fault), fault.message, veus);
    for (uint32_t r = 0; r < TASKS; r++) {
        uint64_t one = FIBER_THREADS * (FIBER_THREADS - 1) / 2 + FIBER_THREADS * r;
        check(l->values[0][r] == LAYERS * one, "a block's sum is wrong", veus);
    }
    rk_executor_free(e);
    free(l);
}

int main(void)
{
    static const uint32_t veus[] = {2, 3, 8};
    for (size_t i = 0; i < sizeof veus / sizeof *veus; i++) {
        run_layers(veus[i], 0);
        run_layers(veus[i], UINT32_MAX - 20);
        run_phrases(veus[i], 0);
        run_phrases(veus[i], UINT32_MAX - 200);
        run_fibers(veus[i]);
    }
    if (failures == 0)
        puts("vdevice: all runs right");
    return failures ? 1 : 0;
}
