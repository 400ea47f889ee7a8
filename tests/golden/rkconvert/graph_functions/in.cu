// Host functions, each a graph of its own.
#include <cuda_runtime.h>

__global__ void axpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}

__global__ void halve(const float *from, float *to, int n)
{
    __shared__ float both[64];
    both[threadIdx.x] = 2 * blockIdx.x * 64 + threadIdx.x < n ? from[2 * blockIdx.x * 64 + threadIdx.x] : 0;
    __syncthreads();
    if (threadIdx.x < 32)
        to[blockIdx.x * 32 + threadIdx.x] = both[2 * threadIdx.x] + both[2 * threadIdx.x + 1];
}

__global__ void clear(float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 0;
}

// Parameters are given by --set.
void parameters(const float *x, float *y, int n, float a)
{
    if (n > 0)
        axpy<<<(n + 255) / 256, 256>>>(n, a, x, y);
}

// The launch's shape changes from turn to turn.
void tree(float *a, float *b, int n)
{
    while (n > 32) {
        halve<<<(n + 63) / 64, 64>>>(a, b, n);
        float *t = a;
        a = b;
        b = t;
        n /= 2;
    }
}

// Parts of one buffer are views, and what the host sets again is a tensor of its own.
void parts(const float *host, float *result)
{
    float *d;
    cudaMalloc(&d, 512 * sizeof(float));
    cudaMemcpy(d, host, 512 * sizeof(float), cudaMemcpyHostToDevice);
    clear<<<2, 128>>>(d + 256, 256);
    cudaMemcpy(d, host, 512 * sizeof(float), cudaMemcpyHostToDevice);
    clear<<<1, 128>>>(d, 100);
    cudaMemcpy(result, d, 512 * sizeof(float), cudaMemcpyDeviceToHost);
}

// A result that is written again after it was copied is kept in a tensor of its own.
void twice(const float *host, float *first, float *second)
{
    float *d;
    cudaMalloc(&d, 64 * sizeof(float));
    cudaMemcpy(d, host, 64 * sizeof(float), cudaMemcpyHostToDevice);
    axpy<<<1, 64>>>(64, 2.0f, nullptr, d);
    cudaMemcpy(first, d, 64 * sizeof(float), cudaMemcpyDeviceToHost);
    clear<<<1, 64>>>(d, 10);
    cudaMemcpy(second, d, 64 * sizeof(float), cudaMemcpyDeviceToHost);
}

// Managed memory is read and written by the host.
float managed()
{
    float *m;
    cudaMallocManaged(&m, 100 * sizeof(float));
    for (int i = 0; i < 100; i++)
        m[i] = i;
    axpy<<<1, 128>>>(100, 1.0f, m, nullptr);
    clear<<<1, 128>>>(m, 50);
    cudaDeviceSynchronize();
    return m[60];
}

// cudaLaunchKernel, and a configuration in variables.
void by_call(float *y)
{
    int n = 77;
    dim3 grid(2), block(64);
    void *args[] = {&y, &n};
    cudaLaunchKernel((const void *)clear, grid, block, args, 0, 0);
}
