#include <cuda_runtime.h>
// A texture reference, which stays where it is: toolkits before 12 compile it.
texture<float, 1, cudaReadModeElementType> source;
texture<float, 2> unused;

__global__ void copy(float *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = tex1Dfetch(source, i);
}

void launch(const float *x, float *y, int n)
{
    cudaBindTexture(nullptr, source, x, n * sizeof *x);
    copy<<<(n + 255) / 256, 256>>>(y, n);
}
