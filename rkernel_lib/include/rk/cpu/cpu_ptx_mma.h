#ifndef RK_CPU_PTX_MMA_H
#define RK_CPU_PTX_MMA_H

/*
 * PTX as functions (rk/cpu/cpu_ptx.h): `mma.sync`, D = A B + C with A of M rows and K columns, B of K rows and 8 columns.
 * A register has as many elements as fit, of one row of A or one column of B; four lanes have a row, eight such groups
 * the rows 0 to 7, further registers the rows from 8 on, and then what is further along K (PTX's "matrix fragments").
 * Products are exact and added in the type of the sum, one after the other.
 */

#include "cpu_ptx_warp.h"

namespace rk__
{

/* Elements: their bits, what they are added in, and their values. */

template <class Small> struct mma_half {
    enum { bits = 16 };
    using word = unsigned;
    using sum = float;
    static float value(unsigned stored)
    {
        return float(Small{std::uint16_t(stored)});
    }
};
struct mma_f16 : mma_half<ptx_half> {
    static unsigned stored(float value, bool)
    {
        return small_from_double(value, 5, 10, rounding::nearest);
    }
};
struct mma_bf16 : mma_half<ptx_bfloat16> {
};
struct mma_tf32 {
    enum { bits = 32 };
    using word = unsigned;
    using sum = float;
    /** The multiplier does not see the lower 13 bits. */
    static float value(unsigned stored)
    {
        return ptx_as<float>(stored & 0xffffe000u);
    }
};
template <int Bits, bool Signed> struct mma_integer {
    enum { bits = Bits };
    using word = unsigned;
    using sum = long long;
    static long long value(unsigned stored)
    {
        const int rest = 32 - Bits;
        return Signed ? (long long)(int(stored << rest) >> rest) : (long long)stored;
    }
};
using mma_s8 = mma_integer<8, true>;
using mma_u8 = mma_integer<8, false>;
using mma_s4 = mma_integer<4, true>;
using mma_u4 = mma_integer<4, false>;
template <class T> struct mma_element : T {
};
template <class T> struct mma_real {
    enum { bits = 8 * sizeof(T) };
    using word = T;
    using sum = T;
    static T value(T stored)
    {
        return stored;
    }
    static T stored(T value, bool)
    {
        return value;
    }
};
template <> struct mma_element<float> : mma_real<float> {
};
template <> struct mma_element<double> : mma_real<double> {
};
template <> struct mma_element<int> {
    enum { bits = 32 };
    using word = unsigned;
    using sum = long long;
    static long long value(unsigned stored)
    {
        return int(stored);
    }
    static unsigned stored(long long value, bool saturates)
    {
        return saturates ? unsigned(saturated<int>(double(value))) : unsigned(value);
    }
};

/** Element `i` of registers. */
template <class Element> typename Element::sum mma_value(const typename Element::word *words, int i)
{
    if constexpr (Element::bits >= 32) {
        return Element::value(words[i]);
    } else {
        constexpr int in_word = 32 / Element::bits;
        const unsigned word = words[i / in_word] >> (i % in_word * Element::bits);
        return Element::value(word & ((1u << Element::bits) - 1));
    }
}

/** What a lane holds of D. */
template <class Element, int Count> struct mma_result {
    typename Element::word words[Count];
};

/** The registers of one lane. */
template <class A, class B> struct mma_lane {
    const typename A::word *a;
    const typename B::word *b;
};

template <int M, int K, class TypeA, class TypeB, class TypeD, class TypeC, bool Saturates>
inline auto ptx_mma(const typename mma_element<TypeA>::word *a,
                    const typename mma_element<TypeB>::word *b,
                    const typename mma_element<TypeC>::word *c,
                    const char *file = __builtin_FILE(), unsigned line = __builtin_LINE())
{
    using A = mma_element<TypeA>;
    using B = mma_element<TypeB>;
    using C = mma_element<TypeC>;
    using D = mma_element<TypeD>;
    using sum = typename D::sum;
    constexpr int count = M * 8 / 32, in_d = D::bits < 32 ? 32 / D::bits : 1;
    constexpr int in_a = A::bits < 32 ? 32 / A::bits : 1, in_b = B::bits < 32 ? 32 / B::bits : 1;
    const mma_lane<A, B> own = {a, b}, *all[32];
    const mma_lane<A, B> **lanes = __shfl_sync(0xffffffffu, &all[0], 0, 32, file, line);
    const int lane = int(ptx_reg_laneid());
    lanes[lane] = &own;
    __syncwarp(0xffffffffu, file, line);
    mma_result<D, count / in_d> d = {};
    for (int i = 0; i < count; i++) {
        const int row = lane / 4, column = 2 * (lane % 4) + i % 2;
        sum total = sum(mma_value<C>(c, i));
        for (int k = 0; k < K; k++) {
            const int at_a = k % (4 * in_a), at_b = k % (4 * in_b);
            const int word_a = i / 2 + M / 8 * (k / (4 * in_a)), word_b = k / (4 * in_b);
            total += sum(mma_value<A>(lanes[4 * row + at_a / in_a]->a, word_a * in_a + at_a % in_a)) *
                     sum(mma_value<B>(lanes[4 * column + at_b / in_b]->b,
                                      word_b * in_b + at_b % in_b));
        }
        const auto stored = D::stored(total, Saturates);
        if constexpr (D::bits < 32)
            d.words[i / in_d] |= stored << (i % in_d * D::bits);
        else
            d.words[i] = stored;
    }
    __syncwarp(0xffffffffu, file, line); /* nobody goes on before all have read */
    return d;
}

} // namespace rk__

#endif
