#ifndef RK_RKERNEL_LIB_CHECK_CHECK_H
#define RK_RKERNEL_LIB_CHECK_CHECK_H

/*
 * Races and uninitialised shared memory in kernels. The compiler calls tsan.c for each access of an
 * instrumented program; clocks.c knows who has met whom; shadow.c remembers the last accesses of each
 * word; report.c says what is wrong, once for each pair of places.
 *
 * Two accesses to a byte are a race when they come from two threads, one of them is a write that is not
 * atomic, and nothing orders them: a barrier of the block, __syncwarp or a named barrier for those that met
 * there, a grid-wide barrier, or, between blocks, a fence before an atomic whose location the other block
 * touched atomically afterwards. A plain read beside atomic writes is none: CUDA's compare-and-swap loops
 * begin with one.
 */

#include "rkernel_lib/cpu/block.h"
#include "rkernel_lib/cpu/checker.h"

#include <stddef.h>

/** Bytes of a word of the shadow. */
enum { RK_CHECK_WORD = 4 };

/** An access of one thread to bytes of one word. */
typedef struct {
    uintptr_t pc;
    uint32_t block, epoch; /**< the block, and how often all its threads had met */
    uint32_t clock;        /**< how often its thread had met some */
    uint16_t thread;
    uint8_t bytes; /**< bit i: byte i of the word; 0: no access */
    uint8_t kind;  /**< RK_CHECK_WRITE, RK_CHECK_ATOMIC */
} rk_check_access;

enum { RK_CHECK_WRITE = 1, RK_CHECK_ATOMIC = 2 };

/** The block that the calling OS thread runs. */
typedef struct {
    const rk_cpu_block *block; /**< NULL outside of kernels */
    uint32_t index, threads, epoch;
    uint64_t owner; /**< no other block's, ever: what shared memory was written by */
    const unsigned char *buffer, *buffer_end; /**< dynamic shared memory, or the vEU's frame */
    const unsigned char *statics,
        *statics_end; /**< thread-local variables, __shared__ among them */
} rk_check_state;

extern _Thread_local rk_check_state rk_check_now;

/** Counts launches and grid-wide barriers: what came before does not race with what comes after. */
extern uint32_t rk_check_serial;
extern const rk_cpu_launch *rk_check_launch;

/** Guards everything that OS threads share. */
void rk_check_lock(void);
void rk_check_unlock(void);

/** Whether the calling OS thread's block ordered `before`, of this launch, before thread `thread` of it. */
bool rk_check_ordered(const rk_check_access *before, uint32_t thread);

uint32_t rk_check_clock(uint32_t thread);

/** The thread has made a fence. */
void rk_check_fence(uint32_t thread);

/** The thread has touched an address atomically: publishes what its fence covers, and learns of others. */
void rk_check_atomic(uintptr_t address, uint32_t thread);

/** An access of a thread of a kernel: compares and remembers it. */
void rk_check_access_memory(const void *address, size_t size, uint32_t kind, uintptr_t pc);

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

#endif
