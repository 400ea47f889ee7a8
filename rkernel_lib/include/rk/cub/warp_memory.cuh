#ifndef RK_CUB_WARP_MEMORY_CUH
#define RK_CUB_WARP_MEMORY_CUH

#include "warp.cuh"

namespace rk_cub
{

enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };
enum WarpLoadAlgorithm {
    WARP_LOAD_DIRECT,
    WARP_LOAD_STRIPED,
    WARP_LOAD_VECTORIZE,
    WARP_LOAD_TRANSPOSE
};
enum WarpStoreAlgorithm {
    WARP_STORE_DIRECT,
    WARP_STORE_STRIPED,
    WARP_STORE_VECTORIZE,
    WARP_STORE_TRANSPOSE
};

template <class T, int ITEMS_PER_THREAD, int LOGICAL_WARP_THREADS = 32,
          WarpExchangeAlgorithm = WARP_EXCHANGE_SMEM>
class WarpExchange
{
    enum { W = LOGICAL_WARP_THREADS, N = ITEMS_PER_THREAD };

  public:
    struct TempStorage {
        slots<T, W * N> all;
    };

  private:
    TempStorage *storage_;

    /** Item `i` of a lane goes to `from + i * from_step`, and comes from `to + i * to_step`. */
    template <class In, class Out>
    __device__ __forceinline__ void exchange(const In (&input)[N], Out (&output)[N], int from,
                                             int from_step, int to, int to_step, unsigned mask)
    {
        T *all = storage_->all.items();
        for (int i = 0; i < N; i++)
            all[from + i * from_step] = input[i];
        __syncwarp(mask);
        for (int i = 0; i < N; i++)
            output[i] = all[to + i * to_step];
    }

  public:
    __device__ __forceinline__ explicit WarpExchange(TempStorage &temp_storage)
        : storage_(&temp_storage)
    {
    }

    template <class In, class Out>
    __device__ __forceinline__ void BlockedToStriped(const In (&input_items)[N],
                                                     Out (&output_items)[N])
    {
        const lane_place<W> place = place_of_lane<W>();
        exchange(input_items, output_items, place.lane * N, 1, place.lane, W, place.mask);
    }
    template <class In, class Out>
    __device__ __forceinline__ void StripedToBlocked(const In (&input_items)[N],
                                                     Out (&output_items)[N])
    {
        const lane_place<W> place = place_of_lane<W>();
        exchange(input_items, output_items, place.lane, W, place.lane * N, 1, place.mask);
    }
    template <class In, class Out, class Offset>
    __device__ __forceinline__ void ScatterToStriped(const In (&input_items)[N],
                                                     Out (&output_items)[N],
                                                     const Offset (&ranks)[N])
    {
        const lane_place<W> place = place_of_lane<W>();
        T *all = storage_->all.items();
        for (int i = 0; i < N; i++)
            all[ranks[i]] = input_items[i];
        __syncwarp(place.mask);
        for (int i = 0; i < N; i++)
            output_items[i] = all[place.lane + i * W];
    }
    template <class Item, class Offset>
    __device__ __forceinline__ void ScatterToStriped(Item (&items)[N], const Offset (&ranks)[N])
    {
        ScatterToStriped(items, items, ranks);
    }
};

/** Where item `i` of a lane is in memory. */
template <int W, int N> __device__ __forceinline__ int place_in_warp(bool striped, int i)
{
    const int lane = place_of_lane<W>().lane;
    return striped ? lane + i * W : lane * N + i;
}

template <class T, int ITEMS_PER_THREAD, WarpLoadAlgorithm ALGORITHM = WARP_LOAD_DIRECT,
          int LOGICAL_WARP_THREADS = 32>
class WarpLoad
{
    enum { W = LOGICAL_WARP_THREADS, N = ITEMS_PER_THREAD };
    enum { STRIPED = ALGORITHM == WARP_LOAD_STRIPED };

  public:
    struct TempStorage {
        unsigned char unused;
    };

    __device__ __forceinline__ WarpLoad()
    {
    }
    __device__ __forceinline__ explicit WarpLoad(TempStorage &)
    {
    }

    template <class In> __device__ __forceinline__ void Load(In block_itr, T (&items)[N])
    {
        for (int i = 0; i < N; i++)
            items[i] = block_itr[place_in_warp<W, N>(STRIPED, i)];
    }
    template <class In>
    __device__ __forceinline__ void Load(In block_itr, T (&items)[N], int valid_items)
    {
        for (int i = 0; i < N; i++)
            if (place_in_warp<W, N>(STRIPED, i) < valid_items)
                items[i] = block_itr[place_in_warp<W, N>(STRIPED, i)];
    }
    template <class In, class Default>
    __device__ __forceinline__ void Load(In block_itr, T (&items)[N], int valid_items,
                                         Default oob_default)
    {
        for (int i = 0; i < N; i++)
            items[i] = oob_default;
        Load(block_itr, items, valid_items);
    }
};

template <class T, int ITEMS_PER_THREAD, WarpStoreAlgorithm ALGORITHM = WARP_STORE_DIRECT,
          int LOGICAL_WARP_THREADS = 32>
class WarpStore
{
    enum { W = LOGICAL_WARP_THREADS, N = ITEMS_PER_THREAD };
    enum { STRIPED = ALGORITHM == WARP_STORE_STRIPED };

  public:
    struct TempStorage {
        unsigned char unused;
    };

    __device__ __forceinline__ WarpStore()
    {
    }
    __device__ __forceinline__ explicit WarpStore(TempStorage &)
    {
    }

    template <class Out> __device__ __forceinline__ void Store(Out block_itr, T (&items)[N])
    {
        for (int i = 0; i < N; i++)
            block_itr[place_in_warp<W, N>(STRIPED, i)] = items[i];
    }
    template <class Out>
    __device__ __forceinline__ void Store(Out block_itr, T (&items)[N], int valid_items)
    {
        for (int i = 0; i < N; i++)
            if (place_in_warp<W, N>(STRIPED, i) < valid_items)
                block_itr[place_in_warp<W, N>(STRIPED, i)] = items[i];
    }
};

} // namespace rk_cub

#endif
