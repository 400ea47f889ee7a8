__global__ void k(REAL *x) { x[threadIdx.x] = 1; }
