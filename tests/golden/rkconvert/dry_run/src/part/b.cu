#include "size.h"
__global__ void b(float *x) { x[blockIdx.x * width + threadIdx.x] *= SCALE; }
void b_all(float *x) { b<<<10, width>>>(x); }
