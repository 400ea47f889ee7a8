#ifndef RK_RKERNEL_LIB_CPU_CHECKER_H
#define RK_RKERNEL_LIB_CPU_CHECKER_H

#include "rkernel_lib/include/rk/cpu_launch.h"
#include "rkernel_lib/runtime/cpu/block.h"

/**
 * What a checking mode (librk_check) learns of a launch. All but `launch` and `meet_grid` are called on the OS
 * thread that runs the block.
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

#endif
