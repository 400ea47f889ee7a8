#include "value.h"
#include "shared.cuh"
__global__ void a(float *x) { x[threadIdx.x] = VALUE; }
void la(float *x) { a<<<1, 32>>>(x); both<<<1, 64>>>(x); }
