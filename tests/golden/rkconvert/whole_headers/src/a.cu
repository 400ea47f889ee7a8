#include <cstdio>
#include <limits>
#include <functional>
using real = float;
#include "t.cuh"
#include "tables.h"
#include "more.inl"
enum Op {
#define ADD(name, n) op_##name = n,
#include "ops.h"
#undef ADD
};
#define ADD(name, n) __device__ inline int apply_##name(int x) { return x + n * op_##name; }
#include "ops.h"
#undef ADD
namespace lib
{
__device__ int scale(int x) { return ::from_cu(x) + hidden(); }
} // namespace lib
__device__ Pair pairs[2] = {{1, 2}, {3, 4}};
__constant__ float weights[4] = {1, 2, 3, 4};
int calls;
int later(real x) { return x + calls; }
float plain_host(point *p) { return p->x; }

template <class T> __global__ void refused(volatile T *y)
{
    while (*y == 0)
        ;
}
#define INSTANTIATE(T)                                \
    template __global__ void refused<T>(volatile T *); \
    template __global__ void fill<T>(T *)
INSTANTIATE(float);
#define FOR_EACH(macro) \
    macro(double);      \
    macro(long)
FOR_EACH(INSTANTIATE);
template __global__ void refused<int>(volatile int *);

__global__ void mixed(float *y)
{
    const int i = threadIdx.x;
    ::point p = {1, 2};
    y[i] += weights[i % 4] + pairs[i % 2].b + lib::weigh_all(lib::Value{i}) + lib::scale(i) + apply_one(i) + apply_two(i) +
            std::numeric_limits<Key>::max() + __LINE__ + p.x + lib::counted;
    for (const char *c = __FILE__; *c; c++)
        y[i] += *c;
}

int main()
{
    float *y, sum = 0;
    cudaMallocManaged(&y, 32 * sizeof *y);
    fill<<<1, 32>>>(y);
    tiles<<<1, 32>>>(y);
    mixed<<<1, 32>>>(y);
    cudaDeviceSynchronize();
    Pair pair;
    pair.set(3);
    std::hash<Key> h;
    point p = {4, 5};
    for (int i = 0; i < 32; i++)
        sum += y[i] * (i % 5 + 1);
    printf("%g %g %d %d %g\n", sum, pair.get(), (int)h(Key{4}), later(some(2)[1]), plain_host(&p));
    return cudaFree(y);
}
