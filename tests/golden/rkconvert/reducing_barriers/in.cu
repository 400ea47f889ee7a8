#include <cuda_runtime.h>

__global__ void votes(int *out, const int *in)
{
    const int p = in[threadIdx.x];
    const int all = __syncthreads_and(p), any = __syncthreads_or(p), n = __syncthreads_count(p);
    if (threadIdx.x == 0)
        out[0] = all + 2 * any + 4 * n;
}

void launch(int *out, const int *in) { votes<<<1, 100>>>(out, in); }
