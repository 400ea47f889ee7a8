__global__ void good(float *x) { x[threadIdx.x] = 1; }
void launch(float *x) { good<<<1, 32>>>(x); }
