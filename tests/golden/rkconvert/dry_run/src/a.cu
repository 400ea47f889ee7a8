#include "size.h"
__global__ void a(float *x) { x[blockIdx.x * width + threadIdx.x] *= SCALE; }
void a_all(float *x) { a<<<10, width>>>(x); }
