#ifndef RK_CPU_PTX_WARP_H
#define RK_CPU_PTX_WARP_H

/* PTX as functions (rk/cpu/cpu_ptx.h): conversions of numbers, and what a warp does together. */

#include "cpu_cuda.h"
#include "cpu_ptx_registers.h"
#include "cpu_small_float.h"

namespace rk__
{

/* Conversions. */

/** A number of 16 bits with this many exponent and fraction bits. */
template <int Exponent, int Fraction> struct ptx_small {
    std::uint16_t bits;

    explicit operator float() const
    {
        constexpr int ones = (1 << Exponent) - 1;
        const int exponent = bits >> Fraction & ones, fraction = bits & ((1 << Fraction) - 1);
        const float sign = bits & 0x8000 ? -1.0f : 1.0f;
        if (exponent == ones)
            return fraction ? __builtin_nanf("") : sign * __builtin_inff();
        const int hidden = exponent ? 1 << Fraction : 0;
        return sign * std::ldexp(float(hidden | fraction),
                                 (exponent ? exponent : 1) - ones / 2 - Fraction);
    }
};
using ptx_half = ptx_small<5, 10>;
using ptx_bfloat16 = ptx_small<8, 7>;

template <class T> struct ptx_is_small : std::false_type {
};
template <int E, int F> struct ptx_is_small<ptx_small<E, F>> : std::true_type {
};

template <rounding Mode, class T> inline T ptx_whole(T value)
{
    return Mode == rounding::nearest ? std::nearbyint(value)
           : Mode == rounding::zero  ? std::trunc(value)
           : Mode == rounding::up    ? std::ceil(value)
                                     : std::floor(value);
}

/** An exact value in a float type: nearest, and then one step when the rounding goes the other way. */
template <class To, rounding Mode, class From> inline To ptx_narrow(From value)
{
    using exact = std::conditional_t<std::is_integral_v<From>, __int128, From>;
    const To near = To(value);
    if (Mode == rounding::nearest || near != near || exact(near) == exact(value))
        return near;
    const bool above = exact(near) > exact(value);
    const bool up = Mode == rounding::up || (Mode == rounding::zero && value < From(0));
    if (above == up)
        return near;
    return std::nextafter(near, up ? std::numeric_limits<To>::infinity()
                                   : -std::numeric_limits<To>::infinity());
}

template <int E, int F, rounding Mode, class From>
inline ptx_small<E, F> ptx_narrow_small(From value)
{
    if constexpr (std::is_integral_v<From>)
        return {small_from_double(integer_to_odd(value), E, F, Mode)};
    else
        return {small_from_double(double(value), E, F, Mode)};
}

/** NaN is 0; with 64 bits on either side it is the highest bit alone. */
template <class To, class From> inline To ptx_to_integer(From whole)
{
    if (whole != whole && (sizeof(From) == 8 || sizeof(To) == 8))
        return To(1ull << (8 * sizeof(To) - 1));
    return saturated<To>(whole);
}

/** `Whole`: to an integer, in whatever type. */
template <class To, class From, rounding Mode, bool Whole, bool Saturate>
inline To ptx_convert(From from)
{
    if constexpr (ptx_is_small<From>::value) {
        return ptx_convert<To, float, Mode, Whole, Saturate>(float(from));
    } else if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
        const __int128 value = from, low = std::numeric_limits<To>::min(),
                       high = std::numeric_limits<To>::max();
        return To(!Saturate ? value : value < low ? low : value > high ? high : value);
    } else if constexpr (std::is_integral_v<To>) {
        return ptx_to_integer<To>(ptx_whole<Mode>(from));
    } else if constexpr (Whole) {
        return ptx_convert<To, From, rounding::nearest, false, Saturate>(ptx_whole<Mode>(from));
    } else if constexpr (Saturate) {
        return ptx_convert<To, From, Mode, false, false>(from > From(0) ? from < From(1) ? from : From(1)
                                                                        : From(0));
    } else if constexpr (std::is_same_v<To, ptx_half>) {
        return ptx_narrow_small<5, 10, Mode>(from);
    } else if constexpr (std::is_same_v<To, ptx_bfloat16>) {
        return ptx_narrow_small<8, 7, Mode>(from);
    } else {
        return ptx_narrow<To, Mode>(from);
    }
}

template <class To, class From, rounding Mode, bool Whole, bool Saturate, class A>
inline auto ptx_cvt(const A &from)
{
    const To value = ptx_convert<To, From, Mode, Whole, Saturate>(ptx_as<From>(from));
    if constexpr (ptx_is_small<To>::value)
        return value.bits;
    else
        return value;
}

/* What a warp does together. */

#define RK_CPU_PTX_PLACE const char *file = __builtin_FILE(), unsigned line = __builtin_LINE()

template <class T> struct ptx_shuffled {
    T value;
    bool in_range;
};

/** The value of the lane, or one's own when it is out of range. `control`: the last lane, and a segment's mask above. */
template <class T, class Mask>
inline ptx_shuffled<T> ptx_shuffle(T value, unsigned lane, bool in_range, Mask mask, const char *file,
                                   unsigned line)
{
    const unsigned from = in_range ? lane : ptx_reg_laneid();
    return {__shfl_sync(ptx_as<unsigned>(mask), value, int(from), 32, file, line), in_range};
}

struct ptx_segment {
    unsigned first, last, mask;
    explicit ptx_segment(unsigned control)
        : first(ptx_reg_laneid() & control >> 8 & 31), last(first | (control & 31 & ~(control >> 8))),
          mask(control >> 8 & 31)
    {
    }
};

template <class T, class B, class C, class Mask>
inline auto ptx_shfl_idx(T value, B b, C c, Mask mask, RK_CPU_PTX_PLACE)
{
    const ptx_segment s(ptx_as<unsigned>(c));
    const unsigned lane = s.first | (ptx_as<unsigned>(b) & 31 & ~s.mask);
    return ptx_shuffle(value, lane, lane <= s.last, mask, file, line);
}
template <class T, class B, class C, class Mask>
inline auto ptx_shfl_up(T value, B b, C c, Mask mask, RK_CPU_PTX_PLACE)
{
    const ptx_segment s(ptx_as<unsigned>(c));
    const unsigned own = ptx_reg_laneid(), by = ptx_as<unsigned>(b) & 31;
    return ptx_shuffle(value, own - by, own >= by && own - by >= s.last, mask, file, line);
}
template <class T, class B, class C, class Mask>
inline auto ptx_shfl_down(T value, B b, C c, Mask mask, RK_CPU_PTX_PLACE)
{
    const ptx_segment s(ptx_as<unsigned>(c));
    const unsigned lane = ptx_reg_laneid() + (ptx_as<unsigned>(b) & 31);
    return ptx_shuffle(value, lane, lane <= s.last, mask, file, line);
}
template <class T, class B, class C, class Mask>
inline auto ptx_shfl_bfly(T value, B b, C c, Mask mask, RK_CPU_PTX_PLACE)
{
    const ptx_segment s(ptx_as<unsigned>(c));
    const unsigned lane = ptx_reg_laneid() ^ (ptx_as<unsigned>(b) & 31);
    return ptx_shuffle(value, lane, lane <= s.last, mask, file, line);
}

template <class, class P, class Mask> inline bool ptx_vote_all(P p, Mask mask, RK_CPU_PTX_PLACE)
{
    return __all_sync(ptx_as<unsigned>(mask), bool(p), file, line) != 0;
}
template <class, class P, class Mask> inline bool ptx_vote_any(P p, Mask mask, RK_CPU_PTX_PLACE)
{
    return __any_sync(ptx_as<unsigned>(mask), bool(p), file, line) != 0;
}
template <class, class P, class Mask> inline bool ptx_vote_uni(P p, Mask mask, RK_CPU_PTX_PLACE)
{
    const unsigned lanes = ptx_as<unsigned>(mask), votes = __ballot_sync(lanes, bool(p), file, line);
    return votes == 0 || votes == lanes;
}
template <class, class P, class Mask> inline unsigned ptx_vote_ballot(P p, Mask mask, RK_CPU_PTX_PLACE)
{
    return __ballot_sync(ptx_as<unsigned>(mask), bool(p), file, line);
}
template <class T, class A, class Mask> inline unsigned ptx_match_any(A a, Mask mask, RK_CPU_PTX_PLACE)
{
    return __match_any_sync(ptx_as<unsigned>(mask), ptx_as<T>(a), file, line);
}

#define RK_CPU_PTX_REDUX(name)                                                                     \
    template <class T, class A, class Mask> inline T ptx_redux_##name(A a, Mask mask, RK_CPU_PTX_PLACE) \
    {                                                                                              \
        return __reduce_##name##_sync(ptx_as<unsigned>(mask), ptx_as<T>(a), file, line);           \
    }
RK_CPU_PTX_REDUX(add)
RK_CPU_PTX_REDUX(min)
RK_CPU_PTX_REDUX(max)
RK_CPU_PTX_REDUX(and)
RK_CPU_PTX_REDUX(or)
RK_CPU_PTX_REDUX(xor)
#undef RK_CPU_PTX_REDUX

/**
 * Count matrices of 8 rows of 8 numbers of 16 bits: lane 8 m + r has the address of row r of matrix m, and lane
 * 4 r + c gets elements 2 c and 2 c + 1 of its row r, or of column r.
 */
template <int Count, bool Transposed>
inline void ptx_ldmatrix(unsigned (&out)[Count], const char *row, RK_CPU_PTX_PLACE)
{
    const unsigned lane = ptx_reg_laneid(), r = lane / 4, c = 2 * (lane % 4);
    for (int m = 0; m < Count; m++) {
        std::uint16_t pair[2];
        for (unsigned i = 0; i < 2; i++) {
            const unsigned from = Transposed ? c + i : r, element = Transposed ? r : c + i;
            const char *at = __shfl_sync(0xffffffffu, row, m * 8 + int(from), 32, file, line);
            std::memcpy(&pair[i], at + sizeof pair[i] * element, sizeof pair[i]);
        }
        out[m] = unsigned(pair[1]) << 16 | pair[0];
    }
    __syncwarp(0xffffffffu, file, line); /* nobody writes before all have read */
}

#undef RK_CPU_PTX_PLACE

} // namespace rk__

#endif
