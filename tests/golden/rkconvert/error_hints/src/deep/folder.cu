#include "near.h"
__global__ void k(int *x) { x[threadIdx.x] = NEAR; }
