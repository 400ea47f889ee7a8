#include <cuda_runtime.h>

typedef float (*step)(float);
__device__ float by_thread(float x) { return x * threadIdx.x; }
__device__ float doubled(float x) { return 2 * x; }
template <step f, int N> __global__ void apply(float *x)
{
    __shared__ float s[N];
    s[threadIdx.x] = f(x[threadIdx.x]);
    x[threadIdx.x] = s[threadIdx.x];
}
template <step f> __global__ void plain(float *x) { x[threadIdx.x] = f(x[threadIdx.x]); }

void use(float *x)
{
    apply<by_thread, 32><<<1, 32>>>(x);
    apply<doubled, 64><<<1, 64>>>(x);
    plain<doubled><<<1, 8>>>(x);
}
