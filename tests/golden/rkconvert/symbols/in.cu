#include <cuda_runtime.h>
__constant__ float filter[9];
__constant__ float table[2] = {1, 2};
__device__ float scratch[32];
__device__ const int offsets[2] = {0, 1};
__device__ constexpr int strides[2] = {1, 2};
__global__ void filtered(float *x) { x[threadIdx.x] = filter[0]; }
__global__ void scratches(float *x) { scratch[threadIdx.x] = x[threadIdx.x]; }
__global__ void tabled(float *x) { x[threadIdx.x] = table[offsets[1]] * strides[0]; }
void launch(float *x)
{
    filtered<<<1, 32>>>(x);
    scratches<<<1, 32>>>(x);
    tabled<<<1, 32>>>(x);
}
__constant__ float gains[2] = {1, 2};
__global__ void gained(float *x) { x[threadIdx.x] *= gains[0]; }
void set_gains(const float *values)
{
    cudaMemcpyToSymbol(gains, values, sizeof gains);
    gained<<<1, 32>>>(0);
}
__global__ void counted(int *x)
{
    static int calls = 0;
    x[threadIdx.x] = calls++;
}
