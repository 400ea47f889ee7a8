#include "../inc/k.cuh"
__global__ void twice(float *y) { y[threadIdx.x] *= 2; }
int sub(float *y, int n)
{
    fill<<<1, 64>>>(y, 7, n);
    twice<<<1, 64>>>(y);
    return cudaDeviceSynchronize();
}
