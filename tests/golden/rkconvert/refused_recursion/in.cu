#include <cuda_runtime.h>
__device__ float power(const float *x, int n)
{
    return n == 0 ? 1 : x[threadIdx.x] * power(x, n - 1);
}
__global__ void powers(float *y, const float *x) { y[threadIdx.x] = power(x, 3); }
void launch(float *y, const float *x) { powers<<<1, 32>>>(y, x); }
