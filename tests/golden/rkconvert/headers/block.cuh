#ifndef BLOCK_CUH
#define BLOCK_CUH

#include <cuda_runtime.h>

#include "plain.h"

#define THREADS 64
#define THREAD threadIdx.x

// Every thread gets the sum.
__device__ inline float block_total(float v)
{
    __shared__ float part[THREADS];
    part[THREAD] = v;
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < THREADS; i++)
        sum += part[i];
    return sum;
}

#endif // BLOCK_CUH
