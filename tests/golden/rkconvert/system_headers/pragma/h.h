#pragma once
#pragma GCC system_header
#ifndef BLOCK
#define BLOCK 32
#endif
__device__ inline int whole(float f)
{
    return (int)f;
}
__global__ void twice(float *x)
{
    x[threadIdx.x] *= 2;
}
inline void launch_twice(float *x)
{
    twice<<<1, BLOCK>>>(x);
}
