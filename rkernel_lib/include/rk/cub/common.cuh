#ifndef RK_CUB_COMMON_CUH
#define RK_CUB_COMMON_CUH

/*
 * Collectives of blocks and warps with the interface of CUB's (docs/convert.md, "CUB's collectives"). This is plain CUDA
 * code, which the converter reads as if it were a header of the project: what it does with threadIdx and barriers becomes
 * an rTask's as in any other text.
 */

#include <cuda_runtime.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <iterator>
#include <limits>
#include <string.h>
#include <type_traits>
#include <utility>

namespace rk_cub
{

/** Stands for values where there are none. */
struct NullType {
};

/* Operators. */

struct Sum {
    template <class T> __host__ __device__ T operator()(const T &a, const T &b) const
    {
        return a + b;
    }
};
struct Difference {
    template <class T> __host__ __device__ T operator()(const T &a, const T &b) const
    {
        return a - b;
    }
};
struct Max {
    template <class T> __host__ __device__ T operator()(const T &a, const T &b) const
    {
        return b > a ? b : a;
    }
};
struct Min {
    template <class T> __host__ __device__ T operator()(const T &a, const T &b) const
    {
        return b < a ? b : a;
    }
};
struct Equality {
    template <class T> __host__ __device__ bool operator()(const T &a, const T &b) const
    {
        return a == b;
    }
};
struct Inequality {
    template <class T> __host__ __device__ bool operator()(const T &a, const T &b) const
    {
        return a != b;
    }
};

template <class K, class V> struct KeyValuePair {
    typedef K Key;
    typedef V Value;
    Key key;
    Value value;
    KeyValuePair() = default;
    __host__ __device__ KeyValuePair(const Key &k, const Value &v) : key(k), value(v)
    {
    }
    __host__ __device__ bool operator!=(const KeyValuePair &b) const
    {
        return value != b.value || key != b.key;
    }
    __host__ __device__ bool operator==(const KeyValuePair &b) const
    {
        return value == b.value && key == b.key;
    }
};

/** Of equal values the one with the smaller key. */
struct ArgMax {
    template <class T, class I>
    __host__ __device__ KeyValuePair<I, T> operator()(const KeyValuePair<I, T> &a,
                                                      const KeyValuePair<I, T> &b) const
    {
        return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
struct ArgMin {
    template <class T, class I>
    __host__ __device__ KeyValuePair<I, T> operator()(const KeyValuePair<I, T> &a,
                                                      const KeyValuePair<I, T> &b) const
    {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};

/** Memory for objects that nobody constructs, as shared memory and members of unions have to be. */
template <class T, int N> struct slots {
    alignas(T) unsigned char bytes[sizeof(T) * (N > 0 ? N : 1)];
    __device__ __forceinline__ T *items()
    {
        return reinterpret_cast<T *>(bytes);
    }
};

/* Threads. */

/** The thread's rank in a block of these extents. */
template <int X, int Y, int Z> __device__ __forceinline__ int rank_in_block()
{
    return Y == 1 && Z == 1 ? (int)threadIdx.x
                            : (int)((threadIdx.z * Y + threadIdx.y) * X + threadIdx.x);
}

__device__ __forceinline__ unsigned LaneId()
{
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}

__device__ __forceinline__ unsigned WarpId()
{
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32;
}

__host__ __device__ constexpr unsigned low_lanes(int count)
{
    return count >= 32 ? 0xffffffffu : count <= 0 ? 0u : (1u << count) - 1;
}

/** Lanes of the warp of a thread, in a block of so many threads. */
__device__ __forceinline__ unsigned lanes_in_block(int rank, int threads)
{
    return low_lanes(threads - rank / 32 * 32);
}

__host__ __device__ constexpr bool is_power(int n)
{
    return (n & (n - 1)) == 0;
}

/* Values of any type go by words. */

template <class T> struct words_of {
    enum { COUNT = (sizeof(T) + 3) / 4 };
    unsigned words[COUNT];
};

template <class T> __device__ __forceinline__ words_of<T> to_words(const T &value)
{
    words_of<T> w;
    w.words[words_of<T>::COUNT - 1] = 0;
    memcpy(w.words, (const void *)&value, sizeof(T));
    return w;
}

template <class T> __device__ __forceinline__ T from_words(T like, const words_of<T> &w)
{
    memcpy((void *)&like, w.words, sizeof(T));
    return like;
}

template <class T>
__device__ __forceinline__ T shuffle_down(T value, unsigned by, int width, unsigned mask)
{
    words_of<T> w = to_words(value);
    for (int i = 0; i < words_of<T>::COUNT; i++)
        w.words[i] = __shfl_down_sync(mask, w.words[i], by, width);
    return from_words(value, w);
}

template <class T>
__device__ __forceinline__ T shuffle_up(T value, unsigned by, int width, unsigned mask)
{
    words_of<T> w = to_words(value);
    for (int i = 0; i < words_of<T>::COUNT; i++)
        w.words[i] = __shfl_up_sync(mask, w.words[i], by, width);
    return from_words(value, w);
}

template <class T>
__device__ __forceinline__ T shuffle_from(T value, int lane, int width, unsigned mask)
{
    words_of<T> w = to_words(value);
    for (int i = 0; i < words_of<T>::COUNT; i++)
        w.words[i] = __shfl_sync(mask, w.words[i], lane, width);
    return from_words(value, w);
}

/** CUB's own shuffles: a lane whose source lies beyond `first` or `last`, lanes of the logical warp, keeps its value. */
template <int LOGICAL_WARP_THREADS, class T>
__device__ __forceinline__ T ShuffleUp(T input, int src_offset, int first, unsigned mask)
{
    const int lane = LaneId() % LOGICAL_WARP_THREADS;
    const T other = shuffle_up(input, src_offset, LOGICAL_WARP_THREADS, mask);
    return lane - src_offset < first ? input : other;
}

template <int LOGICAL_WARP_THREADS, class T>
__device__ __forceinline__ T ShuffleDown(T input, int src_offset, int last, unsigned mask)
{
    const int lane = LaneId() % LOGICAL_WARP_THREADS;
    const T other = shuffle_down(input, src_offset, LOGICAL_WARP_THREADS, mask);
    return lane + src_offset > last ? input : other;
}

template <int LOGICAL_WARP_THREADS, class T>
__device__ __forceinline__ T ShuffleIndex(T input, int src_lane, unsigned mask)
{
    return shuffle_from(input, src_lane, LOGICAL_WARP_THREADS, mask);
}

/* A thread's own items. */

template <int N, class T, class Op>
__device__ __forceinline__ T thread_reduce(const T (&items)[N], Op op)
{
    T all = items[0];
    for (int i = 1; i < N; i++)
        all = op(all, items[i]);
    return all;
}

/** Each output is what lies before the item: `before`, of which the first may have none. */
template <int N, class T, class Op>
__device__ __forceinline__ void thread_scan_exclusive(const T (&input)[N], T (&output)[N], Op op,
                                                      T before, bool any)
{
    T all = any ? op(before, input[0]) : input[0];
    output[0] = before;
    for (int i = 1; i < N; i++) {
        const T next = input[i];
        output[i] = all;
        all = op(all, next);
    }
}

template <int N, class T, class Op>
__device__ __forceinline__ void thread_scan_inclusive(const T (&input)[N], T (&output)[N], Op op,
                                                      T before, bool any)
{
    T all = any ? op(before, input[0]) : input[0];
    output[0] = all;
    for (int i = 1; i < N; i++) {
        all = op(all, input[i]);
        output[i] = all;
    }
}

} // namespace rk_cub

#endif
