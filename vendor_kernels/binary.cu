// Element-wise functions of two tensors, of one shape or broadcast to four dimensions.
#include "common.cuh"

struct AddFn {
    __device__ float operator()(float a, float b) const { return a + b; }
};
struct SubFn {
    __device__ float operator()(float a, float b) const { return a - b; }
};
struct MulFn {
    __device__ float operator()(float a, float b) const { return a * b; }
};
struct DivFn {
    __device__ float operator()(float a, float b) const { return a / b; }
};

template <class Fn>
__global__ void binary(const float *__restrict__ a, const float *__restrict__ b,
                       float *__restrict__ c, int n)
{
    const Fn f = Fn();
    GRID_STRIDE_LOOP(i, n)
        c[i] = f(a[i], b[i]);
}

// c has extents d0..d3; an operand's stride of 0 repeats it along that dimension.
template <class Fn>
__global__ void binary_broadcast(const float *__restrict__ a, const float *__restrict__ b,
                                 float *__restrict__ c, int d0, int d1, int d2, int d3, int a0,
                                 int a1, int a2, int a3, int b0, int b1, int b2, int b3)
{
    const Fn f = Fn();
    GRID_STRIDE_LOOP(i, d0 * d1 * d2 * d3) {
        const int i3 = i % d3;
        const int i2 = i / d3 % d2;
        const int i1 = i / d3 / d2 % d1;
        const int i0 = i / d3 / d2 / d1;
        c[i] = f(a[i0 * a0 + i1 * a1 + i2 * a2 + i3 * a3],
                 b[i0 * b0 + i1 * b1 + i2 * b2 + i3 * b3]);
    }
}

#define BROADCAST_PARAMS                                                                           \
    int d0, int d1, int d2, int d3, int a0, int a1, int a2, int a3, int b0, int b1, int b2, int b3
#define BROADCAST_ARGS d0, d1, d2, d3, a0, a1, a2, a3, b0, b1, b2, b3

#define DEFINE_BINARY(name, Fn)                                                                    \
    void launch_##name(const float *a, const float *b, float *c, int n, cudaStream_t stream)       \
    {                                                                                              \
        binary<Fn><<<ceil_div(n, 256), 256, 0, stream>>>(a, b, c, n);                              \
    }                                                                                              \
    void launch_##name##_broadcast(const float *a, const float *b, float *c, BROADCAST_PARAMS,     \
                                   cudaStream_t stream)                                            \
    {                                                                                              \
        const int n = d0 * d1 * d2 * d3;                                                           \
        binary_broadcast<Fn><<<ceil_div(n, 128), 128, 0, stream>>>(a, b, c, BROADCAST_ARGS);       \
    }

DEFINE_BINARY(add, AddFn)
DEFINE_BINARY(sub, SubFn)
DEFINE_BINARY(mul, MulFn)
DEFINE_BINARY(div, DivFn)
