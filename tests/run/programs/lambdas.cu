// Lambdas on the device: made within kernels, capturing by value and by reference, and made by the host and
// passed to kernels.
// flags: --extended-lambda
// vdevice: 3 of 4, since a lambda that for_each calls uses a built-in variable
#include "check.h"

template <class Function> __global__ void for_each(int n, Function function)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        function(i);
}

template <class Function> static void launch(int n, Function function)
{
    for_each<<<check::blocks_for(n, 48), 48>>>(n, function);
    LAUNCH_OK();
}

// Its lambdas ask for nothing of the block.
template <class Function> __global__ void for_each_index(int n, Function function)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        function(i);
}

// Lambdas that use the built-in variables, a barrier and shared memory.
__global__ void inside(int *out)
{
    __shared__ int slots[40];
    auto rank = [] { return blockIdx.x * blockDim.x + threadIdx.x; };
    auto rotate = [&](int value, int by) {
        slots[threadIdx.x] = value;
        __syncthreads();
        int other = slots[(threadIdx.x + by) % blockDim.x];
        __syncthreads();
        return other;
    };
    int value = (int)rank();
    for (int by = 1; by < 4; by++)
        value = rotate(value, by) * 2;
    const int factor = 3;
    auto finish = [factor, value](int add) mutable { return value = factor * value + add; };
    out[rank()] = finish(1);
}

struct model {
    int bias = 4;
    void run(int *out, int n)
    {
        int factor = bias + 1;
        for_each_index<<<check::blocks_for(n, 48), 48>>>(
            n, [=] __device__(int i) { out[i] = factor * i; });
        LAUNCH_OK();
    }
};

int main()
{
    const int n = 203;
    check::buffer<int> out(n);
    int *to = out;
    std::vector<int> want(n);
    int scale = 6;
    launch(n, [=] __device__(int i) { to[i] = scale * i + (int)blockDim.x; });
    for (int i = 0; i < n; i++)
        want[i] = 6 * i + 48;
    check::same("captures", out.get(), want);

    auto twice = [] __host__ __device__(int x) { return 2 * x; };
    auto doubled = [=] __device__(int i) { to[i] = twice(to[i]); };
    for_each_index<<<check::blocks_for(n, 48), 48>>>(n, doubled);
    LAUNCH_OK();
    for (int &value : want)
        value = twice(value);
    check::same("called by a lambda", out.get(), want);

    model().run(to, n);
    for (int i = 0; i < n; i++)
        want[i] = 5 * i;
    check::same("from a method", out.get(), want);

    const int blocks = 3, threads = 40;
    check::buffer<int> inner(blocks * threads);
    inside<<<blocks, threads>>>(inner);
    LAUNCH_OK();
    std::vector<int> want_inner(blocks * threads);
    for (int i = 0; i < blocks * threads; i++)
        want_inner[i] = 3 * (8 * (i / threads * threads + (i % threads + 6) % threads)) + 1;
    check::same("inside", inner.get(), want_inner);
    return check::done();
}
