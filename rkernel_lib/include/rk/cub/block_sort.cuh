#ifndef RK_CUB_BLOCK_SORT_CUH
#define RK_CUB_BLOCK_SORT_CUH

#include "block_memory.cuh"
#include "block_reduce_scan.cuh"

namespace rk_cub
{

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

/* Keys whose order is that of unsigned numbers. */

template <class T> struct key_kind {
    enum { FLOATING = std::is_floating_point<T>::value, SIGNED = std::is_signed<T>::value };
};
template <> struct key_kind<__half> {
    enum { FLOATING = 1, SIGNED = 1 };
};
template <> struct key_kind<__nv_bfloat16> {
    enum { FLOATING = 1, SIGNED = 1 };
};

/** The key's bits; -0.0 is 0.0, as for CUB. */
template <class T>
__device__ __forceinline__ unsigned long long ordered_bits(T key, bool descending)
{
    const unsigned long long top = 1ull << (sizeof(T) * 8 - 1), all = top | (top - 1);
    unsigned long long bits = 0;
    memcpy(&bits, (const void *)&key, sizeof(T));
    if (key_kind<T>::FLOATING) {
        if (bits == top)
            bits = 0;
        bits ^= bits & top ? all : top;
    } else if (key_kind<T>::SIGNED) {
        bits ^= top;
    }
    return descending ? bits ^ all : bits;
}

/** Equal keys stay in their order: four bits at a time, counted by each thread and scanned over all. */
template <class KeyT, int BLOCK_DIM_X, int ITEMS_PER_THREAD, class ValueT = NullType,
          int RADIX_BITS = 4, bool MEMOIZE_OUTER_SCAN = true,
          BlockScanAlgorithm INNER_SCAN_ALGORITHM = BLOCK_SCAN_WARP_SCANS, int SMEM_CONFIG = 0,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockRadixSort
{
    enum { THREADS = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, N = ITEMS_PER_THREAD, DIGITS = 16 };
    typedef BlockScan<int, BLOCK_DIM_X, BLOCK_SCAN_WARP_SCANS, BLOCK_DIM_Y, BLOCK_DIM_Z> scan_type;

  public:
    struct TempStorage {
        typename scan_type::TempStorage scan;
        union {
            int counts[DIGITS * THREADS];
            slots<KeyT, THREADS * N> keys;
            slots<ValueT, THREADS * N> values;
        };
    };

  private:
    TempStorage *storage_;

    static __device__ __forceinline__ TempStorage &own_storage()
    {
        __shared__ TempStorage storage;
        return storage;
    }

    /** The place of each item, whose digit is at these bits, among all. */
    __device__ __forceinline__ void rank_digits(KeyT (&keys)[N], int (&ranks)[N], int bit,
                                                unsigned digits, bool descending)
    {
        const int rank = rank_in_block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
        int *counts = storage_->counts;
        for (int d = 0; d < DIGITS; d++)
            counts[d * THREADS + rank] = 0;
        for (int i = 0; i < N; i++) {
            const int digit = (int)(ordered_bits(keys[i], descending) >> bit) & (int)(digits - 1);
            ranks[i] = counts[digit * THREADS + rank]++;
        }
        __syncthreads();
        int own = 0, before = 0;
        for (int d = 0; d < DIGITS; d++)
            own += counts[rank * DIGITS + d];
        scan_type(storage_->scan).ExclusiveSum(own, before);
        for (int d = 0; d < DIGITS; d++) {
            const int count = counts[rank * DIGITS + d];
            counts[rank * DIGITS + d] = before;
            before += count;
        }
        __syncthreads();
        for (int i = 0; i < N; i++) {
            const int digit = (int)(ordered_bits(keys[i], descending) >> bit) & (int)(digits - 1);
            ranks[i] += counts[digit * THREADS + rank];
        }
        __syncthreads();
    }

    template <class T>
    __device__ __forceinline__ void move(T *all, T (&items)[N], int (&ranks)[N], bool striped)
    {
        const int rank = rank_in_block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
        for (int i = 0; i < N; i++)
            all[ranks[i]] = items[i];
        __syncthreads();
        for (int i = 0; i < N; i++)
            items[i] = all[striped ? rank + i * THREADS : rank * N + i];
        __syncthreads();
    }

    __device__ __forceinline__ void sort(KeyT (&keys)[N], ValueT *values, int begin_bit,
                                         int end_bit, bool descending, bool striped)
    {
        const int rank = rank_in_block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
        int ranks[N];
        for (int i = 0; i < N; i++)
            ranks[i] = rank * N + i;
        __syncthreads();
        for (int bit = begin_bit; bit < end_bit || bit == begin_bit; bit += 4) {
            const int left = end_bit - bit;
            if (left > 0)
                rank_digits(keys, ranks, bit, 1u << (left < 4 ? left : 4), descending);
            move(storage_->keys.items(), keys, ranks, striped && left <= 4);
            if (values)
                move(storage_->values.items(), *reinterpret_cast<ValueT(*)[N]>(values), ranks,
                     striped && left <= 4);
        }
    }

  public:
    __device__ __forceinline__ BlockRadixSort() : storage_(&own_storage())
    {
    }
    __device__ __forceinline__ explicit BlockRadixSort(TempStorage &temp_storage)
        : storage_(&temp_storage)
    {
    }

    __device__ __forceinline__ void Sort(KeyT (&keys)[N], int begin_bit = 0,
                                         int end_bit = sizeof(KeyT) * 8)
    {
        sort(keys, nullptr, begin_bit, end_bit, false, false);
    }
    __device__ __forceinline__ void Sort(KeyT (&keys)[N], ValueT (&values)[N], int begin_bit = 0,
                                         int end_bit = sizeof(KeyT) * 8)
    {
        sort(keys, values, begin_bit, end_bit, false, false);
    }
    __device__ __forceinline__ void SortDescending(KeyT (&keys)[N], int begin_bit = 0,
                                                   int end_bit = sizeof(KeyT) * 8)
    {
        sort(keys, nullptr, begin_bit, end_bit, true, false);
    }
    __device__ __forceinline__ void SortDescending(KeyT (&keys)[N], ValueT (&values)[N],
                                                   int begin_bit = 0,
                                                   int end_bit = sizeof(KeyT) * 8)
    {
        sort(keys, values, begin_bit, end_bit, true, false);
    }
    __device__ __forceinline__ void SortBlockedToStriped(KeyT (&keys)[N], int begin_bit = 0,
                                                         int end_bit = sizeof(KeyT) * 8)
    {
        sort(keys, nullptr, begin_bit, end_bit, false, true);
    }
    __device__ __forceinline__ void SortBlockedToStriped(KeyT (&keys)[N], ValueT (&values)[N],
                                                         int begin_bit = 0,
                                                         int end_bit = sizeof(KeyT) * 8)
    {
        sort(keys, values, begin_bit, end_bit, false, true);
    }
    __device__ __forceinline__ void SortDescendingBlockedToStriped(KeyT (&keys)[N],
                                                                   int begin_bit = 0,
                                                                   int end_bit = sizeof(KeyT) * 8)
    {
        sort(keys, nullptr, begin_bit, end_bit, true, true);
    }
    __device__ __forceinline__ void SortDescendingBlockedToStriped(KeyT (&keys)[N],
                                                                   ValueT (&values)[N],
                                                                   int begin_bit = 0,
                                                                   int end_bit = sizeof(KeyT) * 8)
    {
        sort(keys, values, begin_bit, end_bit, true, true);
    }
};

/** Each item is placed by counting those before it, which needs no more than all of them in shared memory. */
template <class KeyT, int BLOCK_DIM_X, int ITEMS_PER_THREAD, class ValueT = NullType,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1>
class BlockMergeSort
{
    enum { THREADS = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, N = ITEMS_PER_THREAD };

  public:
    struct TempStorage {
        union {
            slots<KeyT, THREADS * N> keys;
            slots<ValueT, THREADS * N> values;
        };
    };

  private:
    TempStorage *storage_;

    static __device__ __forceinline__ TempStorage &own_storage()
    {
        __shared__ TempStorage storage;
        return storage;
    }

    /** How many of a run of sorted keys come before this one; those that are equal too, where `equal`. */
    template <class Op>
    static __device__ __forceinline__ int before(const KeyT *run, int count, const KeyT &key, Op op,
                                                 bool equal)
    {
        int low = 0, high = count;
        while (low < high) {
            const int middle = (low + high) / 2;
            const bool first = equal ? !op(key, run[middle]) : op(run[middle], key);
            low = first ? middle + 1 : low;
            high = first ? high : middle;
        }
        return low;
    }

    template <class Op>
    __device__ __forceinline__ void sort_own(KeyT (&keys)[N], ValueT *values, Op op, int valid)
    {
        for (int i = 1; i < N && i < valid; i++)
            for (int k = i; k > 0 && op(keys[k], keys[k - 1]); k--) {
                const KeyT key = keys[k];
                keys[k] = keys[k - 1];
                keys[k - 1] = key;
                if (values) {
                    const ValueT value = values[k];
                    values[k] = values[k - 1];
                    values[k - 1] = value;
                }
            }
    }

    /** Runs of `width` items become runs of twice as many; what is not before `valid` stays where it is. */
    template <class Op>
    __device__ __forceinline__ void merge(KeyT (&keys)[N], ValueT *values, Op op, int width,
                                          int valid)
    {
        const int rank = rank_in_block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
        int places[N];
        KeyT *all = storage_->keys.items();
        for (int i = 0; i < N; i++)
            all[rank * N + i] = keys[i];
        __syncthreads();
        for (int i = 0; i < N; i++) {
            const int at = rank * N + i, own = at / width * width,
                      other = own / width % 2 ? own - width : own + width;
            const int count = valid - other < 0 ? 0 : valid - other < width ? valid - other : width;
            const int smaller = other < own ? other : own;
            places[i] = at >= valid ? at
                                    : smaller + (at - own) +
                                          before(all + (count ? other : 0), count, keys[i], op,
                                                 other < own);
        }
        __syncthreads();
        for (int i = 0; i < N; i++)
            all[places[i]] = keys[i];
        __syncthreads();
        for (int i = 0; i < N; i++)
            keys[i] = all[rank * N + i];
        __syncthreads();
        if (values) {
            ValueT *moved = storage_->values.items();
            for (int i = 0; i < N; i++)
                moved[places[i]] = values[i];
            __syncthreads();
            for (int i = 0; i < N; i++)
                values[i] = moved[rank * N + i];
            __syncthreads();
        }
    }

    template <class Op>
    __device__ __forceinline__ void sort(KeyT (&keys)[N], ValueT *values, Op op, int valid)
    {
        const int rank = rank_in_block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
        sort_own(keys, values, op, valid - rank * N);
        for (int width = N; width < THREADS * N; width *= 2)
            merge(keys, values, op, width, valid);
    }

    __device__ __forceinline__ void fill(KeyT (&keys)[N], int valid, const KeyT &with)
    {
        const int rank = rank_in_block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
        for (int i = 0; i < N; i++)
            if (rank * N + i >= valid)
                keys[i] = with;
    }

  public:
    __device__ __forceinline__ BlockMergeSort() : storage_(&own_storage())
    {
    }
    __device__ __forceinline__ explicit BlockMergeSort(TempStorage &temp_storage)
        : storage_(&temp_storage)
    {
    }

    template <class Op> __device__ __forceinline__ void Sort(KeyT (&keys)[N], Op compare_op)
    {
        sort(keys, nullptr, compare_op, (int)(THREADS * N));
    }
    template <class Op>
    __device__ __forceinline__ void Sort(KeyT (&keys)[N], Op compare_op, int valid_items,
                                         KeyT oob_default)
    {
        fill(keys, valid_items, oob_default);
        sort(keys, nullptr, compare_op, valid_items);
    }
    template <class Op>
    __device__ __forceinline__ void Sort(KeyT (&keys)[N], ValueT (&items)[N], Op compare_op)
    {
        sort(keys, items, compare_op, (int)(THREADS * N));
    }
    template <class Op>
    __device__ __forceinline__ void Sort(KeyT (&keys)[N], ValueT (&items)[N], Op compare_op,
                                         int valid_items, KeyT oob_default)
    {
        fill(keys, valid_items, oob_default);
        sort(keys, items, compare_op, valid_items);
    }
    template <class Op> __device__ __forceinline__ void StableSort(KeyT (&keys)[N], Op compare_op)
    {
        sort(keys, nullptr, compare_op, (int)(THREADS * N));
    }
    template <class Op>
    __device__ __forceinline__ void StableSort(KeyT (&keys)[N], ValueT (&items)[N], Op compare_op)
    {
        sort(keys, items, compare_op, (int)(THREADS * N));
    }
};

template <class T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, int BINS,
          BlockHistogramAlgorithm ALGORITHM = BLOCK_HISTO_SORT, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockHistogram
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

  public:
    __device__ __forceinline__ BlockHistogram() : storage_(&own_storage())
    {
    }
    __device__ __forceinline__ explicit BlockHistogram(TempStorage &temp_storage)
        : storage_(&temp_storage)
    {
    }

    template <class Counter> __device__ __forceinline__ void InitHistogram(Counter histogram[BINS])
    {
        for (int b = rank_in_block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>(); b < BINS; b += THREADS)
            histogram[b] = 0;
    }

    /** Each bin has one thread that counts its items, so that counters may be of any type. */
    template <class Counter>
    __device__ __forceinline__ void Composite(T (&items)[N], Counter histogram[BINS])
    {
        const int rank = rank_in_block<BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z>();
        T *all = storage_->all.items();
        for (int i = 0; i < N; i++)
            all[rank * N + i] = items[i];
        __syncthreads();
        for (int b = rank; b < BINS; b += THREADS) {
            Counter count = 0;
            for (int i = 0; i < THREADS * N; i++)
                count += (int)all[i] == b;
            histogram[b] += count;
        }
    }
    __device__ __forceinline__ void add(T (&items)[N], unsigned int *histogram)
    {
        for (int i = 0; i < N; i++)
            atomicAdd(histogram + items[i], 1u);
    }
    __device__ __forceinline__ void Composite(T (&items)[N], unsigned int histogram[BINS])
    {
        add(items, histogram);
    }
    __device__ __forceinline__ void Composite(T (&items)[N], int histogram[BINS])
    {
        add(items, reinterpret_cast<unsigned int *>(histogram));
    }
    template <class Counter>
    __device__ __forceinline__ void Histogram(T (&items)[N], Counter histogram[BINS])
    {
        InitHistogram(histogram);
        __syncthreads();
        Composite(items, histogram);
    }
};

} // namespace rk_cub

#endif
