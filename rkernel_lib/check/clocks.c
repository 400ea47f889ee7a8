#include "rkernel_lib/check/check.h"

#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 1024, BUCKETS = 4096, MOST_IGNORED = 32 };

_Thread_local rk_check_state rk_check_now;
uint32_t rk_check_serial;
const rk_cpu_launch *rk_check_launch;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/** What each thread of the block knows of the others' clocks, since all met last. */
static _Thread_local struct {
    uint32_t clock[MOST_THREADS];
    uint32_t fence[MOST_THREADS]; /**< epoch of the last fence, 0 for none */
    uint32_t *seen;               /**< by thread, then by other thread */
    uint32_t room;                /**< threads that `seen` has room for */
    bool wide;                    /**< threads of different warps have met since all met */
} clocks;

/** A block's fence before an atomic: covers earlier epochs, and all of the thread's own. */
typedef struct {
    uint32_t block, epoch, thread;
} release;

/** An address that blocks touch atomically. */
typedef struct place {
    uintptr_t address;
    uint32_t serial;
    release *log;
    uint32_t count, room;
    struct place *next;
} place;

/** The calling OS thread's block knows the first `count` releases of a place. */
typedef struct {
    const place *place;
    uint32_t count, epoch, thread;
} acquire;

static place *places[BUCKETS];
static _Thread_local struct {
    acquire *items;
    uint32_t count, room;
} known;

static _Thread_local struct {
    struct {
        const unsigned char *begin, *end;
    } items[MOST_IGNORED];
    uint32_t count;
} ignored;

void rk_check_lock(void)
{
    pthread_mutex_lock(&lock);
}

void rk_check_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

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

static void *more(void *items, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return items;
    *room = *room ? *room * 2 : 16;
    void *grown = realloc(items, *room * size);
    if (!grown)
        abort();
    return grown;
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

static void make_room(uint32_t threads)
{
    if (threads > clocks.room) {
        free(clocks.seen);
        clocks.seen = malloc((size_t)threads * threads * sizeof *clocks.seen);
        clocks.room = threads;
        if (!clocks.seen)
            abort();
    }
    memset(clocks.seen, 0, (size_t)threads * threads * sizeof *clocks.seen);
    for (uint32_t t = 0; t < threads; t++)
        clocks.clock[t] = 1;
    memset(clocks.fence, 0, sizeof clocks.fence);
    clocks.wide = false;
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
    known.count = 0;
    make_room(now->threads);
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
    rk_check_now.epoch++;
    clocks.wide = false;
}

/** Gives all of the group what any of them knows of thread `other`. */
static void join(const uint32_t *threads, uint32_t count, uint32_t other)
{
    const uint32_t n = rk_check_now.threads;
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t t = threads[i];
        const uint32_t it = t == other ? clocks.clock[t] : clocks.seen[t * n + other];
        most = it > most ? it : most;
    }
    for (uint32_t i = 0; i < count; i++)
        clocks.seen[threads[i] * n + other] = most;
}

static void on_meet(rk_cpu_block *block, const uint32_t *threads, uint32_t count)
{
    (void)block;
    if (count < 2)
        return;
    const uint32_t warp = threads[0] / RK_CPU_WARP;
    for (uint32_t i = 1; i < count; i++)
        clocks.wide |= threads[i] / RK_CPU_WARP != warp;
    uint32_t first = 0, last = rk_check_now.threads;
    if (!clocks.wide) {
        first = warp * RK_CPU_WARP;
        last = last < first + RK_CPU_WARP ? last : first + RK_CPU_WARP;
    }
    for (uint32_t other = first; other < last; other++)
        join(threads, count, other);
    for (uint32_t i = 0; i < count; i++)
        clocks.clock[threads[i]]++;
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

/* Order. */

uint32_t rk_check_clock(uint32_t thread)
{
    return clocks.clock[thread];
}

/** Whether the block learned of `before`, of another block, by an atomic. */
static bool ordered_across(const rk_check_access *before, uint32_t thread)
{
    for (uint32_t i = 0; i < known.count; i++) {
        const acquire *a = &known.items[i];
        if (a->thread != thread && a->epoch >= rk_check_now.epoch)
            continue;
        for (uint32_t k = 0; k < a->count; k++) {
            const release *r = &a->place->log[k];
            if (r->block == before->block &&
                (before->epoch < r->epoch ||
                 (before->epoch == r->epoch && before->thread == r->thread)))
                return true;
        }
    }
    return false;
}

bool rk_check_ordered(const rk_check_access *before, uint32_t thread)
{
    if (before->block != rk_check_now.index)
        return ordered_across(before, thread);
    return before->thread == thread || before->epoch < rk_check_now.epoch ||
           before->clock <= clocks.seen[thread * rk_check_now.threads + before->thread];
}

void rk_check_fence(uint32_t thread)
{
    clocks.fence[thread] = rk_check_now.epoch;
}

/** The record of an address in this launch; under the lock. */
static place *place_at(uintptr_t address)
{
    place **bucket = &places[(address >> 2) % BUCKETS];
    place *p = *bucket;
    while (p && p->address != address)
        p = p->next;
    if (!p) {
        p = calloc(1, sizeof *p);
        if (!p)
            abort();
        p->address = address;
        p->next = *bucket;
        *bucket = p;
    }
    if (p->serial != rk_check_serial) {
        p->serial = rk_check_serial;
        p->count = 0;
    }
    return p;
}

/**
 * The first epoch that the thread's release does not cover: that of its own fence, or the one after the last in
 * which all threads made one, if all have met since.
 */
static uint32_t released(uint32_t thread)
{
    uint32_t all = clocks.fence[0];
    for (uint32_t t = 1; t < rk_check_now.threads; t++)
        all = clocks.fence[t] < all ? clocks.fence[t] : all;
    if (all > 0 && all < rk_check_now.epoch && all + 1 > clocks.fence[thread])
        return all + 1;
    return clocks.fence[thread];
}

void rk_check_atomic(uintptr_t address, uint32_t thread)
{
    place *p = place_at(address);
    if (p->count > 0) {
        uint32_t i = 0;
        while (i < known.count && (known.items[i].place != p || known.items[i].thread != thread))
            i++;
        if (i == known.count) {
            known.items = more(known.items, known.count, &known.room, sizeof *known.items);
            known.count++;
        }
        known.items[i] = (acquire){p, p->count, rk_check_now.epoch, thread};
    }
    if (clocks.fence[thread]) {
        p->log = more(p->log, p->count, &p->room, sizeof *p->log);
        p->log[p->count++] = (release){rk_check_now.index, released(thread), thread};
    }
}
