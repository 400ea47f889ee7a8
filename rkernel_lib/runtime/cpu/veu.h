#ifndef RK_RKERNEL_LIB_CPU_VEU_H
#define RK_RKERNEL_LIB_CPU_VEU_H

#include "rkernel_lib/runtime/cpu/block.h"

/**
 * A vEU that runs blocks with `block`, which it shares with other vEUs of the same OS thread and does
 * not own, and has a shared buffer of `shared_bytes`, zeroed. NULL when memory is short.
 */
rk_cpu_veu *rk_cpu_veu_new(rk_cpu_block *block, uint64_t shared_bytes);
void rk_cpu_veu_free(rk_cpu_veu *veu);

/** Replaces the shared buffer by one of at least `shared_bytes`, zeroed when it is new. */
bool rk_cpu_veu_reserve(rk_cpu_veu *veu, uint64_t shared_bytes);

/** The block that runs its threads. */
rk_cpu_block *rk_cpu_veu_block(rk_cpu_veu *veu);

#endif
