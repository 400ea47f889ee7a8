#include "rkernel_lib/include/rk/cpu/cpu_checker.h"
#include "rkernel_lib/runtime/cpu/block_internal.h"

#include <assert.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/** Yields in a row after which the rest of the machine gets its turn, and after which the OS thread sleeps each time. */
enum { STALL_PERIOD = 64, STALL_LONG = 256 * STALL_PERIOD, STALL_SLEEP_NS = 50000 };

/** Yields of a thread since its last warp operation after which it is taken to poll, and not to be on its way to one. */
enum { MOST_YIELDS_ON_THE_WAY = 2 };

static atomic_bool check_places;

const rk_cpu_checker *rk_cpu_checker_now;

static void worker_main(void *user);

void rk_cpu_block_check_places(bool on)
{
    atomic_store(&check_places, on);
}

rk_cpu_block *rk_cpu_block_new(void)
{
    return calloc(1, sizeof(rk_cpu_block));
}

static void free_arrays(rk_cpu_block *block)
{
    free(block->states);
    free(block->order);
    free(block->warps);
    free(block->ready.items);
    free(block->finished.items);
    for (int i = 0; i < RK_BLOCK_BARRIERS; i++) {
        free(block->barriers[i].waiting.items);
        free(block->barriers[i].lanes);
        block->barriers[i] = (rk_block_barrier){0};
    }
}

void rk_cpu_block_free(rk_cpu_block *block)
{
    if (!block)
        return;
    for (rk_block_slab *s = block->slabs, *next; s; s = next) {
        next = s->next;
        for (size_t i = 0; i < RK_BLOCK_FIBERS_PER_SLAB; i++)
            rk_fiber_discard(&s->workers[i].fiber);
        rk_fiber_stacks_unmap(&s->stacks);
        free(s);
    }
    free_arrays(block);
    free(block);
}

void rk_cpu_block_set(rk_cpu_block *block, const rk_cpu_block_options *options)
{
    block->random = options->seed;
    block->kept = options->kept;
    block->stall = options->stall;
    block->stall_user = options->stall_user;
}

/* Fibers. */

/** Makes a slab's fibers ready to run and idle. */
static void reset_slab(rk_cpu_block *block, rk_block_slab *s, size_t index)
{
    for (size_t i = RK_BLOCK_FIBERS_PER_SLAB; i-- > 0;) {
        rk_block_worker *w = &s->workers[i];
        w->block = block;
        rk_fiber_prepare(&w->fiber, worker_main, w, index * RK_BLOCK_FIBERS_PER_SLAB + i);
        w->next_idle = block->idle;
        block->idle = w;
    }
}

static bool add_slab(rk_cpu_block *block)
{
    rk_block_slab *s = calloc(1, sizeof *s);
    if (!s)
        return false;
    if (!rk_fiber_stacks_map(&s->stacks, RK_BLOCK_FIBERS_PER_SLAB)) {
        free(s);
        return false;
    }
    for (size_t i = 0; i < RK_BLOCK_FIBERS_PER_SLAB; i++)
        rk_fiber_place(&s->workers[i].fiber, &s->stacks, i);
    s->next = block->slabs;
    block->slabs = s;
    reset_slab(block, s, block->slab_count++);
    return true;
}

/** After a fault the fibers are somewhere inside kernels: starts all of them anew. */
static void reset_workers(rk_cpu_block *block)
{
    block->idle = NULL;
    size_t index = block->slab_count;
    for (rk_block_slab *s = block->slabs; s; s = s->next)
        reset_slab(block, s, --index);
}

/** Switches, and puts the built-ins back afterwards. */
__attribute__((noinline)) static uint32_t switch_keeping(const rk_cpu_block *block, rk_fiber *from,
                                                         rk_fiber *to)
{
    uint32_t kept[3];
    uint32_t *const words = block->kept;
    memcpy(kept, words, sizeof kept);
    rk_fiber_switch(from, to);
    memcpy(words, kept, sizeof kept);
    return 0;
}

/** Goes on in another fiber; NULL for the OS thread's own. 0, once this one is gone on with. */
static inline uint32_t switch_to(rk_cpu_block *block, rk_block_worker *to)
{
    rk_fiber *from = block->current ? &block->current->fiber : &block->main;
    rk_fiber *next = to ? &to->fiber : &block->main;
    block->current = to;
    if (from == next)
        return 0;
    return block->kept ? switch_keeping(block, from, next) : rk_fiber_switch(from, next);
}

/** Gives up the block: goes on in rk_cpu_block_run. */
static void abandon(rk_cpu_block *block)
{
    block->faulted = true;
    switch_to(block, NULL);
}

/* What runs next. */

/** A random number below `limit`, which is not 0. */
static uint32_t below(rk_cpu_block *block, uint32_t limit)
{
    uint64_t x = block->random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    block->random = x;
    return (uint32_t)((x >> 32) * limit >> 32);
}

static void push(const rk_cpu_block *block, rk_thread_queue *q, uint32_t thread)
{
    q->items[(q->head + q->count++) & (block->capacity - 1)] = thread;
}

static uint32_t pop(rk_cpu_block *block, rk_thread_queue *q)
{
    const uint32_t mask = block->capacity - 1;
    if (block->random) {
        uint32_t *other = &q->items[(q->head + below(block, q->count)) & mask];
        const uint32_t thread = *other;
        *other = q->items[q->head];
        q->items[q->head] = thread;
    }
    const uint32_t thread = q->items[q->head];
    q->head = (q->head + 1) & mask;
    q->count--;
    return thread;
}

/** Of a number that only this thread changes. */
static inline void count_up(_Atomic uint64_t *number)
{
    atomic_store_explicit(number, atomic_load_explicit(number, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

/** Threads met: the block got on, unless all of them only wait, and meet in each round of that. */
static void meet(rk_cpu_block *block)
{
    if (block->fresh) {
        block->stalled = 0;
        count_up(&block->moved);
    }
    block->fresh = false;
}

/** A thread comes to where it meets others. */
static inline void come(rk_cpu_block *block, rk_thread_state *state)
{
    block->fresh |= !state->waited;
    state->waited = false;
}

/** Lets all threads of `from` go on. */
static void make_ready(rk_cpu_block *block, rk_thread_queue *from)
{
    if (block->fresh)
        count_up(&block->met);
    meet(block);
    if (block->ready.count == 0) {
        const rk_thread_queue none = {.items = block->ready.items};
        block->ready = *from;
        *from = none;
        return;
    }
    for (uint32_t i = 0; i < from->count; i++)
        push(block, &block->ready, from->items[(from->head + i) & (block->capacity - 1)]);
    from->head = from->count = 0;
}

/** Of the warp operations only __syncwarp orders memory. */
static void meet_group(rk_cpu_block *block, const rk_cpu_warp *warp, uint32_t group)
{
    uint32_t threads[RK_CPU_WARP], count = 0;
    for (; group; group &= group - 1)
        threads[count++] = warp->threads[__builtin_ctz(group)];
    rk_cpu_checker_now->meet(block, threads, count);
}

static void wake_group(rk_cpu_block *block, rk_cpu_warp *warp, uint32_t group)
{
    const uint32_t kind = warp->ops[__builtin_ctz(group)]->kind;
    if (kind != RK_CPU_ACTIVEMASK) /* which threads that poll volatile memory come to each time */
        meet(block);
    rk_cpu_warp_complete(warp, group);
    warp->posted &= ~group;
    if (rk_cpu_checker_now && kind == RK_CPU_SYNCWARP)
        meet_group(block, warp, group);
    for (; group; group &= group - 1) {
        const uint32_t thread = warp->threads[__builtin_ctz(group)];
        block->states[thread].wait = RK_THREAD_RUNS;
        push(block, &block->ready, thread);
    }
}

/** Whether a lane of the warp that runs, or is about to, may still come to where others wait for it: it does not poll. */
static bool is_coming(const rk_cpu_block *block, uint32_t index)
{
    const rk_cpu_warp *warp = &block->warps[index];
    for (uint32_t left = warp->live & ~warp->posted; left; left &= left - 1) {
        const rk_thread_state *s =
            &block->states[index * RK_CPU_WARP + (uint32_t)__builtin_ctz(left)];
        if (!s->worker || (s->wait == RK_THREAD_RUNS && s->yields < MOST_YIELDS_ON_THE_WAY))
            return true;
    }
    return false;
}

/**
 * Lets the lanes go on that wait for whoever is at the same place; false when there are none. With `polling`, when
 * other threads only poll, those of warps of which no lane is coming.
 */
static bool resolve_converged(rk_cpu_block *block, bool polling)
{
    bool found = false;
    for (uint32_t i = 0; polling && i < block->ready.count; i++)
        block->states[block->ready.items[(block->ready.head + i) & (block->capacity - 1)]].wait =
            RK_THREAD_RUNS;
    for (uint32_t i = 0; i * RK_CPU_WARP < block->members; i++) {
        rk_cpu_warp *warp = &block->warps[i];
        if (polling && (warp->posted == 0 || is_coming(block, i)))
            continue;
        for (uint32_t left = warp->posted; left;) {
            const uint32_t lane = (uint32_t)__builtin_ctz(left);
            const uint32_t group = rk_cpu_warp_together(warp, lane);
            left &= ~(group ? group : left & -left);
            if (group == 0)
                continue;
            wake_group(block, warp, group);
            found = true;
        }
    }
    return found;
}

/** A fiber for the next thread, NULL when memory is short. */
static rk_block_worker *take_idle(rk_cpu_block *block)
{
    if (!block->idle && !add_slab(block))
        return NULL;
    rk_block_worker *w = block->idle;
    block->idle = w->next_idle;
    return w;
}

/** Goes on with what runs after a thread began to wait, or to poll (`polls`), or returned; 0, as switch_to. */
static uint32_t dispatch(rk_cpu_block *block, bool polls)
{
    const bool unstarted = block->next < block->threads;
    if (block->ready.count == 0 && !unstarted && block->alive > 0 &&
        !resolve_converged(block, false)) {
        rk_block_tell_deadlock(block);
        abandon(block);
        return 0;
    }
    rk_block_worker *to = NULL;
    const bool start =
        unstarted && (polls || block->ready.count == 0 || (block->random && below(block, 2)));
    if (start) {
        to = take_idle(block);
        if (!to) {
            snprintf(block->fault, RK_BLOCK_FAULT_BYTES, "no memory for the stacks of %u threads",
                     block->threads);
            abandon(block);
            return 0;
        }
    } else if (block->ready.count > 0) {
        rk_thread_state *next = &block->states[pop(block, &block->ready)];
        next->wait = RK_THREAD_RUNS;
        to = next->worker;
    }
    return switch_to(block, to);
}

/** What a suspended fiber needs of its stack to go on: registers, and the kernel's own frame; in bytes. */
enum { FETCHED = 192, CACHE_LINE = 64 };

static inline void fetch(const rk_block_worker *worker)
{
    for (int i = 0; worker && i < FETCHED; i += CACHE_LINE)
        __builtin_prefetch((const char *)worker->fiber.stack_pointer + i);
}

/**
 * The one to run after a thread began to wait or returned, when it is simply the first that is ready or has not
 * started; NULL when dispatch has to decide. Its successor's stack is fetched meanwhile: what a fiber has on its
 * stack is out of the first-level cache when it goes on.
 */
static inline rk_block_worker *choose(rk_cpu_block *block)
{
    if (block->random)
        return NULL;
    rk_thread_queue *q = &block->ready;
    if (q->count > 0) {
        const uint32_t head = q->head, after = (head + 1) & (block->capacity - 1);
        rk_thread_state *next = &block->states[q->items[head]];
        q->head = after;
        q->count--;
        next->wait = RK_THREAD_RUNS;
        fetch(block->states[q->items[after]].worker);
        return next->worker;
    }
    rk_block_worker *idle = block->next < block->threads ? block->idle : NULL;
    if (idle) {
        block->idle = idle->next_idle;
        fetch(block->idle);
    }
    return idle;
}

/** Goes on with what is next. 0, once this thread is gone on with; nothing of it is on the stack where that is easy. */
static inline uint32_t go_on(rk_cpu_block *block)
{
    rk_block_worker *to = choose(block);
    return to ? switch_to(block, to) : dispatch(block, false);
}

/* Barriers. */

/** Threads that count at a barrier over whole warps. */
static uint32_t counted(const rk_cpu_block *block, const rk_block_barrier *b)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i * RK_CPU_WARP < block->members; i++)
        if (b->lanes[i])
            count += (uint32_t)__builtin_popcount(b->lanes[i] | ~block->warps[i].live);
    return count;
}

static bool complete(const rk_cpu_block *block, const rk_block_barrier *b)
{
    if (b->arrived == 0)
        return false;
    return b->expected ? counted(block, b) >= b->expected : b->waiting.count == block->live;
}

/** Gives the threads that wait the results, for others may complete the barrier before they run. */
static void keep_results(rk_cpu_block *block, const rk_block_barrier *b)
{
    for (uint32_t i = 0; i < b->waiting.count; i++) {
        const uint32_t at = (b->waiting.head + i) & (block->capacity - 1);
        rk_thread_state *state = &block->states[b->waiting.items[at]];
        state->yes = b->yes;
        state->arrived = b->arrived;
    }
}

static void meet_at(rk_cpu_block *block, const rk_block_barrier *b)
{
    if (b->expected == 0) {
        rk_cpu_checker_now->meet_block(block);
        return;
    }
    uint32_t *threads = calloc(block->threads, sizeof *threads), count = 0;
    for (uint32_t t = 0; threads && t < block->members; t++)
        if (b->lanes[t / RK_CPU_WARP] >> t % RK_CPU_WARP & 1)
            threads[count++] = t;
    rk_cpu_checker_now->meet(block, threads, count);
    free(threads);
}

/** When all that it expects are at a barrier, lets them go on. */
static void try_release(rk_cpu_block *block, rk_block_barrier *b)
{
    if (!complete(block, b))
        return;
    b->result_yes = b->yes;
    b->result_arrived = b->arrived;
    if (rk_cpu_checker_now)
        meet_at(block, b);
    if (b->expected) {
        keep_results(block, b);
        memset(b->lanes, 0, block->capacity / RK_CPU_WARP * sizeof *b->lanes);
    }
    b->yes = b->arrived = 0;
    make_ready(block, &b->waiting);
}

static void try_release_all(rk_cpu_block *block)
{
    for (uint32_t left = block->barriers_used; left; left &= left - 1)
        try_release(block, &block->barriers[__builtin_ctz(left)]);
}

/** Takes a thread that left its rTask out of its barriers and warp. */
static void leave(rk_cpu_block *block, uint32_t thread)
{
    block->stalled = 0;
    if (thread >= block->members)
        return;
    block->live--;
    rk_cpu_warp *warp = &block->warps[thread / RK_CPU_WARP];
    warp->live &= ~(UINT32_C(1) << thread % RK_CPU_WARP);
    for (uint32_t left = warp->posted; left;) {
        uint32_t group = rk_cpu_warp_group(warp, (uint32_t)__builtin_ctz(left));
        left &= ~(group ? group : left & -left);
        if (group)
            wake_group(block, warp, group);
    }
    try_release_all(block);
}

/** A fiber's life: runs the next thread that has not started, then idles until it is taken again. */
static void worker_main(void *user)
{
    rk_block_worker *self = user;
    rk_cpu_block *block = self->block;
    for (;;) {
        const uint32_t n = block->next++;
        block->stalled = 0;
        self->thread = block->random ? block->order[n] : n;
        block->states[self->thread] = (rk_thread_state){.worker = self};
        count_up(&block->moved);
        block->thread(block->user, self->thread);
        count_up(&block->met);
        block->states[self->thread].worker = NULL;
        block->alive--;
        leave(block, self->thread);
        self->next_idle = block->idle;
        block->idle = self;
        go_on(block);
    }
}

/* Runs. */

static bool grow(rk_cpu_block *block, uint32_t threads)
{
    if (threads <= block->capacity)
        return true;
    uint32_t capacity = RK_CPU_WARP;
    while (capacity < threads)
        capacity *= 2;
    rk_watch_lock();
    block->threads = 0;
    free_arrays(block);
    block->states = calloc(capacity, sizeof *block->states);
    block->order = calloc(capacity, sizeof *block->order);
    block->warps = calloc(capacity / RK_CPU_WARP, sizeof *block->warps);
    block->ready.items = calloc(capacity, sizeof *block->ready.items);
    block->finished.items = calloc(capacity, sizeof *block->finished.items);
    bool good = block->states && block->order && block->warps && block->ready.items &&
                block->finished.items;
    block->capacity = good ? capacity : 0;
    rk_watch_unlock();
    return good;
}

/** Makes all members take part, the lanes of the last warp that exist among them. */
static void reset_members(rk_cpu_block *block)
{
    block->live = block->members;
    for (uint32_t first = 0; first < block->members; first += RK_CPU_WARP) {
        const uint32_t lanes = block->members - first;
        rk_cpu_warp *warp = &block->warps[first / RK_CPU_WARP];
        warp->live = lanes >= RK_CPU_WARP ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;
        warp->posted = 0;
    }
    for (uint32_t left = block->barriers_used; left; left &= left - 1) {
        rk_block_barrier *b = &block->barriers[__builtin_ctz(left)];
        b->waiting.head = b->waiting.count = 0;
        b->yes = b->arrived = 0;
        if (b->lanes)
            memset(b->lanes, 0, block->capacity / RK_CPU_WARP * sizeof *b->lanes);
    }
    block->barriers_used = 0;
}

static void shuffle_order(rk_cpu_block *block)
{
    for (uint32_t i = 0; i < block->threads; i++) {
        const uint32_t at = below(block, i + 1);
        block->order[i] = block->order[at];
        block->order[at] = i;
    }
}

bool rk_cpu_block_run_rtasks(rk_cpu_block *block, uint32_t threads, uint32_t members,
                             rk_cpu_thread thread, void *user)
{
    assert(!block->current && members <= threads);
    block->fault[0] = '\0';
    if (!grow(block, threads)) {
        snprintf(block->fault, RK_BLOCK_FAULT_BYTES, "no memory for a block of %u threads",
                 threads);
        return false;
    }
    block->thread = thread;
    block->user = user;
    block->threads = block->alive = threads;
    block->members = members;
    block->next = 0;
    block->stalled = 0;
    block->faulted = false;
    block->ready.head = block->ready.count = 0;
    block->finished.head = block->finished.count = 0;
    for (uint32_t t = 0; t < threads; t++)
        block->states[t].worker = NULL;
    reset_members(block);
    if (block->random)
        shuffle_order(block);
    rk_fiber_adopt(&block->main);
    dispatch(block, false);
    if (block->faulted)
        reset_workers(block);
    return !block->faulted;
}

bool rk_cpu_block_run(rk_cpu_block *block, uint32_t threads, rk_cpu_thread thread, void *user)
{
    return rk_cpu_block_run_rtasks(block, threads, threads, thread, user);
}

bool rk_cpu_block_running(const rk_cpu_block *block)
{
    return block->current != NULL;
}

uint32_t rk_cpu_block_thread(const rk_cpu_block *block)
{
    return block->current->thread;
}

/* What threads call. */

void rk_cpu_block_end_rtask(rk_cpu_block *block)
{
    const uint32_t thread = block->current->thread;
    rk_thread_state *state = &block->states[thread];
    state->wait = RK_THREAD_LEFT;
    come(block, state);
    state->file = NULL;
    leave(block, thread);
    push(block, &block->finished, thread);
    if (block->finished.count == block->alive) {
        reset_members(block);
        make_ready(block, &block->finished);
    }
    dispatch(block, false);
    state->wait = RK_THREAD_RUNS;
}

/** Begins to use a barrier. False when memory is short. */
static bool open_barrier(rk_cpu_block *block, uint32_t id)
{
    rk_block_barrier *b = &block->barriers[id];
    if (!b->waiting.items)
        b->waiting.items = calloc(block->capacity, sizeof *b->waiting.items);
    if (!b->lanes)
        b->lanes = calloc(block->capacity / RK_CPU_WARP, sizeof *b->lanes);
    block->barriers_used |= UINT32_C(1) << id;
    return b->waiting.items && b->lanes;
}

/** Fails when the thread and those that wait already cannot mean the same barrier. */
static void check_barrier(rk_cpu_block *block, const rk_block_barrier *b, uint32_t thread,
                          uint32_t count)
{
    if (b->arrived > 0 && b->expected != count) {
        char text[RK_BLOCK_FAULT_BYTES / 2];
        const rk_thread_state *s = &block->states[thread];
        snprintf(text, sizeof text,
                 "thread %u is at barrier %u of %u threads, which others entered "
                 "for %u, at %s:%u",
                 thread, s->barrier, count, b->expected, s->file ? s->file : "?", s->line);
        rk_cpu_block_fail(block, text);
    }
    if (count || b->waiting.count == 0 ||
        !atomic_load_explicit(&check_places, memory_order_relaxed))
        return;
    const uint32_t other = b->waiting.items[b->waiting.head];
    const rk_thread_state *s = &block->states[thread], *t = &block->states[other];
    if (s->line != t->line ||
        (s->file != t->file && s->file && t->file && strcmp(s->file, t->file))) {
        rk_block_tell_mixed(block, thread, other);
        abandon(block);
    }
}

/** Fails for what PTX does not allow. */
static void check_numbers(rk_cpu_block *block, uint32_t id, uint32_t count,
                          rk_cpu_barrier_kind kind)
{
    if (id >= RK_BLOCK_BARRIERS)
        rk_cpu_block_fail(block, "a block has barriers 0 to 15");
    if (kind == RK_CPU_BARRIER_ARRIVE && count == 0)
        rk_cpu_block_fail(block, "arriving at a barrier takes its number of threads");
    if (count % RK_CPU_WARP != 0)
        rk_cpu_block_fail(block, "a barrier counts whole warps: its number of threads is to be a "
                                 "multiple of 32");
}

uint32_t rk_cpu_block_named(rk_cpu_block *block, uint32_t id, uint32_t count,
                            rk_cpu_barrier_kind kind, uint32_t predicate, const char *file,
                            uint32_t line)
{
    const uint32_t thread = block->current->thread;
    check_numbers(block, id, count, kind);
    rk_block_barrier *b = &block->barriers[id];
    rk_thread_state *state = &block->states[thread];
    state->file = file;
    state->line = line;
    state->barrier = (uint8_t)id;
    state->wait = RK_THREAD_AT_BARRIER;
    come(block, state);
    if (!(block->barriers_used >> id & 1) && !open_barrier(block, id))
        rk_cpu_block_fail(block, "no memory for a barrier");
    check_barrier(block, b, thread, count);
    b->expected = count;
    b->yes += predicate != 0;
    b->arrived++;
    if (count)
        b->lanes[thread / RK_CPU_WARP] |= UINT32_C(1) << thread % RK_CPU_WARP;
    if (kind != RK_CPU_BARRIER_ARRIVE)
        push(block, &b->waiting, thread);
    try_release(block, b);
    if (kind != RK_CPU_BARRIER_ARRIVE)
        dispatch(block, false);
    state->wait = RK_THREAD_RUNS;
    const uint32_t yes = count ? state->yes : b->result_yes;
    switch (kind) {
    case RK_CPU_BARRIER_COUNT:
        return yes;
    case RK_CPU_BARRIER_AND:
        return yes == (count ? state->arrived : b->result_arrived);
    case RK_CPU_BARRIER_OR:
        return yes != 0;
    default:
        return 0;
    }
}

uint32_t rk_cpu_block_barrier(rk_cpu_block *block, rk_cpu_barrier_kind kind, uint32_t predicate,
                              const char *file, uint32_t line)
{
    rk_block_barrier *b = &block->barriers[0];
    if (kind != RK_CPU_BARRIER_PLAIN || b->arrived == 0 || b->expected > 0 || rk_cpu_checker_now ||
        b->waiting.count + 1 == block->live)
        return rk_cpu_block_named(block, 0, 0, kind, predicate, file, line);
    const uint32_t thread = block->current->thread;
    rk_thread_state *state = &block->states[thread];
    state->file = file;
    state->line = line;
    state->barrier = 0;
    state->wait = RK_THREAD_AT_BARRIER;
    come(block, state);
    b->arrived++;
    push(block, &b->waiting, thread);
    return go_on(block);
}

void rk_cpu_block_warp(rk_cpu_block *block, rk_cpu_warp_op *op)
{
    const uint32_t thread = block->current->thread;
    const uint32_t lane = thread % RK_CPU_WARP;
    rk_cpu_warp *warp = &block->warps[thread / RK_CPU_WARP];
    rk_thread_state *state = &block->states[thread];
    state->file = op->file;
    state->line = op->line;
    state->wait = RK_THREAD_IN_WARP_OP;
    state->yields = 0;
    state->op = (uint8_t)op->kind;
    if (op->kind != RK_CPU_ACTIVEMASK)
        come(block, state);
    if (!op->converged && !(op->mask >> lane & 1)) {
        char text[RK_BLOCK_FAULT_BYTES / 2];
        snprintf(text, sizeof text,
                 "thread %u (lane %u) calls %s with mask 0x%08x that lacks it%s%s", thread, lane,
                 rk_cpu_warp_name(op->kind), op->mask, op->file ? " at " : "",
                 op->file ? op->file : "");
        rk_cpu_block_fail(block, text);
    }
    warp->posted |= UINT32_C(1) << lane;
    warp->ops[lane] = op;
    warp->threads[lane] = thread;
    const uint32_t group = rk_cpu_warp_group(warp, lane);
    if (group)
        wake_group(block, warp, group);
    dispatch(block, false);
}

void rk_cpu_block_yield(rk_cpu_block *block)
{
    block->stalled++;
    count_up(&block->polls);
    if (!block->current) {
        /* Threads in a loop: whether it waits cannot be told from that it has atomics. */
        if (block->stalled % STALL_PERIOD == 0)
            sched_yield();
        return;
    }
    block->states[block->current->thread].yields++;
    if (block->stalled > 2 * block->ready.count + 2 &&
        block->stalled % (block->ready.count + 1) == 0)
        resolve_converged(block, true);
    if (block->stalled > 2 * block->ready.count + 2 && block->stalled % STALL_PERIOD == 0) {
        if (block->stalled < STALL_LONG)
            sched_yield();
        else
            nanosleep(&(struct timespec){.tv_nsec = STALL_SLEEP_NS}, NULL);
        if (block->stall)
            block->stall(block->stall_user);
    }
    if (block->ready.count == 0 && block->next == block->threads)
        return;
    push(block, &block->ready, block->current->thread);
    dispatch(block, true);
}

void rk_cpu_block_round(rk_cpu_block *block)
{
    if (block->current)
        block->states[block->current->thread].waited = true;
    rk_cpu_block_yield(block);
}

void rk_cpu_block_wait(rk_cpu_block *block, const char *file, uint32_t line)
{
    if (!block->current)
        return;
    rk_thread_state *state = &block->states[block->current->thread];
    if (!file)
        count_up(&block->moved);
    state->loop = file;
    state->loop_line = line;
}

void rk_cpu_block_fail(rk_cpu_block *block, const char *message)
{
    snprintf(block->fault, RK_BLOCK_FAULT_BYTES, "%s", message);
    abandon(block);
    abort();
}

const char *rk_cpu_block_fault(const rk_cpu_block *block)
{
    return block->fault;
}

rk_watch_progress rk_cpu_block_progress(const rk_cpu_block *block)
{
    return (rk_watch_progress){.met = atomic_load_explicit(&block->met, memory_order_relaxed),
                               .moved = atomic_load_explicit(&block->moved, memory_order_relaxed),
                               .polls = atomic_load_explicit(&block->polls, memory_order_relaxed)};
}
