#include <cuda_runtime.h>

__global__ void before(float *x, int n)
{
    __shared__ float s[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (i >= n)
        return;
    s[threadIdx.x] = x[i];
    __syncthreads();
    x[i] = s[0];
}

__global__ void after(float *x, int n)
{
    __shared__ float s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x >= n)
        return;
    x[threadIdx.x] = s[n - 1];
}

__global__ void in_loop(float *x, int n)
{
    for (int i = 0; i < n; i++) {
        __syncthreads();
        if (x[i] < 0)
            return;
    }
}

void launch(float *x, int n)
{
    before<<<(n + 63) / 64, 64>>>(x, n);
    after<<<1, 64>>>(x, n);
    in_loop<<<1, 64>>>(x, n);
}
