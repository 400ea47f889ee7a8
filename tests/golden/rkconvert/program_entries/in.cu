#include <cuda_runtime.h>
#include "kernels.h"

#define LAUNCH(kernel, n, ...) kernel<<<(n + 63) / 64, 64>>>(__VA_ARGS__)

extern __shared__ int by_file[];

template <class T, int N> __global__ void fill(T *x, T v)
{
    extern __shared__ T tile[];
    tile[threadIdx.x] = v + N;
    __syncthreads();
    x[threadIdx.x] = tile[31 - threadIdx.x];
}

__global__ void file_scope(int *x) { by_file[threadIdx.x] = x[threadIdx.x]; }

void launch_fill(float *x, float v, cudaStream_t stream)
{
    if (x)
        fill<float, (3 > 2)><<<dim3(1), dim3(32), 32 * sizeof(float), stream>>>(x, v);
    else fill<float, 2> <<<1, 32, 128>>> (x, v);
}

namespace app {
void launch_other(int *x, short n)
{
    LAUNCH(file_scope, n, x);
    copied<<<n, 1>>>(x);
}
} // namespace app

void by_value(dim3 grid, int *x) { file_scope<<<grid, 32>>>(x); } // no slot holds a dim3
