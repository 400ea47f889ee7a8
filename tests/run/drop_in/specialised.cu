// Explicit specialisations of device function templates whose bodies need the rTask's context.
#include <cstdio>
#include <cuda_runtime.h>

/* As cuda-samples' reduction has it: the general one by shuffles, one for int by another way. */
template <class T> __device__ __forceinline__ T warp_sum(unsigned mask, T value)
{
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(mask, value, offset);
    return value;
}

template <>
__device__ __forceinline__ int warp_sum<int>(unsigned mask, int value) // as its own
{
    for (int bit = 1; bit < 32; bit *= 2)
        value += __shfl_xor_sync(mask, value, bit);
    return value + 1000;
}

namespace tools {
template <int Size, class T> __device__ void fill(T *tile, T value)
{
    tile[threadIdx.x] = value;
}
template <> __device__ void fill<2>(float *tile, float value)
{
    __shared__ float other[64];
    other[threadIdx.x] = 2 * value;
    __syncthreads();
    tile[threadIdx.x] = other[63 - threadIdx.x];
}
template <> __device__ void fill<3, float>(float *tile, float value) { tile[threadIdx.x] = -value; }
} // namespace tools

template <class T> __global__ void sums(T *y, const T *x)
{
    const T sum = warp_sum<T>(0xffffffff, x[threadIdx.x]);
    if (threadIdx.x % 32 == 0)
        y[threadIdx.x / 32] = warp_sum(1u, T(0)) + sum;
}

__global__ void fills(float *y)
{
    tools::fill<1>(y, 1.0f * threadIdx.x);
    tools::fill<2>(y + 64, 1.0f * threadIdx.x);
    tools::fill<3, float>(y + 128, 1.0f * threadIdx.x);
}

template <class T> static void run()
{
    T host[64], *x, *y;
    for (int i = 0; i < 64; i++)
        host[i] = T(i * i % 11);
    cudaMalloc(&x, sizeof host);
    cudaMalloc(&y, 2 * sizeof *y);
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    sums<T><<<1, 64>>>(y, x);
    cudaMemcpy(host, y, 2 * sizeof *y, cudaMemcpyDeviceToHost);
    printf("%g %g\n", double(host[0]), double(host[1]));
}

int main()
{
    run<int>();
    run<float>();
    float host[192], *y;
    cudaMalloc(&y, sizeof host);
    fills<<<1, 64>>>(y);
    cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 192; i += 31)
        printf("%g ", host[i]);
    printf("\n");
    return cudaDeviceSynchronize();
}
