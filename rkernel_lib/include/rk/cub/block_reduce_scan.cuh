#ifndef RK_CUB_BLOCK_REDUCE_SCAN_CUH
#define RK_CUB_BLOCK_REDUCE_SCAN_CUH

#include "warp.cuh"

namespace rk_cub
{

enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
    BLOCK_REDUCE_RAKING,
    BLOCK_REDUCE_WARP_REDUCTIONS
};

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

/** All algorithms are warp reductions whose results the first thread takes together, in the order of CUB's own. */
template <class T, int BLOCK_DIM_X, BlockReduceAlgorithm ALGORITHM = BLOCK_REDUCE_WARP_REDUCTIONS,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockReduce
{
    enum { THREADS = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, WARPS = (THREADS + 31) / 32 };

  public:
    struct TempStorage {
        slots<T, WARPS> results;
    };

  private:
    TempStorage *storage_;

    static __device__ __forceinline__ TempStorage &own_storage()
    {
        __shared__ TempStorage storage;
        return storage;
    }

  public:
    __device__ __forceinline__ BlockReduce() : storage_(&own_storage())
    {
    }
    __device__ __forceinline__ explicit BlockReduce(TempStorage &temp_storage)
        : storage_(&temp_storage)
    {
    }

    /** Of the first `num_valid` threads' values; the result is the first thread's. */
    template <class Op> __device__ __forceinline__ T Reduce(T input, Op reduction_op, int num_valid)
    {
        const int rank = rank_in_block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
        T *results = storage_->results.items();
        const int threads = num_valid < THREADS ? num_valid : THREADS;
        const int last = threads - 1 - rank / 32 * 32;
        T value =
            warp_reduce<32>(input, reduction_op, rank % 32, last, lanes_in_block(rank, THREADS));
        if (rank % 32 == 0)
            results[rank / 32] = value;
        __syncthreads();
        if (rank == 0) {
            for (int w = 1; w < WARPS; w++)
                if (w * 32 < threads)
                    value = reduction_op(value, results[w]);
        }
        return value;
    }
    template <class Op> __device__ __forceinline__ T Reduce(T input, Op reduction_op)
    {
        return Reduce(input, reduction_op, (int)THREADS);
    }
    template <int ITEMS_PER_THREAD, class Op>
    __device__ __forceinline__ T Reduce(T (&inputs)[ITEMS_PER_THREAD], Op reduction_op)
    {
        return Reduce(thread_reduce(inputs, reduction_op), reduction_op, (int)THREADS);
    }
    __device__ __forceinline__ T Sum(T input)
    {
        return Reduce(input, rk_cub::Sum(), (int)THREADS);
    }
    __device__ __forceinline__ T Sum(T input, int num_valid)
    {
        return Reduce(input, rk_cub::Sum(), num_valid);
    }
    template <int ITEMS_PER_THREAD> __device__ __forceinline__ T Sum(T (&inputs)[ITEMS_PER_THREAD])
    {
        return Reduce(thread_reduce(inputs, rk_cub::Sum()), rk_cub::Sum(), (int)THREADS);
    }
};

template <class T, int BLOCK_DIM_X, BlockScanAlgorithm ALGORITHM = BLOCK_SCAN_RAKING,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockScan
{
    enum { THREADS = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, WARPS = (THREADS + 31) / 32 };

  public:
    struct TempStorage {
        slots<T, WARPS> totals;
        slots<T, 1> prefix;
    };

  private:
    TempStorage *storage_;

    static __device__ __forceinline__ TempStorage &own_storage()
    {
        __shared__ TempStorage storage;
        return storage;
    }

    /**
     * The scans of one value a thread. Without the item the first thread's output is `initial`; where there is none it
     * is not defined. Returns the total without `initial`.
     */
    template <class Op>
    __device__ __forceinline__ T scan(T input, T &inclusive, T &exclusive, Op op, T initial,
                                      bool has_initial)
    {
        const int rank = rank_in_block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
        const int lane = rank % 32, warp = rank / 32;
        const unsigned mask = lanes_in_block(rank, THREADS);
        T *totals = storage_->totals.items();
        inclusive = warp_scan_inclusive<32>(input, op, lane, mask);
        exclusive = shuffle_up(inclusive, 1, 32, mask);
        if (lane == 31 || rank == THREADS - 1)
            totals[warp] = inclusive;
        __syncthreads();
        T all = totals[0], before = all;
        for (int w = 1; w < WARPS; w++) {
            if (w == warp)
                before = all;
            all = op(all, totals[w]);
        }
        if (has_initial)
            before = warp == 0 ? initial : op(initial, before);
        if (warp > 0 || has_initial) {
            inclusive = op(before, inclusive);
            exclusive = lane == 0 ? before : op(before, exclusive);
        }
        return all;
    }

    /** What the first warp's call returns in its first thread, for all. */
    template <class Callback> __device__ __forceinline__ T prefix_of(Callback &callback, T all)
    {
        const int rank = rank_in_block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
        T *prefix = storage_->prefix.items();
        if (rank < 32) {
            const T value = callback(all);
            if (rank == 0)
                *prefix = value;
        }
        __syncthreads();
        return *prefix;
    }

    /** Both scans of one value a thread, from what the callback says. */
    template <class Op, class Callback>
    __device__ __forceinline__ void scan_from(T input, T &inclusive, T &exclusive, Op op,
                                              Callback &callback)
    {
        const T all = scan(input, inclusive, exclusive, op, input, false);
        const T before = prefix_of(callback, all);
        inclusive = op(before, inclusive);
        exclusive = rank_in_block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>() == 0
                        ? before
                        : op(before, exclusive);
    }

  public:
    __device__ __forceinline__ BlockScan() : storage_(&own_storage())
    {
    }
    __device__ __forceinline__ explicit BlockScan(TempStorage &temp_storage)
        : storage_(&temp_storage)
    {
    }

    /* Without the item, one a thread. */

    template <class Op>
    __device__ __forceinline__ void ExclusiveScan(T input, T &output, T initial_value, Op scan_op)
    {
        T inclusive = input;
        scan(input, inclusive, output, scan_op, initial_value, true);
    }
    template <class Op>
    __device__ __forceinline__ void ExclusiveScan(T input, T &output, T initial_value, Op scan_op,
                                                  T &block_aggregate)
    {
        T inclusive = input;
        block_aggregate = scan(input, inclusive, output, scan_op, initial_value, true);
    }
    template <class Op>
    __device__ __forceinline__ void ExclusiveScan(T input, T &output, Op scan_op)
    {
        T inclusive = input;
        scan(input, inclusive, output, scan_op, input, false);
    }
    template <class Op>
    __device__ __forceinline__ void ExclusiveScan(T input, T &output, Op scan_op,
                                                  T &block_aggregate)
    {
        T inclusive = input;
        block_aggregate = scan(input, inclusive, output, scan_op, input, false);
    }
    template <class Op, class Callback>
    __device__ __forceinline__ void ExclusiveScan(T input, T &output, Op scan_op,
                                                  Callback &block_prefix_callback_op)
    {
        T inclusive = input;
        scan_from(input, inclusive, output, scan_op, block_prefix_callback_op);
    }

    /* With the item, one a thread. */

    template <class Op>
    __device__ __forceinline__ void InclusiveScan(T input, T &output, Op scan_op)
    {
        T exclusive = input;
        scan(input, output, exclusive, scan_op, input, false);
    }
    template <class Op>
    __device__ __forceinline__ void InclusiveScan(T input, T &output, T initial_value, Op scan_op)
    {
        T exclusive = input;
        scan(input, output, exclusive, scan_op, initial_value, true);
    }
    template <class Op>
    __device__ __forceinline__ void InclusiveScan(T input, T &output, Op scan_op,
                                                  T &block_aggregate)
    {
        T exclusive = input;
        block_aggregate = scan(input, output, exclusive, scan_op, input, false);
    }
    template <class Op, class Callback>
    __device__ __forceinline__ void InclusiveScan(T input, T &output, Op scan_op,
                                                  Callback &block_prefix_callback_op)
    {
        T exclusive = input;
        scan_from(input, output, exclusive, scan_op, block_prefix_callback_op);
    }

    /* Several a thread. */

    template <int N, class Op>
    __device__ __forceinline__ void ExclusiveScan(T (&input)[N], T (&output)[N], T initial_value,
                                                  Op scan_op)
    {
        T own = thread_reduce(input, scan_op), inclusive = own, exclusive = own;
        scan(own, inclusive, exclusive, scan_op, initial_value, true);
        thread_scan_exclusive(input, output, scan_op, exclusive, true);
    }
    template <int N, class Op>
    __device__ __forceinline__ void ExclusiveScan(T (&input)[N], T (&output)[N], T initial_value,
                                                  Op scan_op, T &block_aggregate)
    {
        T own = thread_reduce(input, scan_op), inclusive = own, exclusive = own;
        block_aggregate = scan(own, inclusive, exclusive, scan_op, initial_value, true);
        thread_scan_exclusive(input, output, scan_op, exclusive, true);
    }
    template <int N, class Op>
    __device__ __forceinline__ void ExclusiveScan(T (&input)[N], T (&output)[N], Op scan_op)
    {
        T own = thread_reduce(input, scan_op), inclusive = own, exclusive = own;
        scan(own, inclusive, exclusive, scan_op, own, false);
        thread_scan_exclusive(input, output, scan_op, exclusive,
                              rank_in_block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>() != 0);
    }
    template <int N, class Op>
    __device__ __forceinline__ void ExclusiveScan(T (&input)[N], T (&output)[N], Op scan_op,
                                                  T &block_aggregate)
    {
        T own = thread_reduce(input, scan_op), inclusive = own, exclusive = own;
        block_aggregate = scan(own, inclusive, exclusive, scan_op, own, false);
        thread_scan_exclusive(input, output, scan_op, exclusive,
                              rank_in_block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>() != 0);
    }
    template <int N, class Op, class Callback>
    __device__ __forceinline__ void ExclusiveScan(T (&input)[N], T (&output)[N], Op scan_op,
                                                  Callback &block_prefix_callback_op)
    {
        T own = thread_reduce(input, scan_op), inclusive = own, exclusive = own;
        scan_from(own, inclusive, exclusive, scan_op, block_prefix_callback_op);
        thread_scan_exclusive(input, output, scan_op, exclusive, true);
    }
    template <int N, class Op>
    __device__ __forceinline__ void InclusiveScan(T (&input)[N], T (&output)[N], Op scan_op)
    {
        T own = thread_reduce(input, scan_op), inclusive = own, exclusive = own;
        scan(own, inclusive, exclusive, scan_op, own, false);
        thread_scan_inclusive(input, output, scan_op, exclusive,
                              rank_in_block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>() != 0);
    }
    template <int N, class Op>
    __device__ __forceinline__ void InclusiveScan(T (&input)[N], T (&output)[N], T initial_value,
                                                  Op scan_op)
    {
        T own = thread_reduce(input, scan_op), inclusive = own, exclusive = own;
        scan(own, inclusive, exclusive, scan_op, initial_value, true);
        thread_scan_inclusive(input, output, scan_op, exclusive, true);
    }
    template <int N, class Op>
    __device__ __forceinline__ void InclusiveScan(T (&input)[N], T (&output)[N], Op scan_op,
                                                  T &block_aggregate)
    {
        T own = thread_reduce(input, scan_op), inclusive = own, exclusive = own;
        block_aggregate = scan(own, inclusive, exclusive, scan_op, own, false);
        thread_scan_inclusive(input, output, scan_op, exclusive,
                              rank_in_block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>() != 0);
    }
    template <int N, class Op, class Callback>
    __device__ __forceinline__ void InclusiveScan(T (&input)[N], T (&output)[N], Op scan_op,
                                                  Callback &block_prefix_callback_op)
    {
        T own = thread_reduce(input, scan_op), inclusive = own, exclusive = own;
        scan_from(own, inclusive, exclusive, scan_op, block_prefix_callback_op);
        thread_scan_inclusive(input, output, scan_op, exclusive, true);
    }

    /* Sums. */

    __device__ __forceinline__ void ExclusiveSum(T input, T &output)
    {
        ExclusiveScan(input, output, T{}, rk_cub::Sum());
    }
    __device__ __forceinline__ void ExclusiveSum(T input, T &output, T &block_aggregate)
    {
        ExclusiveScan(input, output, T{}, rk_cub::Sum(), block_aggregate);
    }
    template <class Callback>
    __device__ __forceinline__ void ExclusiveSum(T input, T &output,
                                                 Callback &block_prefix_callback_op)
    {
        ExclusiveScan(input, output, rk_cub::Sum(), block_prefix_callback_op);
    }
    template <int N> __device__ __forceinline__ void ExclusiveSum(T (&input)[N], T (&output)[N])
    {
        ExclusiveScan(input, output, T{}, rk_cub::Sum());
    }
    template <int N>
    __device__ __forceinline__ void ExclusiveSum(T (&input)[N], T (&output)[N], T &block_aggregate)
    {
        ExclusiveScan(input, output, T{}, rk_cub::Sum(), block_aggregate);
    }
    template <int N, class Callback>
    __device__ __forceinline__ void ExclusiveSum(T (&input)[N], T (&output)[N],
                                                 Callback &block_prefix_callback_op)
    {
        ExclusiveScan(input, output, rk_cub::Sum(), block_prefix_callback_op);
    }
    __device__ __forceinline__ void InclusiveSum(T input, T &output)
    {
        InclusiveScan(input, output, rk_cub::Sum());
    }
    __device__ __forceinline__ void InclusiveSum(T input, T &output, T &block_aggregate)
    {
        InclusiveScan(input, output, rk_cub::Sum(), block_aggregate);
    }
    template <class Callback>
    __device__ __forceinline__ void InclusiveSum(T input, T &output,
                                                 Callback &block_prefix_callback_op)
    {
        InclusiveScan(input, output, rk_cub::Sum(), block_prefix_callback_op);
    }
    template <int N> __device__ __forceinline__ void InclusiveSum(T (&input)[N], T (&output)[N])
    {
        InclusiveScan(input, output, rk_cub::Sum());
    }
    template <int N>
    __device__ __forceinline__ void InclusiveSum(T (&input)[N], T (&output)[N], T &block_aggregate)
    {
        InclusiveScan(input, output, rk_cub::Sum(), block_aggregate);
    }
    template <int N, class Callback>
    __device__ __forceinline__ void InclusiveSum(T (&input)[N], T (&output)[N],
                                                 Callback &block_prefix_callback_op)
    {
        InclusiveScan(input, output, rk_cub::Sum(), block_prefix_callback_op);
    }
};

} // namespace rk_cub

#endif
