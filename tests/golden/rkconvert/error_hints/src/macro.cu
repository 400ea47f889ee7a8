__global__ void k(int *x) { __shared__ int tile[TILE_WIDTH]; x[threadIdx.x] = tile[0]; }
