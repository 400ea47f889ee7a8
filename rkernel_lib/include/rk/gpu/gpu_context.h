#ifndef RK_GPU_CONTEXT_H
#define RK_GPU_CONTEXT_H

/*
 * What the contexts of cuda_context.cuh and hip_context.h have in common: the block's shared memory, an rTask's
 * place on a vEU, and an ordinary launch's. Config and the members' contract are cuda_context.cuh's.
 */

#include "../kernel/ambient.h"

#include <type_traits>

namespace rk__
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

/** Whether a kernel's functions may ask for the rTask's context without having been given it (rk/kernel/ambient.h). */
template <class Frame>
inline constexpr bool gpu_is_ambient = std::is_base_of<ambient_rtask, Frame>::value;

/** The index of element `i`, in linear order, of a box of x * y * z. */
inline __device__ uint3 gpu_split(unsigned i, unsigned x, unsigned y, unsigned z)
{
    if (y == 1 && z == 1)
        return make_uint3(i, 0, 0);
    if (z == 1)
        return make_uint3(i % x, i / x, 0);
    return make_uint3(i % x, i / x % y, i / (x * y));
}

/** The legacy launch's grid: constants of Config. */
template <class Config, class = void> struct gpu_grid {
    explicit __device__ gpu_grid(dim3)
    {
    }
    static __device__ dim3 size()
    {
        return dim3(Config::grid_x, Config::grid_y, Config::grid_z);
    }
    static __device__ uint3 at(unsigned rtask)
    {
        return gpu_split(rtask, Config::grid_x, Config::grid_y, Config::grid_z);
    }
};

/** Operators that differ in their grids alone share their code: Config knows only how many dimensions exceed 1. */
template <class Config> struct gpu_grid<Config, decltype(void(Config::grid_dims))> {
    explicit __device__ gpu_grid(dim3 size) : size_(size)
    {
    }
    __device__ dim3 size() const
    {
        return size_;
    }
    __device__ uint3 at(unsigned rtask) const
    {
        return gpu_split(rtask, size_.x, Config::grid_dims > 1 ? size_.y : 1, Config::grid_dims > 2 ? size_.z : 1);
    }

  private:
    dim3 size_;
};

/** One thread's place in rTask `rtask` on a vEU of Config::veu_threads threads in one dimension. */
template <class Config> class gpu_rtask : public gpu_memory<typename Config::Frame>
{
  protected:
    static constexpr unsigned N = Config::block_x * Config::block_y * Config::block_z;
    static constexpr unsigned V = Config::veu_threads;
    static_assert(N >= 1 && N <= V, "the vEU has fewer threads than the kernel's block");

    explicit __device__ gpu_rtask(unsigned rtask, dim3 grid = dim3()) : rtask_(rtask), grid_(grid)
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
        return gpu_split(threadIdx.x, Config::block_x, Config::block_y, Config::block_z);
    }
    __device__ uint3 block_idx() const
    {
        return grid_.at(rtask_);
    }
    __device__ dim3 block_dim() const
    {
        return dim3(Config::block_x, Config::block_y, Config::block_z);
    }
    __device__ dim3 grid_dim() const
    {
        return grid_.size();
    }

  protected:
    /** For rk__::ambient, by one thread of the vEU; a barrier of all its threads follows. */
    __device__ void tell_place(ambient_rtask &told) const
    {
        const dim3 grid = grid_.size();
        told.rk__grid[0] = grid.x;
        told.rk__grid[1] = grid.y;
        told.rk__grid[2] = grid.z;
        told.rk__block[0] = Config::block_x;
        told.rk__block[1] = Config::block_y;
        told.rk__block[2] = Config::block_z;
        told.rk_rtask = rtask_;
        told.rk_threads = N;
        told.rk_dynamic = gpu_memory<typename Config::Frame>::frame_bytes;
    }

  private:
    unsigned rtask_; /**< blockIdx in linear order */
    gpu_grid<Config> grid_;
};

/** One thread's place in an ordinary launch. */
struct gpu_hardware {
    static __device__ unsigned rank()
    {
        return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    }
    static __device__ unsigned threads()
    {
        return blockDim.x * blockDim.y * blockDim.z;
    }
    static __device__ uint3 thread_idx()
    {
        return make_uint3(threadIdx.x, threadIdx.y, threadIdx.z);
    }
    static __device__ uint3 block_idx()
    {
        return make_uint3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    static __device__ dim3 block_dim()
    {
        return dim3(blockDim.x, blockDim.y, blockDim.z);
    }
    static __device__ dim3 grid_dim()
    {
        return dim3(gridDim.x, gridDim.y, gridDim.z);
    }
};

/** A thread of an ordinary launch of the rKernel with its legacy configuration. */
template <class FrameType> class gpu_launch : public gpu_memory<FrameType>, public gpu_hardware
{
  public:
    __device__ gpu_launch()
    {
        if constexpr (gpu_is_ambient<FrameType>) {
            if (gpu_hardware::rank() == 0) {
                ambient_rtask &told = this->template shared<ambient_rtask>();
                told.rk_threads = 0;
                told.rk_dynamic = gpu_memory<FrameType>::frame_bytes;
            }
            __syncthreads();
        }
    }

    __device__ void sync()
    {
        __syncthreads();
    }
    __device__ void finish()
    {
    }
};

/**
 * A context that is nobody's: each object of it is the calling thread's, wherever it is made. Only a kernel
 * whose frame has rk__::ambient_rtask may get to one.
 */
class gpu_ambient : public gpu_loads
{
  public:
    __device__ unsigned rank() const
    {
        return is_rtask() ? threadIdx.x : gpu_hardware::rank();
    }
    __device__ unsigned threads() const
    {
        return is_rtask() ? told().rk_threads : gpu_hardware::threads();
    }
    __device__ uint3 thread_idx() const
    {
        const unsigned *b = told().rk__block;
        return is_rtask() ? gpu_split(threadIdx.x, b[0], b[1], b[2]) : gpu_hardware::thread_idx();
    }
    __device__ uint3 block_idx() const
    {
        const unsigned *g = told().rk__grid;
        return is_rtask() ? gpu_split(told().rk_rtask, g[0], g[1], g[2]) : gpu_hardware::block_idx();
    }
    __device__ dim3 block_dim() const
    {
        const unsigned *b = told().rk__block;
        return is_rtask() ? dim3(b[0], b[1], b[2]) : gpu_hardware::block_dim();
    }
    __device__ dim3 grid_dim() const
    {
        const unsigned *g = told().rk__grid;
        return is_rtask() ? dim3(g[0], g[1], g[2]) : gpu_hardware::grid_dim();
    }
    template <class T> __device__ T *dynamic_shared() const
    {
        return reinterpret_cast<T *>(gpu_shared_buffer() + told().rk_dynamic);
    }
    __device__ void finish()
    {
    }

  protected:
    static __device__ ambient_rtask &told()
    {
        return *reinterpret_cast<ambient_rtask *>(gpu_shared_buffer());
    }
    static __device__ bool is_rtask()
    {
        return told().rk_threads != 0;
    }
};

} // namespace rk__

#endif
