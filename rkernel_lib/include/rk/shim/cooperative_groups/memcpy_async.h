#ifndef RK_SHIM_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define RK_SHIM_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

/*
 * Stands for CUDA's header when programs are compiled for the CPU: each thread of the group copies a part
 * at once, and waiting is the group's barrier.
 */

#include "../../cuda/cuda_pipeline.h"
#include "../cooperative_groups.h"

namespace cooperative_groups {

template <class Group, class T, class Shape>
inline void memcpy_async(const Group &group, T *to, const T *from, const Shape &bytes)
{
    rk__::copy_part(to, from, rk__::copy_bytes(bytes), group.thread_rank(), group.size());
}

/** Layouts count elements; the smaller one is copied. */
template <class Group, class To, class ToLayout, class From, class FromLayout>
inline void memcpy_async(const Group &group, To *to, const ToLayout &to_count, const From *from,
                         const FromLayout &from_count)
{
    const std::size_t t = rk__::copy_bytes(to_count), f = rk__::copy_bytes(from_count);
    rk__::copy_part(to, from, (t < f ? t : f) * sizeof(To), group.thread_rank(), group.size());
}

template <class Group>
inline void wait(const Group &group)
{
    group.sync();
}
template <unsigned Stage, class Group>
inline void wait_prior(const Group &group)
{
    group.sync();
}

} // namespace cooperative_groups

#endif
