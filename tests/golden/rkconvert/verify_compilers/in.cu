// What one compiler run and another make of this differs, as it does of what the language leaves open: the drop-in of the
// same compiler does the same as its original.
#include <cstdio>

__global__ void fills(int *to)
{
#ifdef __OPTIMIZE__
    to[threadIdx.x] = threadIdx.x;
#else
    to[threadIdx.x] = threadIdx.x < 5 ? threadIdx.x : 7;
#endif
}

__global__ void scales(float *to)
{
#ifdef __OPTIMIZE__
    to[threadIdx.x] = 1.0f + threadIdx.x;
#else
    to[threadIdx.x] = 1.000001f + threadIdx.x;
#endif
}

int main()
{
    int *to;
    float *scaled, first;
    cudaMalloc(&to, 32 * sizeof(int));
    cudaMalloc(&scaled, 32 * sizeof(float));
    fills<<<1, 32>>>(to);
    scales<<<1, 32>>>(scaled);
    cudaMemcpy(&first, scaled, sizeof first, cudaMemcpyDeviceToHost);
    printf("first: %.8g, of 32\n", first);
    return 0;
}
