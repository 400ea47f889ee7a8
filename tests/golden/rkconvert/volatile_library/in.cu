/* As programs did before __syncwarp(): each lane reads what another lane of its warp has just written. */
__global__ void tree(const float *x, float *y)
{
    __shared__ volatile float part[64];
    part[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32) {
        part[threadIdx.x] += part[threadIdx.x + 32];
        part[threadIdx.x] += part[threadIdx.x + 16];
    }
    y[threadIdx.x] = part[threadIdx.x];
}
__global__ void plain(const float *x, float *y)
{
    y[threadIdx.x] = x[threadIdx.x];
}
void launch(const float *x, float *y)
{
    tree<<<1, 64>>>(x, y);
    plain<<<1, 64>>>(x, y);
}
