#include "rkernel_lib/runtime/cpu/block_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** Appends to the fault's text, as much as there is room for. */
__attribute__((format(printf, 2, 3))) static void tell(rk_cpu_block *block, const char *format, ...)
{
    const size_t length = strlen(block->fault);
    va_list args;
    va_start(args, format);
    vsnprintf(block->fault + length, RK_BLOCK_FAULT_BYTES - length, format, args);
    va_end(args);
}

static const rk_cpu_warp_op *op_of(const rk_cpu_block *block, uint32_t thread)
{
    return block->states[thread].wait == RK_THREAD_IN_WARP_OP
               ? block->warps[thread / RK_CPU_WARP].ops[thread % RK_CPU_WARP]
               : NULL;
}

/** Whether two threads wait for the same at the same place. */
static bool alike(const rk_cpu_block *block, uint32_t a, uint32_t b)
{
    const rk_thread_state *s = &block->states[a], *t = &block->states[b];
    if (!t->worker || t->wait != s->wait || t->file != s->file || t->line != s->line ||
        (s->wait == RK_THREAD_AT_BARRIER && s->barrier != t->barrier))
        return false;
    const rk_cpu_warp_op *p = op_of(block, a), *q = op_of(block, b);
    return !p || (p->kind == q->kind && p->mask == q->mask);
}

static void tell_wait(rk_cpu_block *block, uint32_t thread)
{
    const rk_thread_state *at = &block->states[thread];
    const rk_cpu_warp_op *op = op_of(block, thread);
    if (op && op->kind != RK_CPU_ACTIVEMASK && !op->converged)
        tell(block, "%s with mask 0x%08x", rk_cpu_warp_name(op->kind), op->mask);
    else if (op)
        tell(block, "%s", rk_cpu_warp_name(op->kind));
    else if (at->wait == RK_THREAD_LEFT)
        tell(block, "the barrier at the end of the rTask");
    else if (at->barrier)
        tell(block, "barrier %u, over %u threads,", at->barrier,
             block->barriers[at->barrier].expected);
    else
        tell(block, "a barrier");
    if (at->file)
        tell(block, " at %s:%u", at->file, at->line);
}

/** Describes the threads that wait where `first` does, and marks them as told. */
static void tell_place(rk_cpu_block *block, uint32_t first, bool *told)
{
    uint32_t count = 0;
    for (uint32_t t = first; t < block->threads; t++) {
        if (told[t] || !alike(block, first, t))
            continue;
        told[t] = true;
        count++;
    }
    tell(block, "; %u thread%s (thread %u first) %s in ", count, count == 1 ? "" : "s", first,
         count == 1 ? "waits" : "wait");
    tell_wait(block, first);
}

void rk_block_tell_deadlock(rk_cpu_block *block)
{
    snprintf(block->fault, RK_BLOCK_FAULT_BYTES, "deadlock in a block of %u threads",
             block->members);
    bool *told = calloc(block->threads, sizeof *told);
    for (uint32_t t = 0; told && t < block->threads; t++)
        if (!told[t] && block->states[t].worker && block->states[t].wait != RK_THREAD_LEFT)
            tell_place(block, t, told);
    free(told);
    if (block->live < block->members)
        tell(block, "; %u returned", block->members - block->live);
}

void rk_block_tell_mixed(rk_cpu_block *block, uint32_t thread, uint32_t other)
{
    snprintf(block->fault, RK_BLOCK_FAULT_BYTES,
             "threads of a block of %u meet at one barrier from different places", block->members);
    const uint32_t two[] = {other, thread};
    for (int i = 0; i < 2; i++) {
        tell(block, "; thread %u waits in ", two[i]);
        tell_wait(block, two[i]);
    }
}

/* For the watchdog, while the block runs: words that another thread changes meanwhile are read one by one. */

/** What a thread is seen to do. */
typedef struct {
    enum { DOES_NOTHING, COMPUTES, WAITS_IN_LOOP, WAITS_AT_BARRIER, WAITS_IN_OP, HAS_LEFT } what;
    const char *file;
    uint32_t line, detail;
} activity;

static activity see(const rk_thread_state *s)
{
    if (!__atomic_load_n(&s->worker, __ATOMIC_RELAXED))
        return (activity){.what = DOES_NOTHING};
    const char *loop = __atomic_load_n(&s->loop, __ATOMIC_RELAXED);
    if (loop)
        return (activity){WAITS_IN_LOOP, loop, __atomic_load_n(&s->loop_line, __ATOMIC_RELAXED), 0};
    activity a = {COMPUTES, __atomic_load_n(&s->file, __ATOMIC_RELAXED),
                  __atomic_load_n(&s->line, __ATOMIC_RELAXED), 0};
    const uint8_t wait = __atomic_load_n(&s->wait, __ATOMIC_RELAXED);
    const uint8_t op = __atomic_load_n(&s->op, __ATOMIC_RELAXED);
    if (wait == RK_THREAD_AT_BARRIER) {
        a.what = WAITS_AT_BARRIER;
        a.detail = __atomic_load_n(&s->barrier, __ATOMIC_RELAXED);
    } else if (wait == RK_THREAD_IN_WARP_OP && op != RK_CPU_ACTIVEMASK) {
        a.what = WAITS_IN_OP;
        a.detail = op;
    } else if (wait == RK_THREAD_LEFT) {
        a.what = HAS_LEFT;
    }
    return a;
}

static bool same(const activity *a, const activity *b)
{
    return a->what == b->what && a->file == b->file && a->line == b->line && a->detail == b->detail;
}

static void print_activity(FILE *out, const char *where, uint32_t count, uint32_t first,
                           const activity *a)
{
    fprintf(out, "%s%u thread%s (thread %u first) ", where, count, count == 1 ? "" : "s", first);
    switch (a->what) {
    case WAITS_IN_LOOP:
        fprintf(out, "in the loop, which waits,");
        break;
    case WAITS_AT_BARRIER:
        fprintf(out, "in barrier %u", a->detail);
        break;
    case WAITS_IN_OP:
        fprintf(out, "in %s", rk_cpu_warp_name(a->detail));
        break;
    case HAS_LEFT:
        fprintf(out, "at the end of the rTask");
        break;
    default:
        fprintf(out, "not known to wait%s", a->file ? ", last seen" : "");
    }
    if (a->file && a->what != HAS_LEFT)
        fprintf(out, " at %s:%u", a->file, a->line);
    fputc('\n', out);
}

bool rk_cpu_block_tell(const rk_cpu_block *block, const char *where, FILE *out)
{
    enum { MOST_PLACES = 16 };
    activity places[MOST_PLACES];
    uint32_t counts[MOST_PLACES], firsts[MOST_PLACES], used = 0;
    const uint32_t threads = __atomic_load_n(&block->threads, __ATOMIC_RELAXED);
    const uint32_t next = __atomic_load_n(&block->next, __ATOMIC_RELAXED);
    bool waits = __atomic_load_n(&block->current, __ATOMIC_RELAXED) != NULL;
    if (!waits && out)
        fprintf(out, "%sits threads run one after another\n", where);
    const bool fibers = waits;
    for (uint32_t t = 0; fibers && t < threads; t++) {
        const activity a = see(&block->states[t]);
        uint32_t i = 0;
        if (a.what == DOES_NOTHING)
            continue;
        waits &= a.what != COMPUTES;
        while (i < used && !same(&places[i], &a))
            i++;
        if (i == used && used < MOST_PLACES) {
            places[used] = a;
            firsts[used] = t;
            counts[used++] = 0;
        }
        counts[i < used ? i : used - 1]++;
    }
    for (uint32_t i = 0; out && i < used; i++)
        print_activity(out, where, counts[i], firsts[i], &places[i]);
    return waits && next >= threads;
}

/* What is told of a fault's address. */

bool rk_cpu_block_overflows(const rk_cpu_block *block, const void *address)
{
    if (!block->current)
        return false;
    const char *stack = block->current->fiber.stack, *at = address;
    return at < stack && at >= stack - sysconf(_SC_PAGESIZE);
}

bool rk_cpu_block_owns(const rk_cpu_block *block, const void *address)
{
    const rk_fiber *fiber = block->current ? &block->current->fiber : &block->main;
    const char *at = address;
    return fiber->stack && at >= fiber->stack && at < fiber->stack + fiber->size;
}
