#ifndef RK_CPU_LAUNCH_H
#define RK_CPU_LAUNCH_H

/*
 * Launches on the CPU, from the text that the converter writes to the workers that run the blocks. The
 * first part is C: what passes between kernels, streams, the recorder and the workers. The second is the C++
 * that converted programs are made of.
 *
 *   k<<<g, b, s, st>>>(A, n)          (rk__::push_launch(g, b, s, st), k(A, n))
 *   __global__ void k(float *A, int n) {
 *       rk__::run_kernel<flags>(rk__::kernel_site{"k", "app.cu", 12, "A, n"}, rk__::kernel_args(A, n),
 *                             [=]() mutable { BODY });
 *   }
 *   void k_rk__launch(float *A, int n) {
 *       rk__::run_vdevice<flags, Frame>(rk__::kernel_site{...}, rk__::kernel_args(A, n),
 *                                     [=](auto &rk__ctx) { k_rk(rk__ctx, A, n); });
 *   }
 *   (void *)k                         (void *)rk__::kernel(k)
 *
 * Environment: RK_WORKERS, OS threads that run blocks (default: the processors; 1 runs blocks in order,
 * x fastest); RK_SHUFFLE=<seed>, a random legal order; RK_FIBERS=1, fibers for every kernel; RK_VEUS and
 * RK_VEU_THREADS, the vEUs of a drop-in launch and the threads of each; RK_WATCHDOG, seconds until a run that does
 * not get on is told.
 */

#include "cpu_abi.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where a kernel is defined, and its parameters' names: "A, n". */
typedef struct {
    const char *name, *file;
    uint32_t line;
    const char *params;
} rk_cpu_site;

/** The value of a parameter. */
typedef struct {
    const void *address;
    uint64_t size;
    bool pointer;
    char kind;     /**< what it points to: 'f', 'i' and 'u' are numbers, 'x' is anything */
    uint8_t width; /**< of such a number, in bytes */
} rk_cpu_argument;

/** What is known of a kernel's code; bits. */
enum {
    RK_CPU_WAITS = 1,    /**< its threads may wait for each other, or it cannot be seen that they do not */
    RK_CPU_SHADOWED = 2, /**< only the body itself reads the built-ins, and from its parameter */
    RK_CPU_GRID_SYNC = 4, /**< waits for other blocks: runs only in a cooperative launch */
    RK_CPU_PARTS = 8,     /**< an rKernel that has a form for a whole block (rk/cpu_fission.h) */
    RK_CPU_ORDERED = 16   /**< an rKernel whose rTasks wait for lower-numbered ones */
};

/** A kernel as the runtime runs it: one for each instantiation. */
typedef struct {
    uint32_t flags;
    bool vdevice;           /**< an rKernel: its blocks are rTasks of persistent vEUs */
    uint64_t static_shared; /**< bytes of the vEU's buffer before dynamic shared memory */
    uint64_t closure_bytes, closure_align;
    uint32_t arg_count;
    void (*arguments)(const void *closure, rk_cpu_argument *out);
    void (*copy)(void *to, const void *closure);
    void (*destroy)(void *closure);
    /** Before the threads of a block run, on the OS thread that runs them. */
    void (*enter)(const rk_cpu_call *call);
    /** One thread of the block. */
    void (*thread)(const void *closure, const rk_cpu_call *call, uint32_t thread);
    /**
     * All threads of `count` blocks from call->rtask on, which it advances, one after another; NULL when
     * they may wait, unless the kernel has a form without (rk/cpu_fission.h). `enter` was called for the first.
     */
    void (*loop)(const void *closure, rk_cpu_call *call, uint32_t count);
} rk_cpu_code;

/** A launch that was checked: what a stream runs, or a capture keeps. */
typedef struct {
    const rk_cpu_code *code;
    rk_cpu_site site;
    uint32_t grid[3], block[3];
    uint64_t dynamic_shared; /**< bytes */
    void *stream;            /**< cudaStream_t */
    bool cooperative;        /**< all blocks run at once */
    uint32_t veus;           /**< of a vDevice; 0: as many as fit */
    const void *closure;     /**< parameters and body */
} rk_cpu_launch;

/** As the recorder sees a launch while it runs. */
typedef struct {
    const rk_cpu_launch *launch;
    const rk_cpu_argument *args;
    uint32_t arg_count;
    uint32_t veus, veu_threads; /**< of a vDevice; 0 when the blocks run as they are */
} rk_cpu_launch_info;

/** The configuration that the next kernel takes: `<<<grid, block, shared, stream>>>`. Nests. */
void rk_cpu_push_launch(const uint32_t grid[3], const uint32_t block[3], uint64_t shared,
                        void *stream, bool cooperative);

/**
 * What a kernel says of itself when it is called, first: the most threads of a block that its definition
 * allows, 0 for any, and the bytes of its own static shared memory.
 */
void rk_cpu_kernel_limits(uint32_t max_threads, uint64_t static_shared);

/**
 * What a kernel does when it is called: takes the configuration and lets rk_cuda_launch_check see it.
 * On a stream that is captured it gives rk_cuda_capture a copy to run later, else it runs the launch and
 * returns when it is done. Errors go to rk_cuda_report; without a configuration it is
 * cudaErrorMissingConfiguration. From inside a kernel, the launch runs when the grid that made it is done.
 * `veus`: of a vDevice; 0 for RK_VEUS, or what the device holds.
 */
void rk_cpu_call_kernel(const rk_cpu_code *code, const rk_cpu_site *site, const void *closure,
                        uint32_t veus);

/** Runs all blocks and returns when they are done. A fault is reported on stderr and breaks the device. */
void rk_cpu_launch_run(const rk_cpu_launch *launch);

/** A copy with its own closure; NULL when memory is short. */
rk_cpu_launch *rk_cpu_launch_copy(const rk_cpu_launch *launch);
void rk_cpu_launch_free(rk_cpu_launch *launch);

/** Writes code->arg_count arguments, which live as long as the launch. */
void rk_cpu_launch_arguments(const rk_cpu_launch *launch, rk_cpu_argument *out);

/** How many blocks of this many threads and bytes run at once on the device, in a cooperative launch. */
uint64_t rk_cpu_resident_blocks(uint64_t threads, uint64_t shared_bytes);

/** A kernel that host code holds the address of. */
typedef struct {
    const void *address;
    const char *name;
    uint32_t arg_count;
    const size_t *arg_sizes;
    void (*call)(const void *address, void **args); /**< kernel(*args[0], ...) */
} rk_cpu_function;

/**
 * Makes a kernel known to cudaLaunchKernel and others (rk_cuda_kernel_add), once. What `function` points
 * to is kept.
 */
void rk_cpu_function_add(const rk_cpu_function *function);

/**
 * Makes the function that runs a kernel's launches as vDevices known, once: cudaLaunchKernel and others call it in
 * place of the kernel. Both have the same type.
 */
void rk_cpu_launcher_add(const void *kernel, const void *launcher);

/** The launcher of a kernel; the kernel itself when it has none. */
const void *rk_cpu_launcher_of(const void *kernel);

/**
 * The calling thread's vEU while it runs a block, else NULL. Its functions are how device code waits;
 * rk/cpu/cpu_cuda.h has the CUDA names for them.
 */
rk_cpu_veu *rk_cpu_current_veu(void);

/** Whether the calling thread runs a block of a cooperative launch. */
bool rk_cpu_grid_cooperates(void);

/** Waits until all threads of the grid are here; a fault outside of a cooperative launch. */
void rk_cpu_grid_sync(const char *file, uint32_t line);

#ifdef __cplusplus
}

#include "../cpu_entry.h"

#include <cstring>
#include <initializer_list>
#include <new>
#include <type_traits>
#include <utility>

/**
 * The built-in variables of the thread that runs: whatever lets another thread run puts them back
 * afterwards.
 */
RK_CPU_CONSTINIT inline thread_local uint3 threadIdx = {}, blockIdx = {};
RK_CPU_CONSTINIT inline thread_local dim3 blockDim = {}, gridDim = {};

namespace rk__ {

using kernel_site = rk_cpu_site;

constexpr unsigned kernel_waits = RK_CPU_WAITS;
constexpr unsigned kernel_shadowed = RK_CPU_SHADOWED;
constexpr unsigned kernel_grid_sync = RK_CPU_GRID_SYNC;
constexpr unsigned kernel_parts = RK_CPU_PARTS;
constexpr unsigned kernel_ordered = RK_CPU_ORDERED;

/**
 * What a body may take as its parameter, to declare local built-ins that the compiler sees through:
 * `[=](rk__::built_ins rk__at) mutable { const ::uint3 threadIdx = rk__at.threadIdx; ... }`.
 */
struct built_ins {
    uint3 threadIdx, blockIdx;
    dim3 blockDim, gridDim;
};

/** What a parameter points to: a number, or a vector of them. */
template <class T, class = void>
struct pointed_to {
    static constexpr char kind = 'x';
    static constexpr std::uint8_t width = 1;
};
template <class T>
struct pointed_to<T, std::enable_if_t<std::is_arithmetic_v<T> && sizeof(T) <= 8>> {
    static constexpr char kind = std::is_floating_point_v<T> ? 'f'
                                 : std::is_signed_v<T>       ? 'i'
                                                             : 'u';
    static constexpr std::uint8_t width = sizeof(T);
};
template <class T>
struct pointed_to<T, std::void_t<decltype(T::x)>> : pointed_to<decltype(T::x)> {
};

/** A parameter, for the recorder. */
template <class T>
inline rk_cpu_argument argument_of(const T &value)
{
    using element = pointed_to<std::remove_cv_t<std::remove_pointer_t<T>>>;
    return {(const void *)&value, sizeof value, std::is_pointer_v<T>, element::kind, element::width};
}

/** A copy of a parameter. */
template <std::size_t I, class T>
struct kernel_argument {
    T value;
};

template <class Indices, class... T>
struct kernel_argument_list;

/** Copies of a kernel's parameters, for the recorder. No std::tuple, which is most of what a kernel takes to compile. */
template <std::size_t... I, class... T>
struct kernel_argument_list<std::index_sequence<I...>, T...> : kernel_argument<I, T>... {
    static constexpr std::uint32_t count = sizeof...(T);

    void list(rk_cpu_argument *out) const
    {
        (void)out;
        ((*out++ = argument_of(kernel_argument<I, T>::value)), ...);
    }
};

template <class... T>
using kernel_arguments = kernel_argument_list<std::index_sequence_for<T...>, T...>;

template <class... T>
inline kernel_arguments<T...> kernel_args(const T &...values)
{
    return {{values}...};
}

/** What `<<<grid, block, shared, stream>>>` becomes, before the kernel is called. */
inline void push_launch(dim3 grid, dim3 block, std::size_t shared = 0,
                        cudaStream_t stream = nullptr)
{
    const std::uint32_t g[3] = {grid.x, grid.y, grid.z}, b[3] = {block.x, block.y, block.z};
    rk_cpu_push_launch(g, b, shared, stream, false);
}

/** A variable in static shared memory. */
struct shared_part {
    std::uint64_t bytes, align;
};

/** As rk_cpu_kernel_limits. */
inline void kernel_limits(std::uint32_t max_threads, std::initializer_list<shared_part> parts)
{
    std::uint64_t end = 0;
    for (const shared_part &part : parts)
        end = (end + part.align - 1) / part.align * part.align + part.bytes;
    rk_cpu_kernel_limits(max_threads, end);
}

/** Start of the launch's dynamic shared memory: what `extern __shared__ T name[];` becomes. */
template <class T>
inline T *dynamic_shared()
{
    return reinterpret_cast<T *>(legacy_veu->shared);
}

/** A launch's parameters and body, as one object that a graph can keep. */
template <class Args, class Body>
struct kernel_closure {
    Args args;
    Body body;

    static void arguments(const void *self, rk_cpu_argument *out)
    {
        static_cast<const kernel_closure *>(self)->args.list(out);
    }
    static void copy(void *to, const void *self)
    {
        ::new (to) kernel_closure(*static_cast<const kernel_closure *>(self));
    }
    static void destroy(void *self) { static_cast<kernel_closure *>(self)->~kernel_closure(); }
};

/** Runs a legacy kernel's body for one thread, on a copy, because parameters are each thread's own. */
template <class Body>
inline void call_body(const Body &body, const built_ins &at)
{
    Body mine(body);
    if constexpr (std::is_invocable_v<Body &, const built_ins &>)
        mine(at);
    else
        mine();
}

#ifdef RK_CPU_DIVISIONS
/** `rkconvert cc --check` asked for divisions by zero to be told. */
extern "C" void rk_cpu_check_divisions(void);
inline const bool divisions_checked = (rk_cpu_check_divisions(), true);
#endif

#if defined(__SANITIZE_THREAD__)
#define RK_CPU_RACE_CHECKED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RK_CPU_RACE_CHECKED 1
#endif
#endif
#ifdef RK_CPU_RACE_CHECKED
/** Not there under the compiler's own ThreadSanitizer. */
extern "C" __attribute__((weak)) void rk_check_ignore(const void *address, std::size_t size);
#ifdef RK_CPU_CHECKS
/** RK_CPU_CHECKS: what `rkconvert cc --check` asked for, RK_CHECK_RACES and so on. */
extern "C" void rk_check_want(std::uint32_t what);
#endif

/** The checking modes take thread-local variables for __shared__ ones, but for these. */
inline void cpu_hide_built_ins()
{
    if (!rk_check_ignore)
        return;
#ifdef RK_CPU_CHECKS
    rk_check_want(RK_CPU_CHECKS);
#endif
    rk_check_ignore(&::threadIdx, sizeof ::threadIdx);
    rk_check_ignore(&::blockIdx, sizeof ::blockIdx);
    rk_check_ignore(&::blockDim, sizeof ::blockDim);
    rk_check_ignore(&::gridDim, sizeof ::gridDim);
    rk_check_ignore(&legacy_veu, sizeof legacy_veu);
    rk_check_ignore(&spins, sizeof spins);
    rk_check_ignore(&steps, sizeof steps);
}
#else
inline void cpu_hide_built_ins() {}
#endif

/*
 * Loops over a block's threads are compiled for processors with AVX-512 too, whose masked stores are fast.
 * The arguments of the compiler stay as they were given: -march would change what the host sees of types.
 */
#if defined(__x86_64__) && !defined(__AVX512VL__) && !defined(RK_CPU_RACE_CHECKED)
#define RK_CPU_WIDE "arch=x86-64-v4"

inline bool cpu_is_wide()
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

/** `Loop::all`, with all that it calls in it, for the processor that it finds itself on. */
template <class Loop>
struct for_processor {
    __attribute__((flatten)) static void narrow(const void *closure, rk_cpu_call *call,
                                                std::uint32_t count)
    {
        Loop::all(closure, call, count);
    }

#ifdef RK_CPU_WIDE
    /** Without masked stores `if (i < n)` keeps a loop from vectorising. */
    __attribute__((flatten, target(RK_CPU_WIDE))) static void wide(const void *closure,
                                                                   rk_cpu_call *call,
                                                                   std::uint32_t count)
    {
        Loop::all(closure, call, count);
    }

    static void loop(const void *closure, rk_cpu_call *call, std::uint32_t count)
    {
        if (cpu_is_wide())
            wide(closure, call, count);
        else
            narrow(closure, call, count);
    }
#else
    static constexpr auto loop = narrow;
#endif
};

/** Most threads in a block's first dimension that block_loop has fast code for. */
constexpr unsigned block_loop_threads = 4096;

/**
 * Runs blocks without fibers, one after another: `Block::run(closure, call, position, nx)` runs one, nx being its
 * first dimension. Indices are unsigned and so may wrap, which keeps compilers from vectorising: blocks where
 * they could have code of their own.
 */
template <unsigned Flags, class Block>
struct block_loop {
    __attribute__((noinline)) static void far(const void *closure, const rk_cpu_call *call)
    {
        Block::run(closure, call, cpu_position(call), call->block[0]);
    }

    static inline void all(const void *closure, rk_cpu_call *call, std::uint32_t count)
    {
        const unsigned nx = call->block[0];
        cpu_position at(call);
        for (std::uint32_t i = 0; i < count; i++, call->rtask++, at.next_block()) {
            if constexpr (!(Flags & RK_CPU_SHADOWED))
                ::blockIdx = at.block_idx();
            const unsigned bx = at.block_idx().x, start = bx * nx;
            if (nx <= block_loop_threads && start <= 0x7fffffffu - block_loop_threads &&
                std::uint64_t(bx) * nx == start)
                Block::run(closure, call, at, nx);
            else
                far(closure, call);
        }
    }

    static constexpr auto loop = for_processor<block_loop>::loop;
};

/** How the blocks of a legacy kernel run. */
template <unsigned Flags, class Closure>
struct legacy_code {
    static constexpr bool waits = (Flags & (RK_CPU_WAITS | RK_CPU_GRID_SYNC)) != 0;

    static void enter(const rk_cpu_call *call)
    {
        const cpu_position at(call);
        cpu_hide_built_ins();
        ::blockIdx = at.block_idx();
        ::blockDim = at.block_dim();
        ::gridDim = at.grid_dim();
        legacy_veu = call->veu;
        call->veu->kept = Flags & RK_CPU_SHADOWED ? nullptr : &::threadIdx.x;
    }

    static void thread(const void *closure, const rk_cpu_call *call, std::uint32_t index)
    {
        begin_thread();
        cpu_position at(call);
        at.set_thread(index);
        ::threadIdx = at.thread_idx();
        call_body(static_cast<const Closure *>(closure)->body,
                  built_ins{at.thread_idx(), at.block_idx(), at.block_dim(), at.grid_dim()});
    }

    /** A block as a loop: see block_loop. Works on copies, which what a kernel stores cannot alias. */
    struct block {
        static inline void run(const void *closure, const rk_cpu_call *, const cpu_position &at, unsigned nx)
        {
            const auto body = static_cast<const Closure *>(closure)->body;
            const uint3 index = at.block_idx();
            const dim3 n = at.block_dim(), grid = at.grid_dim();
            for (unsigned z = 0; z < n.z; z++)
                for (unsigned y = 0; y < n.y; y++)
                    if constexpr (Flags & RK_CPU_SHADOWED) {
                        RK_THREADS_APART
                        for (unsigned x = 0; x < nx; x++)
                            call_body(body, built_ins{uint3{x, y, z}, index, n, grid});
                    } else {
                        for (unsigned x = 0; x < nx; x++) {
                            ::threadIdx = uint3{x, y, z};
                            call_body(body, built_ins{uint3{x, y, z}, index, n, grid});
                        }
                    }
        }
    };

    static constexpr auto loop_or_null() -> decltype(rk_cpu_code::loop)
    {
        if constexpr (waits)
            return nullptr;
        else
            return block_loop<Flags, block>::loop;
    }

    static constexpr rk_cpu_code code = {Flags,
                                         false,
                                         0,
                                         sizeof(Closure),
                                         alignof(Closure),
                                         decltype(Closure::args)::count,
                                         Closure::arguments,
                                         Closure::copy,
                                         Closure::destroy,
                                         enter,
                                         thread,
                                         loop_or_null()};
};

/** How the rTasks of an rKernel run on a vEU. */
template <unsigned Flags, class Frame, class Closure>
struct vdevice_code {
    static constexpr bool waits = (Flags & RK_CPU_WAITS) != 0;
#ifdef RK_CPU_SPLIT
    static constexpr bool parts = (Flags & RK_CPU_PARTS) != 0;
#else
    static constexpr bool parts = false;
#endif
    using context = std::conditional_t<waits, cpu_fiber_context<Frame>, cpu_loop_context<Frame>>;

    static void enter(const rk_cpu_call *call)
    {
        cpu_hide_built_ins();
        legacy_veu = call->veu;
        call->veu->kept = nullptr;
    }

    static void thread(const void *closure, const rk_cpu_call *call, std::uint32_t index)
    {
        begin_thread();
        context rk__ctx(call);
        rk__ctx.set_thread(index);
        static_cast<const Closure *>(closure)->body(rk__ctx);
    }

    struct rtasks {
        static inline void all(const void *closure, rk_cpu_call *call, std::uint32_t count)
        {
            const auto body = static_cast<const Closure *>(closure)->body;
            for (std::uint32_t i = 0; i < count; i++, call->rtask++)
                if constexpr (!waits)
                    cpu_run_loop<Frame>(call, body);
                else if (!cpu_run_parts<Frame>(call, body))
                    cpu_run_fibers<Frame>(call, body);
        }
    };

    static constexpr auto loop_or_null() -> decltype(rk_cpu_code::loop)
    {
        if constexpr (waits && !parts)
            return nullptr;
        else
            return for_processor<rtasks>::loop;
    }

    static constexpr rk_cpu_code code = {Flags,
                                         true,
                                         cpu_dynamic_offset<Frame>(),
                                         sizeof(Closure),
                                         alignof(Closure),
                                         decltype(Closure::args)::count,
                                         Closure::arguments,
                                         Closure::copy,
                                         Closure::destroy,
                                         enter,
                                         thread,
                                         loop_or_null()};
};

/** A legacy kernel's own launch, with the configuration that was pushed; see the top of this file. */
template <unsigned Flags, class Args, class Body>
inline void run_kernel(const kernel_site &site, const Args &args, const Body &body)
{
    using closure = kernel_closure<Args, Body>;
    const closure work{args, body};
    rk_cpu_call_kernel(&legacy_code<Flags, closure>::code, &site, &work, 0);
}

/**
 * The same launch as rTasks on persistent vEUs. `Frame`: its static shared memory, void for none;
 * `veus`: their number as set at conversion.
 */
template <unsigned Flags, class Frame, class Args, class Body>
inline void run_vdevice(const kernel_site &site, const Args &args, const Body &body,
                        unsigned veus = 0)
{
    using closure = kernel_closure<Args, Body>;
    const closure work{args, body};
    rk_cpu_call_kernel(&vdevice_code<Flags, Frame, closure>::code, &site, &work, veus);
}

template <class... A, std::size_t... I>
inline void call_kernel(const void *function, void **args, std::index_sequence<I...>)
{
    (void)args;
    reinterpret_cast<void (*)(A...)>(const_cast<void *>(function))(
        *static_cast<std::remove_reference_t<A> *>(args[I])...);
}

template <class... A>
inline void call_kernel(const void *function, void **args)
{
    call_kernel<A...>(function, args, std::index_sequence_for<A...>());
}

/**
 * Every reference to a kernel but its launches by name, `name` being for reports: makes it known to
 * cudaLaunchKernel and others.
 */
template <class... A>
inline auto kernel(void (*function)(A...), const char *name = "kernel") -> void (*)(A...)
{
    static const std::size_t sizes[sizeof...(A) + 1] = {sizeof(A)...};
    const rk_cpu_function info = {reinterpret_cast<const void *>(function), name, sizeof...(A),
                                  sizes, call_kernel<A...>};
    rk_cpu_function_add(&info);
    return function;
}

template <class... A> inline const void *function_address(void (*function)(A...))
{
    return reinterpret_cast<const void *>(kernel(function));
}

} // namespace rk__

#endif

#endif
