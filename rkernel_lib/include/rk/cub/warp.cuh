#ifndef RK_CUB_WARP_CUH
#define RK_CUB_WARP_CUH

#include "common.cuh"

namespace rk_cub
{

/** Where a thread is in logical warps of W lanes. */
template <int W> struct lane_place {
    enum { WIDTH = is_power(W) ? W : 32 };
    int lane;      /* in the logical warp */
    unsigned mask; /* its lanes */
    int first;     /* the lane of the warp that its first one is */
};

template <int W> __device__ __forceinline__ lane_place<W> place_of_lane()
{
    const int lane = LaneId();
    lane_place<W> place;
    place.first = lane / W * W;
    place.lane = lane - place.first;
    place.mask = low_lanes(W) << place.first;
    return place;
}

/** Of the lanes up to `last`; the result is the first lane's. In the order of CUB's own. */
template <int W, class T, class Op>
__device__ __forceinline__ T warp_reduce(T value, Op op, int lane, int last, unsigned mask)
{
    for (int by = 1; by < W; by *= 2) {
        const T other = shuffle_down(value, by, lane_place<W>::WIDTH, mask);
        if (lane + by <= last)
            value = op(value, other);
    }
    return value;
}

template <int W, class T, class Op>
__device__ __forceinline__ T warp_scan_inclusive(T value, Op op, int lane, unsigned mask)
{
    for (int by = 1; by < W; by *= 2) {
        const T other = shuffle_up(value, by, lane_place<W>::WIDTH, mask);
        if (lane >= by)
            value = op(other, value);
    }
    return value;
}

template <class T, int LOGICAL_WARP_THREADS = 32, int LEGACY_PTX_ARCH = 0> class WarpReduce
{
    enum { W = LOGICAL_WARP_THREADS };

    /** The last lane of the segment that the lane is in; of a head's flag, or of a tail's. */
    template <bool HEAD, class Flag>
    __device__ __forceinline__ int segment_end(Flag flag, const lane_place<W> &place)
    {
        unsigned flags = __ballot_sync(place.mask, flag ? 1 : 0) >> place.first;
        if (HEAD)
            flags >>= 1;
        flags &= ~low_lanes(place.lane);
        flags |= 1u << (W - 1);
        return __ffs((int)flags) - 1;
    }

  public:
    struct TempStorage {
        unsigned char unused;
    };

    __device__ __forceinline__ explicit WarpReduce(TempStorage &)
    {
    }

    template <class Op> __device__ __forceinline__ T Reduce(T input, Op reduction_op)
    {
        const lane_place<W> place = place_of_lane<W>();
        return warp_reduce<W>(input, reduction_op, place.lane, W - 1, place.mask);
    }
    template <class Op>
    __device__ __forceinline__ T Reduce(T input, Op reduction_op, int valid_items)
    {
        const lane_place<W> place = place_of_lane<W>();
        return warp_reduce<W>(input, reduction_op, place.lane, valid_items - 1, place.mask);
    }
    __device__ __forceinline__ T Sum(T input)
    {
        return Reduce(input, rk_cub::Sum());
    }
    __device__ __forceinline__ T Sum(T input, int valid_items)
    {
        return Reduce(input, rk_cub::Sum(), valid_items);
    }
    __device__ __forceinline__ T Max(T input)
    {
        return Reduce(input, rk_cub::Max());
    }
    __device__ __forceinline__ T Min(T input)
    {
        return Reduce(input, rk_cub::Min());
    }
    template <class Flag, class Op>
    __device__ __forceinline__ T HeadSegmentedReduce(T input, Flag head_flag, Op reduction_op)
    {
        const lane_place<W> place = place_of_lane<W>();
        const int last = segment_end<true>(head_flag, place);
        return warp_reduce<W>(input, reduction_op, place.lane, last, place.mask);
    }
    template <class Flag, class Op>
    __device__ __forceinline__ T TailSegmentedReduce(T input, Flag tail_flag, Op reduction_op)
    {
        const lane_place<W> place = place_of_lane<W>();
        const int last = segment_end<false>(tail_flag, place);
        return warp_reduce<W>(input, reduction_op, place.lane, last, place.mask);
    }
    template <class Flag> __device__ __forceinline__ T HeadSegmentedSum(T input, Flag head_flag)
    {
        return HeadSegmentedReduce(input, head_flag, rk_cub::Sum());
    }
    template <class Flag> __device__ __forceinline__ T TailSegmentedSum(T input, Flag tail_flag)
    {
        return TailSegmentedReduce(input, tail_flag, rk_cub::Sum());
    }
};

template <class T, int LOGICAL_WARP_THREADS = 32, int LEGACY_PTX_ARCH = 0> class WarpScan
{
    enum { W = LOGICAL_WARP_THREADS };

  public:
    struct TempStorage {
        unsigned char unused;
    };

    __device__ __forceinline__ explicit WarpScan(TempStorage &)
    {
    }

    __device__ __forceinline__ T Broadcast(T input, unsigned int src_lane)
    {
        const lane_place<W> place = place_of_lane<W>();
        return shuffle_from(input, place.first + src_lane, 32, place.mask);
    }

    /** The scans with and without the item; the first lane's without it is `initial`, if there is one. */
    template <class Op>
    __device__ __forceinline__ T scan(T input, T &inclusive, T &exclusive, Op op, const T *initial)
    {
        const lane_place<W> place = place_of_lane<W>();
        inclusive = warp_scan_inclusive<W>(input, op, place.lane, place.mask);
        const T all = shuffle_from(inclusive, place.first + W - 1, 32, place.mask);
        exclusive = shuffle_up(inclusive, 1, lane_place<W>::WIDTH, place.mask);
        if (initial) {
            inclusive = op(*initial, inclusive);
            exclusive = place.lane == 0 ? *initial : op(*initial, exclusive);
        }
        return all;
    }

    __device__ __forceinline__ void InclusiveSum(T input, T &inclusive_output)
    {
        InclusiveScan(input, inclusive_output, rk_cub::Sum());
    }
    __device__ __forceinline__ void InclusiveSum(T input, T &inclusive_output, T &warp_aggregate)
    {
        InclusiveScan(input, inclusive_output, rk_cub::Sum(), warp_aggregate);
    }
    __device__ __forceinline__ void ExclusiveSum(T input, T &exclusive_output)
    {
        ExclusiveScan(input, exclusive_output, T{}, rk_cub::Sum());
    }
    __device__ __forceinline__ void ExclusiveSum(T input, T &exclusive_output, T &warp_aggregate)
    {
        ExclusiveScan(input, exclusive_output, T{}, rk_cub::Sum(), warp_aggregate);
    }
    template <class Op>
    __device__ __forceinline__ void InclusiveScan(T input, T &inclusive_output, Op scan_op)
    {
        T exclusive = input;
        scan(input, inclusive_output, exclusive, scan_op, nullptr);
    }
    template <class Op>
    __device__ __forceinline__ void InclusiveScan(T input, T &inclusive_output, Op scan_op,
                                                  T &warp_aggregate)
    {
        T exclusive = input;
        warp_aggregate = scan(input, inclusive_output, exclusive, scan_op, nullptr);
    }
    template <class Op>
    __device__ __forceinline__ void ExclusiveScan(T input, T &exclusive_output, Op scan_op)
    {
        T inclusive = input;
        scan(input, inclusive, exclusive_output, scan_op, nullptr);
    }
    template <class Op>
    __device__ __forceinline__ void ExclusiveScan(T input, T &exclusive_output, T initial_value,
                                                  Op scan_op)
    {
        T inclusive = input;
        scan(input, inclusive, exclusive_output, scan_op, &initial_value);
    }
    template <class Op>
    __device__ __forceinline__ void ExclusiveScan(T input, T &exclusive_output, Op scan_op,
                                                  T &warp_aggregate)
    {
        T inclusive = input;
        warp_aggregate = scan(input, inclusive, exclusive_output, scan_op, nullptr);
    }
    template <class Op>
    __device__ __forceinline__ void ExclusiveScan(T input, T &exclusive_output, T initial_value,
                                                  Op scan_op, T &warp_aggregate)
    {
        T inclusive = input;
        warp_aggregate = scan(input, inclusive, exclusive_output, scan_op, &initial_value);
    }
    template <class Op>
    __device__ __forceinline__ void Scan(T input, T &inclusive_output, T &exclusive_output,
                                         Op scan_op)
    {
        scan(input, inclusive_output, exclusive_output, scan_op, nullptr);
    }
    template <class Op>
    __device__ __forceinline__ void Scan(T input, T &inclusive_output, T &exclusive_output,
                                         T initial_value, Op scan_op)
    {
        scan(input, inclusive_output, exclusive_output, scan_op, &initial_value);
    }
};

} // namespace rk_cub

#endif
