// Launches that are resolved, and what their configurations rest on: a call's result, memory, and arguments alone.
#include <cuda_runtime.h>

__global__ void fill(float *x, int n) { x[blockIdx.x * blockDim.x + threadIdx.x] = n; }

int blocks_for(int n);
int blocks;

void run(float *x, int n, const int *sizes)
{
    fill<<<n, 32>>>(x, n);
    fill<<<blocks, 32>>>(x, n);
    fill<<<1, 32>>>(x, sizes[2]);
    fill<<<blocks_for(n), 64>>>(x, n);
    fill<<<2, sizes[1]>>>(x, n);
    for (int b = sizes[0]; b > 0; b /= 2)
        fill<<<b, 64>>>(x, n);
}
