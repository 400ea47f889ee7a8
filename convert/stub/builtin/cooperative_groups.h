#ifndef RK_PARSE_COOPERATIVE_GROUPS_H
#define RK_PARSE_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

namespace cooperative_groups {

class thread_group
{
public:
    __device__ void sync() const;
    __device__ unsigned long long thread_rank() const;
    __device__ unsigned long long num_threads() const;
    __device__ unsigned long long size() const;
};

class thread_block : public thread_group
{
public:
    struct arrival_token {
    };
    __device__ static void sync();
    __device__ static unsigned thread_rank();
    __device__ static unsigned num_threads();
    __device__ static unsigned size();
    __device__ static dim3 thread_index();
    __device__ static dim3 group_index();
    __device__ static dim3 group_dim();
    __device__ static dim3 dim_threads();
    __device__ arrival_token barrier_arrive() const;
    __device__ void barrier_wait(arrival_token &&) const;
};

class grid_group : public thread_group
{
public:
    __device__ void sync() const;
    __device__ bool is_valid() const;
    __device__ static unsigned long long thread_rank();
    __device__ static unsigned long long num_threads();
    __device__ static unsigned long long size();
    __device__ static dim3 dim_blocks();
    __device__ static dim3 group_dim();
    __device__ static dim3 block_index();
    __device__ static unsigned long long num_blocks();
    __device__ static unsigned long long block_rank();
};

class cluster_group : public thread_group
{
public:
    __device__ static void sync();
    __device__ static unsigned block_rank();
    __device__ static unsigned num_blocks();
    template <class T> __device__ static T *map_shared_rank(T *, int);
};

class coalesced_group : public thread_group
{
public:
    __device__ unsigned long long meta_group_rank() const;
    __device__ unsigned long long meta_group_size() const;
    template <class T> __device__ T shfl(T, unsigned) const;
    template <class T> __device__ T shfl_down(T, unsigned) const;
    template <class T> __device__ T shfl_up(T, unsigned) const;
    __device__ int any(int) const;
    __device__ int all(int) const;
    __device__ unsigned ballot(int) const;
    template <class T> __device__ unsigned match_any(T) const;
    template <class T> __device__ unsigned match_all(T, int &) const;
};

template <unsigned Size, class Parent = void> class thread_block_tile : public thread_group
{
public:
    thread_block_tile() = default;
    template <class Other> __device__ thread_block_tile(const thread_block_tile<Size, Other> &);
    __device__ operator coalesced_group() const;
    __device__ static constexpr unsigned size()
    {
        return Size;
    }
    __device__ static constexpr unsigned num_threads()
    {
        return Size;
    }
    __device__ static unsigned long long thread_rank();
    __device__ unsigned long long meta_group_rank() const;
    __device__ unsigned long long meta_group_size() const;
    template <class T> __device__ T shfl(T, int) const;
    template <class T> __device__ T shfl_down(T, unsigned) const;
    template <class T> __device__ T shfl_up(T, unsigned) const;
    template <class T> __device__ T shfl_xor(T, unsigned) const;
    __device__ int any(int) const;
    __device__ int all(int) const;
    __device__ unsigned ballot(int) const;
    template <class T> __device__ unsigned match_any(T) const;
    template <class T> __device__ unsigned match_all(T, int &) const;
};

template <unsigned Most = 1024> struct block_tile_memory {
};

__device__ thread_block this_thread_block();
template <unsigned Most> __device__ thread_block this_thread_block(block_tile_memory<Most> &);
__device__ thread_block_tile<1> this_thread();
__device__ grid_group this_grid();
__device__ cluster_group this_cluster();
__device__ coalesced_group coalesced_threads();
template <unsigned Size>
__device__ thread_block_tile<Size, thread_block> tiled_partition(const thread_block &);
template <unsigned Size, unsigned From, class Parent>
__device__ thread_block_tile<Size, thread_block_tile<From, Parent>>
tiled_partition(const thread_block_tile<From, Parent> &);
__device__ thread_group tiled_partition(const thread_group &, unsigned);
__device__ thread_group tiled_partition(const thread_block &, unsigned);
__device__ coalesced_group tiled_partition(const coalesced_group &, unsigned);
__device__ coalesced_group binary_partition(const coalesced_group &, bool);
template <unsigned Size, class Parent>
__device__ coalesced_group binary_partition(const thread_block_tile<Size, Parent> &, bool);
template <class Label>
__device__ coalesced_group labeled_partition(const coalesced_group &, Label);
template <class Label, unsigned Size, class Parent>
__device__ coalesced_group labeled_partition(const thread_block_tile<Size, Parent> &, Label);
template <class Group> __device__ void sync(const Group &);
template <class Group> __device__ unsigned long long thread_rank(const Group &);
template <class Group> __device__ unsigned long long group_size(const Group &);

} // namespace cooperative_groups

#endif
