#include <cuda_runtime.h>
#define sync_count(p) sync_and(p)
#define sync_or nothing that is written here
#define push_launch(...) 0
#define run(...) 0
__global__ void count(int *x)
{
    x[threadIdx.x] = __syncthreads_count(x[threadIdx.x] > 0);
    __syncthreads();
    x[threadIdx.x]++;
}
void launch(int *x) { count<<<1, 32>>>(x); }
