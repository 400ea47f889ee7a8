#include "kernels.cuh"
#include "kernels.cuh"

__global__ void twice(double *y) { y[threadIdx.x] *= 2 + block_index(); }

void run(double *y, double *x, float *z, int n)
{
    fill<<<n, 64>>>(z, 0.0f, n);
    total<double><<<1, 256>>>(y, x, n);
    twice<<<1, 32>>>(y);
}
