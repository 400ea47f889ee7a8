#include <cuda_runtime.h>

extern "C" __global__ void one(float *x);

extern "C" __global__ void one(float *x)
{
    x[threadIdx.x] = 1;
}

extern "C" {
__device__ float two_at(const float *x) { return x[blockIdx.x]; }

__global__ void two(float *x)
{
    x[threadIdx.x] = two_at(x);
}

void launch_two(float *x)
{
    two<<<1, 32>>>(x);
}
}

extern "C" void launch_one(float *x) { one<<<1, 32>>>(x); }
