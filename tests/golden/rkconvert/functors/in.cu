#include <cuda_runtime.h>

struct Plain {
    __device__ float operator()(float x) const { return x + 1; }
};
struct ByThread {
    float scale;
    __device__ float operator()(float x) const { return x * scale + threadIdx.x; }
    __host__ __device__ int offset() const { return blockIdx.x; }
};

template <class Op> __global__ void apply(float *x, Op op)
{
    x[threadIdx.x] = op(x[threadIdx.x]);
}

__global__ void method(float *x)
{
    ByThread t{2};
    x[t.offset()] = t(x[0]);
}

void launch(float *x)
{
    apply<<<1, 32>>>(x, Plain());
    apply<<<1, 32>>>(x, ByThread{3});
    method<<<1, 32>>>(x);
}
