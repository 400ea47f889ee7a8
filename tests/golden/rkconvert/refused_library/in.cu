#include <library.h>
__global__ void calls_library(float *x) { x[library::thread_number()] = 1; }
__global__ void assembly(int *x) { x[threadIdx.x] = library::warp<int>().sum(x[threadIdx.x]); }
__global__ void fine(int *x) { x[threadIdx.x] = library::add(x[threadIdx.x], 1); }
__global__ void first(int *x) { x[threadIdx.x] = library::odd(x[threadIdx.x]); }
__global__ void second(int *x) { x[threadIdx.x] = library::even(x[threadIdx.x]); }
void launch(float *x, int *y)
{
    calls_library<<<1, 32>>>(x);
    assembly<<<1, 32>>>(y);
    fine<<<1, 32>>>(y);
    first<<<1, 32>>>(y);
    second<<<1, 32>>>(y);
}
