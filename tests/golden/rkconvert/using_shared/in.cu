// Types of shared memory that the body finds by `using`: they move out of the body, and so does what finds them.
namespace tiles
{
template <int N> struct row {
    float v[N];
};
struct shape {
    static constexpr int n = 24;
};
template <class T> constexpr int extent = T::n;
namespace deep
{
struct pair {
    int a, b;
};
template <class T> __device__ constexpr int twice(T)
{
    return 2 * T::n;
}
}
}

template <class S> __global__ void directive(float *y)
{
    using namespace tiles;
    namespace d = tiles::deep;
    __shared__ float a[extent<S>];
    __shared__ d::pair p[2];
    {
        using tiles::row;
        __shared__ row<4> r;
        r.v[threadIdx.x % 4] = 1;
        a[0] = r.v[0];
    }
    p[threadIdx.x % 2].a = 1;
    __syncthreads();
    y[threadIdx.x] = a[0] + p[0].a + p[1].a;
}

namespace user
{
__device__ float by_call()
{
    using namespace tiles::deep;
    using tiles::shape;
    __shared__ float a[twice(shape{})];
    a[threadIdx.x] = 2;
    __syncthreads();
    return a[threadIdx.x ^ 1];
}
}

// Needs nothing of what it opens.
__global__ void plain(float *y)
{
    using namespace tiles;
    __shared__ float a[32];
    a[threadIdx.x] = user::by_call();
    __syncthreads();
    y[threadIdx.x] = a[31 - threadIdx.x];
}

void go(float *y)
{
    directive<tiles::shape><<<1, 32>>>(y);
    plain<<<1, 32>>>(y);
}
