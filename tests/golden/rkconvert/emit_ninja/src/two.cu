#include "scale.h"
__global__ void scale(float *x) { x[blockIdx.x * 32 + threadIdx.x] *= SCALE * by_two; }
void launch_two(float *x) { scale<<<4, 32>>>(x); }
