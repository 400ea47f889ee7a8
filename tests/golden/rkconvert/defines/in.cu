#include <cuda_runtime.h>
#ifndef SCALE
#error "SCALE"
#endif
__global__ void scale(float *x) { x[threadIdx.x % TILE] *= SCALE; }
void launch(float *x) { scale<<<1, TILE>>>(x); }
