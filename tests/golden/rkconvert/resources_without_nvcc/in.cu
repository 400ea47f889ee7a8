#include <cuda_runtime.h>

// Reads a built-in.
__device__ int lane()
{
    return threadIdx.x % 32;
}

// Reads none itself, but what it calls does.
static __device__ __forceinline__ bool first_lane(void)
{
    return lane() == 0;
}

// Needs nothing.
__device__ float twice(float x) { return 2 * x; }

template <class T> __device__ T warp_sum(T v)
{
    for (int o = 16; o > 0; o /= 2)
        v += __shfl_down_sync(0xffffffffu, v, o);
    return v;
}

__global__ void sum(float *out, const float *in)
{
    float v = warp_sum<float>(twice(in[blockIdx.x * 32 + threadIdx.x]));
    if (first_lane())
        out[blockIdx.x] = v;
}

void launch(float *out, const float *in, int n) { sum<<<n, 32>>>(out, in); }
