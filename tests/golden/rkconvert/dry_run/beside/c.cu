#include "size.h"
__global__ void c(float *x) { x[blockIdx.x * width + threadIdx.x] *= SCALE; }
void c_all(float *x) { c<<<10, width>>>(x); }
