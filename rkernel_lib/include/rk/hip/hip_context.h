#ifndef RK_HIP_CONTEXT_H
#define RK_HIP_CONTEXT_H

/*
 * What an rKernel sees instead of the hardware's thread and block on AMD's GPUs: rk__::hip_context,
 * rk__::hip_launch_context and rk__::hip_probe_context, as of cuda_context.cuh. hipcc compiles it with
 * -I <rk>/hip, whose headers stand for CUDA's.
 *
 * AMD has no barrier over a part of a workgroup: each wavefront of 64 lanes comes to s_barrier once,
 * and lanes that are not active skip it with their wavefront's others. So a kernel with barriers runs
 * on a vEU of its block's threads, rounded up to whole wavefronts (section 4.2.1), and rkconvert
 * refuses those in which a thread may have returned before a barrier, and those with operations on
 * warps of 32 lanes.
 */
#include "../kernel/ranged.h"

#include <hip/hip_runtime.h>

#include "../gpu/gpu_context.h"

namespace rk__
{

inline constexpr unsigned hip_wavefront = 64;

/** One thread's view of rTask `rtask` on a vEU of Config::veu_threads threads in one dimension. */
template <class Config> class hip_context : public gpu_rtask<Config>
{
    using place = gpu_rtask<Config>;
    static_assert(place::V % hip_wavefront == 0, "a vEU is made of whole wavefronts");
    static_assert(!Config::warp, "the kernel is for warps of 32 lanes");
    static_assert(!Config::barrier || place::V - place::N < hip_wavefront,
                  "all wavefronts of the vEU must come to the kernel's barriers");
    static_assert(!Config::barrier || !Config::early_return,
                  "a wavefront that has returned would miss the kernel's barriers");

  public:
    explicit __device__ hip_context(unsigned rtask) : place(rtask)
    {
        if constexpr (gpu_is_ambient<typename Config::Frame>) {
            if (threadIdx.x == 0)
                this->tell_place(this->template shared<ambient_rtask>());
            __syncthreads();
        }
    }

    __device__ void sync()
    {
        static_assert(Config::barrier, "the catalog says that this kernel has no barrier");
        __syncthreads();
    }
    __device__ void finish()
    {
    }
};

/** An rKernel launched as an ordinary kernel with the legacy launch configuration. */
template <class FrameType> class hip_launch_context : public gpu_launch<FrameType>
{
};

/** The context of code that no call passes it to (rk/kernel/ambient.h). */
class ambient : public gpu_ambient
{
  public:
    /** An object of its own, for a call that takes a reference. */
    __device__ ambient &rk__self()
    {
        return *this;
    }
    __device__ void sync()
    {
        __syncthreads();
    }
};

/** Compiles an rKernel with no launch configuration and no frame of its kernel. Never run. */
class hip_probe_context : public hip_launch_context<void>
{
};

} // namespace rk__

#endif
