#ifndef RK_CUDA_MMA_H
#define RK_CUDA_MMA_H

/*
 * CUDA's warp matrix functions on a CPU (the programming guide's appendix of them): a fragment is spread
 * over the 32 lanes of a warp, each holding as many elements, by row and then by column; the guide leaves open
 * which. Over the warp operations of rk/cpu/cpu_cuda.h. Products of narrow floats are exact and added in float, one after the other.
 */

#include "../cpu/cpu_bfloat16.h"
#include "../cpu/cpu_half.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace nvcuda
{
namespace wmma
{

enum layout_t { mem_row_major, mem_col_major };

struct row_major {
    static constexpr layout_t layout = mem_row_major;
};
struct col_major {
    static constexpr layout_t layout = mem_col_major;
};

struct matrix_a {
    static constexpr int rows(int m, int, int)
    {
        return m;
    }
    static constexpr int columns(int, int, int k)
    {
        return k;
    }
};
struct matrix_b {
    static constexpr int rows(int, int, int k)
    {
        return k;
    }
    static constexpr int columns(int, int n, int)
    {
        return n;
    }
};
struct accumulator {
    static constexpr int rows(int m, int, int)
    {
        return m;
    }
    static constexpr int columns(int, int n, int)
    {
        return n;
    }
};

namespace precision
{
struct tf32;
} // namespace precision

/** What an element is in memory, and what its products are added in. */
template <class T> struct element {
    using storage = T;
    using sum = float;
    static sum value(T stored)
    {
        return float(stored);
    }
};
template <> struct element<precision::tf32> {
    using storage = float;
    using sum = float;
    /** The multiplier does not see the lower 13 bits. */
    static sum value(float stored)
    {
        std::uint32_t bits;
        std::memcpy(&bits, &stored, sizeof bits);
        bits &= 0xffffe000u;
        std::memcpy(&stored, &bits, sizeof bits);
        return stored;
    }
};
template <class T> struct whole_element {
    using storage = T;
    using sum = long long;
    static sum value(T stored)
    {
        return stored;
    }
};
template <> struct element<signed char> : whole_element<signed char> {
};
template <> struct element<unsigned char> : whole_element<unsigned char> {
};
template <> struct element<int> : whole_element<int> {
};
template <> struct element<double> {
    using storage = double;
    using sum = double;
    static sum value(double stored)
    {
        return stored;
    }
};

template <class Use, int m, int n, int k, class T, class Layout = void> class fragment
{
  public:
    using element_type = T;
    using storage_element_type = typename element<T>::storage;
    enum {
        rows = Use::rows(m, n, k),
        columns = Use::columns(m, n, k),
        num_elements = rows * columns / 32,
        num_storage_elements = num_elements
    };
    static_assert((m == 16 && n == 16 && (k == 16 || k == 8)) || (m == 32 && n == 8 && k == 16) ||
                      (m == 8 && n == 32 && k == 16) || (m == 8 && n == 8 && k == 4),
                  "a shape that CUDA has");
    storage_element_type x[num_elements];
};

/** The calling lane: the only one that has an object of its own at its address. */
inline int mma_lane()
{
    const char own = 0;
    const std::uint64_t address = reinterpret_cast<std::uintptr_t>(&own);
    return __builtin_ctz(__match_any_sync(0xffffffffu, address));
}

template <int columns, class T> T *mma_address(T *matrix, unsigned leading, layout_t layout, int i)
{
    const std::size_t row = std::size_t(i / columns), column = std::size_t(i % columns);
    return matrix + (layout == mem_row_major ? row * leading + column : column * leading + row);
}

template <class Use, int m, int n, int k, class T, class Layout>
void mma_load(fragment<Use, m, n, k, T, Layout> &to, const typename element<T>::storage *matrix,
              unsigned leading, layout_t layout)
{
    const int first = mma_lane() * to.num_elements;
    for (int i = 0; i < to.num_elements; i++)
        to.x[i] = *mma_address<Use::columns(m, n, k)>(matrix, leading, layout, first + i);
}

template <class Use, int m, int n, int k, class T, class Layout>
void load_matrix_sync(fragment<Use, m, n, k, T, Layout> &to,
                      const typename element<T>::storage *matrix, unsigned leading)
{
    mma_load(to, matrix, leading, Layout::layout);
}

template <int m, int n, int k, class T>
void load_matrix_sync(fragment<accumulator, m, n, k, T> &to, const T *matrix, unsigned leading,
                      layout_t layout)
{
    mma_load(to, matrix, leading, layout);
}

template <int m, int n, int k, class T>
void store_matrix_sync(T *matrix, const fragment<accumulator, m, n, k, T> &from, unsigned leading,
                       layout_t layout)
{
    const int first = mma_lane() * from.num_elements;
    for (int i = 0; i < from.num_elements; i++)
        *mma_address<n>(matrix, leading, layout, first + i) = from.x[i];
}

template <class Use, int m, int n, int k, class T, class Layout, class Value>
void fill_fragment(fragment<Use, m, n, k, T, Layout> &to, const Value &value)
{
    for (int i = 0; i < to.num_elements; i++)
        to.x[i] = static_cast<typename element<T>::storage>(value);
}

template <class Sum> Sum mma_add(Sum a, Sum b, Sum sum)
{
    return sum + a * b;
}
inline double mma_add(double a, double b, double sum)
{
    return std::fma(a, b, sum);
}

/** The sum as an element; one that an int does not hold wraps around, or is the nearest int. */
template <class T, class Sum> T mma_result(Sum sum, bool saturate)
{
    if constexpr (std::is_same_v<T, int>) {
        constexpr Sum least = std::numeric_limits<int>::min(),
                      most = std::numeric_limits<int>::max();
        if (saturate)
            return int(sum < least ? least : sum > most ? most : sum);
        return int(unsigned(sum));
    } else {
        return static_cast<T>(sum);
    }
}

/** d = a * b + c. The lanes put their parts of a and b into the first lane's frame. */
template <int m, int n, int k, class TypeD, class TypeA, class LayoutA, class TypeB, class LayoutB,
          class TypeC>
void mma_sync(fragment<accumulator, m, n, k, TypeD> &d,
              const fragment<matrix_a, m, n, k, TypeA, LayoutA> &a,
              const fragment<matrix_b, m, n, k, TypeB, LayoutB> &b,
              const fragment<accumulator, m, n, k, TypeC> &c, bool saturate = false)
{
    using Sum = typename element<TypeA>::sum;
    struct operands {
        Sum a[m * k], b[k * n];
    } own;
    const int lane = mma_lane();
    auto *all = reinterpret_cast<operands *>(
        __shfl_sync(0xffffffffu, reinterpret_cast<std::uintptr_t>(&own), 0));
    for (int i = 0; i < a.num_elements; i++)
        all->a[lane * a.num_elements + i] = element<TypeA>::value(a.x[i]);
    for (int i = 0; i < b.num_elements; i++)
        all->b[lane * b.num_elements + i] = element<TypeB>::value(b.x[i]);
    __syncwarp();
    for (int i = 0; i < d.num_elements; i++) {
        const int at = lane * d.num_elements + i, row = at / n, column = at % n;
        Sum sum = Sum(c.x[i]);
        for (int j = 0; j < k; j++)
            sum = mma_add(all->a[row * k + j], all->b[j * n + column], sum);
        d.x[i] = mma_result<TypeD>(sum, saturate);
    }
    __syncwarp();
}

/** To the nearest value of 10 bits behind the point, ties away from zero, as cvt.rna.tf32 does. */
inline float __float_to_tf32(float value)
{
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7f800000u) != 0x7f800000u)
        bits = (bits + 0x1000u) & 0xffffe000u;
    std::memcpy(&value, &bits, sizeof bits);
    return value;
}

} // namespace wmma
} // namespace nvcuda

#endif
