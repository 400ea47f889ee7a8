#include "shared.h"
extern __device__ int total;
__device__ int weight(int i) { return i % 2; }
__global__ void more() { atomicAdd(&total, WITH); }
void from_b() { more<<<1, 10>>>(); }
