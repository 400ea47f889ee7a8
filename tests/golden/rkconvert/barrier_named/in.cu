// One kernel of each barrier case: whole warps, fewer lanes than a warp, part of a warp, a return before it, a
// count; and one without a barrier, which --barrier does not concern.
#include <cuda_runtime.h>

__device__ void turn(float *s, float *x)
{
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

__global__ void whole(float *x)
{
    __shared__ float s[256];
    turn(s, x + blockIdx.x * blockDim.x);
}

__global__ void sum(float *y, const float *x, int n)
{
    extern __shared__ float t[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    t[threadIdx.x] = x[i];
    __syncthreads();
    if (threadIdx.x == 0)
        for (int k = 0; k < blockDim.x && i + k < n; k++)
            y[blockIdx.x] += t[k];
}

__global__ void votes(int *count, const int *x)
{
    const int n = __syncthreads_count(x[threadIdx.x]);
    if (threadIdx.x == 0)
        *count = n;
}

__global__ void twice(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= 2;
}

void run(float *x, float *y, int *count, const int *votes_of, int n)
{
    whole<<<4, 256>>>(x);
    whole<<<4, 20>>>(x);
    whole<<<4, 100>>>(x);
    sum<<<(n + 63) / 64, 64, 64 * sizeof(float)>>>(y, x, n);
    votes<<<1, 96>>>(count, votes_of);
    twice<<<(n + 255) / 256, 256>>>(x, n);
}
