#pragma once
#define FACTOR 2.0f
__device__ int rank() { return threadIdx.x; }
__global__ void helped(float *y) { y[rank()] = 1; }
