#include <cuda_runtime.h>

template <int N> __global__ void turn(float *y, const float *x)
{
    __shared__ float s[N];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = s[N - 1 - threadIdx.x];
}

void run(float *y, const float *x)
{
    turn<512><<<1, 512>>>(y, x);
    turn<64><<<1, 64>>>(y, x);
    turn<16><<<1, 16>>>(y, x);
    turn<100><<<1, 100>>>(y, x);
}
