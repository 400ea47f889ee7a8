#include <cuda_runtime.h>
struct state {
    int seen;
    __host__ __device__ state() : seen(1) {}
};
template <int N> __global__ void counted(float *x)
{
    __shared__ state all[N];
    x[threadIdx.x] += all[threadIdx.x].seen;
}
template <int N> __global__ void scaled(float *x) { x[threadIdx.x] *= N; }
template <int N> void launch(float *x)
{
    counted<N><<<1, N>>>(x);
    scaled<N + 1><<<1, N>>>(x);
}
void both(float *x)
{
    launch<32>(x);
    launch<64>(x);
}
