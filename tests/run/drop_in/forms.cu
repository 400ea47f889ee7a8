// Each way to declare, define and launch a kernel that a drop-in has to follow.
#include <cstdio>
#include <cuda_runtime.h>

__device__ int total; // one for both forms of a kernel

__global__ void declared(int *to, int n = 8);
extern "C" __global__ void with_c_linkage(int *to, int n);

namespace outer
{
namespace
{
__global__ void hidden(int *to)
{
    to[threadIdx.x] += 3;
}
} // namespace
template <class T, int N = 2> __global__ void scaled(T *to)
{
    __shared__ T values[64];
    values[threadIdx.x] = to[threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x] * T(N);
}
template __global__ void scaled<float, 5>(float *to);
} // namespace outer
using outer::scaled;

static __global__ void overloaded(int *to, int by)
{
    to[threadIdx.x] += by;
}
static __global__ void overloaded(float *to, float by)
{
    to[threadIdx.x] += by;
}

template <class... T> __global__ void packed(int *to, T... values)
{
    to[threadIdx.x] += (0 + ... + values);
}

struct adder {
    int by;
    __device__ void add(int *to) const
    {
        to[threadIdx.x] += by;
        __syncthreads();
    }
};
__global__ void by_method(int *to, adder a, int)
{
    if (threadIdx.x >= 40)
        return;
    a.add(to);
    __syncthreads();
    atomicAdd(&total, to[threadIdx.x]);
}

#define RANK() (threadIdx.x + blockDim.x * blockIdx.x)
#define STEP(to) step(to, 1)
__device__ void step(int *to, int by)
{
    to[RANK()] += by;
}
__global__ void through_macros(int *to)
{
    STEP(to);
}

__global__ void dynamic(int *to)
{
    extern __shared__ int cells[];
    cells[threadIdx.x] = to[threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = cells[(threadIdx.x + 1) % blockDim.x];
}

__global__ void declared(int *to, int n)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n)
        return;
    to[i] += __syncthreads_count(i < 4);
}
extern "C" __global__ void with_c_linkage(int *to, int n)
{
    const unsigned mask = __ballot_sync(0xffffffffu, (int)threadIdx.x < n);
    to[threadIdx.x] += __popc(mask);
}

#define LAUNCH(kernel, ...) kernel<<<1, 50>>>(__VA_ARGS__)

int main()
{
    int host[64], sum = 0, *to;
    float *real, floats[64];
    for (int i = 0; i < 64; i++)
        floats[i] = (float)(host[i] = i);
    cudaMalloc(&to, sizeof host);
    cudaMalloc(&real, sizeof floats);
    cudaMemcpy(to, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(real, floats, sizeof floats, cudaMemcpyHostToDevice);
    declared<<<2, 32>>>(to);
    declared<<<1, 64>>>(to, 64);
    with_c_linkage<<<1, 50>>>(to, 20);
    outer::hidden<<<1, 64>>>(to);
    scaled<int><<<1, 50>>>(to);
    scaled<float, 5><<<1, 64>>>(real);
    overloaded<<<1, 64>>>(to, 2);
    overloaded<<<1, 64>>>(real, 0.5f);
    packed<<<1, 64>>>(to, 1, 2, 3);
    packed<<<1, 64>>>(to);
    by_method<<<1, 50>>>(to, adder{4}, 0);
    through_macros<<<2, 32>>>(to);
    dynamic<<<1, 50, 64 * sizeof(int)>>>(to);
    LAUNCH(outer::hidden, to);
    void (*pointer)(int *) = outer::hidden;
    pointer<<<1, 64>>>(to);
    cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpy(floats, real, sizeof floats, cudaMemcpyDeviceToHost);
    int all = 0;
    cudaMemcpyFromSymbol(&all, total, sizeof all);
    float reals = 0;
    for (int i = 0; i < 64; i++) {
        sum = sum * 31 + host[i];
        reals += floats[i];
    }
    printf("%d %d %g\n", sum, all, (double)reals);
    return cudaDeviceSynchronize() != cudaSuccess;
}
