#ifndef RK_CUB_BLOCK_NEIGHBOURS_CUH
#define RK_CUB_BLOCK_NEIGHBOURS_CUH

#include "common.cuh"

namespace rk_cub
{

/** The operator's result for two neighbours, with the second one's place in the tile where it asks for that. */
template <class T, class Op>
__device__ __forceinline__ auto flag_of(Op &op, const T &a, const T &b, int at, int)
    -> decltype(op(a, b, at))
{
    return op(a, b, at);
}
template <class T, class Op>
__device__ __forceinline__ auto flag_of(Op &op, const T &a, const T &b, int, long)
    -> decltype(op(a, b))
{
    return op(a, b);
}

template <class T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1,
          int LEGACY_PTX_ARCH = 0>
class BlockDiscontinuity
{
    enum { THREADS = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z };

  public:
    struct TempStorage {
        slots<T, THREADS> firsts, lasts;
    };

  private:
    TempStorage *storage_;

    static __device__ __forceinline__ TempStorage &own_storage()
    {
        __shared__ TempStorage storage;
        return storage;
    }

    template <int N> __device__ __forceinline__ int publish(T (&input)[N])
    {
        const int rank = rank_in_block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
        storage_->firsts.items()[rank] = input[0];
        storage_->lasts.items()[rank] = input[N - 1];
        __syncthreads();
        return rank;
    }

    /** Flags of the items that differ from what is before them; the tile's first one is compared with `before`, or set. */
    template <int N, class Flag, class Op>
    __device__ __forceinline__ void heads(Flag (&flags)[N], T (&input)[N], Op op, int rank,
                                          const T *before)
    {
        if (rank > 0)
            flags[0] = flag_of(op, storage_->lasts.items()[rank - 1], input[0], rank * N, 0);
        else if (before)
            flags[0] = flag_of(op, *before, input[0], 0, 0);
        else
            flags[0] = 1;
        for (int i = 1; i < N; i++)
            flags[i] = flag_of(op, input[i - 1], input[i], rank * N + i, 0);
    }

    template <int N, class Flag, class Op>
    __device__ __forceinline__ void tails(Flag (&flags)[N], T (&input)[N], Op op, int rank,
                                          const T *after)
    {
        for (int i = 0; i < N - 1; i++)
            flags[i] = flag_of(op, input[i], input[i + 1], rank * N + i + 1, 0);
        if (rank < THREADS - 1)
            flags[N - 1] =
                flag_of(op, input[N - 1], storage_->firsts.items()[rank + 1], rank * N + N, 0);
        else if (after)
            flags[N - 1] = flag_of(op, input[N - 1], *after, rank * N + N, 0);
        else
            flags[N - 1] = 1;
    }

  public:
    __device__ __forceinline__ BlockDiscontinuity() : storage_(&own_storage())
    {
    }
    __device__ __forceinline__ explicit BlockDiscontinuity(TempStorage &temp_storage)
        : storage_(&temp_storage)
    {
    }

    template <int N, class Flag, class Op>
    __device__ __forceinline__ void FlagHeads(Flag (&head_flags)[N], T (&input)[N], Op flag_op)
    {
        heads(head_flags, input, flag_op, publish(input), nullptr);
    }
    template <int N, class Flag, class Op>
    __device__ __forceinline__ void FlagHeads(Flag (&head_flags)[N], T (&input)[N], Op flag_op,
                                              T tile_predecessor_item)
    {
        heads(head_flags, input, flag_op, publish(input), &tile_predecessor_item);
    }
    template <int N, class Flag, class Op>
    __device__ __forceinline__ void FlagTails(Flag (&tail_flags)[N], T (&input)[N], Op flag_op)
    {
        tails(tail_flags, input, flag_op, publish(input), nullptr);
    }
    template <int N, class Flag, class Op>
    __device__ __forceinline__ void FlagTails(Flag (&tail_flags)[N], T (&input)[N], Op flag_op,
                                              T tile_successor_item)
    {
        tails(tail_flags, input, flag_op, publish(input), &tile_successor_item);
    }
    template <int N, class Flag, class Op>
    __device__ __forceinline__ void FlagHeadsAndTails(Flag (&head_flags)[N], Flag (&tail_flags)[N],
                                                      T (&input)[N], Op flag_op)
    {
        const int rank = publish(input);
        heads(head_flags, input, flag_op, rank, nullptr);
        tails(tail_flags, input, flag_op, rank, nullptr);
    }
    template <int N, class Flag, class Op>
    __device__ __forceinline__ void
    FlagHeadsAndTails(Flag (&head_flags)[N], T tile_predecessor_item, Flag (&tail_flags)[N],
                      T tile_successor_item, T (&input)[N], Op flag_op)
    {
        const int rank = publish(input);
        heads(head_flags, input, flag_op, rank, &tile_predecessor_item);
        tails(tail_flags, input, flag_op, rank, &tile_successor_item);
    }
};

template <class T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1,
          int LEGACY_PTX_ARCH = 0>
class BlockAdjacentDifference
{
    enum { THREADS = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z };

  public:
    struct TempStorage {
        slots<T, THREADS> firsts, lasts;
    };

  private:
    TempStorage *storage_;

    static __device__ __forceinline__ TempStorage &own_storage()
    {
        __shared__ TempStorage storage;
        return storage;
    }

    template <int N, class Out, class Op>
    __device__ __forceinline__ void left(T (&input)[N], Out (&output)[N], Op op, int valid,
                                         const T *before)
    {
        const int rank = rank_in_block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
        T *lasts = storage_->lasts.items();
        lasts[rank] = input[N - 1];
        __syncthreads();
        for (int i = N - 1; i > 0; i--)
            output[i] = rank * N + i < valid ? (Out)op(input[i], input[i - 1]) : (Out)input[i];
        if (rank * N >= valid)
            output[0] = input[0];
        else if (rank > 0)
            output[0] = op(input[0], lasts[rank - 1]);
        else if (before)
            output[0] = op(input[0], *before);
        else
            output[0] = input[0];
    }

    template <int N, class Out, class Op>
    __device__ __forceinline__ void right(T (&input)[N], Out (&output)[N], Op op, int valid,
                                          const T *after)
    {
        const int rank = rank_in_block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
        T *firsts = storage_->firsts.items();
        firsts[rank] = input[0];
        __syncthreads();
        for (int i = 0; i < N - 1; i++)
            output[i] = rank * N + i + 1 < valid ? (Out)op(input[i], input[i + 1]) : (Out)input[i];
        if (rank < THREADS - 1 && rank * N + N < valid)
            output[N - 1] = op(input[N - 1], firsts[rank + 1]);
        else if (rank == THREADS - 1 && after)
            output[N - 1] = op(input[N - 1], *after);
        else
            output[N - 1] = input[N - 1];
    }

  public:
    __device__ __forceinline__ BlockAdjacentDifference() : storage_(&own_storage())
    {
    }
    __device__ __forceinline__ explicit BlockAdjacentDifference(TempStorage &temp_storage)
        : storage_(&temp_storage)
    {
    }

    template <int N, class Out, class Op>
    __device__ __forceinline__ void SubtractLeft(T (&input)[N], Out (&output)[N], Op difference_op)
    {
        left(input, output, difference_op, (int)THREADS * N, nullptr);
    }
    template <int N, class Out, class Op>
    __device__ __forceinline__ void SubtractLeft(T (&input)[N], Out (&output)[N], Op difference_op,
                                                 T tile_predecessor_item)
    {
        left(input, output, difference_op, (int)THREADS * N, &tile_predecessor_item);
    }
    template <int N, class Out, class Op>
    __device__ __forceinline__ void SubtractLeftPartialTile(T (&input)[N], Out (&output)[N],
                                                            Op difference_op, int valid_items)
    {
        left(input, output, difference_op, valid_items, nullptr);
    }
    template <int N, class Out, class Op>
    __device__ __forceinline__ void SubtractRight(T (&input)[N], Out (&output)[N], Op difference_op)
    {
        right(input, output, difference_op, (int)THREADS * N, nullptr);
    }
    template <int N, class Out, class Op>
    __device__ __forceinline__ void SubtractRight(T (&input)[N], Out (&output)[N], Op difference_op,
                                                  T tile_successor_item)
    {
        right(input, output, difference_op, (int)THREADS * N, &tile_successor_item);
    }
    template <int N, class Out, class Op>
    __device__ __forceinline__ void SubtractRightPartialTile(T (&input)[N], Out (&output)[N],
                                                             Op difference_op, int valid_items)
    {
        right(input, output, difference_op, valid_items, nullptr);
    }
};

template <class T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1,
          int LEGACY_PTX_ARCH = 0>
class BlockShuffle
{
    enum { THREADS = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z };

  public:
    struct TempStorage {
        slots<T, THREADS> all;
    };

  private:
    TempStorage *storage_;

    static __device__ __forceinline__ TempStorage &own_storage()
    {
        __shared__ TempStorage storage;
        return storage;
    }

    __device__ __forceinline__ int publish(const T &input)
    {
        const int rank = rank_in_block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
        storage_->all.items()[rank] = input;
        __syncthreads();
        return rank;
    }

  public:
    __device__ __forceinline__ BlockShuffle() : storage_(&own_storage())
    {
    }
    __device__ __forceinline__ explicit BlockShuffle(TempStorage &temp_storage)
        : storage_(&temp_storage)
    {
    }

    __device__ __forceinline__ void Offset(T input, T &output, int distance = 1)
    {
        const int from = publish(input) + distance;
        if (from >= 0 && from < THREADS)
            output = storage_->all.items()[from];
    }
    __device__ __forceinline__ void Rotate(T input, T &output, unsigned int distance = 1)
    {
        const int from = (publish(input) + distance) % THREADS;
        output = storage_->all.items()[from];
    }
    template <int N> __device__ __forceinline__ void Up(T (&input)[N], T (&prev)[N])
    {
        const int rank = publish(input[N - 1]);
        for (int i = N - 1; i > 0; i--)
            prev[i] = input[i - 1];
        if (rank > 0)
            prev[0] = storage_->all.items()[rank - 1];
    }
    template <int N>
    __device__ __forceinline__ void Up(T (&input)[N], T (&prev)[N], T &block_suffix)
    {
        Up(input, prev);
        block_suffix = storage_->all.items()[THREADS - 1];
    }
    template <int N> __device__ __forceinline__ void Down(T (&input)[N], T (&prev)[N])
    {
        const int rank = publish(input[0]);
        for (int i = 0; i < N - 1; i++)
            prev[i] = input[i + 1];
        if (rank < THREADS - 1)
            prev[N - 1] = storage_->all.items()[rank + 1];
    }
    template <int N>
    __device__ __forceinline__ void Down(T (&input)[N], T (&prev)[N], T &block_prefix)
    {
        Down(input, prev);
        block_prefix = storage_->all.items()[0];
    }
};

} // namespace rk_cub

#endif
