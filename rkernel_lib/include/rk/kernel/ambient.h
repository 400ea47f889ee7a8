#ifndef RK_AMBIENT_H
#define RK_AMBIENT_H

#include "warp_returns.h"

namespace rk__
{

/**
 * The first part of the frame of a kernel that reaches a constructor, a destructor, an operator, a virtual function or
 * an initial value in need of the rTask's context, which no call can pass to those: `rk__::ambient` is a context that
 * reads it here (rk/gpu/cuda_context.cuh, rk/hip/hip_context.h). It begins the vEU's shared buffer, where it is found without
 * the frame's type. The CPU's runtime keeps it elsewhere (rk/cpu/cpu_context.h).
 */
struct ambient_rtask {
    unsigned rk__grid[3], rk__block[3]; /**< of the legacy launch */
    unsigned rk_rtask;                /**< blockIdx in linear order */
    unsigned rk_threads;              /**< of the block; 0: an ordinary launch, the rest is not set */
    unsigned rk_dynamic;              /**< offset of dynamic shared memory in the buffer */
    unsigned rk_barrier;              /**< rk__::cuda_barrier_case; 0: the kernel has none */
    unsigned rk_reduces;              /**< whether it has one that counts */
    unsigned rk_live[32];             /**< by warp: the lanes that warp operations may name */
    warp_returns *rk_returns;         /**< NULL if the frame has none */
};
static_assert(sizeof(ambient_rtask) == 184, "convert/stub/language.h has another size");

} // namespace rk__

#endif
