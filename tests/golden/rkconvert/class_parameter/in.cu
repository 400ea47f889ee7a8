#include <cuda_runtime.h>

struct Big {
    float scale;
    int offset[3];
};

__global__ void big(float *x, Big b) { x[threadIdx.x] = b.scale + b.offset[0]; }
__global__ void small(float *x, float2 v) { x[threadIdx.x] = v.x + v.y; }

void launch(float *x, Big b)
{
    big<<<1, 32>>>(x, b);
    small<<<1, 32>>>(x, make_float2(1, 2));
}
