#include <cuda_runtime.h>
template <class F> __global__ void each(F f) { f(threadIdx.x); }
void launch(float *x)
{
    each<<<1, 32>>>([=] __device__(int i) { x[i] = 1; });
}
