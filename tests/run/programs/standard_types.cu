// libcu++'s types in device code: span, optional, tuple, array, variant, function objects, functions of integers.
// flags: -std=c++17
#include "check.h"

#include <cuda/cmath>
#include <cuda/functional>
#include <cuda/std/array>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/variant>

namespace cs = cuda::std;

__device__ cs::optional<int> half_of(int value)
{
    if (value % 2)
        return {};
    return value / 2;
}

__global__ void halves(cs::span<int> out)
{
    if (threadIdx.x < out.size())
        out[threadIdx.x] = half_of(int(threadIdx.x)).value_or(-1);
}

// The largest number and its place, by tuples through a warp.
template <class T> __global__ void largest(cs::span<const T> x, cs::array<int *, 2> out)
{
    cs::tuple<T, int> best{x[0], 0};
    for (int i = threadIdx.x; i < int(x.size()); i += 32)
        if (x[i] > cs::get<0>(best))
            best = {x[i], i};
    for (int by = 16; by > 0; by /= 2) {
        const T other = __shfl_down_sync(~0u, cs::get<0>(best), by);
        const int place = __shfl_down_sync(~0u, cs::get<1>(best), by);
        if (cuda::maximum<>()(other, cs::get<0>(best)) == other && other != cs::get<0>(best))
            best = {other, place};
    }
    auto [value, at] = best;
    if (threadIdx.x == 0) {
        *out[0] = int(value);
        *out[1] = at;
    }
}

__global__ void sizes(int *out, int n)
{
    cs::variant<int, float> kind = threadIdx.x % 2 ? cs::variant<int, float>(2.5f)
                                                   : cs::variant<int, float>(4);
    out[3 * threadIdx.x] = cuda::ceil_div(n, int(threadIdx.x) + 1);
    out[3 * threadIdx.x + 1] = cuda::round_up(n, 16) - cuda::round_down(n, 16);
    out[3 * threadIdx.x + 2] = kind.index() == 1 ? int(2 * cs::get<1>(kind)) : cs::get<0>(kind);
}

int main()
{
    const int n = 301;
    check::buffer<int> out(64);
    halves<<<1, 64>>>(cs::span<int>((int *)out, 50));
    LAUNCH_OK();
    std::vector<int> want(64);
    for (int i = 0; i < 64; i++)
        want[i] = i >= 50 ? 0 : i % 2 ? -1 : i / 2;
    check::same("optional", out.get(), want);

    std::vector<float> numbers(n);
    for (int i = 0; i < n; i++)
        numbers[i] = float(i * 37 % n);
    check::buffer<float> x(numbers);
    int *to = out;
    largest<float><<<1, 32>>>(cs::span<const float>((float *)x, n), {to, to + 1});
    LAUNCH_OK();
    check::same("largest", out.get()[0], n - 1);
    check::same("its place", numbers[size_t(out.get()[1])], float(n - 1));

    check::buffer<int> many(96);
    sizes<<<1, 32>>>(many, n);
    LAUNCH_OK();
    std::vector<int> all(96);
    for (int i = 0; i < 32; i++) {
        all[3 * i] = (n + i) / (i + 1);
        all[3 * i + 1] = 16;
        all[3 * i + 2] = i % 2 ? 5 : 4;
    }
    check::same("integers and variants", many.get(), all);
    return check::done();
}
