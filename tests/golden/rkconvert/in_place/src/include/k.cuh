#pragma once
__global__ void k(float *x) { x[threadIdx.x] = 5; }
