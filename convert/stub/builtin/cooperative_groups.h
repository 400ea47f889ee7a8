#ifndef RK_PARSE_COOPERATIVE_GROUPS_H
#define RK_PARSE_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

namespace cooperative_groups {

class thread_group
{
public:
    __device__ void sync() const;
    __device__ unsigned thread_rank() const;
    __device__ unsigned num_threads() const;
    __device__ unsigned size() const;
};

class thread_block : public thread_group
{
public:
    __device__ static void sync();
    __device__ static unsigned thread_rank();
    __device__ static unsigned num_threads();
    __device__ static unsigned size();
    __device__ static dim3 thread_index();
    __device__ static dim3 group_index();
    __device__ static dim3 group_dim();
    __device__ static dim3 dim_threads();
};

class grid_group : public thread_group
{
public:
    __device__ void sync() const;
};

template <unsigned Size, class Parent = void> class thread_block_tile : public thread_group
{
public:
    template <class T> __device__ T shfl(T, int) const;
    template <class T> __device__ T shfl_down(T, unsigned) const;
    template <class T> __device__ T shfl_up(T, unsigned) const;
    template <class T> __device__ T shfl_xor(T, unsigned) const;
    __device__ int any(int) const;
    __device__ int all(int) const;
    __device__ unsigned ballot(int) const;
    __device__ unsigned meta_group_rank() const;
    __device__ unsigned meta_group_size() const;
};

class coalesced_group : public thread_group
{
};

__device__ thread_block this_thread_block();
__device__ grid_group this_grid();
__device__ coalesced_group coalesced_threads();
template <unsigned Size, class Parent>
__device__ thread_block_tile<Size, Parent> tiled_partition(const Parent &);
__device__ thread_group tiled_partition(const thread_group &, unsigned);
template <class Group> __device__ void sync(const Group &);

} // namespace cooperative_groups

#endif
