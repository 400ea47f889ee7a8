#ifndef RK_DROP_IN_H
#define RK_DROP_IN_H

/* What a drop-in for the CPU (`rkconvert --drop-in --target cpu`) is made of, beside rk/cpu/cpu_cuda.h. */

#include "cpu/cpu_launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For the recorder, see rkernel_lib/runtime/cpu/launch_record.h: why this thread's next launch is no vDevice. */
void rk_cpu_record_keep(const char *kernel, const char *why);

#ifdef __cplusplus
}

namespace rk__
{

/**
 * The launch that was pushed as rTasks on vEUs: `body(rk__ctx)` runs one thread of one of them; with `Parts` a whole
 * block, too; with `Ordered` it may wait for lower-numbered rTasks.
 */
template <bool Waits, bool Parts, bool Ordered = false, class Args, class Body>
inline void drop_in_run(const kernel_site &site, const Args &args, const Body &body, unsigned veus)
{
    run_vdevice<(Waits ? kernel_waits : 0u) | (Parts ? kernel_parts : 0u) |
                    (Ordered ? kernel_ordered : 0u),
                separate_parts>(site, args, body, veus);
}

/** Makes an instance of a kernel template, which the launcher in its place no longer does. */
template <class... A> inline void drop_in_instance(void (*)(typename unrestricted<A>::type...))
{
}

/**
 * A kernel whose address host code takes, and its launcher, both of type F: what the program does with that address
 * runs the launcher from before main on.
 */
template <class F, F Kernel, F Launcher> struct drop_in_kernel {
    static constexpr F address()
    {
        return (void)&known, Kernel;
    }

  private:
    static const bool known;
};
template <class F, F Kernel, F Launcher>
const bool drop_in_kernel<F, Kernel, Launcher>::known =
    (rk_cpu_launcher_add(reinterpret_cast<const void *>(kernel(Kernel)),
                         reinterpret_cast<const void *>(Launcher)),
     true);

/** What a launch by a kernel's address calls. */
template <class... A> inline auto drop_in_launcher(void (*kernel)(A...)) -> void (*)(A...)
{
    return reinterpret_cast<void (*)(A...)>(
        const_cast<void *>(rk_cpu_launcher_of(reinterpret_cast<const void *>(kernel))));
}

inline void drop_in_keep(const char *kernel, const char *why)
{
    rk_cpu_record_keep(kernel, why);
}

} // namespace rk__
#endif

#endif
