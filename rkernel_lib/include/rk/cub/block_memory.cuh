#ifndef RK_CUB_BLOCK_MEMORY_CUH
#define RK_CUB_BLOCK_MEMORY_CUH

#include "common.cuh"

namespace rk_cub
{

enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};

enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

/* Functions without shared memory. */

template <class T, int N, class In>
__device__ __forceinline__ void LoadDirectBlocked(int linear_tid, In block_itr, T (&items)[N])
{
    for (int i = 0; i < N; i++)
        items[i] = block_itr[linear_tid * N + i];
}
template <class T, int N, class In>
__device__ __forceinline__ void LoadDirectBlocked(int linear_tid, In block_itr, T (&items)[N],
                                                  int valid_items)
{
    for (int i = 0; i < N; i++)
        if (linear_tid * N + i < valid_items)
            items[i] = block_itr[linear_tid * N + i];
}
template <class T, class Default, int N, class In>
__device__ __forceinline__ void LoadDirectBlocked(int linear_tid, In block_itr, T (&items)[N],
                                                  int valid_items, Default oob_default)
{
    for (int i = 0; i < N; i++)
        items[i] = oob_default;
    LoadDirectBlocked(linear_tid, block_itr, items, valid_items);
}
template <class T, int N>
__device__ __forceinline__ void LoadDirectBlockedVectorized(int linear_tid, T *block_ptr,
                                                            T (&items)[N])
{
    LoadDirectBlocked(linear_tid, block_ptr, items);
}
template <int BLOCK_THREADS, class T, int N, class In>
__device__ __forceinline__ void LoadDirectStriped(int linear_tid, In block_itr, T (&items)[N])
{
    for (int i = 0; i < N; i++)
        items[i] = block_itr[linear_tid + i * BLOCK_THREADS];
}
template <int BLOCK_THREADS, class T, int N, class In>
__device__ __forceinline__ void LoadDirectStriped(int linear_tid, In block_itr, T (&items)[N],
                                                  int valid_items)
{
    for (int i = 0; i < N; i++)
        if (linear_tid + i * BLOCK_THREADS < valid_items)
            items[i] = block_itr[linear_tid + i * BLOCK_THREADS];
}
template <int BLOCK_THREADS, class T, class Default, int N, class In>
__device__ __forceinline__ void LoadDirectStriped(int linear_tid, In block_itr, T (&items)[N],
                                                  int valid_items, Default oob_default)
{
    for (int i = 0; i < N; i++)
        items[i] = oob_default;
    LoadDirectStriped<BLOCK_THREADS>(linear_tid, block_itr, items, valid_items);
}
template <class T, int N, class Out>
__device__ __forceinline__ void StoreDirectBlocked(int linear_tid, Out block_itr, T (&items)[N])
{
    for (int i = 0; i < N; i++)
        block_itr[linear_tid * N + i] = items[i];
}
template <class T, int N, class Out>
__device__ __forceinline__ void StoreDirectBlocked(int linear_tid, Out block_itr, T (&items)[N],
                                                   int valid_items)
{
    for (int i = 0; i < N; i++)
        if (linear_tid * N + i < valid_items)
            block_itr[linear_tid * N + i] = items[i];
}
template <class T, int N>
__device__ __forceinline__ void StoreDirectBlockedVectorized(int linear_tid, T *block_ptr,
                                                             T (&items)[N])
{
    StoreDirectBlocked(linear_tid, block_ptr, items);
}
template <int BLOCK_THREADS, class T, int N, class Out>
__device__ __forceinline__ void StoreDirectStriped(int linear_tid, Out block_itr, T (&items)[N])
{
    for (int i = 0; i < N; i++)
        block_itr[linear_tid + i * BLOCK_THREADS] = items[i];
}
template <int BLOCK_THREADS, class T, int N, class Out>
__device__ __forceinline__ void StoreDirectStriped(int linear_tid, Out block_itr, T (&items)[N],
                                                   int valid_items)
{
    for (int i = 0; i < N; i++)
        if (linear_tid + i * BLOCK_THREADS < valid_items)
            block_itr[linear_tid + i * BLOCK_THREADS] = items[i];
}

/** Where item `i` of a thread is in an order: threads one after another, or items; `warp`: inside of each warp. */
template <int THREADS, int N>
__device__ __forceinline__ int place_in_stripes(int rank, int i, bool warp)
{
    const int first = warp ? rank / 32 * 32 : 0;
    const int width = !warp ? THREADS : THREADS - first < 32 ? THREADS - first : 32;
    return first * N + (rank - first) + i * width;
}

template <class T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, bool WARP_TIME_SLICING = false,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockExchange
{
    enum { THREADS = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, N = ITEMS_PER_THREAD };

  public:
    struct TempStorage {
        slots<T, THREADS * N> all;
    };

  private:
    TempStorage *storage_;

    static __device__ __forceinline__ TempStorage &own_storage()
    {
        __shared__ TempStorage storage;
        return storage;
    }

    enum order { BLOCKED, STRIPED, WARP_STRIPED };

    static __device__ __forceinline__ int place(int rank, int i, order of)
    {
        return of == BLOCKED ? rank * N + i
                             : place_in_stripes<THREADS, N>(rank, i, of == WARP_STRIPED);
    }

    template <class Out>
    __device__ __forceinline__ void exchange(const T (&input)[N], Out (&output)[N], order from,
                                             order to)
    {
        const int rank = rank_in_block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
        T *all = storage_->all.items();
        for (int i = 0; i < N; i++)
            all[place(rank, i, from)] = input[i];
        __syncthreads();
        for (int i = 0; i < N; i++)
            output[i] = all[place(rank, i, to)];
    }

    /** Items whose rank is negative, or whose flag is not set, are nowhere. */
    template <class Out, class Offset, class Flag>
    __device__ __forceinline__ void scatter(const T (&input)[N], Out (&output)[N],
                                            Offset (&ranks)[N], const Flag *flags, order to)
    {
        const int rank = rank_in_block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
        T *all = storage_->all.items();
        for (int i = 0; i < N; i++)
            if (flags ? (bool)flags[i] : (int)ranks[i] >= 0)
                all[ranks[i]] = input[i];
        __syncthreads();
        for (int i = 0; i < N; i++)
            output[i] = all[place(rank, i, to)];
    }

  public:
    __device__ __forceinline__ BlockExchange() : storage_(&own_storage())
    {
    }
    __device__ __forceinline__ explicit BlockExchange(TempStorage &temp_storage)
        : storage_(&temp_storage)
    {
    }

    template <class Out>
    __device__ __forceinline__ void StripedToBlocked(const T (&input_items)[N],
                                                     Out (&output_items)[N])
    {
        exchange(input_items, output_items, STRIPED, BLOCKED);
    }
    template <class Out>
    __device__ __forceinline__ void BlockedToStriped(const T (&input_items)[N],
                                                     Out (&output_items)[N])
    {
        exchange(input_items, output_items, BLOCKED, STRIPED);
    }
    template <class Out>
    __device__ __forceinline__ void WarpStripedToBlocked(const T (&input_items)[N],
                                                         Out (&output_items)[N])
    {
        exchange(input_items, output_items, WARP_STRIPED, BLOCKED);
    }
    template <class Out>
    __device__ __forceinline__ void BlockedToWarpStriped(const T (&input_items)[N],
                                                         Out (&output_items)[N])
    {
        exchange(input_items, output_items, BLOCKED, WARP_STRIPED);
    }
    template <class Out, class Offset>
    __device__ __forceinline__ void ScatterToBlocked(const T (&input_items)[N],
                                                     Out (&output_items)[N], Offset (&ranks)[N])
    {
        scatter(input_items, output_items, ranks, (const bool *)nullptr, BLOCKED);
    }
    template <class Out, class Offset>
    __device__ __forceinline__ void ScatterToStriped(const T (&input_items)[N],
                                                     Out (&output_items)[N], Offset (&ranks)[N])
    {
        scatter(input_items, output_items, ranks, (const bool *)nullptr, STRIPED);
    }
    template <class Out, class Offset>
    __device__ __forceinline__ void
    ScatterToStripedGuarded(const T (&input_items)[N], Out (&output_items)[N], Offset (&ranks)[N])
    {
        scatter(input_items, output_items, ranks, (const bool *)nullptr, STRIPED);
    }
    template <class Out, class Offset, class Flag>
    __device__ __forceinline__ void ScatterToStripedFlagged(const T (&input_items)[N],
                                                            Out (&output_items)[N],
                                                            Offset (&ranks)[N], Flag (&is_valid)[N])
    {
        scatter(input_items, output_items, ranks, is_valid, STRIPED);
    }

    /* In place. */

    __device__ __forceinline__ void StripedToBlocked(T (&items)[N])
    {
        exchange(items, items, STRIPED, BLOCKED);
    }
    __device__ __forceinline__ void BlockedToStriped(T (&items)[N])
    {
        exchange(items, items, BLOCKED, STRIPED);
    }
    __device__ __forceinline__ void WarpStripedToBlocked(T (&items)[N])
    {
        exchange(items, items, WARP_STRIPED, BLOCKED);
    }
    __device__ __forceinline__ void BlockedToWarpStriped(T (&items)[N])
    {
        exchange(items, items, BLOCKED, WARP_STRIPED);
    }
    template <class Offset>
    __device__ __forceinline__ void ScatterToBlocked(T (&items)[N], Offset (&ranks)[N])
    {
        scatter(items, items, ranks, (const bool *)nullptr, BLOCKED);
    }
    template <class Offset>
    __device__ __forceinline__ void ScatterToStriped(T (&items)[N], Offset (&ranks)[N])
    {
        scatter(items, items, ranks, (const bool *)nullptr, STRIPED);
    }
};

template <class T, int BLOCK_DIM_X, int ITEMS_PER_THREAD,
          BlockLoadAlgorithm ALGORITHM = BLOCK_LOAD_DIRECT, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockLoad
{
    enum {
        THREADS = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z,
        N = ITEMS_PER_THREAD,
        TRANSPOSES = ALGORITHM >= BLOCK_LOAD_TRANSPOSE
    };

  public:
    struct TempStorage {
        slots<T, TRANSPOSES ? THREADS * N : 1> all;
    };

  private:
    TempStorage *storage_;

    static __device__ __forceinline__ TempStorage &own_storage()
    {
        __shared__ TempStorage storage;
        return storage;
    }

    /** Those before `valid`; others keep what they are. Neighbours read one after another where items are transposed. */
    template <class In> __device__ __forceinline__ void load(In itr, T (&items)[N], int valid)
    {
        const int rank = rank_in_block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
        if (ALGORITHM == BLOCK_LOAD_STRIPED)
            LoadDirectStriped<THREADS>(rank, itr, items, valid);
        else if (!TRANSPOSES)
            LoadDirectBlocked(rank, itr, items, valid);
        if (TRANSPOSES) {
            T *all = storage_->all.items();
            for (int i = 0; i < N; i++)
                if (rank + i * THREADS < valid)
                    all[rank + i * THREADS] = itr[rank + i * THREADS];
            __syncthreads();
            for (int i = 0; i < N; i++)
                if (rank * N + i < valid)
                    items[i] = all[rank * N + i];
        }
    }

  public:
    __device__ __forceinline__ BlockLoad() : storage_(&own_storage())
    {
    }
    __device__ __forceinline__ explicit BlockLoad(TempStorage &temp_storage)
        : storage_(&temp_storage)
    {
    }

    template <class In> __device__ __forceinline__ void Load(In block_itr, T (&items)[N])
    {
        load(block_itr, items, (int)(THREADS * N));
    }
    template <class In>
    __device__ __forceinline__ void Load(In block_itr, T (&items)[N], int valid_items)
    {
        load(block_itr, items, valid_items);
    }
    template <class In, class Default>
    __device__ __forceinline__ void Load(In block_itr, T (&items)[N], int valid_items,
                                         Default oob_default)
    {
        for (int i = 0; i < N; i++)
            items[i] = oob_default;
        load(block_itr, items, valid_items);
    }
};

template <class T, int BLOCK_DIM_X, int ITEMS_PER_THREAD,
          BlockStoreAlgorithm ALGORITHM = BLOCK_STORE_DIRECT, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockStore
{
    enum {
        THREADS = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z,
        N = ITEMS_PER_THREAD,
        TRANSPOSES = ALGORITHM >= BLOCK_STORE_TRANSPOSE
    };

  public:
    struct TempStorage {
        slots<T, TRANSPOSES ? THREADS * N : 1> all;
    };

  private:
    TempStorage *storage_;

    static __device__ __forceinline__ TempStorage &own_storage()
    {
        __shared__ TempStorage storage;
        return storage;
    }

  public:
    __device__ __forceinline__ BlockStore() : storage_(&own_storage())
    {
    }
    __device__ __forceinline__ explicit BlockStore(TempStorage &temp_storage)
        : storage_(&temp_storage)
    {
    }

    template <class Out>
    __device__ __forceinline__ void Store(Out block_itr, T (&items)[N], int valid_items)
    {
        const int rank = rank_in_block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
        if (ALGORITHM == BLOCK_STORE_STRIPED)
            StoreDirectStriped<THREADS>(rank, block_itr, items, valid_items);
        else if (!TRANSPOSES)
            StoreDirectBlocked(rank, block_itr, items, valid_items);
        if (TRANSPOSES) {
            T *all = storage_->all.items();
            for (int i = 0; i < N; i++)
                all[rank * N + i] = items[i];
            __syncthreads();
            for (int i = 0; i < N; i++)
                if (rank + i * THREADS < valid_items)
                    block_itr[rank + i * THREADS] = all[rank + i * THREADS];
        }
    }
    template <class Out> __device__ __forceinline__ void Store(Out block_itr, T (&items)[N])
    {
        Store(block_itr, items, (int)(THREADS * N));
    }
};

} // namespace rk_cub

#endif
