#ifndef RK_RKERNEL_LIB_CPU_BLOCK_H
#define RK_RKERNEL_LIB_CPU_BLOCK_H

#include "rkernel_lib/include/rk/cpu/cpu_abi.h"
#include "rkernel_lib/include/rk/cpu/cpu_checker.h"

#include "rkernel_lib/runtime/cpu/watchdog.h"

#include <stdbool.h>

/*
 * rk_cpu_block runs the threads of one block at a time, as fibers of the calling OS thread. A thread
 * takes a fiber only when it starts, and a fiber whose thread returned goes on with the next: threads
 * that never wait all run on one. Fibers are kept for the next block. One rk_cpu_block serves one OS
 * thread, for any number of vEUs. What it runs at the moment is asked of it as rk/cpu/cpu_checker.h says.
 */

/** NULL when memory is short. */
rk_cpu_block *rk_cpu_block_new(void);
void rk_cpu_block_free(rk_cpu_block *block);

/** How the next runs go; all zero: in order, and nothing is kept. */
typedef struct {
    uint64_t seed;  /**< not 0: threads start and go on in a random order */
    uint32_t *kept; /**< as in rk_cpu_veu */
    /** Called from time to time when all threads that could run only poll; NULL for nothing. */
    void (*stall)(void *user);
    void *stall_user;
} rk_cpu_block_options;

void rk_cpu_block_set(rk_cpu_block *block, const rk_cpu_block_options *options);

/**
 * Runs thread(user, t) for t in [0, threads) until all have returned. False when they cannot go on or
 * one reported a fault; rk_cpu_block_fault then says what happened, and the threads are abandoned as
 * they stand.
 *
 * Threads start in order; one that waits lets the others run, those that can go on first. When none
 * can, the lanes of a warp that wait in __activemask get the mask of those that came from the same
 * call, and without such lanes it is a deadlock.
 */
bool rk_cpu_block_run(rk_cpu_block *block, uint32_t threads, rk_cpu_thread thread, void *user);

/**
 * The same for the threads of a persistent vEU, which run rTasks one after another: only the first
 * `members` threads count in barriers and warp operations, and each thread, members or not, ends each rTask
 * with rk_cpu_block_end_rtask.
 */
bool rk_cpu_block_run_rtasks(rk_cpu_block *block, uint32_t threads, uint32_t members,
                             rk_cpu_thread thread, void *user);

/**
 * Of a running thread: ends its rTask. It no longer counts in barriers and warp operations, and waits
 * until all threads are here; then the members count again.
 */
void rk_cpu_block_end_rtask(rk_cpu_block *block);

/** Whether `address` lies in the page below the running thread's stack. */
bool rk_cpu_block_overflows(const rk_cpu_block *block, const void *address);

/** Of a running thread: as in rk_cpu_api. */
uint32_t rk_cpu_block_barrier(rk_cpu_block *block, rk_cpu_barrier_kind kind, uint32_t predicate,
                              const char *file, uint32_t line);
uint32_t rk_cpu_block_named(rk_cpu_block *block, uint32_t id, uint32_t count,
                            rk_cpu_barrier_kind kind, uint32_t predicate, const char *file,
                            uint32_t line);
void rk_cpu_block_warp(rk_cpu_block *block, rk_cpu_warp_op *op);
void rk_cpu_block_yield(rk_cpu_block *block);
void rk_cpu_block_round(rk_cpu_block *block);
void rk_cpu_block_wait(rk_cpu_block *block, const char *file, uint32_t line);

/** Of a running thread: abandons the block with `message`; does not return. */
_Noreturn void rk_cpu_block_fail(rk_cpu_block *block, const char *message);

/** How the block, and those before it on this object, got on; from any thread. */
rk_watch_progress rk_cpu_block_progress(const rk_cpu_block *block);

/**
 * From the watchdog: tells after `where` what each unfinished thread does, and whether each is known to wait for
 * another one; `out` NULL: only looks.
 */
bool rk_cpu_block_tell(const rk_cpu_block *block, const char *where, FILE *out);

/** What happened, in one sentence; valid until the next run. */
const char *rk_cpu_block_fault(const rk_cpu_block *block);

#endif
