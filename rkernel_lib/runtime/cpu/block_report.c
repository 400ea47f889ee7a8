#include "rkernel_lib/runtime/cpu/block_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
