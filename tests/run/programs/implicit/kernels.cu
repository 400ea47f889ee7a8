// Defines kernel templates, and makes instances of them by launches alone.
#include "kernels.cuh"

namespace power
{
template <typename T, int Count> __global__ void raise(const T *in, T *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    T product = 1;
    for (int k = 0; k < Count; k++)
        product *= in[i % n];
    if (i < n)
        out[i] = product;
}
} // namespace power

template <typename T> __global__ void sum_of_block(const T *in, T *out)
{
    __shared__ T part[64];
    part[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    for (int half = 32; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

template <typename T> void cube_and_sum(const T *in, T *cubes, T *sums, int n)
{
    power::raise<T, 3><<<(n + 63) / 64, 64>>>(in, cubes, n);
    sum_of_block<<<n / 64, 64>>>(cubes, sums);
}

template void cube_and_sum<float>(const float *, float *, float *, int);
template void cube_and_sum<int>(const int *, int *, int *, int);
