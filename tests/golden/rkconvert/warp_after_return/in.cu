#include <cuda_runtime.h>
__device__ float sum(float v)
{
    for (int o = 16; o > 0; o /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}
__global__ void nested(float *x, int n)
{
    if (n > 0) {
        if (threadIdx.x >= n)
            return;
        x[threadIdx.x] = 0;
    }
    x[threadIdx.x] = sum(x[threadIdx.x]);
}
__global__ void in_loop(float *x, int n)
{
    for (int i = 0; i < n; i++) {
        x[i] = sum(x[i]);
        if (x[i] > 3)
            return;
    }
}
__global__ void with_else(float *x, int n)
{
    if (threadIdx.x >= n)
        return;
    else
        x[threadIdx.x] = 1;
    x[threadIdx.x] = sum(x[threadIdx.x]);
}
__global__ void before_barrier(float *x, int n)
{
    for (int i = 0; i < n; i++) {
        if (x[i] > threadIdx.x)
            return;
        x[i] = sum(x[i]);
    }
    __syncthreads();
    x[threadIdx.x] = x[0];
}
void launch(float *x, int n)
{
    nested<<<1, 32>>>(x, n);
    in_loop<<<1, 32>>>(x, n);
    with_else<<<1, 32>>>(x, n);
    before_barrier<<<1, 48>>>(x, n);
}
