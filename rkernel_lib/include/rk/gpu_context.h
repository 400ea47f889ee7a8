#ifndef RK_GPU_CONTEXT_H
#define RK_GPU_CONTEXT_H

/*
 * What the contexts of cuda_context.cuh and hip_context.h have in common: the block's shared memory, an rTask's
 * place on a vEU, and an ordinary launch's. Config and the members' contract are cuda_context.cuh's.
 */

#include <type_traits>

namespace rk
{

/** The vEU's shared buffer, which is all of the block's dynamic shared memory. */
inline __device__ unsigned char *gpu_shared_buffer()
{
    extern __shared__ __align__(128) unsigned char rk_shared_buffer[];
    return rk_shared_buffer;
}

/**
 * Dynamic shared memory of a function that cannot take the context, as a conversion: for kernels without static
 * shared memory, whose dynamic memory begins the buffer.
 */
template <class T> __device__ T *bare_shared()
{
    return reinterpret_cast<T *>(gpu_shared_buffer());
}

/** Bytes of a frame before the dynamic shared memory that follows it. */
template <class Frame> struct gpu_frame_bytes {
    static constexpr unsigned value = (unsigned)((sizeof(Frame) + 15) / 16 * 16);
};
template <> struct gpu_frame_bytes<void> {
    static constexpr unsigned value = 0;
};

/** Loads that a context takes the place of. */
class gpu_loads
{
  public:
    /**
     * A plain load: in a vDevice the address may have been written earlier in the same kernel,
     * which the read-only path of __ldg does not see.
     */
    template <class T> __device__ T ldg(const T *address) const
    {
        return *address;
    }
};

/** Its memory, too: FrameType is the kernel's static part, void if it has none. */
template <class FrameType> class gpu_memory : public gpu_loads
{
  public:
    using Frame = FrameType;
    /** Shared memory before the dynamic part. */
    static constexpr unsigned frame_bytes = gpu_frame_bytes<Frame>::value;

    /** Its static shared memory of type Part, a base of the frame or the frame itself. */
    template <class Part> __device__ Part &shared() const
    {
        if constexpr (std::is_void<Frame>::value)
            return *reinterpret_cast<Part *>(gpu_shared_buffer());
        else
            return static_cast<Part &>(*reinterpret_cast<Frame *>(gpu_shared_buffer()));
    }
    template <class T> __device__ T *dynamic_shared() const
    {
        return reinterpret_cast<T *>(gpu_shared_buffer() + frame_bytes);
    }
};

/** One thread's place in rTask `rtask` on a vEU of Config::veu_threads threads in one dimension. */
template <class Config> class gpu_rtask : public gpu_memory<typename Config::Frame>
{
  protected:
    static constexpr unsigned N = Config::block_x * Config::block_y * Config::block_z;
    static constexpr unsigned V = Config::veu_threads;
    static_assert(N >= 1 && N <= V, "the vEU has fewer threads than the kernel's block");

    explicit __device__ gpu_rtask(unsigned rtask) : rtask_(rtask)
    {
    }

  public:
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

/** One thread's place in an ordinary launch of the rKernel with its legacy configuration. */
template <class FrameType> class gpu_launch : public gpu_memory<FrameType>
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
    __device__ void finish()
    {
    }
};

} // namespace rk

#endif
