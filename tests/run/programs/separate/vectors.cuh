// A kernel, a device function and variables that several files share.
#pragma once

#include "scale.h"

extern __device__ int calls;
extern __constant__ float factor;
extern __device__ float weigh(float value);

__global__ void weigh_all(const float *in, float *out, int n);

// Defined in the header, and used by both files.
template <int TIMES> __global__ void repeat(float *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int round = 0; round < TIMES; round++)
        values[i] = weigh(values[i]);
}

static __global__ void clear(float *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] = 0;
}
