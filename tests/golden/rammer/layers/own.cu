#include <cuda_runtime.h>

__global__ void shifted_relu(const float *x, const float *shift, float *y, float zero, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i] + (shift ? shift[i] : 0.f);
        y[i] = v > zero ? v : zero;
    }
}

void launch_shifted_relu(const float *x, const float *shift, float *y, float zero, int n,
                         cudaStream_t stream)
{
    shifted_relu<<<(n + 63) / 64, 64, 0, stream>>>(x, shift, y, zero, n);
}
