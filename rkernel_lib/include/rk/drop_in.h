#ifndef RK_DROP_IN_H
#define RK_DROP_IN_H

/* What a drop-in for the CPU (`rkconvert --drop-in --target cpu`) is made of, beside rk/cpu_cuda.h. */

#include "cpu_launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For the recorder, see rkernel_lib/cpu/record.h: why this thread's next launch is no vDevice, and what its
 * parameters point to. */
void rk_cpu_record_keep(const char *kernel, const char *why);
void rk_cpu_record_types(const char *types);

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
};

/** What a parameter points to: a number, or a vector of them; "x1" otherwise. */
template <class T, class = void>
struct drop_in_element {
    static constexpr char kind = 'x', size = '1';
};
template <class T>
struct drop_in_element<T, std::enable_if_t<std::is_arithmetic_v<T> && sizeof(T) <= 8>> {
    static constexpr char kind = std::is_floating_point_v<T> ? 'f'
                                 : std::is_signed_v<T>       ? 'i'
                                                             : 'u';
    static constexpr char size = char('0' + sizeof(T));
};
template <class T>
struct drop_in_element<T, std::void_t<decltype(T::x)>> : drop_in_element<decltype(T::x)> {
};

template <class T>
using drop_in_target = drop_in_element<std::remove_cv_t<std::remove_pointer_t<T>>>;

template <class... T>
inline const char *drop_in_types(const kernel_arguments<T...> &)
{
    static const char pairs[][2] = {{drop_in_target<T>::kind, drop_in_target<T>::size}..., {0, 0}};
    return &pairs[0][0];
}

/** The launch that was pushed as rTasks on vEUs: `body(rk_ctx)` runs one thread of one of them. */
template <bool Waits, class Args, class Body>
inline void drop_in_run(const kernel_site &site, const Args &args, const Body &body, unsigned veus)
{
    rk_cpu_record_types(drop_in_types(args));
    run_vdevice<Waits ? kernel_waits : 0u, void>(
        site, args,
        [body](auto &context) {
            drop_in_context<std::remove_reference_t<decltype(context)>> rk_ctx(context);
            body(rk_ctx);
        },
        veus);
}

/** Makes an instance of a kernel template, which the launcher in its place no longer does. */
template <class... A>
inline void drop_in_instance(void (*)(A...))
{
}

inline void drop_in_keep(const char *kernel, const char *why)
{
    rk_cpu_record_keep(kernel, why);
}

} // namespace rk
#endif

#endif
