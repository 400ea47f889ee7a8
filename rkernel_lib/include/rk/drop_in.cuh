#ifndef RK_DROP_IN_CUH
#define RK_DROP_IN_CUH

/*
 * What a drop-in for CUDA (`rkconvert --drop-in`) is made of: a launch of a kernel becomes a launch of
 * persistent blocks, the vEUs, each of which runs the launch's rTasks one after another
 * (docs/drop_in.md).
 *
 *   k<<<g, b, s, st>>>(A, n)     (rk__::push_launch(g, b, s, st), k_rk__launch(A, n))
 *
 * Environment: RK_VEUS, the vEUs of a launch, at most; RK_VEU_THREADS, the threads of each, at least;
 * RK_DROP_IN_REPORT=1, a summary on stderr when the program ends.
 */

#include "gpu/cuda_barrier.cuh"
#include "gpu/cuda_warp.cuh"
#include "kernel/end_barriers.h"
#include "gpu/gpu_context.h"
#include "kernel/groups.h"
#include "kernel/ranged.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

namespace rk__
{

/* On the device. */

/** A legacy launch, for the vEUs that run it. */
struct drop_in_grid {
    uint3 grid, block;
    unsigned threads;         /**< of a block */
    unsigned long long tasks; /**< blocks */
};

/** Threads of a vEU for blocks of at most that many. */
constexpr __host__ __device__ unsigned drop_in_bound(unsigned long long threads)
{
    return threads == 0 ? 1024 : (unsigned)((threads + 31) / 32 * 32);
}

/**
 * The barriers of docs/vdevice.md with N and V known at run time. A kernel with a return before a barrier
 * always takes the counting one; else the case is chosen at each barrier by a condition that is the same
 * for the whole vEU.
 */
template <bool Reduces, bool EarlyReturn> struct drop_in_barrier {
    unsigned n;

    __device__ cuda_any_barrier chosen() const
    {
        return {cuda_select_barrier(n, blockDim.x, EarlyReturn), n, Reduces};
    }
    __device__ void sync() const
    {
        chosen().sync();
    }
    __device__ int count(int predicate) const
    {
        return chosen().count(predicate);
    }
    __device__ void finish() const
    {
        chosen().finish();
    }
};

/** One thread's view of an rTask: rk__::cuda_context with a launch configuration known at run time. */
template <bool Barrier, bool Reduce, bool EarlyReturn, bool WarpReturns>
class drop_in_context
    : public gpu_loads,
      public cuda_warp_operations<drop_in_context<Barrier, Reduce, EarlyReturn, WarpReturns>>
{
  public:
    explicit __device__ drop_in_context(const drop_in_grid &launch)
        : launch_(launch), barrier_{launch.threads}
    {
        const uint3 b = launch.block;
        const unsigned t = threadIdx.x;
        thread_ = make_uint3(t % b.x, t / b.x % b.y, t / b.x / b.y);
    }

    /** Begins an rTask. */
    __device__ void begin(unsigned long long rtask)
    {
        const uint3 g = launch_.grid;
        const unsigned long long row = rtask / g.x;
        block_ = make_uint3((unsigned)(rtask % g.x), (unsigned)(row % g.y), (unsigned)(row / g.y));
        const unsigned first = threadIdx.x / 32 * 32, n = launch_.threads;
        live_ = first + 32 <= n ? 0xFFFFFFFFu : (1u << (n - first) % 32) - 1;
        if (WarpReturns)
            cuda_warp_begin(shared<warp_returns>());
    }
    __device__ bool active() const
    {
        return threadIdx.x < launch_.threads;
    }

    __device__ unsigned rank() const
    {
        return threadIdx.x;
    }
    __device__ unsigned threads() const
    {
        return launch_.threads;
    }
    __device__ uint3 thread_idx() const
    {
        return thread_;
    }
    __device__ uint3 block_idx() const
    {
        return block_;
    }
    __device__ dim3 block_dim() const
    {
        return dim3(launch_.block);
    }
    __device__ dim3 grid_dim() const
    {
        return dim3(launch_.grid);
    }

    __device__ void sync()
    {
        static_assert(Barrier || Reduce, "this kernel was seen to have no barrier");
        barrier_.sync();
    }
    __device__ int sync_count(int predicate)
    {
        static_assert(Reduce, "this kernel was seen to have no reducing barrier");
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

    /** A vEU runs one rTask at a time, so that its block's own static shared memory is the rTask's. */
    template <class Part> __device__ Part &shared() const
    {
        constexpr size_t alignment = alignof(Part) > 16 ? alignof(Part) : 16;
        __shared__ alignas(alignment) unsigned char part[sizeof(Part)];
        return reinterpret_cast<Part &>(part);
    }
    template <class T> __device__ T *dynamic_shared() const
    {
        extern __shared__ __align__(128) unsigned char rk_drop_in_shared[];
        return reinterpret_cast<T *>(rk_drop_in_shared);
    }

    /** See rk__::cuda_context. */
    __device__ bool leave(bool condition)
    {
        live_ &= ~__ballot_sync(live_, condition);
        return condition;
    }
    __device__ unsigned live() const
    {
        return live_;
    }
    /** Named barriers of a kernel's assembly count whole warps. */
    __device__ void whole_warps() const
    {
        if (launch_.threads % 32 != 0)
            __trap();
    }
    __device__ void returned()
    {
        cuda_warp_leave(shared<warp_returns>());
    }
    template <class Operation> __device__ auto meet(unsigned mask, const Operation &operation) const
    {
        if (WarpReturns)
            return cuda_warp_meet(shared<warp_returns>(), mask, operation);
        return operation(mask);
    }
    __device__ void finish()
    {
        if (Barrier || Reduce)
            barrier_.finish();
    }

  private:
    const drop_in_grid &launch_;
    drop_in_barrier<Reduce, EarlyReturn> barrier_;
    uint3 thread_, block_;
    unsigned live_;
};

/** A vEU: runs rTasks blockIdx.x, blockIdx.x + gridDim.x, ... `body(rk__ctx)` is one thread's part. */
template <bool Barrier, bool Reduce, bool EarlyReturn, bool WarpReturns, class Body>
__device__ void drop_in_run(const drop_in_grid &launch, const Body &body)
{
    drop_in_context<Barrier, Reduce, EarlyReturn, WarpReturns> context(launch);
    for (unsigned long long task = blockIdx.x; task < launch.tasks; task += gridDim.x) {
        context.begin(task);
        if (context.active()) {
            body(context);
            if (!EarlyReturn)
                context.finish();
        } else {
            context.finish();
        }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        asm volatile("cp.async.wait_all;" ::: "memory");
#endif
        __syncthreads();
    }
}

/* On the host. */

/** The kernel that a launch is of. */
struct drop_in_site {
    const char *name, *file;
    unsigned line;
    const char *params; /**< their names */
};

/** `<<<grid, block, shared, stream>>>`, for the launch in the same expression. */
class push_launch
{
  public:
    push_launch(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0)
        : grid(grid), block(block), shared(shared), stream(stream), outer_(top())
    {
        top() = this;
    }
    push_launch(const push_launch &) = delete;
    push_launch &operator=(const push_launch &) = delete;
    ~push_launch()
    {
        top() = outer_;
    }

    /** The innermost one of the calling thread. */
    static push_launch *&top()
    {
        static thread_local push_launch *launch = nullptr;
        return launch;
    }

    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    const void *config = nullptr;     /**< cudaLaunchConfig_t, of a launch that was made with one */
    cudaError_t result = cudaSuccess; /**< what the launch returned */

  private:
    push_launch *outer_;
};

/** What the launches of one kernel became, for RK_DROP_IN_REPORT. */
struct drop_in_count {
    const drop_in_site *site;
    const char *why; /**< of launches that are no vDevice, else NULL */
    unsigned long long launches;
    drop_in_count *next;
};

/** A list, so that nothing is allocated when no report was asked for. */
class drop_in_counts
{
  public:
    static void add(const drop_in_site &site, const char *why)
    {
        static drop_in_counts counts;
        if (!counts.asked_)
            return;
        for (drop_in_count *c = counts.first_; c; c = c->next) {
            if (strcmp(c->site->name, site.name) != 0 || c->site->line != site.line ||
                (c->why == nullptr) != (why == nullptr) || (why && strcmp(c->why, why) != 0))
                continue;
            c->launches++;
            return;
        }
        counts.first_ = new drop_in_count{new drop_in_site(site), why, 1, counts.first_};
    }

  private:
    drop_in_counts() : asked_(getenv("RK_DROP_IN_REPORT") != nullptr)
    {
    }
    ~drop_in_counts()
    {
        unsigned long long all = 0, vdevices = 0;
        while (first_) {
            drop_in_count *c = first_;
            first_ = c->next;
            all += c->launches;
            vdevices += c->why ? 0 : c->launches;
            fprintf(stderr, "rk: %s (%s:%u): %llu %s%s%s\n", c->site->name, c->site->file,
                    c->site->line, c->launches, c->launches == 1 ? "launch" : "launches",
                    c->why ? " as they were: " : " as vDevices", c->why ? c->why : "");
            delete c->site;
            delete c;
        }
        if (asked_)
            fprintf(stderr, "rk: %llu of %llu launches ran as vDevices\n", vdevices, all);
    }

    bool asked_;
    drop_in_count *first_ = nullptr;
};

/** A number from the environment; 0 when it is not there. */
inline unsigned drop_in_number(const char *name)
{
    const char *text = getenv(name);
    const long value = text ? strtol(text, nullptr, 10) : 0;
    return value > 0 && value < 1L << 30 ? (unsigned)value : 0;
}

/** How a launch runs as a vDevice. */
struct drop_in_plan {
    unsigned veus, veu_threads;
    const char *why; /**< it cannot: the legacy launch runs instead, and fails where it has to */
};

/**
 * Whether CUDA takes the legacy launch, and what the vDevice's kernel needs for it. What fails here is not
 * seen by the program: the legacy launch gives CUDA's own error.
 */
inline drop_in_plan drop_in_prepare(const void *legacy, const void *vdevice,
                                    const push_launch &launch, unsigned veus)
{
    cudaFuncAttributes a, v;
    const unsigned long long threads =
        (unsigned long long)launch.block.x * launch.block.y * launch.block.z;
    if (cudaFuncGetAttributes(&a, legacy) != cudaSuccess)
        return {0, 0, "the launch has an error"};
    const bool good = threads > 0 && threads <= (unsigned)a.maxThreadsPerBlock &&
                      launch.block.x <= 1024 && launch.block.y <= 1024 && launch.block.z <= 64 &&
                      launch.grid.x > 0 && launch.grid.x <= 0x7FFFFFFFu && launch.grid.y > 0 &&
                      launch.grid.y <= 65535 && launch.grid.z > 0 && launch.grid.z <= 65535 &&
                      launch.shared <= (size_t)a.maxDynamicSharedSizeBytes;
    if (!good)
        return {0, 0, "the launch has an error"};
    if (cudaFuncGetAttributes(&v, vdevice) != cudaSuccess)
        return {0, 0, "the vDevice's kernel is not for this device"};
    drop_in_plan plan = {0, (unsigned)((threads + 31) / 32 * 32), nullptr};
    const unsigned wanted = drop_in_number("RK_VEU_THREADS") / 32 * 32;
    if (wanted > plan.veu_threads && wanted <= (unsigned)v.maxThreadsPerBlock)
        plan.veu_threads = wanted;
    if (plan.veu_threads > (unsigned)v.maxThreadsPerBlock)
        return {0, 0, "the block has too many threads for the registers of the vDevice's kernel"};
    if (launch.shared > (size_t)v.maxDynamicSharedSizeBytes &&
        cudaFuncSetAttribute(vdevice, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)launch.shared) != cudaSuccess) {
        cudaGetLastError();
        return {0, 0, "shared memory is too small for the vDevice's kernel"};
    }
    int device = 0, sms = 0, resident = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device) != cudaSuccess ||
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, vdevice, (int)plan.veu_threads,
                                                      launch.shared) != cudaSuccess ||
        resident == 0)
        return {0, 0, "no vEU fits the device"};
    const unsigned long long tasks =
        (unsigned long long)launch.grid.x * launch.grid.y * launch.grid.z;
    const unsigned most = veus ? veus : drop_in_number("RK_VEUS");
    plan.veus = (unsigned)sms * (unsigned)resident;
    if (most && plan.veus > most)
        plan.veus = most;
    if (plan.veus > tasks)
        plan.veus = (unsigned)tasks;
    return plan;
}

/** The legacy launch, with its attributes. */
inline cudaError_t drop_in_launch_legacy(const push_launch &launch, const void *legacy, void **args)
{
#if CUDART_VERSION >= 11080
    if (launch.config)
        return cudaLaunchKernelExC((const cudaLaunchConfig_t *)launch.config, legacy, args);
#endif
    return cudaLaunchKernel(legacy, launch.grid, launch.block, args, launch.shared, launch.stream);
}

/** `decltype(value(x))` is the type of a parameter x as it is in the type of its function. */
template <class T> T value(T);

/** Launches of kernels with parameters of types P. */
template <class... P> struct drop_in_call {
    /** The legacy launch, as it was. */
    template <class... A>
    static void keep(const drop_in_site &site, const char *why, void (*legacy)(P...), A &...args)
    {
        push_launch &launch = *push_launch::top();
        void *list[] = {address(args)..., nullptr};
        drop_in_counts::add(site, why);
        launch.result = drop_in_launch_legacy(launch, (const void *)legacy, list);
    }

    /** As a vDevice of `veus` vEUs, 0 for as many as RK_VEUS says or the device holds. */
    template <class... A>
    static void run(const drop_in_site &site, unsigned veus, void (*legacy)(P...),
                    void (*vdevice)(drop_in_grid, P...), A &...args)
    {
        push_launch &launch = *push_launch::top();
        const drop_in_plan plan =
            drop_in_prepare((const void *)legacy, (const void *)vdevice, launch, veus);
        if (plan.why) {
            keep(site, plan.why, legacy, args...);
            return;
        }
        drop_in_grid grid = {{launch.grid.x, launch.grid.y, launch.grid.z},
                             {launch.block.x, launch.block.y, launch.block.z},
                             launch.block.x * launch.block.y * launch.block.z,
                             (unsigned long long)launch.grid.x * launch.grid.y * launch.grid.z};
        void *list[] = {&grid, address(args)..., nullptr};
        drop_in_counts::add(site, nullptr);
        launch.result = cudaLaunchKernel((const void *)vdevice, dim3(plan.veus),
                                         dim3(plan.veu_threads), list, launch.shared, launch.stream);
    }

  private:
    template <class T> static void *address(T &value)
    {
        return (
            void *)&value; /* `__restrict__` is a qualifier, too, which no named cast takes away */
    }
};

} // namespace rk__

#include "gpu/drop_in_pointers.cuh"

#endif
