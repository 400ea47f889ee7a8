#ifndef LIBRARY_READ
__global__ void k(int *x) { x[threadIdx.x] = 1; }
#else
__global__ void other(int *x) { x[threadIdx.x] = 2; }
#endif
#include <library.h>
