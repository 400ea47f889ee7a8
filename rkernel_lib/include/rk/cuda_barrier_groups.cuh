#ifndef RK_CUDA_BARRIER_GROUPS_CUH
#define RK_CUDA_BARRIER_GROUPS_CUH

/*
 * Barriers of kernels that were converted with --barrier cg: the toolkit's own cooperative groups. Its group
 * of the block is the whole vEU, so that an rTask of fewer threads is a tile of it: up to 32 threads lanes of
 * one warp, else 64, 128, 256 or 512, which all threads of the vEU build together, before the inactive ones
 * leave; the toolkit keeps the state of those in shared memory that devices from sm_80 on set aside.
 */
#include "gpu/cuda_barrier.cuh"

#include <cooperative_groups.h>

namespace rk__
{

/** The whole vEU. */
template <unsigned N, unsigned V, bool Tile> struct cuda_group_barrier {
    static __device__ void sync()
    {
        ::cooperative_groups::this_thread_block().sync();
    }
    static __device__ void finish()
    {
    }
};

/** The first tile of N threads. */
template <unsigned N, unsigned V> struct cuda_group_barrier<N, V, true> {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    static_assert(N <= 32, "--barrier cg: tiles of more than a warp need sm_80");
#endif
    __device__ cuda_group_barrier()
        : tile_(::cooperative_groups::tiled_partition<N>(::cooperative_groups::this_thread_block()))
    {
    }
    __device__ void sync() const
    {
        tile_.sync();
    }
    static __device__ void finish()
    {
    }

  private:
    ::cooperative_groups::thread_block_tile<N, ::cooperative_groups::thread_block> tile_;
};

template <unsigned N, unsigned V>
struct cuda_barrier<cuda_barrier_case::group, N, V, false> : cuda_group_barrier<N, V, N != V> {
    static_assert(N == V || (N <= 512 && (N & (N - 1)) == 0),
                  "--barrier cg: the block is neither a tile nor the whole vEU");
};

} // namespace rk__

#endif
