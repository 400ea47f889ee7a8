// Sums over blocks, for the bugs of plants.txt: kernels whose second forms are cheap to build.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int size = 64, blocks = 3;

__global__ void reversed(const float *in, float *out)
{
    __shared__ float s[size];
    s[threadIdx.x] = in[blockIdx.x * size + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * size + threadIdx.x] = s[size - 1 - threadIdx.x];
}

__global__ void sums(const float *in, float *out, int n)
{
    __shared__ float s[size];
    float v = in[blockIdx.x * size + threadIdx.x];
    s[threadIdx.x] = v;
    if (threadIdx.x >= n)
        return;
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < size; i++) {
        sum += s[i];
        __syncthreads();
    }
    s[threadIdx.x] += 1;
    __syncthreads();
    out[blockIdx.x * size + threadIdx.x] = sum + v + s[n - 1];
}

int main()
{
    const int count = size * blocks;
    float *in, *out;
    cudaMallocManaged(&in, count * sizeof *in);
    cudaMallocManaged(&out, count * sizeof *out);
    for (int i = 0; i < count; i++) {
        in[i] = (float)(i % 17) / 16;
        out[i] = 0;
    }
    reversed<<<blocks, size>>>(in, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < count; i += 7)
        printf("%g\n", out[i]);
    sums<<<blocks, size>>>(in, out, size - 9);
    cudaDeviceSynchronize();
    for (int i = 0; i < count; i += 7)
        printf("%g\n", out[i]);
    return 0;
}
