#include "net.h"
#include <cuda_runtime.h>

static __global__ void last(float *y) { y[threadIdx.x] += 1; }
void finish(float *y) { last<<<1, 64>>>(y); }
