// Kernels as templates: of types, values, functors, template templates and packs, specialised, overloaded and
// in namespaces.
#include "check.h"

namespace maths
{
struct square {
    template <class T> __host__ __device__ T operator()(T x) const
    {
        return x * x;
    }
};

struct add {
    int by;
    __host__ __device__ int operator()(int x) const
    {
        return x + by;
    }
};

// Applies its functions from left to right.
template <class... Functions> struct chain;
template <> struct chain<> {
    template <class T> __host__ __device__ T operator()(T x) const
    {
        return x;
    }
};
template <class First, class... Rest> struct chain<First, Rest...> {
    First first;
    chain<Rest...> rest;
    template <class T> __host__ __device__ T operator()(T x) const
    {
        return rest(first(x));
    }
};

template <class T, class Function> __global__ void map(const T *in, T *out, int n, Function function)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = function(in[i]);
}
} // namespace maths

// The sum of any number of arrays.
template <class T> __device__ T sum_at(int)
{
    return T(0);
}
template <class T, class... Rest> __device__ T sum_at(int i, const T *first, Rest... rest)
{
    return first[i] + sum_at<T>(i, rest...);
}
template <class T, class... Arrays> __global__ void sum_of(T *out, int n, Arrays... arrays)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = sum_at<T>(i, arrays...);
}

// A kernel that a specialisation replaces, with shared memory of the template's size.
template <int N, bool REVERSE> __global__ void move(int *values)
{
    __shared__ int slots[N];
    slots[threadIdx.x] = values[blockIdx.x * N + threadIdx.x];
    __syncthreads();
    values[blockIdx.x * N + threadIdx.x] = slots[REVERSE ? N - 1 - threadIdx.x : (threadIdx.x + 1) % N];
}
template <> __global__ void move<1, false>(int *values)
{
    values[blockIdx.x] = -values[blockIdx.x];
}

template <template <class> class Box, class T> __global__ void unbox(const Box<T> *boxes, T *out)
{
    out[threadIdx.x] = boxes[threadIdx.x].value;
}
template <class T> struct padded {
    alignas(16) T value;
};

// Overloads.
__global__ void store(int *out, int value)
{
    out[threadIdx.x] = value;
}
__global__ void store(float *out, float value)
{
    out[threadIdx.x] = value / 2;
}

template <int N, bool REVERSE> static void check_move(int blocks)
{
    std::vector<int> values = check::values<int>(blocks * N, N), want(values.size());
    check::buffer<int> device(values);
    move<N, REVERSE><<<blocks, N>>>(device);
    LAUNCH_OK();
    for (int i = 0; i < blocks * N; i++)
        want[i] = N == 1 && !REVERSE ? -values[i] : values[i / N * N + (REVERSE ? N - 1 - i % N : (i % N + 1) % N)];
    check::same("move", device.get(), want);
}

int main()
{
    const int n = 501;
    std::vector<int> in = check::values<int>(n, 41), want(n);
    check::buffer<int> device(in), out(n);
    maths::chain<maths::add, maths::square, maths::add> function = {{2}, {{}, {{-7}, {}}}};
    maths::map<<<3, 64>>>((const int *)device, (int *)out, n, function);
    LAUNCH_OK();
    for (int i = 0; i < n; i++)
        want[i] = (in[i] + 2) * (in[i] + 2) - 7;
    check::same("chain", out.get(), want);

    maths::map<float, maths::square><<<1, 1>>>(nullptr, nullptr, 0, {});
    LAUNCH_OK();

    sum_of<int><<<check::blocks_for(n, 128), 128>>>(out, n, (int *)device, (int *)device, (int *)device);
    LAUNCH_OK();
    for (int i = 0; i < n; i++)
        want[i] = 3 * in[i];
    check::same("sum of three", out.get(), want);

    check_move<37, true>(3);
    check_move<64, false>(2);
    check_move<1, false>(9);
    check_move<1, true>(2);

    std::vector<padded<double>> boxes(20);
    std::vector<double> want_values(20);
    for (int i = 0; i < 20; i++)
        boxes[i].value = want_values[i] = 1.5 * i;
    check::buffer<padded<double>> device_boxes(boxes);
    check::buffer<double> values(20);
    unbox<padded, double><<<1, 20>>>(device_boxes, values);
    LAUNCH_OK();
    check::same("boxes", values.get(), want_values);

    check::buffer<float> halves(8);
    store<<<1, 8>>>(out, 4);
    store<<<1, 8>>>(halves, 5.0f);
    LAUNCH_OK();
    check::same("overload of int", out.get()[7], 4);
    check::same("overload of float", halves.get()[7], 2.5f);
    return check::done();
}
