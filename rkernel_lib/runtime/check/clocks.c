#include "rkernel_lib/runtime/check/sanitizer.h"

#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 4096, MOST_IGNORED = 32 };

/** What the last releases of an address publish to the other threads of the block. */
typedef struct cell {
    uintptr_t address;
    uint64_t stamp;   /**< of the stretch of the block that it is of */
    uint32_t threads; /**< that `clocks` has room for */
    uint32_t *clocks;
    struct cell *next;
} cell;

static _Thread_local struct {
    cell *cells[CELLS];
    uint64_t stamp;    /**< another for each block, and each time that all its threads met */
    uint32_t *pending; /**< by thread, then by other thread: see rk_check_acquire */
    uint32_t room;     /**< threads that `pending` has room for */
    bool waits[RK_CHECK_THREADS]; /**< whether a thread has something pending */
} released;

static _Thread_local struct {
    struct {
        const unsigned char *begin, *end;
    } items[MOST_IGNORED];
    uint32_t count;
} ignored;

void rk_check_ignore(const void *address, size_t size)
{
    if (rk_check_ignored(address) || ignored.count == MOST_IGNORED)
        return;
    ignored.items[ignored.count].begin = address;
    ignored.items[ignored.count++].end = (const unsigned char *)address + size;
}

bool rk_check_ignored(const void *address)
{
    const unsigned char *at = address;
    for (uint32_t i = 0; i < ignored.count; i++)
        if (at >= ignored.items[i].begin && at < ignored.items[i].end)
            return true;
    return false;
}

/** By thread, then by other thread; all 0. */
static uint32_t *square(uint32_t threads)
{
    uint32_t *all = calloc((size_t)threads * threads, sizeof *all);
    if (!all)
        rk_check_no_memory();
    return all;
}

/* What threads know of each other. */

/** Thread `thread` knows of the others what `clocks` says. */
static void learn(uint32_t thread, const uint32_t *clocks)
{
    const uint32_t n = rk_check_now.threads;
    uint32_t *seen = rk_check_known.seen + (size_t)thread * n;
    for (uint32_t t = 0; t < n; t++)
        seen[t] = clocks[t] > seen[t] ? clocks[t] : seen[t];
    rk_check_known.met = rk_check_known.wide = true;
}

/** What the thread read by relaxed atomics has become known: it made a fence, or met others. */
static void learn_pending(uint32_t thread)
{
    const uint32_t n = rk_check_now.threads;
    if (!released.waits[thread])
        return;
    released.waits[thread] = false;
    learn(thread, released.pending + (size_t)thread * n);
}

static void all_met(void)
{
    rk_check_known.met = rk_check_known.wide = false;
    memset(rk_check_known.fence_clock, 0, sizeof rk_check_known.fence_clock);
    memset(released.waits, 0, sizeof released.waits);
    released.stamp++;
}

/** Gives all of the group what any of them knows of thread `other`. */
static void join(const uint32_t *threads, uint32_t count, uint32_t other)
{
    const uint32_t n = rk_check_now.threads;
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t t = threads[i];
        const uint32_t it =
            t == other ? rk_check_known.clock[t] : rk_check_known.seen[(size_t)t * n + other];
        most = it > most ? it : most;
    }
    for (uint32_t i = 0; i < count; i++)
        rk_check_known.seen[(size_t)threads[i] * n + other] = most;
}

static void meet(const uint32_t *threads, uint32_t count)
{
    const uint32_t warp = threads[0] / RK_CPU_WARP;
    rk_check_known.met = true;
    for (uint32_t i = 0; i < count; i++) {
        learn_pending(threads[i]);
        rk_check_known.wide |= threads[i] / RK_CPU_WARP != warp;
    }
    uint32_t first = 0, last = rk_check_now.threads;
    if (!rk_check_known.wide) {
        first = warp * RK_CPU_WARP;
        last = last < first + RK_CPU_WARP ? last : first + RK_CPU_WARP;
    }
    for (uint32_t other = first; other < last; other++)
        join(threads, count, other);
    for (uint32_t i = 0; i < count; i++)
        rk_check_known.clock[threads[i]]++;
}

/* Releases and acquires. */

/** The address's cell with what was released since all threads met; NULL when nothing was, unless `make`. */
static cell *cell_at(uintptr_t address, bool make)
{
    const uint32_t n = rk_check_now.threads;
    cell **bucket = &released.cells[(address >> 2) % CELLS], *c = *bucket;
    while (c && c->address != address)
        c = c->next;
    if (c && c->stamp == released.stamp)
        return c;
    if (!make)
        return NULL;
    if (!c) {
        c = calloc(1, sizeof *c);
        if (!c)
            rk_check_no_memory();
        c->address = address;
        c->next = *bucket;
        *bucket = c;
    }
    if (c->threads < n) {
        free(c->clocks);
        c->clocks = malloc(n * sizeof *c->clocks);
        c->threads = n;
        if (!c->clocks)
            rk_check_no_memory();
    }
    memset(c->clocks, 0, n * sizeof *c->clocks);
    c->stamp = released.stamp;
    return c;
}

/** Keeps what a relaxed atomic read: it counts when the thread makes a fence or meets others. */
static void hold(uint32_t thread, const uint32_t *clocks)
{
    const uint32_t n = rk_check_now.threads;
    if (released.room < n) {
        free(released.pending);
        released.pending = square(n);
        released.room = n;
        memset(released.waits, 0, sizeof released.waits);
    }
    uint32_t *pending = released.pending + (size_t)thread * n;
    for (uint32_t t = 0; t < n; t++) {
        const uint32_t old = released.waits[thread] ? pending[t] : 0;
        pending[t] = clocks[t] > old ? clocks[t] : old;
    }
    released.waits[thread] = true;
}

void rk_check_acquire(uintptr_t address, uint32_t thread, bool ordered)
{
    const cell *c = cell_at(address, false);
    if (c && ordered)
        learn(thread, c->clocks);
    else if (c)
        hold(thread, c->clocks);
}

void rk_check_release(uintptr_t address, uint32_t thread, bool ordered, bool replaces)
{
    const uint32_t n = rk_check_now.threads;
    const uint32_t own =
        ordered ? rk_check_known.clock[thread] : rk_check_known.fence_clock[thread];
    cell *c = cell_at(address, own > 0);
    if (c && replaces)
        memset(c->clocks, 0, n * sizeof *c->clocks);
    if (own == 0)
        return;
    const uint32_t *seen = rk_check_known.seen + (size_t)thread * n;
    for (uint32_t t = 0; t < n; t++)
        c->clocks[t] = seen[t] > c->clocks[t] ? seen[t] : c->clocks[t];
    c->clocks[thread] = own > c->clocks[thread] ? own : c->clocks[thread];
    if (ordered)
        rk_check_known.clock[thread]++;
}

void rk_check_fence(uint32_t thread)
{
    learn_pending(thread);
    rk_check_known.fence[thread] = rk_check_now.epoch;
    rk_check_known.fence_clock[thread] = rk_check_known.clock[thread]++;
}

bool rk_check_ordered(const rk_check_access *before, uint32_t thread)
{
    if (before->block != rk_check_now.index)
        return rk_check_ordered_across(before, thread);
    return rk_check_knows(thread, before->thread, before->epoch, before->clock);
}

/* What the runtime tells. */

static void on_launch(const rk_cpu_launch *launch)
{
    rk_check_lock();
    rk_check_launch = launch;
    rk_check_serial++;
    rk_check_unlock();
}

static void on_meet_grid(void)
{
    rk_check_lock();
    rk_check_serial++;
    rk_check_unlock();
}

/** The program's own thread-local variables, of the calling OS thread. */
static int find_statics(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS && info->dlpi_tls_data) {
            rk_check_now.statics = info->dlpi_tls_data;
            rk_check_now.statics_end = rk_check_now.statics + info->dlpi_phdr[i].p_memsz;
        }
    return 1; /* the program comes first */
}

static void reset_clocks(uint32_t threads)
{
    rk_check_clocks *known = &rk_check_known;
    if (threads > known->room) {
        free(known->seen);
        known->seen = square(threads);
        known->room = threads;
    }
    memset(known->seen, 0, (size_t)threads * threads * sizeof *known->seen);
    for (uint32_t t = 0; t < threads; t++)
        known->clock[t] = 1;
    memset(known->fence, 0, sizeof known->fence);
    all_met();
}

static void on_begin(rk_cpu_block *block, uint32_t index, const rk_cpu_veu *veu)
{
    static _Atomic uint64_t owners;
    const uint32_t *size = rk_check_launch->block;
    rk_check_state *now = &rk_check_now;
    if (!now->statics)
        dl_iterate_phdr(find_statics, NULL);
    now->block = NULL; /* what is done here is no access of a kernel */
    now->index = index;
    now->threads = size[0] * size[1] * size[2];
    now->epoch = 1;
    now->owner = atomic_fetch_add(&owners, 1) + 1;
    now->buffer = veu->shared;
    now->buffer_end = veu->shared + veu->shared_bytes;
    reset_clocks(now->threads);
    rk_check_begin_across();
    now->block = block;
}

static void on_end(rk_cpu_block *block)
{
    (void)block;
    rk_check_now.block = NULL;
}

static void on_meet_block(rk_cpu_block *block)
{
    (void)block;
    rk_check_lock();
    rk_check_now.epoch++;
    all_met();
    rk_check_unlock();
}

static void on_meet(rk_cpu_block *block, const uint32_t *threads, uint32_t count)
{
    (void)block;
    if (count < 2)
        return;
    rk_check_lock();
    meet(threads, count);
    rk_check_unlock();
}

static const rk_cpu_checker checker = {.launch = on_launch,
                                       .begin = on_begin,
                                       .end = on_end,
                                       .meet_block = on_meet_block,
                                       .meet = on_meet,
                                       .meet_grid = on_meet_grid};

__attribute__((constructor)) static void install(void)
{
    rk_cpu_checker_now = &checker;
    rk_cpu_block_check_places(true);
}
