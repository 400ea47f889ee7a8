#include <cuda_runtime.h>
#include <float.h>
// A reduction that takes its operation as a template argument.
using reduce_function = float (*)(float);

__device__ float warp_sum(float x)
{
    for (int o = 16; o > 0; o /= 2)
        x += __shfl_xor_sync(0xffffffff, x, o);
    return x;
}

__device__ float warp_max(float x)
{
    for (int o = 16; o > 0; o /= 2)
        x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, o));
    return x;
}

// Needs no context of its own, and is called where others do.
__device__ float same(float x) { return x; }

template <reduce_function reduce_warp> __device__ float block_reduce(float x, float neutral)
{
    __shared__ float parts[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    x = reduce_warp(x);
    if (lane == 0)
        parts[warp] = x;
    __syncthreads();
    return reduce_warp(lane < blockDim.x / 32 ? parts[lane] : neutral);
}

template <int SCALE, float (*reduce)(float)> __device__ float scaled(float x)
{
    return SCALE * block_reduce<reduce>(x, 0);
}

__global__ void softmax(float *y, const float *x)
{
    const float v = x[threadIdx.x];
    const float most = block_reduce<warp_max>(v, -FLT_MAX);
    const float e = expf(v - most);
    y[threadIdx.x] = e / scaled<1, warp_sum>(e) + block_reduce<same>(v, 0);
}

// Functions that take no context stay what they are.
__device__ float twice(float x) { return 2 * x; }
template <reduce_function f> __device__ float apply(float x) { return f(x); }
__global__ void plain(float *y) { y[threadIdx.x] = apply<twice>(y[threadIdx.x]); }

void launch(float *y, const float *x)
{
    softmax<<<1, 256>>>(y, x);
    plain<<<1, 256>>>(y);
}
