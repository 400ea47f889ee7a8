#include <cuda_runtime.h>

// What no call can pass the context to: it asks for it. First constructors, with what stands before their block.
#define HERE (blockIdx.x * blockDim.x + threadIdx.x)
__device__ float thread_of(float scale) { return scale * threadIdx.x; }
struct base {
    float scale;
    __host__ __device__ base(float s = gridDim.x);
};
struct slot : base {
    int i, thread = threadIdx.x;
    __device__ slot() : base(thread_of(2)), i(blockIdx.x * blockDim.x + threadIdx.x) {}
    __device__ explicit slot(int at) : i(at) { i += HERE; }
    template <class T> __device__ slot(T first, T last) : i(first + threadIdx.x % (last - first)) {}
};
__host__ __device__ base::base(float s) : scale(s) { scale *= blockDim.x; }
struct slots {
    slot first;
    slot second[2];
};
__global__ void constructor(float *x)
{
    slot here, at(2), both{1, 7}, *of = &here;
    slots all;
    x[of->i] = at.i + both.i + slot(3).i + all.second[1].i;
}

// Operators, conversions and a destructor, of templates too.
template <class T> struct view {
    T *data;
    __device__ T &operator[](int i) const { return data[i + blockIdx.x]; }
    __device__ operator T *() const { return data + threadIdx.x; }
    __device__ T operator*() const { return data[HERE]; }
    __device__ bool operator<(const view &other) const { return __any_sync(~0u, *data < *other.data); }
    __device__ ~view() { __syncthreads(); }
};
template <class T> __device__ T operator+(const view<T> &a, T b) { return a[threadIdx.x] + b; }
template <class T> __global__ void operators(T *x, T *y)
{
    view<T> a{x}, b{y};
    auto least = [&](int k) { return a < b ? a[k] : *b; };
    T *own = a;
    *own = least(3) + (b + T(1));
}

// Virtual functions, of objects and through pointers to classes that the source shows all of.
struct shape {
    virtual __device__ int corner() const { return threadIdx.x; }
};
struct square : shape {
    __device__ int corner() const override { return 2 * threadIdx.x; }
};
__global__ void virtual_method(float *x)
{
    square s;
    const shape *of = &s;
    x[threadIdx.x] = of->corner() + s.shape::corner();
}

// A class inside of a function, the steps of a loop over a range, default arguments.
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
__device__ int next(int k = threadIdx.x);
__device__ int next(int k) { return k + 1; }
__global__ void places(int *y)
{
    struct local {
        int rank = threadIdx.x;
        __device__ static int at() { return next() + thread_of(1); }
    };
    auto store = [=](int i = threadIdx.x) { y[i] = local().rank; };
    for (int i : walk{100})
        y[i] = local::at();
    store();
}
void launch(float *x, double *y, int *n)
{
    constructor<<<1, 32>>>(x);
    operators<<<1, 32>>>(x, x);
    operators<<<1, 32>>>(y, y);
    virtual_method<<<1, 32>>>(x);
    places<<<1, 32>>>(n);
}
