// Helpers shared by all kernels of the library.
#pragma once

#include <cuda_runtime.h>

#define WARP_SIZE 32
#define FULL_MASK 0xffffffffu

// Global linear thread index of a one-dimensional launch.
#define GLOBAL_INDEX (blockIdx.x * blockDim.x + threadIdx.x)

// for (int i = ...) over [0, n), however many blocks were launched.
#define GRID_STRIDE_LOOP(i, n)                                                                     \
    for (int i = (int)GLOBAL_INDEX; i < (n); i += (int)(blockDim.x * gridDim.x))

__host__ __device__ inline int ceil_div(int a, int b)
{
    return (a + b - 1) / b;
}

// Four consecutive floats, of which the first `left` are there; one 16-byte load where it can be.
__device__ __forceinline__ float4 load4(const float *p, int left, bool aligned)
{
    if (aligned && left >= 4)
        return *reinterpret_cast<const float4 *>(p);
    float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (left > 0)
        v.x = p[0];
    if (left > 1)
        v.y = p[1];
    if (left > 2)
        v.z = p[2];
    if (left > 3)
        v.w = p[3];
    return v;
}

__device__ __forceinline__ bool is_aligned16(const void *p)
{
    return (reinterpret_cast<size_t>(p) & 15) == 0;
}

__device__ __forceinline__ float dot4(float4 a, float4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// Sum over the 32 lanes of a full warp; every lane gets it.
__device__ __forceinline__ float warp_sum(float v)
{
    for (int step = WARP_SIZE / 2; step > 0; step /= 2)
        v += __shfl_xor_sync(FULL_MASK, v, step);
    return v;
}

// Maximum over the 32 lanes of a full warp; every lane gets it.
__device__ __forceinline__ float warp_max(float v)
{
    for (int step = WARP_SIZE / 2; step > 0; step /= 2)
        v = fmaxf(v, __shfl_xor_sync(FULL_MASK, v, step));
    return v;
}

// Sum over a block of BLOCK threads (a multiple of 32, one dimension); every thread gets it.
template <int BLOCK>
__device__ float block_sum(float v)
{
    static_assert(BLOCK % WARP_SIZE == 0 && BLOCK <= 1024, "whole warps");
    __shared__ float partial[BLOCK / WARP_SIZE];
    const int warp = threadIdx.x / WARP_SIZE;
    v = warp_sum(v);
    if (threadIdx.x % WARP_SIZE == 0)
        partial[warp] = v;
    __syncthreads();
    float total = 0.0f;
    for (int i = 0; i < BLOCK / WARP_SIZE; i++)
        total += partial[i];
    __syncthreads();
    return total;
}

// Maximum over a block of BLOCK threads, as block_sum.
template <int BLOCK>
__device__ float block_max(float v)
{
    static_assert(BLOCK % WARP_SIZE == 0 && BLOCK <= 1024, "whole warps");
    __shared__ float partial[BLOCK / WARP_SIZE];
    const int warp = threadIdx.x / WARP_SIZE;
    v = warp_max(v);
    if (threadIdx.x % WARP_SIZE == 0)
        partial[warp] = v;
    __syncthreads();
    float top = partial[0];
    for (int i = 1; i < BLOCK / WARP_SIZE; i++)
        top = fmaxf(top, partial[i]);
    __syncthreads();
    return top;
}
