#ifndef RK_RKERNEL_LIB_CHECK_CHECK_H
#define RK_RKERNEL_LIB_CHECK_CHECK_H

/*
 * Races and uninitialised shared memory in kernels. The compiler calls tsan.c for each access of an
 * instrumented program; clocks.c knows who has met whom in a block, across.c what blocks know of each other;
 * shadow.c remembers the last accesses of each word; race_report.c says what is wrong, once for each pair of places.
 *
 * Two accesses to a byte are a race when they come from two threads, one of them is a write that is not
 * atomic, and nothing orders them: a barrier of the block, __syncwarp or a named barrier for those that met
 * there, a grid-wide barrier, or a release and an acquire. A thread releases by an atomic of that order, or by a
 * fence and then any atomic. A thread of the same block acquires by an atomic of that order on the same
 * address, or by any and then a fence or a meeting; a thread of another block by any. A plain read beside
 * atomic writes is no race: CUDA's compare-and-swap loops begin with one.
 */

#include "rkernel_lib/include/rk/cpu/cpu_checker.h"

#include <stddef.h>

/** Bytes of a word of the shadow; threads of a block, at most. */
enum { RK_CHECK_WORD = 4, RK_CHECK_THREADS = 1024 };

/** An access of one thread to bytes of one word. */
typedef struct {
    uintptr_t pc;
    uint32_t block, epoch; /**< the block, and how often all its threads had met */
    uint32_t clock;        /**< how often its thread had met some, or released */
    uint16_t thread;
    uint8_t bytes; /**< bit i: byte i of the word; 0: no access */
    uint8_t kind;  /**< RK_CHECK_WRITE, RK_CHECK_ATOMIC */
} rk_check_access;

enum { RK_CHECK_WRITE = 1, RK_CHECK_ATOMIC = 2 };

/** The block that the calling OS thread runs. */
typedef struct {
    const rk_cpu_block *block; /**< NULL outside of kernels */
    uint32_t index, threads, epoch;
    bool inside;    /**< holds the lock: what it does is no access of a kernel */
    uint64_t owner; /**< no other block's, ever: what shared memory was written by */
    const unsigned char *buffer, *buffer_end; /**< dynamic shared memory, or the vEU's frame */
    const unsigned char *statics,
        *statics_end; /**< thread-local variables, __shared__ among them */
} rk_check_state;

extern _Thread_local rk_check_state rk_check_now;

/** What the threads of that block know of each other, since all met last. */
typedef struct {
    uint32_t clock[RK_CHECK_THREADS];
    uint32_t fence[RK_CHECK_THREADS]; /**< epoch of the last fence, 0 for none */
    uint32_t
        fence_clock[RK_CHECK_THREADS]; /**< clock at the last fence since all met, 0 for none */
    uint32_t *seen;                    /**< by thread, then by other thread: its clock */
    uint32_t room;                     /**< threads that `seen` has room for */
    bool met;                          /**< threads have learned of others since all met */
    bool wide;                         /**< and of threads of other warps */
} rk_check_clocks;

extern _Thread_local rk_check_clocks rk_check_known;

/** Counts launches and grid-wide barriers: what came before does not race with what comes after. */
extern uint32_t rk_check_serial; /**< at least 1 */
extern const rk_cpu_launch *rk_check_launch;

/** Guards everything that OS threads share. What its holder does is no access of a kernel. */
void rk_check_lock(void);
void rk_check_unlock(void);

/** Whether the calling OS thread's block ordered `before`, of this launch, before thread `thread` of it. */
bool rk_check_ordered(const rk_check_access *before, uint32_t thread);

/** Whether thread `thread` knows what `other` of its block did in `epoch`, at `clock`. */
bool rk_check_knows(uint32_t thread, uint32_t other, uint32_t epoch, uint32_t clock);

/* The following are called under the lock. */

/** The thread has made a fence. */
void rk_check_fence(uint32_t thread);

/** The thread has read an address atomically: learns what threads of its block released there. */
void rk_check_acquire(uintptr_t address, uint32_t thread, bool ordered);

/** The thread has written an address atomically, adding to what was released there or replacing it. */
void rk_check_release(uintptr_t address, uint32_t thread, bool ordered, bool replaces);

/** The same between blocks (across.c). */
void rk_check_begin_across(void);
void rk_check_acquire_across(uintptr_t address, uint32_t thread);
void rk_check_release_across(uintptr_t address, uint32_t thread);
bool rk_check_ordered_across(const rk_check_access *before, uint32_t thread);

/* The following are not. */

/** An access of a thread of a kernel: compares and remembers it. */
void rk_check_access_memory(const void *address, size_t size, uint32_t kind, uintptr_t pc);

/** Memory that the kernel gave back: who gets it next has nothing to do with who had it. */
void rk_check_forget(const void *memory, size_t size);

/** What an atomic operation did to its object. */
typedef enum { RK_CHECK_LOADED, RK_CHECK_STORED, RK_CHECK_UPDATED } rk_check_did;

/**
 * Around an atomic operation, which is to be one with what is remembered of it. When the first is true the
 * lock is held until the second, which says what was done with which __ATOMIC_ order.
 */
bool rk_check_atomic_begin(const void *address, size_t size, uint32_t kind, uintptr_t pc);
void rk_check_atomic_end(const void *address, rk_check_did did, int order);

/** Says so, unless it was said of the same two places. */
void rk_check_report_race(const void *address, const rk_check_access *now,
                          const rk_check_access *before, bool shared);
void rk_check_report_unwritten(const void *address, const rk_check_access *now);

/** What to tell, bits; races and unwritten reads unless a program says otherwise. Called by instrumented kernels. */
enum { RK_CHECK_RACES = 1, RK_CHECK_UNWRITTEN = 2 };
void rk_check_want(uint32_t what);

/** Memory of the calling OS thread that is no __shared__ variable. Called by instrumented kernels. */
void rk_check_ignore(const void *address, size_t size);
bool rk_check_ignored(const void *address);

/** Says that there is no memory for the check, and ends the program with status 1. */
_Noreturn void rk_check_no_memory(void);

#endif
