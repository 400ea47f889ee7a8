#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ float carry = 1;

__global__ void loops(float *x, int n)
{
    auto grid = cg::this_grid();
    for (int i = 0; i < n; i++) {
        x[threadIdx.x] += x[0];
        grid.sync();
    }
}

__global__ void branches(float *x, int n)
{
    if (n > 1)
        cg::this_grid().sync();
    x[threadIdx.x] = 1;
}

__global__ void loads(float *x)
{
    float first = x[0];
    cg::this_grid().sync();
    x[threadIdx.x] = first;
}

__global__ void changes(float *x, int n)
{
    int i = threadIdx.x;
    i += n;
    n--;
    cg::this_grid().sync();
    x[i] = n;
}

__global__ void addresses(float *x)
{
    int i = 1;
    atomicAdd(&i, 1);
    float last[2] = {1, 2};
    last[0] = i;
    cg::this_grid().sync();
    x[i] = last[0];
}

__global__ void shares(float *x)
{
    __shared__ float tile[32];
    tile[threadIdx.x] = x[threadIdx.x];
    cg::this_grid().sync();
    x[threadIdx.x] = tile[31 - threadIdx.x];
}

__global__ void returns(float *x, int n)
{
    if (x[threadIdx.x] < 0)
        return;
    for (int i = 0; i < n; i++)
        if (i == threadIdx.x)
            return;
    cg::this_grid().sync();
    x[threadIdx.x] = 1;
    if (n > 3)
        return;
    x[threadIdx.x] = 2;
}

__global__ void binds(float *x)
{
    float &first = x[0];
    static int calls;
    cg::this_grid().sync();
    x[threadIdx.x] = first + calls;
}

__global__ void counts(float *x)
{
    int n = 0;
    auto next = [&] { return n++; };
    x[next()] = 1;
    cg::this_grid().sync();
    x[next()] = 2;
}

__global__ void carries(float *x)
{
    if (threadIdx.x == 0)
        carry = x[0];
    cg::this_grid().sync();
    x[threadIdx.x] = carry;
}

#define WAIT cg::this_grid().sync()
__global__ void expands(float *x)
{
    x[threadIdx.x] = 1;
    WAIT;
    x[threadIdx.x] += x[0];
}

__global__ void taken_phase0(float *x) { x[threadIdx.x] = 0; }
__global__ void taken(float *x)
{
    x[threadIdx.x] = 1;
    cg::this_grid().sync();
    x[threadIdx.x] += x[0];
}

template <int, class T> __global__ void unnamed(T *x)
{
    x[threadIdx.x] = 1;
    cg::this_grid().sync();
    x[threadIdx.x] += x[0];
}

__device__ void meet() { cg::this_grid().sync(); }
__global__ void helped(float *x)
{
    x[threadIdx.x] = 1;
    meet();
    x[threadIdx.x] += x[0];
}

struct pair {
    float a, b;
};
__device__ pair first_two(const float *x) { return {x[0], x[1]}; }
__global__ void decomposes(float *x)
{
    auto [a, b] = first_two(x);
    x[threadIdx.x] = a;
    cg::this_grid().sync();
    x[threadIdx.x] += b;
}

__global__ void chooses(float *x)
{
    const int i =
#ifdef WIDE
        2 *
#endif
        threadIdx.x;
    x[i] = 1;
    cg::this_grid().sync();
    x[i] += x[0];
}
