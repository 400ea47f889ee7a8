#include "rkernel_lib/cpu/block.h"

#include "rkernel_lib/cpu/fiber.h"
#include "rkernel_lib/cpu/warp.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAULT_BYTES = 640, FIBERS_PER_SLAB = 32 };

/** A fiber and the thread of the block that it runs. */
typedef struct worker {
    rk_fiber fiber;
    struct rk_cpu_block *block;
    struct worker *next_idle;
    uint32_t thread;
} worker;

typedef struct slab {
    struct slab *next;
    rk_fiber_stacks stacks;
    worker workers[FIBERS_PER_SLAB];
} slab;

/** Where a thread waits. */
typedef struct {
    worker *worker;
    const char *file;
    uint32_t line;
    bool at_barrier;
} thread_state;

/** Threads in the order in which they are to run, or arrived. */
typedef struct {
    uint32_t *items; /**< a ring of rk_cpu_block.capacity */
    uint32_t head, count;
} queue;

struct rk_cpu_block {
    rk_fiber main; /**< the OS thread's own stack */
    worker *current;
    worker *idle; /**< those without a thread */
    slab *slabs;
    size_t slab_count;

    rk_cpu_thread thread;
    void *user;
    uint32_t threads; /**< of the block */
    uint32_t next;    /**< the first that has not started */
    uint32_t live;    /**< that have not returned */
    bool faulted;

    uint32_t capacity;    /**< of the arrays below: a power of two */
    thread_state *states; /**< by thread */
    rk_cpu_warp *warps;
    queue ready;   /**< can go on */
    queue waiting; /**< at the barrier */

    uint32_t yes, arrived;   /**< of the barrier that is being entered */
    uint32_t result_yes, result_arrived; /**< of the last one that completed */
    char fault[FAULT_BYTES];
};

static void worker_main(void *user);

rk_cpu_block *rk_cpu_block_new(void)
{
    return calloc(1, sizeof(rk_cpu_block));
}

void rk_cpu_block_free(rk_cpu_block *block)
{
    if (!block)
        return;
    for (slab *s = block->slabs, *next; s; s = next) {
        next = s->next;
        for (size_t i = 0; i < FIBERS_PER_SLAB; i++)
            rk_fiber_discard(&s->workers[i].fiber);
        rk_fiber_stacks_unmap(&s->stacks);
        free(s);
    }
    free(block->states);
    free(block->warps);
    free(block->ready.items);
    free(block->waiting.items);
    free(block);
}

/** Makes a slab's fibers ready to run and idle. */
static void reset_slab(rk_cpu_block *block, slab *s, size_t index)
{
    for (size_t i = FIBERS_PER_SLAB; i-- > 0;) {
        worker *w = &s->workers[i];
        w->block = block;
        rk_fiber_prepare(&w->fiber, worker_main, w, index * FIBERS_PER_SLAB + i);
        w->next_idle = block->idle;
        block->idle = w;
    }
}

static bool add_slab(rk_cpu_block *block)
{
    slab *s = calloc(1, sizeof *s);
    if (!s)
        return false;
    if (!rk_fiber_stacks_map(&s->stacks, FIBERS_PER_SLAB)) {
        free(s);
        return false;
    }
    for (size_t i = 0; i < FIBERS_PER_SLAB; i++)
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
    for (slab *s = block->slabs; s; s = s->next)
        reset_slab(block, s, --index);
}

static void push(const rk_cpu_block *block, queue *q, uint32_t thread)
{
    q->items[(q->head + q->count++) & (block->capacity - 1)] = thread;
}

static uint32_t pop(const rk_cpu_block *block, queue *q)
{
    uint32_t thread = q->items[q->head];
    q->head = (q->head + 1) & (block->capacity - 1);
    q->count--;
    return thread;
}

static void switch_to(rk_cpu_block *block, worker *to)
{
    worker *from = block->current;
    if (from == to)
        return;
    block->current = to;
    rk_fiber_switch(from ? &from->fiber : &block->main, to ? &to->fiber : &block->main);
}

/** Gives up the block: goes on in rk_cpu_block_run. */
static void abandon(rk_cpu_block *block)
{
    block->faulted = true;
    switch_to(block, NULL);
}

/** Appends to the fault's text, as much as there is room for. */
__attribute__((format(printf, 2, 3))) static void tell(rk_cpu_block *block, const char *format, ...)
{
    size_t length = strlen(block->fault);
    va_list args;
    va_start(args, format);
    vsnprintf(block->fault + length, FAULT_BYTES - length, format, args);
    va_end(args);
}

static void wake_group(rk_cpu_block *block, rk_cpu_warp *warp, uint32_t group)
{
    rk_cpu_warp_complete(warp, group);
    warp->posted &= ~group;
    for (; group; group &= group - 1)
        push(block, &block->ready, warp->threads[__builtin_ctz(group)]);
}

/** Lets the lanes go on that wait in __activemask; false when there are none. */
static bool resolve_active_masks(rk_cpu_block *block)
{
    bool found = false;
    for (uint32_t i = 0; i * RK_CPU_WARP < block->threads; i++) {
        rk_cpu_warp *warp = &block->warps[i];
        uint32_t left = warp->posted;
        while (left) {
            const rk_cpu_warp_op *op = warp->ops[__builtin_ctz(left)];
            uint32_t group = 0;
            for (uint32_t rest = left; rest; rest &= rest - 1) {
                const rk_cpu_warp_op *other = warp->ops[__builtin_ctz(rest)];
                if (other->kind == op->kind && other->value == op->value)
                    group |= rest & -rest;
            }
            left &= ~group;
            if (op->kind != RK_CPU_ACTIVEMASK)
                continue;
            wake_group(block, warp, group);
            found = true;
        }
    }
    return found;
}

/** Describes the threads that wait where `first` does, and marks them as told. */
static void tell_place(rk_cpu_block *block, uint32_t first, bool *told)
{
    const thread_state *at = &block->states[first];
    const rk_cpu_warp *warp = &block->warps[first / RK_CPU_WARP];
    const rk_cpu_warp_op *op = at->at_barrier ? NULL : warp->ops[first % RK_CPU_WARP];
    uint32_t count = 0;
    for (uint32_t t = first; t < block->threads; t++) {
        const thread_state *s = &block->states[t];
        if (told[t] || !s->worker || s->at_barrier != at->at_barrier || s->file != at->file ||
            s->line != at->line)
            continue;
        const rk_cpu_warp_op *theirs =
            s->at_barrier ? NULL : block->warps[t / RK_CPU_WARP].ops[t % RK_CPU_WARP];
        if (op && (theirs->kind != op->kind || theirs->mask != op->mask))
            continue;
        told[t] = true;
        count++;
    }
    tell(block, "; %u thread%s (thread %u first) %s in ", count, count == 1 ? "" : "s", first,
         count == 1 ? "waits" : "wait");
    if (op && op->kind != RK_CPU_ACTIVEMASK)
        tell(block, "%s with mask 0x%08x", rk_cpu_warp_name(op->kind), op->mask);
    else
        tell(block, "%s", op ? "__activemask" : "a barrier");
    if (at->file)
        tell(block, " at %s:%u", at->file, at->line);
}

/** Writes what is known: who waits where, and how many have returned. */
static void tell_deadlock(rk_cpu_block *block)
{
    snprintf(block->fault, FAULT_BYTES, "deadlock in a block of %u threads", block->threads);
    bool *told = calloc(block->threads, sizeof *told);
    for (uint32_t t = 0; told && t < block->threads; t++)
        if (!told[t] && block->states[t].worker)
            tell_place(block, t, told);
    free(told);
    if (block->live < block->threads)
        tell(block, "; %u returned", block->threads - block->live);
}

/** Picks what runs after a thread began to wait or returned. */
static void dispatch(rk_cpu_block *block)
{
    if (block->ready.count == 0 && block->next == block->threads && block->live > 0 &&
        !resolve_active_masks(block)) {
        tell_deadlock(block);
        abandon(block);
        return;
    }
    worker *to = NULL;
    if (block->ready.count > 0) {
        to = block->states[pop(block, &block->ready)].worker;
    } else if (block->next < block->threads) {
        if (!block->idle && !add_slab(block)) {
            snprintf(block->fault, FAULT_BYTES, "no memory for the stacks of %u threads",
                     block->threads);
            abandon(block);
            return;
        }
        to = block->idle;
        block->idle = to->next_idle;
    }
    switch_to(block, to);
}

/** When all live threads are at the barrier, lets them go on. */
static void try_release(rk_cpu_block *block)
{
    if (block->live == 0 || block->waiting.count != block->live)
        return;
    block->result_yes = block->yes;
    block->result_arrived = block->arrived;
    block->yes = block->arrived = 0;
    queue none = block->ready;
    none.head = 0;
    assert(none.count == 0);
    block->ready = block->waiting;
    block->waiting = none;
}

/** Takes a thread that returned out of its barrier and warp. */
static void leave(rk_cpu_block *block, uint32_t thread)
{
    block->states[thread].worker = NULL;
    block->live--;
    rk_cpu_warp *warp = &block->warps[thread / RK_CPU_WARP];
    warp->live &= ~(UINT32_C(1) << thread % RK_CPU_WARP);
    for (uint32_t left = warp->posted; left;) {
        uint32_t group = rk_cpu_warp_group(warp, (uint32_t)__builtin_ctz(left));
        left &= ~(group ? group : left & -left);
        if (group)
            wake_group(block, warp, group);
    }
    try_release(block);
}

/** A fiber's life: runs the next thread that has not started, then idles until it is taken again. */
static void worker_main(void *user)
{
    worker *self = user;
    rk_cpu_block *block = self->block;
    for (;;) {
        self->thread = block->next++;
        block->states[self->thread] = (thread_state){.worker = self};
        block->thread(block->user, self->thread);
        leave(block, self->thread);
        self->next_idle = block->idle;
        block->idle = self;
        dispatch(block);
    }
}

static bool grow(rk_cpu_block *block, uint32_t threads)
{
    if (threads <= block->capacity)
        return true;
    uint32_t capacity = RK_CPU_WARP;
    while (capacity < threads)
        capacity *= 2;
    free(block->states);
    free(block->warps);
    free(block->ready.items);
    free(block->waiting.items);
    block->states = calloc(capacity, sizeof *block->states);
    block->warps = calloc(capacity / RK_CPU_WARP, sizeof *block->warps);
    block->ready.items = calloc(capacity, sizeof *block->ready.items);
    block->waiting.items = calloc(capacity, sizeof *block->waiting.items);
    bool good = block->states && block->warps && block->ready.items && block->waiting.items;
    block->capacity = good ? capacity : 0;
    return good;
}

/** Sets the lanes that exist: the last warp may be partial. */
static void reset_warps(rk_cpu_block *block)
{
    for (uint32_t first = 0; first < block->threads; first += RK_CPU_WARP) {
        uint32_t lanes = block->threads - first;
        rk_cpu_warp *warp = &block->warps[first / RK_CPU_WARP];
        warp->live = lanes >= RK_CPU_WARP ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;
        warp->posted = 0;
    }
}

bool rk_cpu_block_run(rk_cpu_block *block, uint32_t threads, rk_cpu_thread thread, void *user)
{
    assert(!block->current);
    block->fault[0] = '\0';
    if (!grow(block, threads)) {
        snprintf(block->fault, FAULT_BYTES, "no memory for a block of %u threads", threads);
        return false;
    }
    block->thread = thread;
    block->user = user;
    block->threads = block->live = threads;
    block->next = 0;
    block->faulted = false;
    block->yes = block->arrived = 0;
    block->ready.head = block->ready.count = 0;
    block->waiting.head = block->waiting.count = 0;
    for (uint32_t t = 0; t < threads; t++)
        block->states[t].worker = NULL;
    reset_warps(block);
    rk_fiber_adopt(&block->main);
    dispatch(block);
    if (block->faulted)
        reset_workers(block);
    return !block->faulted;
}

bool rk_cpu_block_running(const rk_cpu_block *block)
{
    return block->current != NULL;
}

uint32_t rk_cpu_block_barrier(rk_cpu_block *block, rk_cpu_barrier_kind kind, uint32_t predicate,
                              const char *file, uint32_t line)
{
    uint32_t thread = block->current->thread;
    thread_state *state = &block->states[thread];
    state->file = file;
    state->line = line;
    state->at_barrier = true;
    block->yes += predicate != 0;
    block->arrived++;
    push(block, &block->waiting, thread);
    try_release(block);
    dispatch(block);
    state->at_barrier = false;
    switch (kind) {
    case RK_CPU_BARRIER_COUNT:
        return block->result_yes;
    case RK_CPU_BARRIER_AND:
        return block->result_yes == block->result_arrived;
    case RK_CPU_BARRIER_OR:
        return block->result_yes != 0;
    default:
        return 0;
    }
}

void rk_cpu_block_warp(rk_cpu_block *block, rk_cpu_warp_op *op)
{
    uint32_t thread = block->current->thread;
    uint32_t lane = thread % RK_CPU_WARP;
    rk_cpu_warp *warp = &block->warps[thread / RK_CPU_WARP];
    thread_state *state = &block->states[thread];
    state->file = op->file;
    state->line = op->line;
    if (!(op->mask >> lane & 1)) {
        char text[FAULT_BYTES / 2];
        snprintf(text, sizeof text, "thread %u (lane %u) calls %s with mask 0x%08x that lacks it%s%s",
                 thread, lane, rk_cpu_warp_name(op->kind), op->mask, op->file ? " at " : "",
                 op->file ? op->file : "");
        rk_cpu_block_fail(block, text);
    }
    warp->posted |= UINT32_C(1) << lane;
    warp->ops[lane] = op;
    warp->threads[lane] = thread;
    uint32_t group = rk_cpu_warp_group(warp, lane);
    if (group)
        wake_group(block, warp, group);
    dispatch(block);
}

void rk_cpu_block_fail(rk_cpu_block *block, const char *message)
{
    snprintf(block->fault, FAULT_BYTES, "%s", message);
    abandon(block);
    abort();
}

const char *rk_cpu_block_fault(const rk_cpu_block *block)
{
    return block->fault;
}
