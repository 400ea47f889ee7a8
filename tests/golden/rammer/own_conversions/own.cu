#include <cuda_runtime.h>

__global__ void whole(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = (int)x[i];
}

void launch_whole(const float *x, float *y, int n, cudaStream_t stream)
{
    whole<<<(n + 127) / 128, 128, 0, stream>>>(x, y, n);
}

__global__ void positive(float *x, int n)
{
    __shared__ unsigned all[4];
    if (threadIdx.x < n)
        all[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < n)
        x[threadIdx.x] = all[threadIdx.x];
}

void launch_positive(float *x, int n)
{
    positive<<<1, 32>>>(x, n);
}
