#define scalar float
#include "part.cu"

__global__ void twice(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = own(x[i]);
}

void launch_twice(const float *x, float *y, int n)
{
    twice<<<(n + 127) / 128, 128>>>(x, y, n);
}
