/* The kernels of kernels.h as rkconvert writes them, and their entries. */
#include <rk/rkernel.h>

#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>

#define KERNEL(name, ...)                                                                          \
    template <class rk__Ctx>                                                                         \
    __device__ void name(rk__Ctx &rk__ctx, __VA_ARGS__)
#define SHADOW [[maybe_unused]] const auto
#define ENTER                                                                                      \
    [[maybe_unused]] const uint3 threadIdx = rk__ctx.thread_idx();                                  \
    [[maybe_unused]] const uint3 blockIdx = rk__ctx.block_idx();                                    \
    [[maybe_unused]] const dim3 blockDim = rk__ctx.block_dim();                                     \
    [[maybe_unused]] const dim3 gridDim = rk__ctx.grid_dim();
#define ENTER_WAITS                                                                                \
    SHADOW __syncthreads = [&rk__ctx](auto... none) { rk__ctx.sync(none...); };                      \
    SHADOW __syncthreads_count = [&rk__ctx](auto p) { return rk__ctx.sync_count(p); };               \
    SHADOW __syncthreads_and = [&rk__ctx](auto p) { return rk__ctx.sync_and(p); };                   \
    SHADOW __syncthreads_or = [&rk__ctx](auto p) { return rk__ctx.sync_or(p); };                     \
    SHADOW __shfl_sync = [&rk__ctx](unsigned m, auto v, int x, int w = 32) {                        \
        return rk__ctx.shfl(m, v, x, w);                                                            \
    };                                                                                             \
    SHADOW __shfl_up_sync = [&rk__ctx](unsigned m, auto v, unsigned x, int w = 32) {                \
        return rk__ctx.shfl_up(m, v, x, w);                                                         \
    };                                                                                             \
    SHADOW __shfl_down_sync = [&rk__ctx](unsigned m, auto v, unsigned x, int w = 32) {              \
        return rk__ctx.shfl_down(m, v, x, w);                                                       \
    };                                                                                             \
    SHADOW __shfl_xor_sync = [&rk__ctx](unsigned m, auto v, int x, int w = 32) {                    \
        return rk__ctx.shfl_xor(m, v, x, w);                                                        \
    };                                                                                             \
    SHADOW __ballot_sync = [&rk__ctx](unsigned m, auto p) { return rk__ctx.ballot(m, p); };          \
    SHADOW __any_sync = [&rk__ctx](unsigned m, auto p) { return rk__ctx.any(m, p); };                \
    SHADOW __all_sync = [&rk__ctx](unsigned m, auto p) { return rk__ctx.all(m, p); };                \
    SHADOW __activemask = [&rk__ctx](auto... none) { return rk__ctx.activemask(none...); };          \
    SHADOW __syncwarp = [&rk__ctx](auto... mask) { rk__ctx.syncwarp(mask...); };                     \
    SHADOW __match_any_sync = [&rk__ctx](unsigned m, auto v) { return rk__ctx.match_any(m, v); };    \
    SHADOW __match_all_sync = [&rk__ctx](unsigned m, auto v, int *p) {                              \
        return rk__ctx.match_all(m, v, p);                                                          \
    };                                                                                             \
    SHADOW __reduce_add_sync = [&rk__ctx](unsigned m, auto v) { return rk__ctx.reduce_add(m, v); };  \
    SHADOW __reduce_min_sync = [&rk__ctx](unsigned m, auto v) { return rk__ctx.reduce_min(m, v); };  \
    SHADOW __reduce_max_sync = [&rk__ctx](unsigned m, auto v) { return rk__ctx.reduce_max(m, v); };
#define SHARED(name, type, part, size) auto &name = rk__ctx.template shared<part>().name
#define DYNAMIC(type, name) type *name = rk__ctx.template dynamic_shared<type>()
#define LEAVE(condition)                                                                           \
    if (rk__ctx.leave(condition))                                                                   \
    return

namespace rk__in_kernels {
struct sum_part {
    float partial[1024];
};
struct other_part {
    double unused[3];
};
struct block_sum_frame : other_part, sum_part {
};
#include "kernels.h"

/* The group has the interface of cooperative groups. */
template <class rk__Ctx>
__device__ void group(rk__Ctx &rk__ctx, unsigned *out)
{
    int *shared = rk__ctx.template dynamic_shared<int>();
    auto block = rk__::groups::this_thread_block(rk__ctx);
    const unsigned rank = block.thread_rank();
    shared[rank] = int(rank);
    block.sync();
    const unsigned next = unsigned(shared[(rank + 1) % block.size()]);
    out[rank] = next + 1000 * block.num_threads() + 1000000 * block.group_index().x +
                10000000 * block.thread_index().z;
    rk__ctx.finish();
}
} // namespace rk__in_kernels

#include <rk/cpu_entry.h>

#define ENTRY(name, flags, frame, ...)                                                              \
    extern "C" void entry_##name(const rk_cpu_call *c)                                             \
    {                                                                                              \
        rk__::cpu_run<rk__::uses<flags>, frame>(                                                        \
            c, [&](auto &rk__ctx) { rk__in_kernels::name(rk__ctx, __VA_ARGS__); });                      \
    }
#define ARG(type, i) rk__::cpu_arg<type>(c, i)
#define PLAIN false, false, false, false
#define WAITS true, true, true, false
#define WARPS false, false, false, true

ENTRY(place, PLAIN, void, ARG(int *, 0), ARG(int, 1))
ENTRY(saxpy, PLAIN, void, ARG(const float *, 0), ARG(float *, 1), ARG(float, 2), ARG(int, 3))
ENTRY(block_sum, WAITS, rk__in_kernels::block_sum_frame, ARG(const float *, 0), ARG(float *, 1),
      ARG(int, 2))
ENTRY(leavers, WAITS, rk__in_kernels::other_part, ARG(int *, 0), ARG(int, 1))
ENTRY(warps, WARPS, void, ARG(unsigned *, 0), ARG(int, 1))
ENTRY(histogram, PLAIN, void, ARG(const int *, 0), ARG(unsigned *, 1), ARG(float *, 2),
      ARG(int, 3))
ENTRY(halves, PLAIN, void, ARG(const __half *, 0), ARG(__half *, 1), ARG(float *, 2), ARG(int, 3))
ENTRY(stuck, WAITS, void, ARG(int *, 0))
ENTRY(group, WAITS, void, ARG(unsigned *, 0))
