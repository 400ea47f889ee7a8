#include "rkernel_lib/runtime/cpu/executor_internal.h"
#include "rkernel_lib/runtime/cpu/fault.h"
#include "rkernel_lib/runtime/cpu/veu.h"
#include "rkernel_lib/runtime/cpu/watchdog.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CACHE_LINE = 64 };

/** step[veu] of one rProgram, alone in its cache line. */
typedef struct {
    _Alignas(CACHE_LINE) atomic_uint finished;
} step_cell;

/** A vEU and where it is in the running rProgram. */
typedef struct {
    rk_cpu_veu *veu;
    uint32_t index;
    rk_executor_place place;
    uint32_t base;   /**< its step when the rProgram began */
    uint32_t done;   /**< rTasks finished in this rProgram */
    uint32_t met;    /**< items of the current wait list that are met */
    bool ended;
    double began; /**< the entry where it is, if times are taken and it has begun; else 0 */
} veu_run;

/** An OS thread with its vEUs: those whose index modulo the workers is its own. */
typedef struct {
    rk_executor *executor;
    uint32_t index;
    pthread_t thread;
    bool started;
    rk_cpu_block *block;
    veu_run *veus;
    uint32_t veu_count;
    const rk_executor_op *running; /**< the op of the rTask that it runs, for the watchdog; NULL */
    uint32_t rtask;
    _Atomic uint64_t ended; /**< rTasks */
    double processor_ns;    /**< that it spent in the rPrograms of the last run, if clocked */
    rk_executor_spans *spans; /**< the caller's, of this run; NULL: nobody asks */
    uint32_t program;         /**< that runs */
} worker;

typedef void (*job)(worker *w);

struct rk_executor {
    rk_executor_plan plan;
    uint32_t *order; /**< ops, for running one by one */
    size_t order_count;
    step_cell *steps; /**< by rProgram, then vEU, then counter */
    atomic_uint *begun; /**< by op, of ordered ones: how many of its rTasks have begun in this run */
    worker *workers;
    uint32_t worker_count;
    bool crowded; /**< more workers than processors */
    bool clocked;

    pthread_mutex_t lock; /**< of the fields up to the next blank line */
    pthread_cond_t woken;
    job job;
    uint64_t job_number;
    bool quit;
    rk_executor_fault *fault; /**< the caller's */
    double *op_ns;            /**< the caller's, of a run one by one; NULL: nobody asks */
    double started;           /**< when a run began whose times are taken */

    atomic_bool failed;
    atomic_uint arrived, round; /**< of join_workers */
};

/** Cells of an rProgram. */
static size_t cells_of(const rk_executor *e)
{
    return (size_t)e->plan.veu_count + e->plan.counter_count;
}

/* Waiting. */

/** Waits a little, and longer the more often in a row (`tries`) there was nothing to do. */
static void back_off(const rk_executor *e, uint32_t tries)
{
    enum { SPINS = 200, YIELDS = 20000, SLEEP_NS = 50000 };
    if (tries < SPINS && !e->crowded) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("yield");
#endif
    } else if (tries < YIELDS) {
        sched_yield();
    } else {
        nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
    }
}

/** Returns when all workers have called it, and orders what each did before for all after. */
static void join_workers(rk_executor *e)
{
    uint32_t round = atomic_load_explicit(&e->round, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&e->arrived, 1, memory_order_acq_rel) + 1 == e->worker_count) {
        atomic_store_explicit(&e->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&e->round, round + 1, memory_order_release);
        return;
    }
    for (uint32_t tries = 0; atomic_load_explicit(&e->round, memory_order_acquire) == round;
         tries++)
        back_off(e, tries);
}

static bool has_failed(rk_executor *e)
{
    return atomic_load_explicit(&e->failed, memory_order_relaxed);
}

/* The vDevice protocol (section 4.1.3). */

/** Publishes that a vEU has reached `step`: what it wrote before is visible to who sees it. */
static void publish(step_cell *cell, uint32_t step)
{
    atomic_store_explicit(&cell->finished, step, memory_order_release);
}

/**
 * Counts a finished rTask, if its op's are counted: who sees the counter full sees what all of them
 * wrote, each addition carrying on the release of those before.
 */
static void count_rtask(const rk_executor *e, step_cell *steps, uint32_t op, uint32_t rtask)
{
    uint32_t signal = e->plan.ops[op].signal;
    if (signal == 0)
        return;
    const rk_executor_item *item = &e->plan.items[signal - (rtask != 0)];
    atomic_fetch_add_explicit(&steps[item->veu].finished, item->step, memory_order_release);
}

/** Whether a vEU has reached `step`, in modular arithmetic; then what it wrote before is visible. */
static bool has_reached(step_cell *cell, uint32_t step)
{
    uint32_t finished = atomic_load_explicit(&cell->finished, memory_order_acquire);
    return (int32_t)(finished - step) >= 0;
}

static void keep_fault(rk_executor *e, const rk_executor_op *op, uint32_t rtask, const char *text)
{
    pthread_mutex_lock(&e->lock);
    if (!has_failed(e)) {
        e->fault->op = op->name;
        e->fault->rtask = rtask;
        snprintf(e->fault->message, sizeof e->fault->message, "%s", text);
        atomic_store_explicit(&e->failed, true, memory_order_relaxed);
    }
    pthread_mutex_unlock(&e->lock);
}

/* Memory faults: the vDevice's memory is this process's, which does not go on. */

static _Thread_local const worker *self;

static bool in_kernel(void)
{
    return self && self->running;
}

static void tell_memory_fault(int number, const void *address)
{
    char text[512], what[80];
    const rk_executor_op *running = self ? self->running : NULL;
    if (!running)
        return;
    if (number == SIGILL || number == SIGFPE)
        snprintf(what, sizeof what, "does what the compiler knows to be undefined");
    else
        snprintf(what, sizeof what, "accesses address %p, which is no memory", address);
    const int length = snprintf(text, sizeof text, "node '%.200s', rTask %u: its kernel %s\n",
                                running->name ? running->name : "?", self->rtask, what);
    (void)!write(STDERR_FILENO, text, (size_t)length);
}

/** Runs an rTask to its end: all its threads have returned, and its shared memory is free. */
static bool run_rtask(worker *w, rk_cpu_veu *veu, uint32_t op_index, uint32_t rtask)
{
    rk_executor *e = w->executor;
    const rk_executor_op *op = &e->plan.ops[op_index];
    rk_cpu_call call = {.grid = {op->grid[0], op->grid[1], op->grid[2]},
                        .block = {op->block[0], op->block[1], op->block[2]},
                        .veu_threads = e->plan.veu_threads,
                        .dynamic_shared = op->dynamic_shared,
                        .rtask = rtask,
                        .args = op->args,
                        .veu = veu};
    self = w;
    __atomic_store_n(&w->rtask, rtask, __ATOMIC_RELAXED);
    __atomic_store_n(&w->running, op, __ATOMIC_RELAXED);
    op->entry(&call);
    __atomic_store_n(&w->running, NULL, __ATOMIC_RELAXED);
    atomic_store_explicit(&w->ended, atomic_load_explicit(&w->ended, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    const char *fault = rk_cpu_take_fault(veu);
    if (fault)
        keep_fault(e, op, rtask, fault);
    return !fault;
}

static bool wait_is_met(const rk_executor *e, veu_run *v, step_cell *steps, uint32_t index)
{
    const rk_executor_wait *wait = &e->plan.waits[index];
    for (; v->met < wait->count; v->met++) {
        const rk_executor_item *item = &e->plan.items[wait->first + v->met];
        if (!has_reached(&steps[item->veu], v->base + item->step))
            return false;
    }
    v->met = 0;
    return true;
}

/**
 * Whether the rTask may begin. One of an ordered op does when all below it have begun: each of these has a worker that
 * ends it, the lowest first, so that a worker that waits in one never keeps the next from beginning, however many vEUs
 * it has.
 */
static bool begin_rtask(rk_executor *e, const rk_executor_entry *entry)
{
    if (!e->plan.ops[entry->op].ordered)
        return true;
    atomic_uint *begun = &e->begun[entry->op];
    if (atomic_load_explicit(begun, memory_order_relaxed) != entry->rtask)
        return false;
    atomic_store_explicit(begun, entry->rtask + 1, memory_order_relaxed);
    return true;
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/** The entry has ended; if times are taken, keeps its. */
static void keep_span(worker *w, veu_run *v, const rk_executor_entry *entry)
{
    rk_executor_spans *spans = w->spans;
    if (!spans)
        return;
    if (spans->count == spans->capacity) {
        const size_t capacity = spans->capacity ? 2 * spans->capacity : 1024;
        rk_executor_span *items = realloc(spans->items, capacity * sizeof *items);
        if (!items) {
            spans->lost = true;
            return;
        }
        spans->items = items;
        spans->capacity = capacity;
    }
    const double started = w->executor->started;
    spans->items[spans->count++] = (rk_executor_span){.program = w->program,
                                                      .veu = v->index,
                                                      .entry = *entry,
                                                      .begin = v->began - started,
                                                      .end = now_ns() - started};
    v->began = 0;
}

/** Goes through a vEU's entries until they end, a barrier-rTask is not met, an rTask has to begin behind
    another or one fails. True when it got on. */
static bool advance(worker *w, veu_run *v, step_cell *steps, uint32_t total)
{
    rk_executor *e = w->executor;
    rk_executor_entry entry;
    for (bool moved = false;;
         moved = true, rk_executor_pass(&e->plan, &v->place, &entry, v->index)) {
        entry = rk_executor_entry_at(&e->plan, &v->place, v->index);
        if (entry.op == RK_EXECUTOR_END) {
            publish(&steps[v->index], v->base + total);
            v->ended = true;
            return true;
        }
        if (w->spans && v->began == 0)
            v->began = now_ns();
        if (entry.op == RK_EXECUTOR_WAIT) {
            if (!wait_is_met(e, v, steps, entry.rtask))
                return moved;
            keep_span(w, v, &entry);
            continue;
        }
        if (has_failed(e))
            return false;
        if (entry.op == RK_EXECUTOR_COUNT) {
            count_rtask(e, steps, entry.rtask, 0);
            v->began = 0;
            continue;
        }
        if (!begin_rtask(e, &entry))
            return moved;
        if (!run_rtask(w, v->veu, entry.op, entry.rtask))
            return false;
        keep_span(w, v, &entry);
        v->done++;
        publish(&steps[v->index], v->base + v->done);
        count_rtask(e, steps, entry.op, entry.rtask);
    }
}

/** A worker's part of an rProgram. */
static void run_program(worker *w, size_t index)
{
    rk_executor *e = w->executor;
    const rk_executor_program *program = &e->plan.programs[index];
    step_cell *steps = &e->steps[index * cells_of(e)];
    w->program = (uint32_t)index;
    for (uint32_t i = 0; i < w->veu_count; i++) {
        veu_run *v = &w->veus[i];
        v->place = rk_executor_begin(&e->plan, program, v->index);
        v->base = atomic_load_explicit(&steps[v->index].finished, memory_order_relaxed);
        v->done = v->met = 0;
        v->ended = false;
        v->began = 0;
    }
    uint32_t left = w->veu_count;
    for (uint32_t tries = 0; left > 0 && !has_failed(e); tries++) {
        for (uint32_t i = 0; i < w->veu_count; i++) {
            veu_run *v = &w->veus[i];
            if (v->ended)
                continue;
            if (advance(w, v, steps, program->steps))
                tries = 0;
            left -= v->ended;
        }
        if (left > 0 && tries > 0)
            back_off(e, tries);
    }
}

/** What this thread has had of a processor. */
static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void run_programs(worker *w)
{
    const bool clocked = w->executor->clocked;
    w->processor_ns = 0;
    for (size_t i = 0; i < w->executor->plan.program_count; i++) {
        const double start = clocked ? processor_time() : 0;
        run_program(w, i);
        if (clocked)
            w->processor_ns += processor_time() - start;
        join_workers(w->executor);
    }
}

static void run_one_by_one(worker *w)
{
    rk_executor *e = w->executor;
    for (size_t i = 0; i < e->order_count; i++) {
        uint32_t count = rk_executor_rtasks(&e->plan.ops[e->order[i]]);
        const double start = e->op_ns && w->index == 0 ? now_ns() : 0;
        for (uint32_t r = w->index; r < count && !has_failed(e); r += e->worker_count)
            run_rtask(w, w->veus[0].veu, e->order[i], r);
        join_workers(e);
        if (e->op_ns && w->index == 0)
            e->op_ns[e->order[i]] = now_ns() - start;
    }
}

/* Workers. */

static void *worker_main(void *user)
{
    worker *w = user;
    rk_executor *e = w->executor;
    rk_cpu_fault_watch(tell_memory_fault, in_kernel);
    for (uint64_t seen = 0;;) {
        pthread_mutex_lock(&e->lock);
        while (e->job_number == seen && !e->quit)
            pthread_cond_wait(&e->woken, &e->lock);
        seen = e->job_number;
        job next = e->job;
        bool quit = e->quit;
        pthread_mutex_unlock(&e->lock);
        if (quit)
            return NULL;
        next(w);
        join_workers(e);
    }
}

static void reset_steps(rk_executor *e, uint32_t base)
{
    for (size_t i = 0; i < e->plan.program_count * cells_of(e); i++)
        atomic_store_explicit(&e->steps[i].finished, base, memory_order_relaxed);
}

static rk_watch_progress progress_of(void *user)
{
    const rk_executor *e = user;
    rk_watch_progress sum = {0};
    for (uint32_t i = 0; i < e->worker_count; i++) {
        const rk_watch_progress p = rk_cpu_block_progress(e->workers[i].block);
        const uint64_t ended = atomic_load_explicit(&e->workers[i].ended, memory_order_relaxed);
        sum.met += p.met + ended;
        sum.moved += p.moved + p.met + ended;
        sum.polls += p.polls;
    }
    return sum;
}

/** Tells of each worker what its rTask does; one without waits for others' rTasks. */
static bool tell_workers(void *user, FILE *out)
{
    const rk_executor *e = user;
    bool waits = true;
    for (uint32_t i = 0; i < e->worker_count; i++) {
        const worker *w = &e->workers[i];
        const rk_executor_op *op = __atomic_load_n(&w->running, __ATOMIC_RELAXED);
        const uint32_t r = __atomic_load_n(&w->rtask, __ATOMIC_RELAXED);
        char where[512];
        if (!op) {
            if (out)
                fprintf(out, "worker %u: its vEUs wait for the rTasks of others\n", i);
            continue;
        }
        snprintf(where, sizeof where, "worker %u: kernel of %s, rTask %u, block (%u, %u, %u): ", i,
                 op->name, r, r % op->grid[0], r / op->grid[0] % op->grid[1],
                 r / op->grid[0] / op->grid[1]);
        waits &= rk_cpu_block_tell(w->block, where, out);
    }
    return waits;
}

/** Has all workers, the caller's thread being the first, do `next`. */
static bool run_job(rk_executor *e, job next, rk_executor_fault *fault)
{
    *fault = (rk_executor_fault){0};
    rk_cpu_fault_watch(tell_memory_fault, in_kernel);
    for (size_t i = 0; i < e->plan.op_count; i++)
        atomic_store_explicit(&e->begun[i], 0, memory_order_relaxed);
    pthread_mutex_lock(&e->lock);
    e->fault = fault;
    e->job = next;
    e->job_number++;
    atomic_store_explicit(&e->failed, false, memory_order_relaxed);
    pthread_cond_broadcast(&e->woken);
    pthread_mutex_unlock(&e->lock);
    static const rk_watched watched = {progress_of, tell_workers, NULL};
    rk_watch watch = {.what = &watched, .user = e, .threads = e->worker_count};
    rk_watch_begin(&watch);
    next(&e->workers[0]);
    join_workers(e);
    rk_watch_end(&watch);
    if (!has_failed(e))
        return true;
    reset_steps(e, 0);
    return false;
}

bool rk_executor_run(rk_executor *executor, rk_executor_fault *fault)
{
    return rk_executor_run_timed(executor, NULL, fault);
}

bool rk_executor_run_timed(rk_executor *executor, rk_executor_spans *spans, rk_executor_fault *fault)
{
    for (uint32_t i = 0; i < executor->worker_count; i++)
        executor->workers[i].spans = spans ? &spans[i] : NULL;
    executor->started = now_ns();
    return run_job(executor, run_programs, fault);
}

bool rk_executor_run_one_by_one(rk_executor *executor, double *op_ns, rk_executor_fault *fault)
{
    executor->op_ns = op_ns;
    return run_job(executor, run_one_by_one, fault);
}

double rk_executor_processor_ns(const rk_executor *executor)
{
    double sum = 0;
    for (uint32_t i = 0; i < executor->worker_count; i++)
        sum += executor->workers[i].processor_ns;
    return sum;
}

uint32_t rk_executor_workers(const rk_executor *executor)
{
    return executor->worker_count;
}

static uint32_t processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (uint32_t)CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}

static bool make_worker(rk_executor *e, uint32_t index)
{
    worker *w = &e->workers[index];
    uint32_t count = e->plan.veu_count, stride = e->worker_count;
    w->executor = e;
    w->index = index;
    w->block = rk_cpu_block_new();
    w->veus = calloc((count - index + stride - 1) / stride, sizeof *w->veus);
    if (!w->block || !w->veus)
        return false;
    for (uint32_t v = index; v < count; v += stride) {
        rk_cpu_veu *veu = rk_cpu_veu_new(w->block, e->plan.veu_shared);
        if (!veu)
            return false;
        w->veus[w->veu_count++] = (veu_run){.veu = veu, .index = v};
    }
    return true;
}

/** Makes everything but the other threads. */
static bool make_parts(rk_executor *e, const rk_executor_options *options)
{
    size_t cells = e->plan.program_count * cells_of(e);
    e->order = calloc(e->plan.op_count + 1, sizeof *e->order);
    e->steps = aligned_alloc(CACHE_LINE, (cells + 1) * sizeof *e->steps);
    e->begun = calloc(e->plan.op_count + 1, sizeof *e->begun);
    e->workers = calloc(e->worker_count, sizeof *e->workers);
    if (!e->order || !e->steps || !e->begun || !e->workers)
        return false;
    reset_steps(e, options->first_base);
    for (uint32_t i = 0; i < e->worker_count; i++) {
        if (!make_worker(e, i))
            return false;
    }
    return true;
}

static bool start_threads(rk_executor *e)
{
    for (uint32_t i = 1; i < e->worker_count; i++) {
        worker *w = &e->workers[i];
        if (pthread_create(&w->thread, NULL, worker_main, w) != 0)
            return false;
        w->started = true;
    }
    return true;
}

rk_executor *rk_executor_new(const rk_executor_plan *plan, const rk_executor_options *options,
                             rk_executor_fault *fault)
{
    static const rk_executor_options defaults;
    options = options ? options : &defaults;
    *fault = (rk_executor_fault){0};
    if (plan->veu_count == 0) {
        snprintf(fault->message, sizeof fault->message, "the vDevice has no vEU");
        return NULL;
    }
    rk_executor *e = calloc(1, sizeof *e);
    if (!e) {
        snprintf(fault->message, sizeof fault->message, "no memory for the vDevice");
        return NULL;
    }
    uint32_t wanted = options->workers ? options->workers : processors();
    e->plan = *plan;
    e->worker_count = wanted < plan->veu_count ? wanted : plan->veu_count;
    e->crowded = e->worker_count > processors();
    e->clocked = options->clocked;
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->woken, NULL);
    bool good = make_parts(e, options);
    if (!good)
        snprintf(fault->message, sizeof fault->message, "no memory for %u vEUs", plan->veu_count);
    good = good && rk_executor_order(e->order, &e->order_count, plan, fault);
    if (good && !start_threads(e)) {
        good = false;
        snprintf(fault->message, sizeof fault->message, "cannot start %u threads", e->worker_count);
    }
    if (!good) {
        rk_executor_free(e);
        return NULL;
    }
    return e;
}

static void free_worker(worker *w)
{
    for (uint32_t i = 0; i < w->veu_count; i++)
        rk_cpu_veu_free(w->veus[i].veu);
    rk_cpu_block_free(w->block);
    free(w->veus);
}

void rk_executor_free(rk_executor *executor)
{
    if (!executor)
        return;
    pthread_mutex_lock(&executor->lock);
    executor->quit = true;
    pthread_cond_broadcast(&executor->woken);
    pthread_mutex_unlock(&executor->lock);
    for (uint32_t i = 0; executor->workers && i < executor->worker_count; i++) {
        if (executor->workers[i].started)
            pthread_join(executor->workers[i].thread, NULL);
    }
    for (uint32_t i = 0; executor->workers && i < executor->worker_count; i++)
        free_worker(&executor->workers[i]);
    pthread_cond_destroy(&executor->woken);
    pthread_mutex_destroy(&executor->lock);
    free(executor->workers);
    free(executor->begun);
    free(executor->steps);
    free(executor->order);
    free(executor);
}
