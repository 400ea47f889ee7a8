// Device code that another file links with.
#include "vectors.cuh"

__device__ int calls = 0;
__constant__ float factor;

__device__ float weigh(float value)
{
    atomicAdd(&calls, 1);
    return value * factor + 1;
}

__global__ void weigh_all(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = weigh(in[i]);
}

int weigh_on_device(const float *in, float *out, int n, float by)
{
    float *device = nullptr;
    cudaMemcpyToSymbol(factor, &by, sizeof(by));
    cudaMalloc((void **)&device, 2 * n * sizeof(float));
    clear<<<(n + 63) / 64, 64>>>(device + n, n);
    cudaMemcpy(device, in, n * sizeof(float), cudaMemcpyHostToDevice);
    weigh_all<<<(n + 63) / 64, 64>>>(device, device + n, n);
    cudaMemcpy(out, device + n, n * sizeof(float), cudaMemcpyDeviceToHost);
    return cudaFree(device) != cudaSuccess || cudaGetLastError() != cudaSuccess;
}
