#ifndef RK_CUDA_GROUPS_H
#define RK_CUDA_GROUPS_H

/*
 * Cooperative groups over the barriers and warp operations of rk/cpu/cpu_cuda.h. A tile is its lanes of one
 * warp; tiles of several warps, clusters and multi-device grids do not compile.
 */

#include "../cpu/cpu_atomic.h"
#include "../cpu/cpu_math.h"
#include "../cpu/cpu_types.h"

#include <cstring>
#include <type_traits>
#include <utility>

extern "C" void rk_cpu_grid_sync(const char *file, uint32_t line);

#define RK_GROUPS_PLACE const char *file = __builtin_FILE(), unsigned line = __builtin_LINE()


namespace cooperative_groups {

namespace details {

constexpr unsigned full_mask = 0xffffffffu;

inline unsigned block_rank()
{
    return unsigned(threadIdx.x) +
           unsigned(blockDim.x) *
               (unsigned(threadIdx.y) + unsigned(blockDim.y) * unsigned(threadIdx.z));
}
inline unsigned block_size()
{
    return unsigned(blockDim.x) * unsigned(blockDim.y) * unsigned(blockDim.z);
}
inline unsigned lane() { return block_rank() % 32; }

#ifdef RK_CPU_UNREACHED_H
inline void sync_block(const char *, unsigned) { __syncthreads(); }
inline void sync_lanes(unsigned mask, const char *, unsigned) { __syncwarp(mask); }
template <class T>
inline T from_lane(unsigned mask, T value, unsigned lane, const char *, unsigned)
{
    return __shfl_sync(mask, value, int(lane));
}
inline unsigned vote(unsigned mask, int predicate, const char *, unsigned)
{
    return __ballot_sync(mask, predicate);
}
template <class T>
inline unsigned match(unsigned mask, T value, const char *, unsigned)
{
    return __match_any_sync(mask, value);
}
inline unsigned active(const char *, unsigned) { return __activemask(); }
#else
inline void sync_block(const char *file, unsigned line) { __syncthreads(file, line); }
inline void sync_lanes(unsigned mask, const char *file, unsigned line)
{
    __syncwarp(mask, file, line);
}
template <class T>
inline T from_lane(unsigned mask, T value, unsigned lane, const char *file, unsigned line)
{
    return __shfl_sync(mask, value, int(lane), 32, file, line);
}
inline unsigned vote(unsigned mask, int predicate, const char *file, unsigned line)
{
    return __ballot_sync(mask, predicate, file, line);
}
template <class T>
inline unsigned match(unsigned mask, T value, const char *file, unsigned line)
{
    return __match_any_sync(mask, value, file, line);
}
inline unsigned active(const char *file, unsigned line) { return __activemask(file, line); }
#endif

/** Lets the other threads of the block run. */
inline void wait_turn()
{
    if (rk__::legacy_veu)
        rk__::legacy_veu->api->yield(rk__::legacy_veu);
}

/** A value of any size from another lane, in words. */
template <class T>
inline T exchange(unsigned mask, const T &value, unsigned lane, const char *file, unsigned line)
{
    static_assert(std::is_trivially_copyable_v<T>, "shuffled values are copied byte for byte");
    constexpr std::size_t words = (sizeof(T) + 7) / 8;
    unsigned long long bits[words] = {};
    std::memcpy(bits, &value, sizeof value);
    for (std::size_t i = 0; i < words; i++)
        bits[i] = from_lane(mask, bits[i], lane, file, line);
    T result(value);
    std::memcpy(static_cast<void *>(&result), bits, sizeof result);
    return result;
}

/** The lane of a mask with this rank; 32 when the mask has not that many. */
inline unsigned nth_lane(unsigned mask, unsigned rank)
{
    for (; mask && rank > 0; rank--)
        mask &= mask - 1;
    return mask ? unsigned(__builtin_ctz(mask)) : 32;
}

/** The bits of `set` at the lanes of `mask`, packed: bit i is that of rank i. */
inline unsigned pack(unsigned mask, unsigned set)
{
    unsigned packed = 0;
    for (unsigned rank = 0; mask; rank++, mask &= mask - 1)
        packed |= (set & (mask & (0u - mask)) ? 1u : 0u) << rank;
    return packed;
}

enum class kind : unsigned char { block, grid, lanes };

/** Lanes of one warp, ranked by their number. */
class lane_set
{
public:
    unsigned mask() const { return mask_; }
    unsigned size() const { return unsigned(__builtin_popcount(mask_)); }
    unsigned rank() const
    {
        return unsigned(__builtin_popcount(mask_ & ((1u << lane()) - 1)));
    }

protected:
    explicit lane_set(unsigned mask) : mask_(mask) {}
    unsigned mask_;
};

/** The operations of groups whose threads are lanes: tiles and coalesced groups. */
class lane_group : public lane_set
{
public:
    void sync(RK_GROUPS_PLACE) const { sync_lanes(mask_, file, line); }
    unsigned long long num_threads() const { return size(); }
    unsigned long long thread_rank() const { return rank(); }
    unsigned long long meta_group_rank() const { return meta_rank_; }
    unsigned long long meta_group_size() const { return meta_size_; }

    template <class T>
    T shfl(const T &value, int source, RK_GROUPS_PLACE) const
    {
        const unsigned from = nth_lane(mask_, unsigned(source) % size());
        return exchange(mask_, value, from, file, line);
    }
    template <class T>
    T shfl_up(const T &value, unsigned delta, RK_GROUPS_PLACE) const
    {
        const unsigned mine = rank(), from = mine >= delta ? mine - delta : mine;
        return exchange(mask_, value, nth_lane(mask_, from), file, line);
    }
    template <class T>
    T shfl_down(const T &value, unsigned delta, RK_GROUPS_PLACE) const
    {
        const unsigned mine = rank(), from = mine + delta < size() ? mine + delta : mine;
        return exchange(mask_, value, nth_lane(mask_, from), file, line);
    }
    template <class T>
    T shfl_xor(const T &value, unsigned mask, RK_GROUPS_PLACE) const
    {
        const unsigned mine = rank(), from = (mine ^ mask) < size() ? mine ^ mask : mine;
        return exchange(mask_, value, nth_lane(mask_, from), file, line);
    }
    unsigned ballot(int predicate, RK_GROUPS_PLACE) const
    {
        return pack(mask_, vote(mask_, predicate, file, line));
    }
    int any(int predicate, RK_GROUPS_PLACE) const
    {
        return vote(mask_, predicate, file, line) != 0;
    }
    int all(int predicate, RK_GROUPS_PLACE) const
    {
        return vote(mask_, predicate, file, line) == present(file, line);
    }
    template <class T>
    unsigned match_any(T value, RK_GROUPS_PLACE) const
    {
        return pack(mask_, match(mask_, value, file, line));
    }
    template <class T>
    unsigned match_all(T value, int &predicate, RK_GROUPS_PLACE) const
    {
        predicate = match(mask_, value, file, line) == present(file, line);
        return predicate ? pack(mask_, mask_) : 0;
    }

protected:
    explicit lane_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
        : lane_set(mask), meta_rank_(meta_rank), meta_size_(meta_size)
    {
    }

    /** The lanes that are still there. */
    unsigned present(const char *file, unsigned line) const { return vote(mask_, 1, file, line); }

    unsigned meta_rank_, meta_size_;
};

} // namespace details

struct thread_block;
struct grid_group;

/** Any group, its kind known at run time. */
class thread_group : public details::lane_set
{
public:
    thread_group(const thread_group &) = default;
    thread_group &operator=(const thread_group &) = default;

    void sync(RK_GROUPS_PLACE) const
    {
        if (kind_ == details::kind::lanes)
            details::sync_lanes(mask_, file, line);
        else if (kind_ == details::kind::block)
            details::sync_block(file, line);
        else
            rk_cpu_grid_sync(file, line);
    }
    unsigned long long size() const { return num_threads(); }
    inline unsigned long long num_threads() const;
    inline unsigned long long thread_rank() const;
    bool is_valid() const { return true; }

    explicit thread_group(details::kind kind, unsigned mask = 0) : lane_set(mask), kind_(kind) {}
    details::kind get_kind() const { return kind_; }

protected:
    details::kind kind_;
};

/** The threads of a block. */
struct thread_block : thread_group {
    thread_block() : thread_group(details::kind::block) {}

    struct arrival_token {
    };

    static void sync(RK_GROUPS_PLACE) { details::sync_block(file, line); }
    /** All that arrive wait: the wait is where they meet. */
    arrival_token barrier_arrive() const { return {}; }
    void barrier_wait(arrival_token &&, RK_GROUPS_PLACE) const { details::sync_block(file, line); }

    static unsigned thread_rank() { return details::block_rank(); }
    static unsigned num_threads() { return details::block_size(); }
    static unsigned size() { return details::block_size(); }
    static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    static dim3 dim_threads() { return group_dim(); }
};

/** The threads of a grid, which must be a cooperative launch's to sync. */
struct grid_group : thread_group {
    grid_group() : thread_group(details::kind::grid) {}

    struct arrival_token {
    };

    bool is_valid() const { return true; }
    void sync(RK_GROUPS_PLACE) const { rk_cpu_grid_sync(file, line); }
    arrival_token barrier_arrive() const { return {}; }
    void barrier_wait(arrival_token &&, RK_GROUPS_PLACE) const { rk_cpu_grid_sync(file, line); }

    static unsigned long long num_blocks()
    {
        return static_cast<unsigned long long>(gridDim.x) * unsigned(gridDim.y) *
               unsigned(gridDim.z);
    }
    static unsigned long long block_rank()
    {
        return unsigned(blockIdx.x) +
               static_cast<unsigned long long>(gridDim.x) *
                   (unsigned(blockIdx.y) +
                    static_cast<unsigned long long>(gridDim.y) * unsigned(blockIdx.z));
    }
    static unsigned long long num_threads() { return num_blocks() * details::block_size(); }
    static unsigned long long size() { return num_threads(); }
    static unsigned long long thread_rank()
    {
        return block_rank() * details::block_size() + details::block_rank();
    }
    static dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    static dim3 group_dim() { return dim_blocks(); }
    static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static dim3 dim_threads()
    {
        return dim3(gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z);
    }
    static dim3 thread_index()
    {
        return dim3(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
                    blockIdx.z * blockDim.z + threadIdx.z);
    }
};

inline unsigned long long thread_group::num_threads() const
{
    return kind_ == details::kind::lanes   ? lane_set::size()
           : kind_ == details::kind::block ? details::block_size()
                                           : grid_group::num_threads();
}
inline unsigned long long thread_group::thread_rank() const
{
    return kind_ == details::kind::lanes   ? lane_set::rank()
           : kind_ == details::kind::block ? details::block_rank()
                                           : grid_group::thread_rank();
}

inline thread_block this_thread_block() { return thread_block(); }
inline grid_group this_grid() { return grid_group(); }

/** Memory that tiles of several warps would use. */
template <unsigned Most = 1024>
struct block_tile_memory {
};
template <unsigned Most>
inline thread_block this_thread_block(block_tile_memory<Most> &)
{
    return thread_block();
}

/** Lanes that came here together. */
class coalesced_group : public details::lane_group
{
public:
    explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
        : lane_group(mask, meta_rank, meta_size)
    {
    }
    operator thread_group() const { return thread_group(details::kind::lanes, mask_); }
};

inline coalesced_group coalesced_threads(RK_GROUPS_PLACE)
{
    return coalesced_group(details::active(file, line));
}

namespace details {

/** The mask of the tile of `size` lanes that the calling thread is in; lanes of the block only. */
inline unsigned tile_mask(unsigned size)
{
    const unsigned first = lane() / size * size;
    const unsigned mask = (size == 32 ? full_mask : (1u << size) - 1) << first;
    const unsigned warp_begin = block_rank() / 32 * 32;
    const unsigned threads = block_size() - warp_begin;
    return threads >= 32 ? mask : mask & ((1u << threads) - 1);
}
inline unsigned tiles_of(unsigned threads, unsigned size) { return (threads + size - 1) / size; }

/** What tiles of several warps share: a block runs on one OS thread. */
struct wide_memory {
    static constexpr unsigned most = 1024, value_bytes = 32;
    unsigned arrived[most / 32], phase[most / 32];
    unsigned char values[most][value_bytes];
};
inline thread_local wide_memory wide;

/** A tile of several warps: its threads meet by counting, and exchange values through memory. */
template <unsigned Size>
class wide_tile
{
    static_assert((Size & (Size - 1)) == 0 && Size <= wide_memory::most, "64, 128, ... 1024");

public:
    wide_tile(unsigned meta_rank, unsigned meta_size)
        : meta_rank_(meta_rank), meta_size_(meta_size)
    {
    }
    static constexpr unsigned size() { return Size; }
    static constexpr unsigned num_threads() { return Size; }
    static unsigned thread_rank() { return block_rank() % Size; }
    unsigned meta_group_rank() const { return meta_rank_; }
    unsigned meta_group_size() const { return meta_size_; }

    void sync() const
    {
        const unsigned index = first() / Size, phase = wide.phase[index];
        if (++wide.arrived[index] == present()) {
            wide.arrived[index] = 0;
            wide.phase[index]++;
            return;
        }
        while (wide.phase[index] == phase)
            wait_turn();
    }
    template <class T>
    T shfl(const T &value, unsigned source) const
    {
        return exchange(value, source % Size);
    }
    template <class T>
    T shfl_up(const T &value, unsigned delta) const
    {
        const unsigned mine = thread_rank();
        return exchange(value, mine >= delta ? mine - delta : mine);
    }
    template <class T>
    T shfl_down(const T &value, unsigned delta) const
    {
        const unsigned mine = thread_rank();
        return exchange(value, mine + delta < present() ? mine + delta : mine);
    }
    template <class T>
    T shfl_xor(const T &value, unsigned mask) const
    {
        return exchange(value, thread_rank() ^ mask);
    }
    int any(int predicate) const { return count(predicate) > 0; }
    int all(int predicate) const { return count(predicate) == present(); }

private:
    static unsigned first() { return block_rank() / Size * Size; }
    static unsigned present()
    {
        const unsigned left = block_size() - first();
        return left < Size ? left : Size;
    }
    template <class T>
    T exchange(const T &value, unsigned from) const
    {
        static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= wide_memory::value_bytes,
                      "values of up to 32 bytes are copied byte for byte");
        T result(value);
        std::memcpy(wide.values[block_rank()], &value, sizeof value);
        sync();
        std::memcpy(static_cast<void *>(&result), wide.values[first() + from], sizeof result);
        sync();
        return result;
    }
    unsigned count(int predicate) const
    {
        unsigned sum = 0;
        const unsigned char bit = predicate != 0;
        wide.values[block_rank()][0] = bit;
        sync();
        for (unsigned i = 0; i < present(); i++)
            sum += wide.values[first() + i][0];
        sync();
        return sum;
    }

    unsigned meta_rank_, meta_size_;
};

template <unsigned Size>
class tile : public lane_group
{
    static_assert(Size > 0 && (Size & (Size - 1)) == 0, "a tile's size is a power of 2");

public:
    tile(unsigned meta_rank, unsigned meta_size)
        : lane_group(tile_mask(Size), meta_rank, meta_size)
    {
    }
    operator coalesced_group() const
    {
        return coalesced_group(this->mask_, this->meta_rank_, this->meta_size_);
    }
    operator thread_group() const { return thread_group(kind::lanes, this->mask_); }

    static constexpr unsigned size() { return Size; }
    static constexpr unsigned num_threads() { return Size; }
    static unsigned thread_rank() { return lane() % Size; }
    unsigned meta_group_rank() const { return this->meta_rank_; }
    unsigned meta_group_size() const { return this->meta_size_; }
};

template <unsigned Size>
using tile_of = std::conditional_t<(Size > 32), wide_tile<Size>, tile<Size <= 32 ? Size : 32>>;

} // namespace details

template <unsigned Size, class Parent = void>
class thread_block_tile : public details::tile_of<Size>
{
public:
    thread_block_tile(unsigned meta_rank, unsigned meta_size)
        : details::tile_of<Size>(meta_rank, meta_size)
    {
    }
    /** A tile of a known parent is a tile. */
    template <class Other, class = std::enable_if_t<std::is_void_v<Parent> && !std::is_void_v<Other>>>
    thread_block_tile(const thread_block_tile<Size, Other> &other)
        : details::tile_of<Size>(other.meta_group_rank(), other.meta_group_size())
    {
    }
    /** The only thread of its own group. */
    template <unsigned One = Size, class = std::enable_if_t<One == 1>>
    thread_block_tile() : details::tile_of<Size>(0, 1)
    {
    }
};

inline thread_block_tile<1> this_thread() { return thread_block_tile<1>(); }

/* Partitions. */

template <unsigned Size>
inline thread_block_tile<Size, thread_block> tiled_partition(const thread_block &)
{
    return thread_block_tile<Size, thread_block>(
        details::block_rank() / Size, details::tiles_of(details::block_size(), Size));
}
template <unsigned Size, unsigned From, class Parent>
inline thread_block_tile<Size, thread_block_tile<From, Parent>>
tiled_partition(const thread_block_tile<From, Parent> &parent)
{
    static_assert(Size <= From, "a tile is no larger than what it is a part of");
    return thread_block_tile<Size, thread_block_tile<From, Parent>>(
        unsigned(parent.thread_rank()) / Size, From / Size);
}

/** Ranks [k * size, (k + 1) * size) of a group of lanes are its part k. */
inline coalesced_group tiled_partition(const coalesced_group &parent, unsigned size)
{
    const unsigned part = parent.rank() / size;
    unsigned mask = 0;
    for (unsigned rank = part * size; rank < (part + 1) * size && rank < parent.size(); rank++)
        mask |= 1u << details::nth_lane(parent.mask(), rank);
    return coalesced_group(mask, part, details::tiles_of(parent.size(), size));
}
template <unsigned Size>
inline coalesced_group tiled_partition(const coalesced_group &parent)
{
    return tiled_partition(parent, Size);
}
inline thread_group tiled_partition(const thread_group &parent, unsigned size)
{
    if (parent.get_kind() == details::kind::lanes)
        return tiled_partition(coalesced_group(parent.mask()), size);
    return thread_group(details::kind::lanes, details::tile_mask(size));
}
template <unsigned Size, class Parent>
inline thread_group tiled_partition(const thread_block_tile<Size, Parent> &parent, unsigned size)
{
    return tiled_partition(coalesced_group(parent.mask()), size);
}

namespace details {

/** The group of the lanes of `parent` that have the label of the calling one. */
template <class Group, class Label>
inline coalesced_group labeled(const Group &parent, Label label, const char *file, unsigned line)
{
    const unsigned mine = match(parent.mask(), label, file, line);
    const unsigned first = unsigned(__builtin_ctz(mine));
    const bool leader = lane() == first;
    const unsigned leaders = vote(parent.mask(), leader, file, line);
    return coalesced_group(mine, unsigned(__builtin_popcount(leaders & ((1u << first) - 1))),
                           unsigned(__builtin_popcount(leaders)));
}

/** The false ones are part 0; a group that agrees is its only part. */
template <class Group>
inline coalesced_group halved(const Group &parent, bool side, const char *file, unsigned line)
{
    const unsigned all = vote(parent.mask(), 1, file, line);
    const unsigned set = vote(parent.mask(), side, file, line);
    if (set == 0 || set == all)
        return coalesced_group(all);
    return coalesced_group(side ? set : all ^ set, side ? 1 : 0, 2);
}
template <class Group>
inline coalesced_group labeled(const Group &parent, bool label, const char *file, unsigned line)
{
    return halved(parent, label, file, line);
}

} // namespace details

template <class Label>
inline coalesced_group labeled_partition(const coalesced_group &parent, Label label,
                                         RK_GROUPS_PLACE)
{
    return details::labeled(parent, label, file, line);
}
template <unsigned Size, class Parent, class Label>
inline coalesced_group labeled_partition(const thread_block_tile<Size, Parent> &parent,
                                         Label label, RK_GROUPS_PLACE)
{
    return details::labeled(parent, label, file, line);
}
inline coalesced_group binary_partition(const coalesced_group &parent, bool side, RK_GROUPS_PLACE)
{
    return details::halved(parent, side, file, line);
}
template <unsigned Size, class Parent>
inline coalesced_group binary_partition(const thread_block_tile<Size, Parent> &parent, bool side,
                                        RK_GROUPS_PLACE)
{
    return details::halved(parent, side, file, line);
}

/* Any group. */

template <class Group>
inline void sync(const Group &group, RK_GROUPS_PLACE)
{
    group.sync(file, line);
}
template <class Group>
inline auto thread_rank(const Group &group) -> decltype(group.thread_rank())
{
    return group.thread_rank();
}
template <class Group>
inline auto group_size(const Group &group) -> decltype(group.num_threads())
{
    return group.num_threads();
}

/** One thread of the group calls. */
template <class Group, class Function, class... Arguments>
inline void invoke_one(const Group &group, Function &&function, Arguments &&...args)
{
    if (group.thread_rank() == 0)
        std::forward<Function>(function)(std::forward<Arguments>(args)...);
}
template <class Group, class Function, class... Arguments>
inline auto invoke_one_broadcast(const Group &group, Function &&function, Arguments &&...args)
{
    using T = decltype(function(args...));
    T value = {};
    if (group.thread_rank() == 0)
        value = std::forward<Function>(function)(std::forward<Arguments>(args)...);
    return group.shfl(value, 0);
}

} // namespace cooperative_groups

#undef RK_GROUPS_PLACE

#endif
