#ifndef RK_HIP_CONTEXT_H
#define RK_HIP_CONTEXT_H

/*
 * What an rKernel sees instead of the hardware's thread and block on AMD's GPUs: rk::hip_context,
 * rk::hip_launch_context and rk::hip_probe_context, as of cuda_context.cuh. hipcc compiles it with
 * -I <rk>/hip, whose headers stand for CUDA's.
 *
 * AMD has no barrier over a part of a workgroup: each wavefront of 64 lanes comes to s_barrier once,
 * and lanes that are not active skip it with their wavefront's others. So a kernel with barriers runs
 * on a vEU of its block's threads, rounded up to whole wavefronts (section 4.2.1), and rkconvert
 * refuses those in which a thread may have returned before a barrier, and those with operations on
 * warps of 32 lanes.
 */
#include <hip/hip_runtime.h>

#include <type_traits>

namespace rk
{

inline constexpr unsigned hip_wavefront = 64;

/** The vEU's shared buffer, which is all of the workgroup's dynamic shared memory. */
inline __device__ unsigned char *hip_shared_buffer()
{
    extern __shared__ __align__(128) unsigned char rk_shared_buffer[];
    return rk_shared_buffer;
}

/** See rk/cuda_context.cuh. */
template <class T> __device__ T *bare_shared()
{
    return reinterpret_cast<T *>(hip_shared_buffer());
}

/** Bytes of a frame before the dynamic shared memory that follows it. */
template <class Frame> struct hip_frame_bytes {
    static constexpr unsigned value = (unsigned)((sizeof(Frame) + 15) / 16 * 16);
};
template <> struct hip_frame_bytes<void> {
    static constexpr unsigned value = 0;
};

/** What all contexts have: shared memory, and loads that see what the same rProgram wrote. */
template <class FrameType> class hip_memory
{
  public:
    using Frame = FrameType;
    /** Shared memory before the dynamic part. */
    static constexpr unsigned frame_bytes = hip_frame_bytes<Frame>::value;

    /** Its static shared memory of type Part, a base of the frame or the frame itself. */
    template <class Part> __device__ Part &shared() const
    {
        if constexpr (std::is_void<Frame>::value)
            return *reinterpret_cast<Part *>(hip_shared_buffer());
        else
            return static_cast<Part &>(*reinterpret_cast<Frame *>(hip_shared_buffer()));
    }
    template <class T> __device__ T *dynamic_shared() const
    {
        return reinterpret_cast<T *>(hip_shared_buffer() + frame_bytes);
    }
    template <class T> __device__ T ldg(const T *address) const
    {
        return *address;
    }
    __device__ void finish()
    {
    }
};

/** One thread's view of rTask `rtask` on a vEU of Config::veu_threads threads in one dimension. */
template <class Config> class hip_context : public hip_memory<typename Config::Frame>
{
    static constexpr unsigned N = Config::block_x * Config::block_y * Config::block_z;
    static constexpr unsigned V = Config::veu_threads;
    static_assert(N >= 1 && N <= V, "the vEU has fewer threads than the kernel's block");
    static_assert(V % hip_wavefront == 0, "a vEU is made of whole wavefronts");
    static_assert(!Config::warp, "the kernel is for warps of 32 lanes");
    static_assert(!Config::barrier || V - N < hip_wavefront,
                  "all wavefronts of the vEU must come to the kernel's barriers");
    static_assert(!Config::barrier || !Config::early_return,
                  "a wavefront that has returned would miss the kernel's barriers");

  public:
    explicit __device__ hip_context(unsigned rtask) : rtask_(rtask)
    {
    }

    /** Whether this thread belongs to the rTask's block; the others only call finish(). */
    __device__ bool active() const
    {
        return N == V || threadIdx.x < N;
    }

    __device__ unsigned rank() const
    {
        return threadIdx.x;
    }
    __device__ unsigned threads() const
    {
        return N;
    }
    __device__ uint3 thread_idx() const
    {
        return split<Config::block_x, Config::block_y, Config::block_z>(threadIdx.x);
    }
    __device__ uint3 block_idx() const
    {
        return split<Config::grid_x, Config::grid_y, Config::grid_z>(rtask_);
    }
    __device__ dim3 block_dim() const
    {
        return dim3(Config::block_x, Config::block_y, Config::block_z);
    }
    __device__ dim3 grid_dim() const
    {
        return dim3(Config::grid_x, Config::grid_y, Config::grid_z);
    }

    __device__ void sync()
    {
        static_assert(Config::barrier, "the catalog says that this kernel has no barrier");
        __syncthreads();
    }

  private:
    template <unsigned X, unsigned Y, unsigned Z> static __device__ uint3 split(unsigned i)
    {
        if (Y == 1 && Z == 1)
            return make_uint3(i, 0, 0);
        if (Z == 1)
            return make_uint3(i % X, i / X, 0);
        return make_uint3(i % X, i / X % Y, i / (X * Y));
    }

    unsigned rtask_; /**< blockIdx in linear order */
};

/** An rKernel launched as an ordinary kernel with the legacy launch configuration. */
template <class FrameType> class hip_launch_context : public hip_memory<FrameType>
{
  public:
    __device__ unsigned rank() const
    {
        return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    }
    __device__ unsigned threads() const
    {
        return blockDim.x * blockDim.y * blockDim.z;
    }
    __device__ uint3 thread_idx() const
    {
        return make_uint3(threadIdx.x, threadIdx.y, threadIdx.z);
    }
    __device__ uint3 block_idx() const
    {
        return make_uint3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    __device__ dim3 block_dim() const
    {
        return dim3(blockDim.x, blockDim.y, blockDim.z);
    }
    __device__ dim3 grid_dim() const
    {
        return dim3(gridDim.x, gridDim.y, gridDim.z);
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

} // namespace rk

#endif
