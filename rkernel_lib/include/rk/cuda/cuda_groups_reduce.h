#ifndef RK_CUDA_GROUPS_REDUCE_H
#define RK_CUDA_GROUPS_REDUCE_H

/*
 * Reductions and scans. Their order is that of CUDA's own, so that sums of floats have the same bits: in a tile and in a
 * whole warp, halves are added to each other; in other groups the last rank's scan is the sum.
 */

#include "cuda_groups.h"

namespace cooperative_groups {

template <class T>
struct plus {
    T operator()(T a, T b) const { return T(a + b); }
};
template <class T>
struct less {
    T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
    T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
    T operator()(T a, T b) const { return T(a & b); }
};
template <class T>
struct bit_xor {
    T operator()(T a, T b) const { return T(a ^ b); }
};
template <class T>
struct bit_or {
    T operator()(T a, T b) const { return T(a | b); }
};

/** The reduction of the values of this rank and those below. */
template <class Group, class T, class Op>
inline std::decay_t<T> inclusive_scan(const Group &group, T &&value, Op &&op)
{
    using Value = std::decay_t<T>;
    Value sum = value;
    const unsigned size = unsigned(group.size()), rank = unsigned(group.thread_rank());
    for (unsigned step = 1; step < size; step *= 2) {
        const Value other = group.shfl_up(sum, step);
        if (rank >= step)
            sum = op(sum, other);
    }
    return sum;
}
template <class Group, class T>
inline std::decay_t<T> inclusive_scan(const Group &group, T &&value)
{
    return inclusive_scan(group, value, plus<std::decay_t<T>>());
}

/** The reduction of all threads' values, given to each. `op` is associative. */
template <class Group, class T, class Op>
inline std::decay_t<T> reduce(const Group &group, T &&value, Op &&op)
{
    using Value = std::decay_t<T>;
    constexpr bool tile = !std::is_same_v<std::decay_t<Group>, coalesced_group>;
    const unsigned size = unsigned(group.size());
    if (!tile && size != 32)
        return group.shfl(inclusive_scan(group, value, op), int(size) - 1);
    Value sum = value;
    for (unsigned step = size / 2; step > 0; step /= 2)
        sum = op(sum, group.shfl_xor(sum, step));
    return sum;
}

/** The reduction of the values of the ranks below; a value-initialised T for rank 0. */
template <class Group, class T, class Op>
inline std::decay_t<T> exclusive_scan(const Group &group, T &&value, Op &&op)
{
    using Value = std::decay_t<T>;
    const Value sum = inclusive_scan(group, value, op);
    const Value below = group.shfl_up(sum, 1);
    return group.thread_rank() == 0 ? Value() : below;
}
template <class Group, class T>
inline std::decay_t<T> exclusive_scan(const Group &group, T &&value)
{
    return exclusive_scan(group, value, plus<std::decay_t<T>>());
}

/** Reduces into an atomic (cuda::atomic and the like), once for the group. */
template <class Group, class Atomic, class T>
inline void reduce_update_async(const Group &group, Atomic &atomic, T &&value,
                                const plus<std::decay_t<T>> &op)
{
    const auto sum = reduce(group, value, op);
    if (group.thread_rank() == 0)
        atomic.fetch_add(sum);
}
template <class Group, class T, class Op>
inline void reduce_store_async(const Group &group, T *place, T value, Op &&op)
{
    const T sum = reduce(group, value, op);
    if (group.thread_rank() == 0)
        *place = sum;
}

} // namespace cooperative_groups

#endif
