#include <cuda_runtime.h>

namespace inputs {
texture<float, 1, cudaReadModeElementType> source;
}
static surface<void, 2> target;
#ifdef OLDER
texture<float, 2> old;
#endif

__global__ void copy(float *y)
{
    y[threadIdx.x] = tex1Dfetch(inputs::source, (int)threadIdx.x);
}

int main()
{
    float *x;
    cudaMalloc(&x, 128);
    copy<<<1, 32>>>(x);
    return cudaDeviceSynchronize();
}
