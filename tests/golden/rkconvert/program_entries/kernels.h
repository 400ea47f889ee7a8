#pragma once
#include <cuda_runtime.h>
__global__ void copied(int *x)
{
    extern __shared__ int s[];
    s[0] = x[blockIdx.x];
}
inline void launch_copied(int *x) { copied<<<1, 1, 4>>>(x); }
