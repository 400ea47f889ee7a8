#ifndef RK_CPU_CUDA_H
#define RK_CPU_CUDA_H

/*
 * Legacy CUDA programs, unconverted, on the CPU: `rkconvert --target cpu` edits only launches and
 * `extern __shared__`, includes this header first and links against librk_rkernel. Nothing here is
 * shared with the context of rKernels but the fibers, so that comparing the two compares two
 * implementations.
 */

#include "cpu_abi.h"
#include "cpu_atomic.h"
#include "cpu_host.h"
#include "cpu_launch.h"
#include "cpu_math.h"
#include "cpu_types.h"

#include <cstdio>
#include <cstring>
#include <type_traits>

/** A block runs on one OS thread, so that what is local to the thread is the block's. */
#define __shared__ thread_local

namespace rk {

/** Keeps the built-in variables across a call that lets other threads of the block run. */
struct legacy_wait {
    const uint3 thread = threadIdx;
    ~legacy_wait() { threadIdx = thread; }
};

inline unsigned legacy_barrier(rk_cpu_barrier_kind kind, int predicate, const char *file,
                               unsigned line)
{
    legacy_wait wait;
    return legacy_veu->api->barrier(legacy_veu, kind, predicate != 0, file, line);
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
    legacy_wait wait;
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

template <class T>
inline T legacy_shuffle(rk_cpu_warp_kind kind, unsigned mask, T value, unsigned lane, int width,
                        const char *file, unsigned line)
{
    const legacy_lane mine = legacy_warp(kind, mask, value, lane, width, file, line);
    std::memcpy(&value, &mine.result, sizeof value);
    return value;
}

template <class Call>
struct legacy_launch {
    const Call *call;
    unsigned nx, ny;

    static void thread(void *user, std::uint32_t index)
    {
        const legacy_launch *self = static_cast<const legacy_launch *>(user);
        const unsigned row = index / self->nx;
        threadIdx.x = index - row * self->nx;
        threadIdx.z = row / self->ny;
        threadIdx.y = row - threadIdx.z * self->ny;
        (*self->call)();
    }
};

/** Runs all blocks, one after another, x fastest. */
template <class Call>
inline void legacy_grid(rk_cpu_veu *veu, dim3 grid, dim3 block, const Call &call)
{
    legacy_launch<Call> job = {&call, block.x, block.y};
    gridDim = grid;
    blockDim = block;
    legacy_veu = veu;
    for (unsigned z = 0; z < grid.z; z++)
        for (unsigned y = 0; y < grid.y; y++)
            for (unsigned x = 0; x < grid.x; x++) {
                blockIdx = uint3{x, y, z};
                veu->api->run(veu, block.x * block.y * block.z, legacy_launch<Call>::thread, &job);
                if (const char *fault = rk_cpu_take_fault(veu)) {
                    std::fprintf(stderr, "CUDA kernel, block (%u, %u, %u): %s\n", x, y, z, fault);
                    host_report(cudaErrorLaunchFailure);
                    return;
                }
            }
}

/** The limits of a launch, those of current GPUs. */
constexpr unsigned long long max_block_threads = 1024, max_block_z = 64, max_grid_yz = 65535;
constexpr std::size_t max_dynamic_shared = 227 * 1024;

/** What `kernel<<<grid, block, shared, stream>>>(args)` becomes, `call` being `kernel(args)`. */
template <class Call>
inline void launch(dim3 grid, dim3 block, std::size_t shared, cudaStream_t, const Call &call)
{
    const unsigned long long threads = 1ull * block.x * block.y * block.z;
    const bool good = threads > 0 && block.x <= max_block_threads &&
                      block.y <= max_block_threads && block.z <= max_block_z &&
                      threads <= max_block_threads && grid.x > 0 && grid.y > 0 && grid.z > 0 &&
                      grid.x <= 0x7fffffffu && grid.y <= max_grid_yz && grid.z <= max_grid_yz &&
                      shared <= max_dynamic_shared;
    if (host_broken())
        return;
    if (!good) {
        host_report(cudaErrorInvalidConfiguration);
        return;
    }
    rk_cpu_veu *veu = rk_cpu_thread_veu(shared);
    if (!veu) {
        host_report(cudaErrorMemoryAllocation);
        return;
    }
    legacy_grid(veu, grid, block, call);
}

template <class Call>
inline void launch(dim3 grid, dim3 block, std::size_t shared, const Call &call)
{
    launch(grid, block, shared, nullptr, call);
}

template <class Call>
inline void launch(dim3 grid, dim3 block, const Call &call)
{
    launch(grid, block, 0, nullptr, call);
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

} // namespace rk

/* Barriers and warp operations. */

#define RK_CPU_PLACE const char *file = __builtin_FILE(), unsigned line = __builtin_LINE()

inline void __syncthreads(RK_CPU_PLACE)
{
    rk::legacy_barrier(RK_CPU_BARRIER_PLAIN, 0, file, line);
}
inline int __syncthreads_count(int predicate, RK_CPU_PLACE)
{
    return static_cast<int>(rk::legacy_barrier(RK_CPU_BARRIER_COUNT, predicate, file, line));
}
inline int __syncthreads_and(int predicate, RK_CPU_PLACE)
{
    return static_cast<int>(rk::legacy_barrier(RK_CPU_BARRIER_AND, predicate, file, line));
}
inline int __syncthreads_or(int predicate, RK_CPU_PLACE)
{
    return static_cast<int>(rk::legacy_barrier(RK_CPU_BARRIER_OR, predicate, file, line));
}

template <class T>
inline T __shfl_sync(unsigned mask, T value, int lane, int width = warpSize, RK_CPU_PLACE)
{
    return rk::legacy_shuffle(RK_CPU_SHFL, mask, value, static_cast<unsigned>(lane), width, file,
                              line);
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize, RK_CPU_PLACE)
{
    return rk::legacy_shuffle(RK_CPU_SHFL_UP, mask, value, delta, width, file, line);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                          RK_CPU_PLACE)
{
    return rk::legacy_shuffle(RK_CPU_SHFL_DOWN, mask, value, delta, width, file, line);
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = warpSize, RK_CPU_PLACE)
{
    return rk::legacy_shuffle(RK_CPU_SHFL_XOR, mask, value, static_cast<unsigned>(lane_mask),
                              width, file, line);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, RK_CPU_PLACE)
{
    return static_cast<unsigned>(
        rk::legacy_warp(RK_CPU_BALLOT, mask, predicate, 0, warpSize, file, line).result);
}
inline int __any_sync(unsigned mask, int predicate, RK_CPU_PLACE)
{
    return static_cast<int>(
        rk::legacy_warp(RK_CPU_ANY, mask, predicate, 0, warpSize, file, line).result);
}
inline int __all_sync(unsigned mask, int predicate, RK_CPU_PLACE)
{
    return static_cast<int>(
        rk::legacy_warp(RK_CPU_ALL, mask, predicate, 0, warpSize, file, line).result);
}
/** Calls are told apart by their place. */
inline unsigned __activemask(RK_CPU_PLACE)
{
    return static_cast<unsigned>(
        rk::legacy_warp(RK_CPU_ACTIVEMASK, 0xffffffffu, line, 0, warpSize, file, line).result);
}
inline void __syncwarp(unsigned mask = 0xffffffffu, RK_CPU_PLACE)
{
    rk::legacy_warp(RK_CPU_SYNCWARP, mask, 0, 0, warpSize, file, line);
}
template <class T>
inline unsigned __match_any_sync(unsigned mask, T value, RK_CPU_PLACE)
{
    return static_cast<unsigned>(
        rk::legacy_warp(RK_CPU_MATCH_ANY, mask, value, 0, warpSize, file, line).result);
}
template <class T>
inline unsigned __match_all_sync(unsigned mask, T value, int *predicate, RK_CPU_PLACE)
{
    const rk::legacy_lane mine =
        rk::legacy_warp(RK_CPU_MATCH_ALL, mask, value, 0, warpSize, file, line);
    *predicate = mine.all;
    return static_cast<unsigned>(mine.result);
}

#define RK_CPU_REDUCE(name, T, kind)                                                               \
    inline T name(unsigned mask, T value, RK_CPU_PLACE)                                            \
    {                                                                                              \
        return static_cast<T>(                                                                     \
            rk::legacy_warp(kind, mask, value, 0, warpSize, file, line).result);                   \
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
#undef RK_CPU_PLACE

#endif
