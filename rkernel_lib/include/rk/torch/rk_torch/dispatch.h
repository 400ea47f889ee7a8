#ifndef RK_TORCH_DISPATCH_H
#define RK_TORCH_DISPATCH_H

/* AT_DISPATCH_...: a piece of code once for each of several types of elements, under `scalar_t`. */

#include "core.h"

#define AT_DISPATCH_SWITCH(TYPE, NAME, ...)                                                        \
    [&] {                                                                                          \
        constexpr const char *at_dispatch_name = NAME;                                             \
        const ::c10::ScalarType _st = ::at::detail::scalar_type(TYPE);                             \
        switch (_st) {                                                                             \
            __VA_ARGS__                                                                            \
        default:                                                                                   \
            AT_ERROR('"', at_dispatch_name, "\" not implemented for '", ::c10::toString(_st), "'"); \
        }                                                                                          \
    }()
#define AT_PRIVATE_CASE_TYPE_USING_HINT(TYPE, HINT, ...)                                           \
    case TYPE: {                                                                                   \
        using HINT __attribute__((unused)) = ::c10::impl::ScalarTypeToCPPTypeT<TYPE>;              \
        return __VA_ARGS__();                                                                      \
    }
#define AT_DISPATCH_CASE(TYPE, ...) AT_PRIVATE_CASE_TYPE_USING_HINT(TYPE, scalar_t, __VA_ARGS__)
#define AT_PRIVATE_CASE_TYPE(NAME, TYPE, type, ...) AT_DISPATCH_CASE(TYPE, __VA_ARGS__)

#define AT_DISPATCH_CASE_FLOATING_TYPES(...)                                                       \
    AT_DISPATCH_CASE(::c10::ScalarType::Double, __VA_ARGS__)                                       \
    AT_DISPATCH_CASE(::c10::ScalarType::Float, __VA_ARGS__)
#define AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(...)                                               \
    AT_DISPATCH_CASE(::c10::ScalarType::Half, __VA_ARGS__)                                         \
    AT_DISPATCH_CASE(::c10::ScalarType::BFloat16, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND(A, ...)                                                \
    AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(A, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND2(A, B, ...)                                            \
    AT_DISPATCH_CASE_FLOATING_TYPES_AND(A, __VA_ARGS__) AT_DISPATCH_CASE(B, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND3(A, B, C, ...)                                         \
    AT_DISPATCH_CASE_FLOATING_TYPES_AND2(A, B, __VA_ARGS__) AT_DISPATCH_CASE(C, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND4(A, B, C, D, ...)                                      \
    AT_DISPATCH_CASE_FLOATING_TYPES_AND3(A, B, C, __VA_ARGS__) AT_DISPATCH_CASE(D, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND_HALF(...)                                              \
    AT_DISPATCH_CASE_FLOATING_TYPES_AND(::c10::ScalarType::Half, __VA_ARGS__)
#define AT_DISPATCH_CASE_COMPLEX_TYPES(...)                                                        \
    AT_DISPATCH_CASE(::c10::ScalarType::ComplexDouble, __VA_ARGS__)                                \
    AT_DISPATCH_CASE(::c10::ScalarType::ComplexFloat, __VA_ARGS__)
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...)                                                       \
    AT_DISPATCH_CASE(::c10::ScalarType::Byte, __VA_ARGS__)                                         \
    AT_DISPATCH_CASE(::c10::ScalarType::Char, __VA_ARGS__)                                         \
    AT_DISPATCH_CASE(::c10::ScalarType::Int, __VA_ARGS__)                                          \
    AT_DISPATCH_CASE(::c10::ScalarType::Long, __VA_ARGS__)                                         \
    AT_DISPATCH_CASE(::c10::ScalarType::Short, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES(...)                                                            \
    AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND(A, ...)                                                     \
    AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(A, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND2(A, B, ...)                                                 \
    AT_DISPATCH_CASE_ALL_TYPES_AND(A, __VA_ARGS__) AT_DISPATCH_CASE(B, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND3(A, B, C, ...)                                              \
    AT_DISPATCH_CASE_ALL_TYPES_AND2(A, B, __VA_ARGS__) AT_DISPATCH_CASE(C, __VA_ARGS__)

#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...)                                                \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, ...)                                       \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES_AND_HALF(__VA_ARGS__))
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(TYPE, NAME, ...)                                        \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND(A, TYPE, NAME, ...)                                         \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES_AND(A, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND2(A, B, TYPE, NAME, ...)                                     \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES_AND2(A, B, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND3(A, B, C, TYPE, NAME, ...)                                  \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES_AND3(A, B, C, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND4(A, B, C, D, TYPE, NAME, ...)                               \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES_AND4(A, B, C, D, __VA_ARGS__))
#define AT_DISPATCH_COMPLEX_TYPES(TYPE, NAME, ...)                                                 \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(TYPE, NAME, ...)                                    \
    AT_DISPATCH_SWITCH(TYPE, NAME,                                                                 \
                       AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)                                \
                           AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...)                                                \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES_AND(A, TYPE, NAME, ...)                                         \
    AT_DISPATCH_SWITCH(TYPE, NAME,                                                                 \
                       AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__)                                \
                           AT_DISPATCH_CASE(A, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...)                                                     \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX(TYPE, NAME, ...)                                         \
    AT_DISPATCH_SWITCH(TYPE, NAME,                                                                 \
                       AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__)                                     \
                           AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND(A, TYPE, NAME, ...)                                              \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES_AND(A, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND2(A, B, TYPE, NAME, ...)                                          \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES_AND2(A, B, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND3(A, B, C, TYPE, NAME, ...)                                       \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES_AND3(A, B, C, __VA_ARGS__))
#define AT_DISPATCH_INDEX_TYPES(TYPE, NAME, ...)                                                   \
    AT_DISPATCH_SWITCH(                                                                            \
        TYPE, NAME,                                                                                \
        AT_PRIVATE_CASE_TYPE_USING_HINT(::c10::ScalarType::Int, index_t, __VA_ARGS__)              \
            AT_PRIVATE_CASE_TYPE_USING_HINT(::c10::ScalarType::Long, index_t, __VA_ARGS__))

namespace at {
namespace detail {
inline c10::ScalarType scalar_type(c10::ScalarType type)
{
    return type;
}
} // namespace detail
} // namespace at

#endif
