#ifndef RK_TORCH_PYTHON_H
#define RK_TORCH_PYTHON_H

/* How an extension names its functions to Python: read, and of no use to kernels. */

#include "tensor.h"

namespace pybind11 {
struct object {};
struct handle : object {};
struct bytes : object {};
struct dict : object {};
struct list : object {};
struct tuple : object {};
struct none : object {};
struct arg {
    constexpr arg(const char *) {}
    template <class T> arg operator=(const T &) const { return *this; }
};
namespace literals {
constexpr arg operator""_a(const char *name, size_t) { return arg(name); }
} // namespace literals
template <class... T> struct call_guard {};
struct gil_scoped_release {};
struct gil_scoped_acquire {};
template <class... T> struct init_t {};
template <class... T> init_t<T...> init();
struct module_ {
    template <class... T> module_ &def(const char *, const T &...) { return *this; }
    template <class T> void attr(const T &) {}
    const char *&doc();
    static module_ import(const char *name);
};
using module = module_;
template <class T, class... Rest> struct class_ {
    template <class... Names> class_(module_ &, const Names &...) {}
    template <class... A> class_ &def(const A &...) { return *this; }
    template <class... A> class_ &def_readwrite(const A &...) { return *this; }
    template <class... A> class_ &def_readonly(const A &...) { return *this; }
};
template <class T> struct enum_ {
    enum_(module_ &, const char *) {}
    enum_ &value(const char *, T) { return *this; }
    enum_ &export_values() { return *this; }
};
} // namespace pybind11
namespace py = pybind11;

#define PYBIND11_MODULE(name, variable)                                                            \
    static void C10_CONCATENATE(rk_torch_module_, name)(::pybind11::module_ & variable);           \
    static void C10_CONCATENATE(rk_torch_module_, name)(::pybind11::module_ & variable)

namespace torch {
namespace py = pybind11;

struct CppFunction {
    template <class T> CppFunction(const T &) {}
};
/** An operator library: what an extension registers in place of a Python module. */
struct Library {
    template <class... T> Library &def(const T &...) { return *this; }
    template <class... T> Library &impl(const T &...) { return *this; }
    template <class T> struct class_builder {
        template <class... A> class_builder &def(const A &...) { return *this; }
        template <class... A> class_builder &def_pickle(const A &...) { return *this; }
    };
    template <class T> class_builder<T> class_(const char *) { return {}; }
};
template <class T> inline const T &dispatch(int, const T &function) { return function; }
template <class... T> struct init_list {};
template <class... T> init_list<T...> init() { return {}; }
enum class DispatchKey { CPU, CUDA, Meta, Autograd, AutogradCUDA, CompositeExplicitAutograd };
} // namespace torch

#define TORCH_FN(function) function
#define TORCH_LIBRARY(name, variable)                                                              \
    static void C10_CONCATENATE(rk_torch_library_, name)(::torch::Library & variable);             \
    static void C10_CONCATENATE(rk_torch_library_, name)(::torch::Library & variable)
#define TORCH_LIBRARY_FRAGMENT(name, variable)                                                     \
    static void C10_CONCATENATE(rk_torch_fragment_, __LINE__)(::torch::Library & variable);        \
    static void C10_CONCATENATE(rk_torch_fragment_, __LINE__)(::torch::Library & variable)
#define TORCH_LIBRARY_IMPL(name, key, variable)                                                    \
    static void C10_CONCATENATE(rk_torch_impl_##name##_, key)(::torch::Library & variable);        \
    static void C10_CONCATENATE(rk_torch_impl_##name##_, key)(::torch::Library & variable)

#endif
