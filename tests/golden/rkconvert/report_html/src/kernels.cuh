// Kernels that several sources launch.
#pragma once
#include "block.h"

__global__ void fill(float *y, float value, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = value;
}

// Only b.cu instantiates it with double.
template <class T> __global__ void total(T *y, const T *x, int n)
{
    T sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += x[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        *y = sum;
}
