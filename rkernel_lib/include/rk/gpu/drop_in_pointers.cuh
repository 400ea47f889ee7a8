#ifndef RK_DROP_IN_POINTERS_CUH
#define RK_DROP_IN_POINTERS_CUH

/*
 * Launches by a kernel's address, in a drop-in for CUDA. The address stays the legacy kernel's, so that attributes,
 * occupancy and comparisons keep their meaning; a launch looks up the kernel's launcher by it.
 *
 *   auto f = &k<T>;          auto f = rk__::drop_in_kernel<decltype(&k<T>), &k<T>, &k_rk__launch<T>>::address();
 *   f<<<g, b, s, st>>>(A)    (rk__::push_launch(g, b, s, st), rk__::drop_in_launcher(f)(A))
 *   cudaLaunchKernel(f, ...) rk__::drop_in_cudaLaunchKernel(f, ...)
 */

#include <utility>

namespace rk__
{

/** A kernel whose address host code takes. */
class drop_in_entry
{
  public:
    drop_in_entry(const void *kernel, void (*call)(void **), const void *launcher)
        : call(call), launcher(launcher), kernel_(kernel), next_(first())
    {
        first() = this;
    }
    drop_in_entry(const drop_in_entry &) = delete;
    drop_in_entry &operator=(const drop_in_entry &) = delete;

    /** NULL when no address of the kernel was taken where its launcher is known. */
    static const drop_in_entry *find(const void *kernel)
    {
        const drop_in_entry *e = first();
        while (e && e->kernel_ != kernel)
            e = e->next_;
        return e;
    }

    void (*const call)(void **args); /**< calls the launcher with what these point to */
    const void *const launcher;

  private:
    static drop_in_entry *&first()
    {
        static drop_in_entry *entry = nullptr;
        return entry;
    }

    const void *kernel_;
    drop_in_entry *next_;
};

/** A kernel and its launcher, both of type F; known from before main on. */
template <class F, F Kernel, F Launcher> class drop_in_kernel;
template <class... P, void (*Kernel)(P...), void (*Launcher)(P...)>
class drop_in_kernel<void (*)(P...), Kernel, Launcher>
{
  public:
    static constexpr auto address() -> void (*)(P...)
    {
        return (void)&entry, Kernel;
    }

  private:
    template <size_t... I> static void call_with(void **args, std::index_sequence<I...>)
    {
        (void)args;
        Launcher(*(typename std::remove_reference<P>::type *)args[I]...);
    }
    static void call(void **args)
    {
        call_with(args, std::index_sequence_for<P...>());
    }
    static const drop_in_entry entry;
};
template <class... P, void (*Kernel)(P...), void (*Launcher)(P...)>
const drop_in_entry drop_in_kernel<void (*)(P...), Kernel, Launcher>::entry((const void *)Kernel,
                                                                         call,
                                                                         (const void *)Launcher);

/** What a launch by the address `kernel` calls. */
template <class... P> class drop_in_by_address
{
  public:
    explicit drop_in_by_address(void (*kernel)(P...)) : kernel_(kernel)
    {
    }
    void operator()(P... args) const
    {
        const drop_in_entry *e = drop_in_entry::find((const void *)kernel_);
        if (e)
            ((void (*)(P...))e->launcher)(static_cast<P &&>(args)...);
        else
            drop_in_call<P...>::keep(drop_in_site{"a kernel by its address", "", 0, ""},
                                     "not known here", kernel_, args...);
    }

  private:
    void (*kernel_)(P...);
};
template <class... P> inline drop_in_by_address<P...> drop_in_launcher(void (*kernel)(P...))
{
    return drop_in_by_address<P...>(kernel);
}

/* The runtime API's launches. */

template <class T>
inline cudaError_t drop_in_cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **args,
                                            size_t shared = 0, cudaStream_t stream = 0)
{
    const drop_in_entry *e = args ? drop_in_entry::find((const void *)kernel) : nullptr;
    if (!e)
        return cudaLaunchKernel((const void *)kernel, grid, block, args, shared, stream);
    push_launch launch(grid, block, shared, stream);
    e->call(args);
    return launch.result;
}

#if CUDART_VERSION >= 11080
/**
 * Whether a vDevice may stand for a launch with these attributes. A kernel that may begin before the one in front of it
 * has ended may also begin after it.
 */
inline bool drop_in_takes(const cudaLaunchConfig_t *config)
{
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute &a = config->attrs[i];
        const bool cluster_of_one =
            a.id == cudaLaunchAttributeClusterDimension &&
            (unsigned long long)a.val.clusterDim.x * a.val.clusterDim.y * a.val.clusterDim.z == 1;
        const bool taken = a.id == cudaLaunchAttributeIgnore || cluster_of_one ||
                           a.id == cudaLaunchAttributeProgrammaticStreamSerialization ||
                           (a.id == cudaLaunchAttributeCooperative && !a.val.cooperative);
        if (!taken)
            return false;
    }
    return true;
}

template <class T>
inline cudaError_t drop_in_cudaLaunchKernelExC(const cudaLaunchConfig_t *config, T *kernel,
                                               void **args)
{
    const drop_in_entry *e =
        config && args && drop_in_takes(config) ? drop_in_entry::find((const void *)kernel) : nullptr;
    if (!e)
        return cudaLaunchKernelExC(config, (const void *)kernel, args);
    push_launch launch(config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream);
    launch.config = config;
    e->call(args);
    return launch.result;
}

template <class... P> struct drop_in_values {
    static cudaError_t launch(const cudaLaunchConfig_t *config, void (*kernel)(P...), P... values)
    {
        void *list[] = {(void *)&values..., nullptr};
        return drop_in_cudaLaunchKernelExC(config, kernel, list);
    }
};
template <class... P, class... A>
inline cudaError_t drop_in_cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                              void (*kernel)(P...), A &&...args)
{
    return drop_in_values<P...>::launch(config, kernel, static_cast<A &&>(args)...);
}
#endif

} // namespace rk__

#endif
