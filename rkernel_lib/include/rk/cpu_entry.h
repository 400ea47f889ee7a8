#ifndef RK_CPU_ENTRY_H
#define RK_CPU_ENTRY_H

/* What the entries in a catalog's shared object are made of; see rk/cpu/cpu_abi.h. */

#include "cpu/cpu_context.h"
#include "cpu_fission.h"

namespace rk__
{

/** What a kernel uses, as the catalog says. */
template <bool Barrier, bool Reduce, bool EarlyReturn, bool Warp, bool Parts = false> struct uses {
    static constexpr bool waits = Barrier || Reduce || Warp; /**< its threads wait for each other */
    static constexpr bool parts = Parts; /**< it has a form for a whole block (rk/cpu_fission.h) */
};

/** Parameter `i` of the kernel. Entries read them before their threads run: stores of these might change the slots. */
template <class T> inline T cpu_arg(const rk_cpu_call *call, unsigned i)
{
    const std::uint64_t slot = call->args[i];
    if constexpr (std::is_pointer_v<T>) {
        return reinterpret_cast<T>(static_cast<std::uintptr_t>(slot));
    } else {
        static_assert(sizeof(T) <= sizeof slot && std::is_trivially_copyable_v<T>,
                      "a kernel parameter fits one slot");
        alignas(T) unsigned char bytes[sizeof(T)];
        std::memcpy(bytes, &slot, sizeof bytes);
        return *reinterpret_cast<const T *>(bytes);
    }
}

/** Bytes of the vEU's buffer that an rTask uses. */
template <class Frame> constexpr std::uint64_t cpu_shared_bytes(std::uint64_t dynamic)
{
    if (dynamic > 0)
        return cpu_dynamic_offset<Frame>() + dynamic;
    if constexpr (cpu_frame_is_empty<Frame>)
        return 0;
    else
        return sizeof(Frame);
}

/** Whether the call fits its vEU; else the vEU gets a fault. */
template <class Frame> inline bool cpu_fits(const rk_cpu_call *call)
{
    const std::uint64_t threads = std::uint64_t(call->block[0]) * call->block[1] * call->block[2];
    if (threads == 0 || threads > call->veu_threads) {
        call->veu->api->fault(call->veu, "the block does not fit the vEU's threads");
        return false;
    }
    if (cpu_shared_bytes<Frame>(call->dynamic_shared) > call->veu->shared_bytes) {
        call->veu->api->fault(call->veu, "shared memory does not fit the vEU's buffer");
        return false;
    }
    return true;
}

/** A copy of a body that nothing else knows, where copying is no more than its bytes: what is in it is no other's memory. */
template <class Body>
using own_body = std::conditional_t<std::is_trivially_copyable_v<Body>, Body, const Body &>;

/** All threads in CUDA's order. */
template <class Context, class Body>
inline void cpu_each_thread(Context &context, unsigned nx, unsigned ny, unsigned nz,
                            const Body &body)
{
    for (unsigned z = 0; z < nz; z++) {
        for (unsigned y = 0; y < ny; y++) {
            RK_THREADS_APART
            for (unsigned x = 0; x < nx; x++) {
                context.set_thread(uint3{x, y, z});
                body(context);
            }
        }
    }
}

/** Blocks whose indices wrap around 31 bits: not worth code of their own in the loop. */
template <class Frame, class Body>
__attribute__((noinline)) void cpu_run_far(const rk_cpu_call *call, const Body &body)
{
    cpu_loop_context<Frame> context(call);
    cpu_each_thread(context, call->block[0], call->block[1], call->block[2], body);
}

/**
 * Runs the threads in a loop; `flatten` puts the kernel into it. Indices are unsigned and so may wrap,
 * which keeps gcc from vectorising `x[blockIdx.x * blockDim.x + threadIdx.x]`, and with a number in the size's place: the
 * condition excludes both.
 */
template <class Frame, class Body>
__attribute__((flatten)) inline void cpu_run_loop(const rk_cpu_call *call, const Body &body)
{
    constexpr unsigned most = 4096;
    cpu_loop_context<Frame> context(call);
    const unsigned nx = call->block[0];
    const unsigned first = context.block_idx().x * context.block_dim().x;
    if (nx <= most && first <= 0x7fffffffu - most && context.block_idx().x < 0x7fffffffu / most &&
        std::uint64_t(context.block_idx().x) * nx == first) {
        const own_body<Body> own = body;
        cpu_each_thread(context, nx, call->block[1], call->block[2], own);
    } else {
        cpu_run_far<Frame>(call, body);
    }
}

template <class Frame, class Body> struct cpu_fiber_job {
    const rk_cpu_call *call;
    const Body *body;

    static void thread(void *user, std::uint32_t index)
    {
        const auto *job = static_cast<const cpu_fiber_job *>(user);
        cpu_fiber_context<Frame> context(job->call);
        context.set_thread(index);
        (*job->body)(context);
    }
};

/** Runs the threads as fibers. */
template <class Frame, class Body>
inline void cpu_run_fibers(const rk_cpu_call *call, const Body &body)
{
    cpu_fiber_job<Frame, Body> job = {call, &body};
    const std::uint32_t threads = call->block[0] * call->block[1] * call->block[2];
    call->veu->api->run(call->veu, threads, cpu_fiber_job<Frame, Body>::thread, &job);
}

/** As cpu_run_far. */
template <class Frame, class Body>
__attribute__((noinline)) bool cpu_run_far_parts(const rk_cpu_call *call, const Body &body)
{
    RK__SETS_ITSELF fission_block<cpu_fiber_context<Frame>> block(call, cpu_fiber_context<Frame>(call));
    body(block);
    return !block.needs_fibers();
}

/**
 * Runs the kernel's second form, `flatten` putting it here; the condition is cpu_run_loop's. False when nothing
 * was done: the block is too large, or the types do not allow it.
 */
template <class Frame, class Body>
__attribute__((flatten)) inline bool cpu_run_parts(const rk_cpu_call *call, const Body &body)
{
    const cpu_fiber_context<Frame> context(call);
    if (std::uint64_t(call->block[0]) * call->block[1] * call->block[2] > most_threads)
        return false;
    kept_memory.clear();
    const unsigned nx = call->block[0];
    const unsigned first = context.block_idx().x * context.block_dim().x;
    if (first > 0x7fffffffu - most_threads || context.block_idx().x >= 0x7fffffffu / most_threads ||
        std::uint64_t(context.block_idx().x) * nx != first)
        return cpu_run_far_parts<Frame>(call, body);
    RK__SETS_ITSELF fission_block<cpu_fiber_context<Frame>> block(call, context);
    const own_body<Body> own = body;
    own(block);
    return !block.needs_fibers();
}

/** Tells rk__::ambient which thread is next. */
inline void cpu_tell(uint3 thread)
{
    ambient_at.thread[0] = thread.x;
    ambient_at.thread[1] = thread.y;
    ambient_at.thread[2] = thread.z;
}

/** Runs a kernel that asks for the context where it is not passed. Its threads are not apart: they share a place. */
template <class Uses, class Frame, class Body>
inline void cpu_run_ambient(const rk_cpu_call *call, const Body &body)
{
    ambient_at.call = call;
    ambient_at.dynamic_shared = call->veu->shared + cpu_dynamic_offset<Frame>();
    if constexpr (Uses::waits) {
        call->veu->kept = ambient_at.thread;
        cpu_run_fibers<Frame>(call, [&body](auto &context) {
            cpu_tell(context.thread_idx());
            body(context);
        });
        call->veu->kept = nullptr;
    } else {
        cpu_loop_context<Frame> context(call);
        const unsigned threads = context.threads();
        for (unsigned i = 0; i < threads; i++) {
            context.set_thread(i);
            cpu_tell(context.thread_idx());
            body(context);
        }
    }
}

/**
 * Runs one rTask: body(context) for each of the block's threads. The vEU's threads beyond the block do
 * nothing, so that none is made for them.
 */
template <class Uses, class Frame, class Body>
inline void cpu_run(const rk_cpu_call *call, const Body &body)
{
    if (!cpu_fits<Frame>(call))
        return;
    bare_buffer = call->veu->shared;
    if constexpr (std::is_base_of_v<ambient_rtask, Frame>) {
        cpu_run_ambient<Uses, Frame>(call, body);
    } else if constexpr (Uses::waits) {
#ifdef RK_CPU_SPLIT
        if constexpr (Uses::parts)
            if (!call->veu->fibers && cpu_run_parts<Frame>(call, body))
                return;
#endif
        cpu_run_fibers<Frame>(call, body);
    } else {
        cpu_run_loop<Frame>(call, body);
    }
}

} // namespace rk__

#endif
