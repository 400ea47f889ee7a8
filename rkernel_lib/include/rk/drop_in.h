#ifndef RK_DROP_IN_H
#define RK_DROP_IN_H

/* What a drop-in for the CPU (`rkconvert --drop-in --target cpu`) is made of, beside rk/cpu_cuda.h. */

#include "cpu_launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For the recorder, see rkernel_lib/runtime/cpu/record.h: why this thread's next launch is no vDevice, and what its
 * parameters point to. */
void rk_cpu_record_keep(const char *kernel, const char *why);
void rk_cpu_record_types(const char *types);

#ifdef __cplusplus
}

namespace rk__
{

/** What a parameter points to: a number, or a vector of them; "x1" otherwise. */
template <class T, class = void> struct drop_in_element {
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

template <class... T> inline const char *drop_in_types(const kernel_arguments<T...> &)
{
    static const char pairs[][2] = {{drop_in_target<T>::kind, drop_in_target<T>::size}..., {0, 0}};
    return &pairs[0][0];
}

/**
 * The launch that was pushed as rTasks on vEUs: `body(rk__ctx)` runs one thread of one of them; with `Parts` a whole
 * block, too.
 */
template <bool Waits, bool Parts, class Args, class Body>
inline void drop_in_run(const kernel_site &site, const Args &args, const Body &body, unsigned veus)
{
    rk_cpu_record_types(drop_in_types(args));
    run_vdevice<(Waits ? kernel_waits : 0u) | (Parts ? kernel_parts : 0u), separate_parts>(
        site, args, body, veus);
}

/** Makes an instance of a kernel template, which the launcher in its place no longer does. */
template <class... A> inline void drop_in_instance(void (*)(typename unrestricted<A>::type...))
{
}

inline void drop_in_keep(const char *kernel, const char *why)
{
    rk_cpu_record_keep(kernel, why);
}

} // namespace rk__
#endif

#endif
