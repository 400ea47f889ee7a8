#ifndef RK_RKERNEL_LIB_CPU_BLOCK_H
#define RK_RKERNEL_LIB_CPU_BLOCK_H

#include "rkernel_lib/include/rk/cpu_abi.h"

#include <stdbool.h>

/**
 * Runs the threads of one block at a time, as fibers of the calling OS thread. A thread takes a fiber
 * only when it starts, and a fiber whose thread returned goes on with the next: threads that never
 * wait all run on one. Fibers are kept for the next block. One rk_cpu_block serves one OS thread, for
 * any number of vEUs.
 */
typedef struct rk_cpu_block rk_cpu_block;

/** NULL when memory is short. */
rk_cpu_block *rk_cpu_block_new(void);
void rk_cpu_block_free(rk_cpu_block *block);

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

/** Whether a thread of a block is running, which rk_cpu_block_fail would abandon. */
bool rk_cpu_block_running(const rk_cpu_block *block);

/** Of a running thread: as in rk_cpu_api. */
uint32_t rk_cpu_block_barrier(rk_cpu_block *block, rk_cpu_barrier_kind kind, uint32_t predicate,
                              const char *file, uint32_t line);
void rk_cpu_block_warp(rk_cpu_block *block, rk_cpu_warp_op *op);

/** Of a running thread: abandons the block with `message`; does not return. */
_Noreturn void rk_cpu_block_fail(rk_cpu_block *block, const char *message);

/** What happened, in one sentence; valid until the next run. */
const char *rk_cpu_block_fault(const rk_cpu_block *block);

#endif
