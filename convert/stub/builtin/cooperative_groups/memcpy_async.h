#ifndef RK_PARSE_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define RK_PARSE_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

namespace cooperative_groups {

template <class Group, class T, class Bytes>
__device__ void memcpy_async(const Group &, T *, const T *, const Bytes &);
template <class Group, class To, class ToLayout, class From, class FromLayout>
__device__ void memcpy_async(const Group &, To *, const ToLayout &, const From *,
                             const FromLayout &);
template <class Group> __device__ void wait(const Group &);
template <unsigned Stages, class Group> __device__ void wait_prior(const Group &);

} // namespace cooperative_groups

#endif
