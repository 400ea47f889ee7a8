// Clipping to a range.
#include "common.cuh"

__global__ void clip(const float *__restrict__ x, float *__restrict__ y, int n, float least,
                     float most)
{
    GRID_STRIDE_LOOP(i, n)
        y[i] = fminf(fmaxf(x[i], least), most);
}

void launch_clip(const float *x, float *y, int n, float least, float most, cudaStream_t stream)
{
    clip<<<ceil_div(n, 128), 128, 0, stream>>>(x, y, n, least, most);
}
