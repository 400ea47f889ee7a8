// Warp matrix functions: each shape, element type and layout against products on the host, with what a warp does to
// the elements of an accumulator in between.
// flags: -arch=sm_80
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "check.h"

using namespace nvcuda;

enum { warps = 2, tiles = 3 }; // tiles of a row of a, which are added up

// A block's warp w makes tile w of d = 2 * a * b + c; a is as wide as all tiles, b as high.
template <int m, int n, int k, class T, class Stored, class LayoutA, class LayoutB, class C, class D>
__global__ void product(const Stored *a, const Stored *b, const C *c, D *d, wmma::layout_t layout)
{
    const int w = threadIdx.y;
    wmma::fragment<wmma::matrix_a, m, n, k, T, LayoutA> part_a;
    wmma::fragment<wmma::matrix_b, m, n, k, T, LayoutB> part_b;
    wmma::fragment<wmma::accumulator, m, n, k, C> sum, start;
    wmma::fill_fragment(sum, C(0));
    const bool rows_a = std::is_same<LayoutA, wmma::row_major>::value;
    const bool rows_b = std::is_same<LayoutB, wmma::row_major>::value;
    for (int i = 0; i < tiles; i++) {
        const int from_a = w * m * k * tiles + (rows_a ? i * k : i * k * m);
        const int from_b = w * n * k * tiles + (rows_b ? i * k * n : i * k);
        wmma::load_matrix_sync(part_a, a + from_a, rows_a ? k * tiles : m);
        wmma::load_matrix_sync(part_b, b + from_b, rows_b ? n : k * tiles);
        wmma::mma_sync(sum, part_a, part_b, sum);
    }
    wmma::load_matrix_sync(start, c + w * m * n, layout == wmma::mem_row_major ? n : m, layout);
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] = sum.x[i] + sum.x[i] + start.x[i];
    wmma::store_matrix_sync(d + w * m * n, sum, layout == wmma::mem_row_major ? n : m, layout);
}

// Small whole numbers: every type here holds them, their products and sums.
template <class T> std::vector<T> whole(size_t count, uint32_t seed, int least)
{
    check::numbers from(seed);
    std::vector<T> made;
    for (size_t i = 0; i < count; i++)
        made.push_back(T(float(int(from.below(7)) + least)));
    return made;
}

template <int m, int n, int k, class T, class Stored, class LayoutA, class LayoutB, class C>
void multiply(const char *what, wmma::layout_t layout)
{
    const bool rows_a = std::is_same<LayoutA, wmma::row_major>::value;
    const bool rows_b = std::is_same<LayoutB, wmma::row_major>::value, rows_c = layout == wmma::mem_row_major;
    const int wide = k * tiles, least = std::is_same<Stored, unsigned char>::value ? 0 : -3;
    const auto a = whole<Stored>(warps * m * wide, 1, least), b = whole<Stored>(warps * n * wide, 2, least);
    const auto c = whole<C>(warps * m * n, 3, -3);
    check::buffer<Stored> device_a(a), device_b(b);
    check::buffer<C> device_c(c), device_d(warps * m * n);
    product<m, n, k, T, Stored, LayoutA, LayoutB, C, C>
        <<<1, dim3(32, warps)>>>((const Stored *)device_a, (const Stored *)device_b, (const C *)device_c, (C *)device_d, layout);
    LAUNCH_OK();
    std::vector<float> got, want;
    for (C value : device_d.get())
        got.push_back(float(value));
    for (int w = 0; w < warps; w++)
        for (int i = 0; i < m * n; i++) {
            const int row = rows_c ? i / n : i % m, column = rows_c ? i % n : i / m;
            float sum = 0;
            for (int j = 0; j < wide; j++)
                sum += float(a[w * m * wide + (rows_a ? row * wide + j : j * m + row)]) *
                       float(b[w * n * wide + (rows_b ? j * n + column : column * wide + j)]);
            want.push_back(2 * sum + float(c[w * m * n + i]));
        }
    check::same(what, got, want);
}

// 16 products of 127 * 127 on top of a sum that an int just holds.
__global__ void saturate(const signed char *ones, int *out, int start)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum, capped;
    wmma::load_matrix_sync(a, ones, 16);
    wmma::load_matrix_sync(b, ones, 16);
    wmma::fill_fragment(sum, start);
    wmma::mma_sync(capped, a, b, sum, true);
    wmma::store_matrix_sync(out, capped, 16, wmma::mem_row_major);
}

// Rounds to the ten bits that the multiplier sees, ties away from zero.
__global__ void narrow(const float *in, float *out)
{
    out[threadIdx.x] = wmma::__float_to_tf32(in[threadIdx.x]);
}

int main()
{
    using wmma::col_major;
    using wmma::row_major;
    const auto rows = wmma::mem_row_major, columns = wmma::mem_col_major;
    multiply<16, 16, 16, half, half, row_major, col_major, float>("half, float", rows);
    multiply<16, 16, 16, half, half, col_major, row_major, half>("half, half", columns);
    multiply<32, 8, 16, half, half, row_major, row_major, float>("half, 32x8", columns);
    multiply<8, 32, 16, __nv_bfloat16, __nv_bfloat16, col_major, col_major, float>("bfloat16, 8x32", rows);
    multiply<16, 16, 8, wmma::precision::tf32, float, row_major, col_major, float>("tf32", rows);
    multiply<8, 8, 4, double, double, row_major, col_major, double>("double", columns);
    multiply<16, 16, 16, signed char, signed char, row_major, col_major, int>("int8", rows);
    multiply<16, 16, 16, unsigned char, unsigned char, row_major, row_major, int>("uint8", rows);

    check::buffer<signed char> most(std::vector<signed char>(256, 127));
    check::buffer<int> capped(256);
    saturate<<<1, 32>>>(most, capped, 2147483647 - 1000);
    LAUNCH_OK();
    check::same("capped", capped.get(), std::vector<int>(256, 2147483647));

    check::buffer<float> wide({1.0f, 1.0f + 0x1p-11f, 1.0f + 0x1p-12f, -1.0f - 0x1p-11f, 3.0f + 0x1p-9f}), narrowed(5);
    narrow<<<1, 5>>>(wide, narrowed);
    LAUNCH_OK();
    check::same("tf32 values", narrowed.get(), {1.0f, 1.0f + 0x1p-10f, 1.0f, -1.0f - 0x1p-10f, 3.0f + 0x1p-9f});
    return check::done();
}
