#include <cuda_runtime.h>

__global__ void product(const float *a, const float *b, float *c, int m, int n, int k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= m)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[y * k + i] * b[i * n + x];
    c[y * n + x] = sum;
}

void launch_product(const float *a, const float *b, float *c, int m, int n, int k,
                    cudaStream_t stream)
{
    product<<<dim3((n + 15) / 16, (m + 3) / 4), dim3(16, 4), 0, stream>>>(a, b, c, m, n, k);
}

__global__ void shifted(const float *x, const float *shift, float *y, float zero, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i] + (shift ? shift[i] : 0.f);
        y[i] = v > zero ? v : zero;
    }
}

void launch_shifted(const float *x, const float *shift, float *y, float zero, int n)
{
    shifted<<<(n + 63) / 64, 64>>>(x, shift, y, zero, n);
}

/* What gives one element proves no extents: it is no MatMul, although vectors' is one. */
__global__ void dot(const float *a, const float *b, float *c, int k)
{
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[i] * b[i];
    c[0] = sum;
}

void launch_dot(const float *a, const float *b, float *c, int k)
{
    dot<<<1, 1>>>(a, b, c, k);
}
