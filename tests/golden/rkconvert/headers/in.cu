#include "block.cuh"
#include "plain.h"

__global__ void norm(float *x, Shape shape)
{
    const float total = block_total(x[THREAD]);
    x[THREAD] /= total + shape.width;
}

void launch(float *x) { norm<<<1, THREADS>>>(x, Shape{3}); }
