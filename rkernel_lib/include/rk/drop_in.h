#ifndef RK_DROP_IN_H
#define RK_DROP_IN_H

/* What a drop-in for the CPU (`rkconvert --drop-in --target cpu`) is made of, beside rk/cpu_cuda.h. */

#include "cpu_launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Says why the next launch of `kernel` on this thread is no vDevice: codes of refusals. */
void rk_cpu_record_keep(const char *kernel, const char *why);

#ifdef __cplusplus
}

namespace rk {

/**
 * The context of an rKernel whose frame need not be known: each part of its static shared memory is an
 * object of its own, which the blocks of one OS thread use one after another.
 */
template <class Context>
class drop_in_context : public Context
{
public:
    explicit drop_in_context(const Context &context) : Context(context) {}

    template <class Part>
    Part &shared() const
    {
        alignas(Part) static thread_local unsigned char part[sizeof(Part)];
        return reinterpret_cast<Part &>(part);
    }
    auto group() const { return cpu_group<const drop_in_context>(*this); }
};

/** The launch that was pushed as rTasks on vEUs: `body(rk_ctx)` runs one thread of one of them. */
template <bool Waits, class Args, class Body>
inline void drop_in_run(const kernel_site &site, const Args &args, const Body &body, unsigned veus)
{
    run_vdevice<Waits ? kernel_waits : 0u, void>(
        site, args,
        [body](auto &context) {
            drop_in_context<std::remove_reference_t<decltype(context)>> rk_ctx(context);
            body(rk_ctx);
        },
        veus);
}

inline void drop_in_keep(const char *kernel, const char *why)
{
    rk_cpu_record_keep(kernel, why);
}

} // namespace rk
#endif

#endif
