#ifndef RK_RKERNEL_LIB_CPU_FIBER_H
#define RK_RKERNEL_LIB_CPU_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * A stack of execution that is switched to and from by hand: x86-64 and AArch64. Fibers of one OS
 * thread only. Floating-point control registers belong to the OS thread: a fiber that changes them
 * changes them for all. AddressSanitizer and ThreadSanitizer are told of every switch when the code is
 * compiled under them; a switch orders what came before it for ThreadSanitizer.
 */
typedef struct rk_fiber {
    void *stack_pointer;        /**< where it is suspended */
    char *stack;                /**< its lowest usable byte; NULL for an OS thread's own stack */
    size_t size;                /**< bytes of its stack */
    struct rk_fiber *came_from; /**< who switched to it last */
    void (*entry)(void *user);
    void *user;
    void *fake_stack;      /**< AddressSanitizer's, while suspended */
    const void *own_stack; /**< of an OS thread's own stack, once AddressSanitizer has told it */
    void *context;         /**< ThreadSanitizer's */
} rk_fiber;

/** Stack bytes of a fiber: those of a kernel's local arrays and calls. */
#define RK_FIBER_STACK ((size_t)256 << 10)

/** Stacks of `count` fibers: one mapping, each stack with an inaccessible page below it. */
typedef struct {
    char *mapping;
    size_t count;
} rk_fiber_stacks;

/** Makes `self` stand for the calling OS thread, which is to switch to fibers. */
void rk_fiber_adopt(rk_fiber *self);

/** Maps stacks for `count` fibers. False when memory is short. */
bool rk_fiber_stacks_map(rk_fiber_stacks *out, size_t count);

/** Unmaps them, after rk_fiber_discard of each fiber. */
void rk_fiber_stacks_unmap(const rk_fiber_stacks *stacks);

/** Gives `fiber`, zeroed, the stack `index` of `stacks`. */
void rk_fiber_place(rk_fiber *fiber, const rk_fiber_stacks *stacks, size_t index);

/** Forgets a fiber that does not run, and what the sanitizers know of it. */
void rk_fiber_discard(rk_fiber *fiber);

/**
 * (Re)starts a fiber: at the first switch to it, it calls entry(user), which never returns. What it
 * did before is forgotten. `color` staggers the tops of stacks, which would otherwise share cache sets.
 */
void rk_fiber_prepare(rk_fiber *fiber, void (*entry)(void *user), void *user, size_t color);

/** Suspends `from`, which is running, and goes on in `to`. 0, once it is gone on with. */
uint32_t rk_fiber_switch(rk_fiber *from, rk_fiber *to);

#endif
