#ifndef RK_CPU_PROGRAM_FISSION_H
#define RK_CPU_PROGRAM_FISSION_H

/*
 * Kernels of a program as it is that have a second form (rk/cpu_fission.h):
 *
 *   rk__::run_kernel<flags>(site, args, [=]() mutable { BODY }, rk__::kept_types<T>(),
 *                         [=](rk__::legacy_block<flags> &rk__block) mutable { PARTS });
 */

#include "cpu_launch.h"

namespace rk__
{

/** A thread of such a kernel: where it is. */
template <unsigned Flags> class legacy_thread
{
    uint3 thread_ = {0, 0, 0}, block_;
    dim3 size_, grid_;

  public:
    /** Others than the kernel's own text do not read the built-ins. */
    static constexpr bool apart = (Flags & RK_CPU_SHADOWED) != 0;

    RK__INLINED inline legacy_thread(const uint3 &block, const dim3 &size, const dim3 &grid)
        : block_(block), size_(size), grid_(grid)
    {
    }
    RK__INLINED inline void set_thread(const uint3 &thread)
    {
        thread_ = thread;
        if constexpr (!apart)
            ::threadIdx = thread;
    }
    RK__INLINED inline uint3 thread_idx() const
    {
        return thread_;
    }
    RK__INLINED inline uint3 block_idx() const
    {
        return block_;
    }
    RK__INLINED inline dim3 block_dim() const
    {
        return size_;
    }
    RK__INLINED inline dim3 grid_dim() const
    {
        return grid_;
    }
};

template <unsigned Flags> using legacy_block = fission_block<legacy_thread<Flags>>;

/** As kernel_closure, with the second form. */
template <class Args, class Body, class Parts> struct fission_closure : kernel_closure<Args, Body> {
    Parts parts;

    fission_closure(const Args &args, const Body &body, const Parts &second)
        : kernel_closure<Args, Body>{args, body}, parts(second)
    {
    }
    static void copy(void *to, const void *self)
    {
        ::new (to) fission_closure(*static_cast<const fission_closure *>(self));
    }
    static void destroy(void *self)
    {
        static_cast<fission_closure *>(self)->~fission_closure();
    }
};

/** How the blocks of a kernel with a second form run. */
template <unsigned Flags, class Closure> struct fission_code {
    using fibers = legacy_code<Flags, Closure>;

    struct block {
        static RK__INLINED inline void run(const void *closure, const rk_cpu_call *call,
                                          const cpu_position &at, unsigned nx)
        {
            auto parts = static_cast<const Closure *>(closure)->parts;
            dim3 n = at.block_dim();
            n.x = nx;
            RK__SETS_ITSELF legacy_block<Flags> all(
                call, legacy_thread<Flags>(at.block_idx(), n, at.grid_dim()));
            parts(all);
        }
    };

    static void loop(const void *closure, rk_cpu_call *call, std::uint32_t count)
    {
        kept_memory.clear();
        block_loop<Flags, block>::loop(closure, call, count);
    }

    static constexpr rk_cpu_code code = {Flags,
                                         false,
                                         0,
                                         sizeof(Closure),
                                         alignof(Closure),
                                         fibers::code.arg_count,
                                         Closure::arguments,
                                         Closure::copy,
                                         Closure::destroy,
                                         fibers::enter,
                                         fibers::thread,
                                         loop};
};

/** A legacy kernel's own launch, with a second form. */
template <unsigned Flags, class Args, class Body, class Types, class Parts>
inline void run_kernel(const kernel_site &site, const Args &args, const Body &body, Types,
                       const Parts &parts)
{
#ifndef RK_CPU_NO_FISSION
    if constexpr (Types::plain) {
        using closure = fission_closure<Args, Body, Parts>;
        const closure work(args, body, parts);
        rk_cpu_call_kernel(&fission_code<Flags, closure>::code, &site, &work, 0);
        return;
    }
#endif
    (void)parts;
    run_kernel<Flags>(site, args, body);
}

} // namespace rk__

#endif
