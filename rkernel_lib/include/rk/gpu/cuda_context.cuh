#ifndef RK_CUDA_CONTEXT_CUH
#define RK_CUDA_CONTEXT_CUH

/*
 * What an rKernel sees instead of the hardware's thread and block (docs/vdevice.md, "The context").
 *
 *   rk__::cuda_context<Config>         an rTask on a vEU
 *   rk__::cuda_launch_context<Frame>   the same rKernel launched as an ordinary kernel
 *   rk__::ambient                      either of them, for code that no call passes it to
 *   rk__::cuda_probe_context           no launch at all: instantiates an rKernel by itself
 *
 * Config is a type with
 *   static constexpr unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z   the legacy launch; in place of the grid
 *                                                 grid_dims, where it is given with the rTask
 *   static constexpr unsigned veu_threads                                         V
 *   static constexpr bool barrier, reduce, early_return, warp                     what it uses
 *   using Frame = its static shared memory, void if it has none
 *   static constexpr rk__::cuda_barrier_form barrier_form     as --barrier asked; may be left out
 */

#include "cuda_barrier.cuh"
#include "cuda_warp.cuh"
#include "../kernel/end_barriers.h"
#include "gpu_context.h"
#include "../kernel/groups.h"
#include "../kernel/ranged.h"

namespace rk__
{

template <class Config, class = void> struct cuda_form_of {
    static constexpr cuda_barrier_form value = cuda_barrier_form::choose;
};
template <class Config> struct cuda_form_of<Config, decltype(void(Config::barrier_form))> {
    static constexpr cuda_barrier_form value = Config::barrier_form;
};

/** One thread's view of rTask `rtask` on a vEU of Config::veu_threads threads in one dimension. */
template <class Config>
class cuda_context : public gpu_rtask<Config>, public cuda_warp_operations<cuda_context<Config>>
{
    using place = gpu_rtask<Config>;
    static constexpr unsigned N = place::N;
    static constexpr unsigned V = place::V;
    static constexpr bool has_barrier = Config::barrier || Config::reduce;
    static constexpr bool has_returns =
        std::is_base_of<warp_returns, typename Config::Frame>::value;
    static_assert(V % 32 == 0, "a vEU is made of whole warps");
    static_assert(cuda_form_of<Config>::value != cuda_barrier_form::cg ||
                      !(Config::early_return || Config::reduce),
                  "--barrier cg: a group neither counts nor is left by threads that return");

    static constexpr bool is_ambient = gpu_is_ambient<typename Config::Frame>;
    static constexpr cuda_barrier_case barrier_case =
        cuda_select_barrier(N, V, Config::early_return, cuda_form_of<Config>::value);
    using Barrier = cuda_barrier<barrier_case, N, V, Config::reduce>;

  public:
    explicit __device__ cuda_context(unsigned rtask, dim3 grid = dim3())
        : place(rtask, grid), live_(first_lanes())
    {
        if constexpr (has_returns)
            cuda_warp_begin(this->template shared<warp_returns>());
        if constexpr (is_ambient)
            tell();
    }

    __device__ void sync()
    {
        static_assert(has_barrier, "the catalog says that this kernel has no barrier");
        barrier_.sync();
    }
    __device__ int sync_count(int predicate)
    {
        static_assert(Config::reduce, "the catalog says that this kernel has no reducing barrier");
        return barrier_.count(predicate);
    }
    __device__ int sync_and(int predicate)
    {
        return sync_count(!predicate) == 0;
    }
    __device__ int sync_or(int predicate)
    {
        return sync_count(predicate) != 0;
    }

    /**
     * For `if (leave(c)) return;` where all live lanes of a warp come: those with c leave the masks
     * of the warp operations that follow.
     */
    __device__ bool leave(bool condition)
    {
        const unsigned all = live_;
        live_ &= ~__ballot_sync(all, condition);
        if constexpr (is_ambient) {
            this->template shared<ambient_rtask>().rk_live[threadIdx.x / 32] = live_;
            __syncwarp(all);
        }
        return condition;
    }

    __device__ unsigned live() const
    {
        return live_;
    }

    /** Named barriers of a kernel's assembly count whole warps. */
    __device__ void whole_warps() const
    {
        static_assert(N % 32 == 0, "the kernel's own barriers need a block of whole warps");
    }
    /** By a thread on its way out of a kernel whose frame has rk__::warp_returns. */
    __device__ void returned()
    {
        cuda_warp_leave(this->template shared<warp_returns>());
    }
    /** `operation(lanes)` with those lanes of `mask`, which are live, that meet there. */
    template <class Operation> __device__ auto meet(unsigned mask, const Operation &operation) const
    {
        if constexpr (has_returns)
            return cuda_warp_meet(this->template shared<warp_returns>(), mask, operation);
        else
            return operation(mask);
    }

    /** Every thread of the vEU, active or not, once, on its way out of the rTask (cuda_barrier.cuh). */
    __device__ void finish()
    {
        if (has_barrier)
            barrier_.finish();
    }

  private:
    /** The lanes of this warp that are in the block. */
    static __device__ unsigned first_lanes()
    {
        constexpr unsigned last = N % 32;
        if (last == 0)
            return 0xFFFFFFFFu;
        return threadIdx.x / 32 * 32 + 32 <= N ? 0xFFFFFFFFu : (1u << last) - 1;
    }

    /** What rk__::ambient has to know, before any thread of the rTask asks. */
    __device__ void tell()
    {
        ambient_rtask &told = this->template shared<ambient_rtask>();
        if (threadIdx.x % 32 == 0)
            told.rk_live[threadIdx.x / 32] = live_;
        if (threadIdx.x == 0) {
            this->tell_place(told);
            told.rk_barrier = has_barrier ? (unsigned)barrier_case : 0;
            told.rk_reduces = Config::reduce;
            told.rk_returns = nullptr;
            if constexpr (has_returns)
                told.rk_returns = &this->template shared<warp_returns>();
        }
        __syncthreads();
    }

    unsigned live_; /**< lanes of this warp that warp operations may name */
    Barrier barrier_;
};

/**
 * An rKernel launched as an ordinary kernel with the legacy launch configuration: the hardware's
 * thread and block, static shared memory in the dynamic buffer. The baseline that a vDevice is
 * measured against.
 */
template <class FrameType>
class cuda_launch_context : public gpu_launch<FrameType>,
                            public cuda_warp_operations<cuda_launch_context<FrameType>>
{
  public:
    __device__ int sync_count(int predicate)
    {
        return __syncthreads_count(predicate);
    }
    __device__ int sync_and(int predicate)
    {
        return __syncthreads_and(predicate);
    }
    __device__ int sync_or(int predicate)
    {
        return __syncthreads_or(predicate);
    }

    __device__ bool leave(bool condition)
    {
        return condition;
    }
    __device__ unsigned live() const
    {
        return 0xFFFFFFFFu;
    }
    __device__ void whole_warps() const
    {
    }
    __device__ void returned()
    {
    }
    template <class Operation> __device__ auto meet(unsigned mask, const Operation &operation) const
    {
        return operation(mask);
    }
};

/** The context of code that no call passes it to: constructors, operators and the like (rk/kernel/ambient.h). */
class ambient : public gpu_ambient, public cuda_warp_operations<ambient>
{
  public:
    /** An object of its own, for a call that takes a reference. */
    __device__ ambient &rk__self()
    {
        return *this;
    }

    __device__ void sync()
    {
        if (is_rtask())
            barrier().sync();
        else
            __syncthreads();
    }
    __device__ int sync_count(int predicate)
    {
        return is_rtask() ? barrier().count(predicate) : __syncthreads_count(predicate);
    }
    __device__ int sync_and(int predicate)
    {
        return sync_count(!predicate) == 0;
    }
    __device__ int sync_or(int predicate)
    {
        return sync_count(predicate) != 0;
    }
    __device__ unsigned live() const
    {
        return is_rtask() ? told().rk_live[threadIdx.x / 32] : 0xFFFFFFFFu;
    }
    __device__ void whole_warps() const
    {
        if (threads() % 32 != 0)
            __trap();
    }
    template <class Operation> __device__ auto meet(unsigned mask, const Operation &operation) const
    {
        if (is_rtask() && told().rk_returns)
            return cuda_warp_meet(*told().rk_returns, mask, operation);
        return operation(mask);
    }

  private:
    static __device__ cuda_any_barrier barrier()
    {
        if (!told().rk_barrier)
            __trap(); /* the catalog says that this kernel has none */
        return {(cuda_barrier_case)told().rk_barrier, told().rk_threads, told().rk_reduces != 0};
    }
};

/**
 * Compiles an rKernel with no launch configuration and no frame of its kernel, so that a converted
 * file compiles by itself: `template __device__ void gemm<32, 8>(rk__::cuda_probe_context &, ...);`.
 * Never run.
 */
class cuda_probe_context : public cuda_launch_context<void>
{
};

} // namespace rk__

#endif
