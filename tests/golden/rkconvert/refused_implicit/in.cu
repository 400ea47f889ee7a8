#include <cuda_runtime.h>

/* What runs where no text names it. */
template <class T> struct barrier_at_end {
    T *of;
    __device__ ~barrier_at_end() { __syncthreads(); }
};

struct holder {
    int rank = 1;
    barrier_at_end<int> inner;
};

struct place {
    int thread = threadIdx.x, block = 0;
};

struct places : place {
    int more[2];
};

struct walker {
    int at;
    __device__ int operator*() const { return at; }
    __device__ void operator++() { at += blockDim.x; }
    __device__ bool operator!=(const walker &end) const { return at < end.at; }
};

struct walk {
    int count;
    __device__ walker begin() const { return {0}; }
    __device__ walker end() const { return {count}; }
};

namespace apart
{
struct range {
    int count;
};
__device__ const int *begin(const range &) { return (const int *)nullptr + threadIdx.x; }
__device__ const int *end(const range &) { return nullptr; }
} // namespace apart

__global__ void destructor(int *y)
{
    barrier_at_end<int> at_end{y};
    y[threadIdx.x] = 1;
}

__global__ void member_destructor(int *y)
{
    holder both{};
    y[threadIdx.x] = both.rank;
}

template <class T> __global__ void member_value(T *y)
{
    places p;
    y[0] = p.thread;
}

__global__ void temporary_value(int *y) { y[0] = place{}.thread; }

__global__ void iterator(int *y)
{
    for (int i : walk{100})
        y[i] = i;
}

__global__ void free_begin(int *y)
{
    for (const int &i : apart::range{100})
        y[i] = i;
}

__global__ void default_argument(int *y)
{
    auto store = [=](int i = threadIdx.x) { y[i] = i; };
    store();
}

__global__ void plain(int *y)
{
    const place &not_made = *(const place *)y;
    y[threadIdx.x] = not_made.block;
}

void launch(int *y)
{
    destructor<<<1, 32>>>(y);
    member_destructor<<<1, 32>>>(y);
    member_value<<<1, 32>>>(y);
    temporary_value<<<1, 32>>>(y);
    iterator<<<1, 32>>>(y);
    free_begin<<<1, 32>>>(y);
    default_argument<<<1, 32>>>(y);
    plain<<<1, 32>>>(y);
}
