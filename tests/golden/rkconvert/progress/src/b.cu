__global__ void b(float *x) { x[threadIdx.x] = 1; }
