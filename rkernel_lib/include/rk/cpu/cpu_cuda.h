#ifndef RK_CPU_CUDA_H
#define RK_CPU_CUDA_H

/*
 * Legacy CUDA programs on the CPU: `rkconvert --target cpu` makes each kernel launch itself
 * (rk/cpu/cpu_launch.h), includes this header first and links against librk_rkernel and librk_cuda. Nothing
 * here is shared with the context of rKernels but the fibers, so that comparing the two compares two
 * implementations.
 */

#include "cpu_abi.h"
#include "cpu_atomic.h"
#include "cpu_host.h"
#include "cpu_launch.h"
#include "cpu_math.h"
#include "cpu_types.h"

#include <cstring>
#include <type_traits>
#include <utility>

/** A block runs on one OS thread, so that what is local to the thread is the block's. */
#define __shared__ thread_local

namespace rk__ {

inline unsigned legacy_barrier(rk_cpu_barrier_kind kind, int predicate, const char *file,
                               unsigned line)
{
    return legacy_veu->api->barrier(legacy_veu, kind, predicate != 0, file, line);
}

/** Barrier `id` of 16 over `count` threads, 0 for the whole block: bar.sync and bar.arrive. */
inline void named_barrier(unsigned id, unsigned count = 0, const char *file = __builtin_FILE(),
                          unsigned line = __builtin_LINE())
{
    legacy_veu->api->named(legacy_veu, id, count, RK_CPU_BARRIER_PLAIN, 0, file, line);
}
inline void named_arrive(unsigned id, unsigned count, const char *file = __builtin_FILE(),
                         unsigned line = __builtin_LINE())
{
    legacy_veu->api->named(legacy_veu, id, count, RK_CPU_BARRIER_ARRIVE, 0, file, line);
}

/** A grid-wide barrier, of a cooperative launch. */
inline void grid_sync(const char *file = __builtin_FILE(), unsigned line = __builtin_LINE())
{
    rk_cpu_grid_sync(file, line);
}

struct legacy_lane {
    std::uint64_t result;
    bool all;
};

template <class T>
inline legacy_lane legacy_warp(rk_cpu_warp_kind kind, unsigned mask, T value, unsigned lane,
                               int width, const char *file, unsigned line)
{
    static_assert(sizeof(T) <= 8, "warp operations take up to 8 bytes");
    rk_cpu_warp_op op;
    std::memset(&op, 0, sizeof op);
    std::memcpy(&op.value, &value, sizeof value);
    op.kind = kind;
    op.mask = mask;
    op.lane = lane;
    op.width = static_cast<unsigned>(width);
    op.file = file;
    op.line = line;
    legacy_veu->api->warp(legacy_veu, &op);
    return legacy_lane{op.result, op.all != 0};
}

/** Warp operations without a mask: over the lanes that are at this place together. */
template <class T>
inline T legacy_together(rk_cpu_warp_kind kind, T value, unsigned lane, int width,
                         const char *file, unsigned line)
{
    static_assert(sizeof(T) <= 8, "warp operations take up to 8 bytes");
    rk_cpu_warp_op op = {};
    std::memcpy(&op.value, &value, sizeof value);
    op.kind = kind;
    op.mask = 0xffffffffu;
    op.converged = 1;
    op.lane = lane;
    op.width = static_cast<unsigned>(width);
    op.file = file;
    op.line = line;
    legacy_veu->api->warp(legacy_veu, &op);
    std::memcpy(&value, &op.result, sizeof value);
    return value;
}

template <class T>
inline T legacy_shuffle(rk_cpu_warp_kind kind, unsigned mask, T value, unsigned lane, int width,
                        const char *file, unsigned line)
{
    const legacy_lane mine = legacy_warp(kind, mask, value, lane, width, file, line);
    std::memcpy(&value, &mine.result, sizeof value);
    return value;
}

/** Parameter of a launching function from its slot: a pointer, or a scalar's bits. */
template <class T>
inline T legacy_slot(const std::uint64_t *slots, unsigned i)
{
    static_assert(sizeof(T) <= sizeof *slots, "a parameter fits one slot");
    std::remove_const_t<T> value;
    std::memcpy(&value, &slots[i], sizeof value);
    return value;
}

template <class R, class... A, std::size_t... I>
inline void legacy_call_slots(R (*function)(A...), const std::uint64_t *slots,
                              std::index_sequence<I...>)
{
    (void)slots;
    function(legacy_slot<A>(slots, I)...);
}

/** Calls a host function with a slot's value for each of its parameters. */
template <class R, class... A>
inline void legacy_call(R (*function)(A...), const std::uint64_t *slots)
{
    legacy_call_slots(function, slots, std::index_sequence_for<A...>());
}

} // namespace rk__

/* Barriers and warp operations. */

#define RK_CPU_PLACE const char *file = __builtin_FILE(), unsigned line = __builtin_LINE()

inline void __syncthreads(RK_CPU_PLACE)
{
    rk__::legacy_barrier(RK_CPU_BARRIER_PLAIN, 0, file, line);
}
inline int __syncthreads_count(int predicate, RK_CPU_PLACE)
{
    return static_cast<int>(rk__::legacy_barrier(RK_CPU_BARRIER_COUNT, predicate, file, line));
}
inline int __syncthreads_and(int predicate, RK_CPU_PLACE)
{
    return static_cast<int>(rk__::legacy_barrier(RK_CPU_BARRIER_AND, predicate, file, line));
}
inline int __syncthreads_or(int predicate, RK_CPU_PLACE)
{
    return static_cast<int>(rk__::legacy_barrier(RK_CPU_BARRIER_OR, predicate, file, line));
}

/* A launch begins when those in front of it have ended. */
inline void cudaGridDependencySynchronize()
{
}
inline void cudaTriggerProgrammaticLaunchCompletion()
{
}

inline void __barrier_sync(unsigned id, RK_CPU_PLACE) { rk__::named_barrier(id, 0, file, line); }
inline void __barrier_sync_count(unsigned id, unsigned count, RK_CPU_PLACE)
{
    rk__::named_barrier(id, count, file, line);
}

template <class T>
inline T __shfl_sync(unsigned mask, T value, int lane, int width = warpSize, RK_CPU_PLACE)
{
    return rk__::legacy_shuffle(RK_CPU_SHFL, mask, value, static_cast<unsigned>(lane), width, file,
                              line);
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize, RK_CPU_PLACE)
{
    return rk__::legacy_shuffle(RK_CPU_SHFL_UP, mask, value, delta, width, file, line);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                          RK_CPU_PLACE)
{
    return rk__::legacy_shuffle(RK_CPU_SHFL_DOWN, mask, value, delta, width, file, line);
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = warpSize, RK_CPU_PLACE)
{
    return rk__::legacy_shuffle(RK_CPU_SHFL_XOR, mask, value, static_cast<unsigned>(lane_mask),
                              width, file, line);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, RK_CPU_PLACE)
{
    return static_cast<unsigned>(
        rk__::legacy_warp(RK_CPU_BALLOT, mask, predicate, 0, warpSize, file, line).result);
}
inline int __any_sync(unsigned mask, int predicate, RK_CPU_PLACE)
{
    return static_cast<int>(
        rk__::legacy_warp(RK_CPU_ANY, mask, predicate, 0, warpSize, file, line).result);
}
inline int __all_sync(unsigned mask, int predicate, RK_CPU_PLACE)
{
    return static_cast<int>(
        rk__::legacy_warp(RK_CPU_ALL, mask, predicate, 0, warpSize, file, line).result);
}
/** Calls are told apart by their place. */
inline unsigned __activemask(RK_CPU_PLACE)
{
    return static_cast<unsigned>(
        rk__::legacy_warp(RK_CPU_ACTIVEMASK, 0xffffffffu, line, 0, warpSize, file, line).result);
}
namespace rk__ {
/**
 * Before an access to volatile memory: the lanes of a warp that are at it together go on together, one access after the
 * other, as those of a GPU before sm_70 do. Who reads it again and again may wait for another thread, and lets it run.
 */
inline void step(RK_CPU_PLACE)
{
    constexpr unsigned period = 1024; /* seldom: loops that are seen to wait yield by themselves */
    if (!rk_cpu_current_veu()) /* a function for both sides, on the host */
        return;
    legacy_warp(RK_CPU_ACTIVEMASK, 0xffffffffu, line, 0, warpSize, file, line);
    if (++steps % period == 0)
        legacy_veu->api->yield(legacy_veu);
}
template <class T>
inline T &in_step(T &memory, RK_CPU_PLACE)
{
    step(file, line);
    return memory;
}

/** A round of a loop that waits for another thread by looking at memory, which is read anew. */
inline void wait_round()
{
    __asm__ volatile("" ::: "memory");
    if (rk_cpu_current_veu())
        legacy_veu->api->round(legacy_veu);
}

/** Lives as long as a loop that does nothing but wait: tells the runtime where the thread is. */
class wait_loop
{
public:
    explicit wait_loop(RK_CPU_PLACE)
    {
        if (rk_cpu_current_veu())
            legacy_veu->api->wait(legacy_veu, file, line);
    }
    ~wait_loop()
    {
        if (rk_cpu_current_veu())
            legacy_veu->api->wait(legacy_veu, nullptr, 0);
    }
    wait_loop(const wait_loop &) = delete;
    wait_loop &operator=(const wait_loop &) = delete;
};
} // namespace rk__
inline void __syncwarp(unsigned mask = 0xffffffffu, RK_CPU_PLACE)
{
    rk__::legacy_warp(RK_CPU_SYNCWARP, mask, 0, 0, warpSize, file, line);
}
template <class T>
inline unsigned __match_any_sync(unsigned mask, T value, RK_CPU_PLACE)
{
    return static_cast<unsigned>(
        rk__::legacy_warp(RK_CPU_MATCH_ANY, mask, value, 0, warpSize, file, line).result);
}
template <class T>
inline unsigned __match_all_sync(unsigned mask, T value, int *predicate, RK_CPU_PLACE)
{
    const rk__::legacy_lane mine =
        rk__::legacy_warp(RK_CPU_MATCH_ALL, mask, value, 0, warpSize, file, line);
    *predicate = mine.all;
    return static_cast<unsigned>(mine.result);
}

#define RK_CPU_REDUCE(name, T, kind)                                                               \
    inline T name(unsigned mask, T value, RK_CPU_PLACE)                                            \
    {                                                                                              \
        return static_cast<T>(                                                                     \
            rk__::legacy_warp(kind, mask, value, 0, warpSize, file, line).result);                   \
    }
RK_CPU_REDUCE(__reduce_add_sync, unsigned, RK_CPU_REDUCE_ADD)
RK_CPU_REDUCE(__reduce_add_sync, int, RK_CPU_REDUCE_ADD)
RK_CPU_REDUCE(__reduce_min_sync, unsigned, RK_CPU_REDUCE_MIN)
RK_CPU_REDUCE(__reduce_min_sync, int, RK_CPU_REDUCE_IMIN)
RK_CPU_REDUCE(__reduce_max_sync, unsigned, RK_CPU_REDUCE_MAX)
RK_CPU_REDUCE(__reduce_max_sync, int, RK_CPU_REDUCE_IMAX)
RK_CPU_REDUCE(__reduce_and_sync, unsigned, RK_CPU_REDUCE_AND)
RK_CPU_REDUCE(__reduce_or_sync, unsigned, RK_CPU_REDUCE_OR)
RK_CPU_REDUCE(__reduce_xor_sync, unsigned, RK_CPU_REDUCE_XOR)
#undef RK_CPU_REDUCE

/* The forms of compute capability 6 and before. */

template <class T>
inline T __shfl(T value, int lane, int width = warpSize, RK_CPU_PLACE)
{
    return rk__::legacy_together(RK_CPU_SHFL, value, static_cast<unsigned>(lane), width, file, line);
}
template <class T>
inline T __shfl_up(T value, unsigned delta, int width = warpSize, RK_CPU_PLACE)
{
    return rk__::legacy_together(RK_CPU_SHFL_UP, value, delta, width, file, line);
}
template <class T>
inline T __shfl_down(T value, unsigned delta, int width = warpSize, RK_CPU_PLACE)
{
    return rk__::legacy_together(RK_CPU_SHFL_DOWN, value, delta, width, file, line);
}
template <class T>
inline T __shfl_xor(T value, int lane_mask, int width = warpSize, RK_CPU_PLACE)
{
    return rk__::legacy_together(RK_CPU_SHFL_XOR, value, static_cast<unsigned>(lane_mask), width,
                               file, line);
}
inline unsigned __ballot(int predicate, RK_CPU_PLACE)
{
    return rk__::legacy_together(RK_CPU_BALLOT, static_cast<unsigned>(predicate != 0), 0, warpSize,
                               file, line);
}
inline int __any(int predicate, RK_CPU_PLACE)
{
    return rk__::legacy_together(RK_CPU_ANY, predicate != 0 ? 1 : 0, 0, warpSize, file, line);
}
inline int __all(int predicate, RK_CPU_PLACE)
{
    return rk__::legacy_together(RK_CPU_ALL, predicate != 0 ? 1 : 0, 0, warpSize, file, line);
}
#undef RK_CPU_PLACE

#endif
