#ifndef RK_RKERNEL_LIB_CPU_WARP_H
#define RK_RKERNEL_LIB_CPU_WARP_H

#include "rkernel_lib/include/rk/cpu/cpu_abi.h"

#include <stdbool.h>

/** Lanes of one warp of a running block. Bit i of a mask is lane i. */
typedef struct {
    uint32_t live;   /**< lanes that exist and have not returned */
    uint32_t posted; /**< lanes that wait in an operation */
    rk_cpu_warp_op *ops[RK_CPU_WARP]; /**< by posted lane */
    uint32_t threads[RK_CPU_WARP];    /**< by posted lane: its thread in the block */
} rk_cpu_warp;

/**
 * The group that `lane`, which is posted, can complete now: the live lanes of its mask, when all have
 * posted the same operation with the same live lanes; of an operation over converged lanes and of
 * ACTIVEMASK, whose group otherwise depends on what else can run, all live lanes. 0 when some have not.
 */
uint32_t rk_cpu_warp_group(const rk_cpu_warp *warp, uint32_t lane);

/**
 * The lanes that wait at the same place as `lane`, for an operation over whichever lanes are there; 0
 * for other operations.
 */
uint32_t rk_cpu_warp_together(const rk_cpu_warp *warp, uint32_t lane);

/**
 * Sets `result`, and `all`, of each lane of `group`, whose lanes have all posted the same kind of
 * operation. A shuffle from a lane outside the group, which CUDA leaves undefined, gives the lane's own
 * value; lanes, deltas and masks of shuffles count modulo 32 as in PTX.
 */
void rk_cpu_warp_complete(rk_cpu_warp *warp, uint32_t group);

/** "shfl", "ballot", ... */
const char *rk_cpu_warp_name(uint32_t kind);

#endif
