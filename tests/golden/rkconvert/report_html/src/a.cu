#include "kernels.cuh"
#include "config.h"

void run(float *y, float *x, int n)
{
    fill<<<(n + 127) / 128, 128>>>(x, 1.0f, n);
    total<float><<<1, 256>>>(y, x, n);
    step<<<1, 32>>>(y);
}
