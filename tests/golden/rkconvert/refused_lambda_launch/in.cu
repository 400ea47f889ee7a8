#include <cuda_runtime.h>
template <class F> __global__ void each(F f) { f(threadIdx.x); }
template <class F> __global__ void asking(F f) { f(threadIdx.x); }
template <class F> __global__ void through(F f) { f(threadIdx.x); }
__device__ int lane() { return threadIdx.x % 32; }
template <class T> void launch_lanes(T *x)
{
    through<<<1, 32>>>([=] __device__(int i) { x[i] = T(lane()); });
}
void launch(float *x)
{
    each<<<1, 32>>>([=] __device__(int i) { x[i] = 1; });
}
void launch_asking(float *x)
{
    asking<<<1, 32>>>([=] __device__(int i) { x[i] = blockDim.x; });
    launch_lanes(x);
}
