#ifndef RK_CPU_DEFINED_H
#define RK_CPU_DEFINED_H

/*
 * What PTX defines and C++ leaves undefined, for device code on a CPU. The converter puts these around the operands
 * that need them (convert/facts/undefined.h); all else is the compiler's, by flags (convert/cc/cpu_flags.h):
 *
 *   int i = f;           int i = rk__::rk__to<int>(f);
 *   i = f;               rk__::rk__in(i) = f;                in a template
 *   i += f;              rk__::rk__in(i) += f;
 *   x << n;              rk__::rk__bits(x) << n;
 *   x <<= n;             rk__::rk__in(x) <<= n;
 *   }                    return rk__::rk__unset(); }          of a function that gives something
 *
 * Where an operand turns out to be of another kind, in another instance of a template, each gives it as it is.
 * No branch: loops with them are vectorised. Their names are reserved, since they stand in macros whose parameters may be
 * called `to` and `in`.
 */

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#define RK_DEFINED __attribute__((always_inline)) constexpr

namespace rk__
{

template <class T> using bare = std::remove_cv_t<std::remove_reference_t<T>>;

template <class T, bool IsEnum> struct integer_of_type {
    using type = T;
};
template <class T> struct integer_of_type<T, true> {
    using type = std::underlying_type_t<T>;
};
/** The integer type behind an enumeration; any other type itself. */
template <class T> using integer_of = typename integer_of_type<T, std::is_enum_v<T>>::type;

/** Integers but bool, to which a conversion is a comparison with 0. */
template <class T>
constexpr bool is_whole = std::is_integral_v<integer_of<T>> && !std::is_same_v<integer_of<T>, bool>;

/**
 * cvt.rzi: what is out of range gives the nearest value in it; NaN gives 0 where a float becomes an integer of 32 bits,
 * else the integer's highest bit. T has 32 or 64 bits.
 */
template <class T, class F> RK_DEFINED T saturated(F x)
{
    using limits = std::numeric_limits<T>;
    using places = std::numeric_limits<F>;
    constexpr F low = static_cast<F>(limits::min());
    constexpr F above = static_cast<F>(T(1) << (limits::digits - 1)) * 2;
    constexpr bool exact = places::digits >= limits::digits;
    /* The largest value that is below: all ones where it has the digits, else as many as it has. */
    constexpr F most =
        exact ? above - 1
              : above - static_cast<F>(std::uint64_t(1) << (limits::digits > places::digits
                                                                ? limits::digits - places::digits
                                                                : 0));
    constexpr bool wide = sizeof(T) == 8 || sizeof(F) == 8;
    const F up = x >= low ? x : low; /* of NaN, too */
    const T inside = static_cast<T>(up < most ? up : most);
    const T whole = exact ? inside : x >= above ? limits::max() : inside;
    if constexpr (wide)
        return std::is_signed_v<T> ? whole /* low already */
               : x == x            ? whole
                                   : static_cast<T>(T(1) << (8 * sizeof(T) - 1));
    else
        return std::is_signed_v<T> ? x == x ? whole : T(0) : whole;
}

/** As nvcc converts: integers of less than 32 bits are the low ones of one of 32. */
template <class T, class F> RK_DEFINED T whole_of(F x)
{
    using I = integer_of<T>;
    if constexpr (sizeof(I) >= 4)
        return static_cast<T>(saturated<I>(x));
    else if constexpr (std::is_signed_v<I>)
        return static_cast<T>(static_cast<I>(saturated<std::int32_t>(x)));
    else
        return static_cast<T>(static_cast<I>(saturated<std::uint32_t>(x)));
}

template <class T, class X>
constexpr bool truncates = std::is_floating_point_v<bare<X>> &&is_whole<bare<T>>;

/**
 * A floating value that is to become a T; any other as it is. Scalars by value, which bit-fields have, too, but for a T
 * that is a reference to one.
 */
template <class T, class X,
          std::enable_if_t<std::is_scalar_v<X> && !std::is_lvalue_reference_v<T>, int> = 0>
RK_DEFINED auto rk__to(const X &x)
{
    if constexpr (truncates<T, X>)
        return whole_of<bare<T>>(x);
    else
        return x;
}
template <
    class T, class X,
    std::enable_if_t<!std::is_scalar_v<bare<X>> || std::is_lvalue_reference_v<T>, int> = 0>
RK_DEFINED X rk__to(X &&x)
{
    return static_cast<X &&>(x);
}
/** One of a class that becomes an F first. */
template <class T, class F> RK_DEFINED T rk__to_from(F x)
{
    return whole_of<T>(x);
}

/** shl and shr: amounts are unsigned, and from the width on shift all bits out. T is promoted. */
template <class T> RK_DEFINED T shifted_left(T x, std::uint32_t n)
{
    using U = std::make_unsigned_t<T>;
    constexpr std::uint32_t width = 8 * sizeof(T);
    return static_cast<T>(n < width ? static_cast<U>(static_cast<U>(x) << (n & (width - 1)))
                                    : U(0));
}
template <class T> RK_DEFINED T shifted_right(T x, std::uint32_t n)
{
    constexpr std::uint32_t width = 8 * sizeof(T);
    if constexpr (std::is_signed_v<T>)
        return x >> (n < width ? n : width - 1);
    else
        return n < width ? x >> (n & (width - 1)) : T(0);
}

template <class T>
constexpr bool is_shiftable = std::is_integral_v<bare<T>> ||
                              (std::is_enum_v<bare<T>> &&
                               std::is_convertible_v<bare<T>, integer_of<bare<T>>>);

/** The left operand of a shift. */
template <class T> struct shift_operand {
    T value;
};
template <class T, std::enable_if_t<is_shiftable<T>, int> = 0> RK_DEFINED auto rk__bits(const T &x)
{
    return shift_operand<bare<decltype(+x)>>{+x};
}
template <class T, std::enable_if_t<!is_shiftable<T>, int> = 0> RK_DEFINED T rk__bits(T &&x)
{
    return static_cast<T &&>(x);
}
template <class T, class N> RK_DEFINED auto operator<<(shift_operand<T> x, const N &n)
{
    if constexpr (is_shiftable<N>)
        return shifted_left(x.value, static_cast<std::uint32_t>(n));
    else
        return x.value << n;
}
template <class T, class N> RK_DEFINED auto operator>>(shift_operand<T> x, const N &n)
{
    if constexpr (is_shiftable<N>)
        return shifted_right(x.value, static_cast<std::uint32_t>(n));
    else
        return x.value >> n;
}

/** What a compound assignment changes. */
template <class T> struct assigned_place {
    T &place;

    template <class X> RK_DEFINED T &operator=(X &&x) const
    {
        if constexpr (truncates<T, X>)
            place = whole_of<bare<T>>(x);
        else
            place = static_cast<X &&>(x);
        return place;
    }
#define RK_COMPOUND(op)                                                                            \
    template <class X> RK_DEFINED T &operator op##=(const X &x) const                              \
    {                                                                                              \
        if constexpr (truncates<T, X>)                                                             \
            place = whole_of<bare<T>>(place op x);                                                 \
        else                                                                                       \
            place op## = x;                                                                        \
        return place;                                                                              \
    }
    RK_COMPOUND(+)
    RK_COMPOUND(-)
    RK_COMPOUND(*)
    RK_COMPOUND(/)
#undef RK_COMPOUND
#define RK_COMPOUND(op)                                                                            \
    template <class N> RK_DEFINED T &operator op##=(const N &n) const                              \
    {                                                                                              \
        place = static_cast<bare<T>>(rk__bits(place) op n);                                        \
        return place;                                                                              \
    }
    RK_COMPOUND(<<)
    RK_COMPOUND(>>)
#undef RK_COMPOUND
#define RK_COMPOUND(op)                                                                            \
    template <class X> RK_DEFINED T &operator op##=(const X &x) const                              \
    {                                                                                              \
        return place op## = x;                                                                     \
    }
    RK_COMPOUND(%)
    RK_COMPOUND(&)
    RK_COMPOUND(|)
    RK_COMPOUND(^)
#undef RK_COMPOUND
};
template <class T, std::enable_if_t<is_whole<bare<T>> && std::is_integral_v<bare<T>>, int> = 0>
RK_DEFINED assigned_place<T> rk__in(T &x)
{
    return {x};
}
template <class T, std::enable_if_t<!(is_whole<bare<T>> && std::is_integral_v<bare<T>>), int> = 0>
RK_DEFINED T rk__in(T &&x)
{
    return static_cast<T &&>(x);
}

/** What a function gives whose end is reached without a result. */
template <class T> RK_DEFINED T rk__unset_as()
{
    if constexpr (std::is_void_v<T>)
        return;
    else if constexpr (std::is_default_constructible_v<T>)
        return T();
    else
        __builtin_trap();
}
struct rk__unset {
    template <class T> RK_DEFINED operator T() const
    {
        return rk__unset_as<T>();
    }
};

} // namespace rk__

#endif
