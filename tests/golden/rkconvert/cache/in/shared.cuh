#pragma once
__global__ void both(float *x) { x[threadIdx.x] = 5; }
