#ifndef RK_END_BARRIERS_H
#define RK_END_BARRIERS_H

/*
 * Barriers of libcu++ that a kernel has in shared memory. Their own threads make them, with the counts
 * of the legacy launch; what the rTask's end owes them is here. A pipeline's last thread ends its barriers by itself.
 */

#include "groups.h"

namespace rk__
{

/**
 * By each thread before it uses such barriers. The copies that they count go past the caches' coherence
 * from compute capability 9.0 on (the asynchronous proxy): what other rTasks wrote must be seen there, too.
 */
RK_GROUPS_CODE void begin_barriers()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async;" ::: "memory");
#endif
}

template <class Barrier> RK_GROUPS_CODE void end_barrier(Barrier &barrier)
{
    barrier.~Barrier();
}

template <class Barrier, decltype(sizeof(0)) Count>
RK_GROUPS_CODE void end_barrier(Barrier (&barriers)[Count])
{
    for (Barrier &barrier : barriers)
        end_barrier(barrier);
}

/** By each thread behind its last use of them: their memory is the next rTask's. */
template <class Context, class... Barriers>
RK_GROUPS_CODE void end_barriers(Context &context, Barriers &...barriers)
{
    if constexpr (sizeof...(Barriers) > 0) {
        context.sync();
        if (context.rank() == 0)
            (end_barrier(barriers), ...);
    }
}

} // namespace rk__

#endif
