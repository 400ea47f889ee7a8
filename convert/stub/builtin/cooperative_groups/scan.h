#ifndef RK_PARSE_COOPERATIVE_GROUPS_SCAN_H
#define RK_PARSE_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

namespace cooperative_groups {

template <class Group, class T, class Op> __device__ T inclusive_scan(const Group &, T, Op &&);
template <class Group, class T> __device__ T inclusive_scan(const Group &, T);
template <class Group, class T, class Op> __device__ T exclusive_scan(const Group &, T, Op &&);
template <class Group, class T> __device__ T exclusive_scan(const Group &, T);

} // namespace cooperative_groups

#endif
