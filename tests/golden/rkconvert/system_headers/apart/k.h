#pragma once
__global__ void wholes(int *o, const float *x)
{
    o[threadIdx.x] = (int)x[threadIdx.x];
}
