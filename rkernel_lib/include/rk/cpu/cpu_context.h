#ifndef RK_CPU_CONTEXT_H
#define RK_CPU_CONTEXT_H

/*
 * The context of rKernels on the CPU: what `rk__ctx` is in a converted kernel. rk/cpu_entry.h makes the
 * contexts and runs the threads.
 */

#include "cpu_abs.h" /* first */

#include "../kernel/ambient.h"
#include "cpu_abi.h"
#include "cpu_atomic.h"
#include "cpu_math.h"
#include "cpu_types.h"
#include "../kernel/end_barriers.h"
#include "../kernel/groups.h"
#include "../kernel/ranged.h"
#include "../kernel/warp_returns.h"

#include <cstring>
#include <type_traits>

namespace rk__ {

/**
 * The place of a thread in its launch. The block's index comes from the rTask's, the thread's from its
 * linear index, in CUDA's order.
 */
class cpu_position
{
public:
    explicit cpu_position(const rk_cpu_call *call)
        : thread_{0, 0, 0}, grid_(call->grid[0], call->grid[1], call->grid[2]),
          block_(call->block[0], call->block[1], call->block[2])
    {
        const unsigned row = call->rtask < grid_.x ? 0 : call->rtask / grid_.x; /* divisions are slow */
        block_index_ = uint3{call->rtask - row * grid_.x, 0, 0};
        if (row) {
            block_index_.y = row % grid_.y;
            block_index_.z = row / grid_.y;
        }
    }

    void set_thread(uint3 thread) { thread_ = thread; }
    void set_thread(unsigned int linear)
    {
        const unsigned row = linear < block_.x ? 0 : linear / block_.x;
        thread_ = uint3{linear - row * block_.x, 0, 0};
        if (row) {
            thread_.y = row % block_.y;
            thread_.z = row / block_.y;
        }
    }

    /** On to the block of the next rTask. */
    void next_block()
    {
        if (++block_index_.x < grid_.x)
            return;
        block_index_.x = 0;
        if (++block_index_.y < grid_.y)
            return;
        block_index_.y = 0;
        block_index_.z++;
    }

    uint3 thread_idx() const { return thread_; }
    uint3 block_idx() const { return block_index_; }
    dim3 block_dim() const { return block_; }
    dim3 grid_dim() const { return grid_; }
    /** The thread's linear index, and the threads of its block. */
    unsigned int rank() const
    {
        return thread_.x + block_.x * (thread_.y + block_.y * thread_.z);
    }
    unsigned int threads() const { return block_.x * block_.y * block_.z; }

private:
    uint3 thread_, block_index_;
    dim3 grid_, block_;
};

/**
 * The frame of an rKernel whose static shared memory need not be known as a whole: each part is an object of its
 * own, which the blocks of one OS thread use one after another.
 */
struct separate_parts {
};

/** The buffer of the vEU that runs an rTask of a catalog on this thread. */
RK_CPU_CONSTINIT inline thread_local unsigned char *bare_buffer = nullptr;

/** See rk/gpu/cuda_context.cuh. */
template <class T>
T *bare_shared()
{
    return reinterpret_cast<T *>(bare_buffer);
}

/** Whether the vEU's buffer begins with dynamic shared memory. */
template <class Frame>
constexpr bool cpu_frame_is_empty = std::is_void_v<Frame> || std::is_same_v<Frame, separate_parts>;

/** Offset of dynamic shared memory in the vEU's buffer: after the static frame. */
template <class Frame>
constexpr std::size_t cpu_dynamic_offset()
{
    if constexpr (cpu_frame_is_empty<Frame>)
        return 0;
    else
        return (sizeof(Frame) + RK_CPU_DYNAMIC_ALIGN - 1) / RK_CPU_DYNAMIC_ALIGN *
               RK_CPU_DYNAMIC_ALIGN;
}

/**
 * What both contexts have. `Frame` holds the static shared arrays of the kernel and its helpers as
 * base classes, one of which is asked for; void when there are none.
 */
template <class Frame>
class cpu_base_context : public cpu_position
{
public:
    static constexpr bool apart = true; /**< only its own text knows which thread it is */

    explicit cpu_base_context(const rk_cpu_call *call)
        : cpu_position(call), shared_(call->veu->shared)
    {
    }

    template <class Part>
    Part &shared() const
    {
        if constexpr (std::is_same_v<Frame, separate_parts>) {
            alignas(Part) static thread_local unsigned char part[sizeof(Part)];
            return reinterpret_cast<Part &>(part);
        } else {
            return static_cast<Part &>(*reinterpret_cast<Frame *>(shared_));
        }
    }
    template <class T>
    T *dynamic_shared() const
    {
        return reinterpret_cast<T *>(shared_ + cpu_dynamic_offset<Frame>());
    }
    template <class T>
    T ldg(const T *address) const
    {
        return *address;
    }
    /** Whether this thread is to return: the runtime notices when it does. */
    bool leave(bool returns) const { return returns; }
    void returned() const {}
    void whole_warps() const {}
    void finish() const {}

private:
    unsigned char *shared_;
};

/**
 * Context of a kernel without barriers and warp operations: its threads run one after another in a loop
 * that compiles to plain code. A barrier or warp operation that is called all the same does not compile.
 */
template <class Frame>
class cpu_loop_context : public cpu_base_context<Frame>
{
public:
    using cpu_base_context<Frame>::cpu_base_context;
};

/** Context of a kernel whose threads wait for each other: each is a fiber. */
template <class Frame>
class cpu_fiber_context : public cpu_base_context<Frame>
{
public:
    explicit cpu_fiber_context(const rk_cpu_call *call)
        : cpu_base_context<Frame>(call), veu_(call->veu)
    {
    }

    void sync(const char *file = __builtin_FILE(), unsigned line = __builtin_LINE()) const
    {
        veu_->api->barrier(veu_, RK_CPU_BARRIER_PLAIN, 0, file, line);
    }
    int sync_count(int predicate, const char *file = __builtin_FILE(),
                   unsigned line = __builtin_LINE()) const
    {
        return int(veu_->api->barrier(veu_, RK_CPU_BARRIER_COUNT, predicate != 0, file, line));
    }
    int sync_and(int predicate, const char *file = __builtin_FILE(),
                 unsigned line = __builtin_LINE()) const
    {
        return int(veu_->api->barrier(veu_, RK_CPU_BARRIER_AND, predicate != 0, file, line));
    }
    int sync_or(int predicate, const char *file = __builtin_FILE(),
                unsigned line = __builtin_LINE()) const
    {
        return int(veu_->api->barrier(veu_, RK_CPU_BARRIER_OR, predicate != 0, file, line));
    }

    template <class T>
    T shfl(unsigned mask, T value, int lane, int width = warpSize) const
    {
        return exchange(RK_CPU_SHFL, mask, value, unsigned(lane), width);
    }
    template <class T>
    T shfl_up(unsigned mask, T value, unsigned delta, int width = warpSize) const
    {
        return exchange(RK_CPU_SHFL_UP, mask, value, delta, width);
    }
    template <class T>
    T shfl_down(unsigned mask, T value, unsigned delta, int width = warpSize) const
    {
        return exchange(RK_CPU_SHFL_DOWN, mask, value, delta, width);
    }
    template <class T>
    T shfl_xor(unsigned mask, T value, int lane_mask, int width = warpSize) const
    {
        return exchange(RK_CPU_SHFL_XOR, mask, value, unsigned(lane_mask), width);
    }

    unsigned ballot(unsigned mask, int predicate) const
    {
        return unsigned(warp(RK_CPU_BALLOT, mask, predicate != 0).result);
    }
    int any(unsigned mask, int predicate) const
    {
        return int(warp(RK_CPU_ANY, mask, predicate != 0).result);
    }
    int all(unsigned mask, int predicate) const
    {
        return int(warp(RK_CPU_ALL, mask, predicate != 0).result);
    }
    /** Never inlined, so that its return address tells calls apart. */
    __attribute__((noinline)) unsigned activemask() const
    {
        const auto site = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
        return unsigned(warp(RK_CPU_ACTIVEMASK, 0xffffffffu, site).result);
    }
    void syncwarp(unsigned mask = 0xffffffffu) const { warp(RK_CPU_SYNCWARP, mask, 0); }

    template <class T>
    unsigned match_any(unsigned mask, T value) const
    {
        return unsigned(warp(RK_CPU_MATCH_ANY, mask, to_bits(value)).result);
    }
    template <class T>
    unsigned match_all(unsigned mask, T value, int *predicate) const
    {
        const rk_cpu_warp_op op = warp(RK_CPU_MATCH_ALL, mask, to_bits(value));
        *predicate = int(op.all);
        return unsigned(op.result);
    }

    template <class T>
    T reduce_add(unsigned mask, T value) const
    {
        return reduce(RK_CPU_REDUCE_ADD, mask, value);
    }
    template <class T>
    T reduce_min(unsigned mask, T value) const
    {
        return reduce(std::is_signed_v<T> ? RK_CPU_REDUCE_IMIN : RK_CPU_REDUCE_MIN, mask, value);
    }
    template <class T>
    T reduce_max(unsigned mask, T value) const
    {
        return reduce(std::is_signed_v<T> ? RK_CPU_REDUCE_IMAX : RK_CPU_REDUCE_MAX, mask, value);
    }
    template <class T>
    T reduce_and_(unsigned mask, T value) const
    {
        return reduce(RK_CPU_REDUCE_AND, mask, value);
    }
    template <class T>
    T reduce_or_(unsigned mask, T value) const
    {
        return reduce(RK_CPU_REDUCE_OR, mask, value);
    }
    template <class T>
    T reduce_xor_(unsigned mask, T value) const
    {
        return reduce(RK_CPU_REDUCE_XOR, mask, value);
    }
    template <class T>
    T reduce_and(unsigned mask, T value) const
    {
        return reduce_and_(mask, value);
    }
    template <class T>
    T reduce_or(unsigned mask, T value) const
    {
        return reduce_or_(mask, value);
    }
    template <class T>
    T reduce_xor(unsigned mask, T value) const
    {
        return reduce_xor_(mask, value);
    }

private:
    template <class T>
    static std::uint64_t to_bits(T value)
    {
        static_assert(sizeof(T) <= sizeof(std::uint64_t), "warp operations take up to 8 bytes");
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof value);
        return bits;
    }

    rk_cpu_warp_op warp(rk_cpu_warp_kind kind, unsigned mask, std::uint64_t value,
                        unsigned lane = 0, int width = warpSize) const
    {
        rk_cpu_warp_op op = {};
        op.kind = kind;
        op.mask = mask;
        op.value = value;
        op.lane = lane;
        op.width = unsigned(width);
        veu_->api->warp(veu_, &op);
        return op;
    }

    template <class T>
    T exchange(rk_cpu_warp_kind kind, unsigned mask, T value, unsigned lane, int width) const
    {
        const std::uint64_t bits = warp(kind, mask, to_bits(value), lane, width).result;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }

    template <class T>
    T reduce(rk_cpu_warp_kind kind, unsigned mask, T value) const
    {
        static_assert(sizeof(T) == 4 && std::is_integral_v<T>, "reductions take 32-bit integers");
        return T(warp(kind, mask, to_bits(value)).result);
    }

    rk_cpu_veu *veu_;
};

/** The rTask that this OS thread runs, and the thread of its block that does. */
struct ambient_place {
    const rk_cpu_call *call;
    std::uint32_t thread[3]; /**< a fiber finds its own ones again: rk_cpu_veu.kept */
    unsigned char *dynamic_shared;
};
RK_CPU_CONSTINIT inline thread_local ambient_place ambient_at = {nullptr, {0, 0, 0}, nullptr};

/** The context of code that no call passes it to: constructors, operators and the like (rk/kernel/ambient.h). */
class ambient : public cpu_fiber_context<void>
{
public:
    ambient() : cpu_fiber_context<void>(ambient_at.call)
    {
        set_thread(uint3{ambient_at.thread[0], ambient_at.thread[1], ambient_at.thread[2]});
    }

    /** An object of its own, for a call that takes a reference. */
    ambient &rk__self() { return *this; }

    template <class Part>
    Part &shared() const = delete;
    template <class T>
    T *dynamic_shared() const
    {
        return reinterpret_cast<T *>(ambient_at.dynamic_shared);
    }
};

} // namespace rk__

#endif
