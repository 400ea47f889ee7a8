#ifndef RK_CPU_CHECKER_H
#define RK_CPU_CHECKER_H

/*
 * What the CPU runtime and a checking mode (librk_check) tell each other of the blocks that run.
 */

#include "cpu_launch.h"

#include <stdbool.h>

/** The threads of one block at a time, which an OS thread runs (rkernel_lib/runtime/cpu/block.h). */
typedef struct rk_cpu_block rk_cpu_block;

/**
 * What a checking mode learns of a launch. All but `launch` and `meet_grid` are called on the OS thread
 * that runs the block.
 */
typedef struct {
    /** Before the blocks of a launch run. */
    void (*launch)(const rk_cpu_launch *launch);
    /** Block `index` of the launch begins, as itself or as an rTask; `shared`: its vEU's buffer. */
    void (*begin)(rk_cpu_block *block, uint32_t index, const rk_cpu_veu *veu);
    void (*end)(rk_cpu_block *block);
    /** All threads of the block meet. */
    void (*meet_block)(rk_cpu_block *block);
    /** Some threads of the block meet: a warp operation, or a named barrier. */
    void (*meet)(rk_cpu_block *block, const uint32_t *threads, uint32_t count);
    /** All threads of the grid meet. */
    void (*meet_grid)(void);
} rk_cpu_checker;

/** NULL without a checking mode, which sets it before main. With one, every kernel's threads are fibers. */
extern const rk_cpu_checker *rk_cpu_checker_now;

/**
 * Whether threads that come to one barrier from different places are a fault even where the barrier
 * could complete, as CUDA leaves it undefined. Off unless a checking mode turns it on.
 */
void rk_cpu_block_check_places(bool on);

/** Whether a thread of the block is running. */
bool rk_cpu_block_running(const rk_cpu_block *block);

/** Index of the running thread. */
uint32_t rk_cpu_block_thread(const rk_cpu_block *block);

/** Whether `address` lies in the running thread's stack. */
bool rk_cpu_block_owns(const rk_cpu_block *block, const void *address);

#endif
