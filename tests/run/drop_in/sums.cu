// Kernels whose rKernels can be got wrong in each of the ways of plants.txt.
#include <cstdio>
#include <cuda_runtime.h>

// The sum of what the threads of the block bring, at any depth of calls.
__device__ int block_sum(int *values, int value)
{
    values[threadIdx.x] = value;
    __syncthreads();
    int sum = 0;
    for (unsigned i = 0; i < blockDim.x; i++)
        sum += values[i];
    __syncthreads();
    return sum;
}

__global__ void sums(const int *from, int *to)
{
    __shared__ int values[96];
    __shared__ int squares[96];
    const int value = from[blockIdx.x * blockDim.x + threadIdx.x];
    const int sum = block_sum(values, value);
    squares[threadIdx.x] = value * value;
    values[threadIdx.x] = value;
    __syncthreads();
    const unsigned other = (threadIdx.x + 1) % blockDim.x;
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum + squares[other] - values[other];
}

__global__ void transposed(const int *from, int *to, int columns)
{
    __shared__ int tile[8][72];
    const int x = blockIdx.x * 8 + threadIdx.x, y = threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = from[y * columns + x];
    __syncthreads();
    to[x * 8 + y] = tile[y][threadIdx.x];
}

int main()
{
    const int n = 96 * 8;
    int host[n], *from, *to, *turned;
    for (int i = 0; i < n; i++)
        host[i] = i % 37;
    cudaMalloc(&from, sizeof host);
    cudaMalloc(&to, sizeof host);
    cudaMalloc(&turned, 2 * sizeof host);
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    sums<<<8, 96>>>(from, to);
    transposed<<<12, dim3(8, 8)>>>(to, turned, 96);
    cudaMemcpy(host, turned, sizeof host, cudaMemcpyDeviceToHost);
    unsigned hash = 0;
    for (int i = 0; i < n; i++)
        hash = hash * 31 + (unsigned)host[i];
    printf("%08x\n", hash);
    return cudaDeviceSynchronize() != cudaSuccess;
}
