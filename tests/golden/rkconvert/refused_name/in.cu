#include <cuda_runtime.h>
// The context's name is ours.
__global__ void takes_it(float *rk__ctx) { rk__ctx[threadIdx.x] = 1; }
__global__ void fine(float *x) { x[threadIdx.x] = 1; }
void launch(float *x)
{
    takes_it<<<1, 32>>>(x);
    fine<<<1, 32>>>(x);
}
