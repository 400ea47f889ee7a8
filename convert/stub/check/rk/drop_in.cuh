/* Stands for the runtime's header while a drop-in's text is checked: see ../../language.h. */
#include <rk/kernel/end_barriers.h>
#include <rk/kernel/groups.h>
#include <rk/kernel/ranged.h>
namespace rk__ {

struct drop_in_grid {
};
struct drop_in_site {
    const char *name, *file;
    unsigned line;
    const char *params;
};
template <class T> T value(T);
template <class... P> struct drop_in_call {
    template <class... A>
    static void keep(const drop_in_site &, const char *, void (*)(P...), A &...);
    template <class... A>
    static void run(const drop_in_site &, unsigned, void (*)(P...), void (*)(drop_in_grid, P...),
                    A &...);
};
template <bool Barrier, bool Reduce, bool EarlyReturn, bool WarpReturns, class Body>
__device__ void drop_in_run(const drop_in_grid &, const Body &body)
{
    rk__parse::context context;
    body(context);
}
constexpr __host__ __device__ unsigned drop_in_bound(unsigned long long threads)
{
    return unsigned(threads);
}

} // namespace rk__
