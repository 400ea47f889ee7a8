#include "net.h"
#include <cuda_runtime.h>

static __global__ void helper(float *y) { y[threadIdx.x] += 1; }
void finish(float *y) { helper<<<1, 64>>>(y); }
