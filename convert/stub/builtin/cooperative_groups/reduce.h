#ifndef RK_PARSE_COOPERATIVE_GROUPS_REDUCE_H
#define RK_PARSE_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

namespace cooperative_groups {

#define RK_PARSE_OPERATOR(name)                                                                    \
    template <class T> struct name {                                                               \
        __device__ T operator()(T, T) const;                                                       \
    };
RK_PARSE_OPERATOR(plus)
RK_PARSE_OPERATOR(less)
RK_PARSE_OPERATOR(greater)
RK_PARSE_OPERATOR(bit_and)
RK_PARSE_OPERATOR(bit_or)
RK_PARSE_OPERATOR(bit_xor)

template <class Group, class T, class Op> __device__ T reduce(const Group &, T, Op &&);

} // namespace cooperative_groups

#endif
