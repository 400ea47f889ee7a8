#include <cuda_runtime.h>
#include <stdlib.h>
__global__ void set(int *x) { x[threadIdx.x] = 1; }
int main(int argc, char **argv)
{
    int *x;
    cudaMalloc(&x, 32 * sizeof *x);
    set<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    return argc > 1 ? atoi(argv[1]) : 0;
}
