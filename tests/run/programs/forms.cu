// Forms of kernels that are seldom met: loops over ranges that read the built-ins, tiles whose bounds are constants
// that are also passed by reference, restricted pointers that move, attributes and hidden launch bounds.
#include "check.h"

struct step_iterator {
    int at, step;
    __device__ int operator*() const
    {
        return at;
    }
    __device__ step_iterator &operator++()
    {
        at += step;
        return *this;
    }
    __device__ bool operator!=(const step_iterator &end) const
    {
        return at < end.at;
    }
};

struct grid_range {
    int count;
    __device__ step_iterator begin() const
    {
        return {int(threadIdx.x + blockIdx.x * blockDim.x), int(blockDim.x * gridDim.x)};
    }
    __device__ step_iterator end() const
    {
        return {count, 0};
    }
};

__global__ void numbered(int *y, int n)
{
    for (auto i : grid_range{n})
        y[i] = 3 * i;
}

// `min` takes the constant by reference, and the array needs it as a constant.
__global__ void reversed_tiles(const int *x, int *y, int n)
{
    int const tile = sizeof(unsigned long long) * 4;
    const int begin = blockIdx.x * tile;
    if (begin >= n)
        return;
    const int size = min(n - begin, tile);
    __shared__ int kept[tile];
    if (threadIdx.x < size)
        kept[threadIdx.x] = x[begin + threadIdx.x];
    __syncthreads();
    if (threadIdx.x < size)
        y[begin + threadIdx.x] = kept[size - 1 - threadIdx.x];
}

#define BOUNDS(...) __launch_bounds__(__VA_ARGS__)

// The parameters are moved, and kept across barriers.
template <int Tile>
[[maybe_unused]] BOUNDS(Tile *Tile) static __global__
    void product(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                 int n)
{
    __shared__ float left[Tile][Tile], right[Tile][Tile];
    const auto thread = threadIdx;
    a += (blockIdx.y * Tile + thread.y) * n + thread.x;
    b += thread.y * n + blockIdx.x * Tile + thread.x;
    c += (blockIdx.y * Tile + thread.y) * n + blockIdx.x * Tile + thread.x;
    float sum = 0;
    for (int k = 0; k < n; k += Tile, a += Tile, b += Tile * n) {
        left[thread.y][thread.x] = *a;
        right[thread.y][thread.x] = *b;
        __syncthreads();
        for (int i = 0; i < Tile; i++)
            sum += left[thread.y][i] * right[i][thread.x];
        __syncthreads();
    }
    *c = sum;
}

int main()
{
    const int n = 1000, side = 24;
    check::buffer<int> y(n);
    numbered<<<3, 64>>>(y, n);
    LAUNCH_OK();
    std::vector<int> want(n);
    for (int i = 0; i < n; i++)
        want[i] = 3 * i;
    check::same("a loop over a range", y.get(), want);

    check::buffer<int> reversed(n);
    reversed_tiles<<<40, 32>>>(y, reversed, n);
    LAUNCH_OK();
    std::vector<int> want_reversed(n);
    for (int i = 0; i < n; i++) {
        const int begin = i / 32 * 32, size = std::min(32, n - begin);
        want_reversed[i] = want[begin + size - 1 - (i - begin)];
    }
    check::same("tiles of a constant", reversed.get(), want_reversed);

    std::vector<float> a(side * side), b(side * side), want_c(side * side);
    for (int i = 0; i < side * side; i++) {
        a[i] = (float)(i % 7);
        b[i] = (float)(i % 5);
    }
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++)
            for (int k = 0; k < side; k++)
                want_c[i * side + j] += a[i * side + k] * b[k * side + j];
    check::buffer<float> left(a), right(b), c(side * side);
    product<8><<<dim3(side / 8, side / 8), dim3(8, 8)>>>(left, right, c, side);
    LAUNCH_OK();
    check::same("moving pointers", c.get(), want_c);
    return check::done();
}
