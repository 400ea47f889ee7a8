// Code that no call names, and that reads the built-ins or synchronises: constructors, destructors, operators,
// conversions and virtual functions, initial values of members and default arguments; in templates, too.
// vdevice: 0 of 4, since a drop-in's kernels share these functions with the program's own
#include "check.h"

__device__ int place(int add = threadIdx.x)
{
    return blockIdx.x * blockDim.x + add;
}

struct at_thread {
    int i, thread = threadIdx.x;
    __device__ at_thread() : i(blockIdx.x * blockDim.x + threadIdx.x)
    {
    }
    __device__ explicit at_thread(int add) : i(place()) { i += add * gridDim.x; }
};

struct reversed : at_thread {
    int from = blockDim.x - 1 - threadIdx.x;
    __device__ reversed() : at_thread(0)
    {
        i -= thread - from;
    }
};

template <class T> struct view {
    T *data;
    int count;
    __device__ T &operator[](int k) const
    {
        return data[(place() + k) % count];
    }
    __device__ T operator*() const
    {
        return data[threadIdx.x];
    }
    __device__ operator bool() const
    {
        return place() < count;
    }
    __device__ view &operator=(T value)
    {
        data[place()] = value;
        return *this;
    }
};

__global__ void constructors(int *out, int n)
{
    at_thread here, more[2];
    if (here.i < n)
        out[here.i] = at_thread(2).i + 1000 * reversed().i + more[1].thread;
}

template <class T> __global__ void operators(const T *x, T *out, int n)
{
    view<T> to{out, n};
    const view<const T> from{x, n};
    if (to)
        to = from[3] + 100 * *from;
}

struct stored {
    int *data, value;
    __device__ ~stored()
    {
        data[threadIdx.x] = value;
        __syncthreads();
    }
};

struct sums {
    __device__ int operator+(int value) const
    {
        return __shfl_xor_sync(~0u, value, 1) + value;
    }
};

__global__ void scopes(int *out, int n)
{
    __shared__ int kept[64];
    const int value = 3 * threadIdx.x;
    {
        stored end{kept, value};
    }
    const int next = kept[(threadIdx.x + 1) % blockDim.x] + (sums() + value);
    if (place() < n)
        out[place()] = next;
}

struct shape {
    virtual __device__ int corner() const
    {
        return threadIdx.x;
    }
};
struct square : shape {
    __device__ int corner() const override
    {
        return 2 * threadIdx.x + blockIdx.x;
    }
};

__global__ void virtuals(int *out, int n)
{
    square s;
    shape plain;
    const shape *of = threadIdx.x % 2 ? &s : &plain;
    if (place() < n)
        out[place()] = of->corner() + 1000 * s.corner();
}

int main()
{
    const int n = 1000, block = 64, grid = (n + block - 1) / block;
    std::vector<int> x(n), want(n);
    check::buffer<int> out(n);
    constructors<<<grid, block>>>(out, n);
    LAUNCH_OK();
    for (int i = 0; i < n; i++) {
        x[i] = i * 7 % 31;
        want[i] = i + 2 * grid + 1000 * (i / block * block + block - 1 - i % block) + i % block;
    }
    check::same("constructors", out.get(), want);

    check::buffer<int> in(x);
    operators<<<grid, block>>>((const int *)in, (int *)out, n);
    LAUNCH_OK();
    for (int i = 0; i < n; i++)
        want[i] = x[(i + 3) % n] + 100 * x[i % block];
    check::same("operators", out.get(), want);

    scopes<<<grid, block>>>(out, n);
    LAUNCH_OK();
    for (int i = 0; i < n; i++)
        want[i] = (i % block + 1) % block * 3 + i % block * 3 + (i % block ^ 1) * 3;
    check::same("scopes", out.get(), want);

    virtuals<<<grid, block>>>(out, n);
    LAUNCH_OK();
    for (int i = 0; i < n; i++) {
        const int t = i % block, corner = 2 * t + i / block;
        want[i] = (t % 2 ? corner : t) + 1000 * corner;
    }
    check::same("virtuals", out.get(), want);
    return check::done();
}
