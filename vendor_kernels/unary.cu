// Element-wise functions of one tensor.
#include "activation.cuh"
#include "common.cuh"

#define UNARY_THREADS 128

struct ReluFn {
    __device__ float operator()(float x, float) const { return fmaxf(x, 0.0f); }
};
struct SigmoidFn {
    __device__ float operator()(float x, float) const { return sigmoid(x); }
};
struct TanhFn {
    __device__ float operator()(float x, float) const { return tanhf(x); }
};
struct GeluFn {
    __device__ float operator()(float x, float) const { return gelu(x); }
};
struct GeluTanhFn {
    __device__ float operator()(float x, float) const { return gelu_tanh(x); }
};
struct LeakyReluFn {
    __device__ float operator()(float x, float alpha) const { return x < 0.0f ? alpha * x : x; }
};
struct EluFn {
    __device__ float operator()(float x, float alpha) const
    {
        return x < 0.0f ? alpha * expm1f(x) : x;
    }
};
struct ExpFn {
    __device__ float operator()(float x, float) const { return expf(x); }
};
struct SqrtFn {
    __device__ float operator()(float x, float) const { return sqrtf(x); }
};
struct IdentityFn {
    __device__ float operator()(float x, float) const { return x; }
};

// y[i] = f(x[i]); alpha is for the functions that have one.
template <class Fn>
__global__ void __launch_bounds__(UNARY_THREADS)
unary(const float *__restrict__ x, float *__restrict__ y, int n, float alpha)
{
    const Fn f = Fn();
    GRID_STRIDE_LOOP(i, n)
        y[i] = f(x[i], alpha);
}

// Four elements to a thread, in 16-byte accesses; both pointers are aligned or none is used so.
template <class Fn>
__global__ void __launch_bounds__(UNARY_THREADS)
unary4(const float *__restrict__ x, float *__restrict__ y, int n)
{
    const Fn f = Fn();
    const int i = (blockIdx.x * UNARY_THREADS + threadIdx.x) * 4;
    if (i >= n)
        return;
    if (i + 4 <= n && is_aligned16(x) && is_aligned16(y)) {
        const float4 v = *reinterpret_cast<const float4 *>(x + i);
        *reinterpret_cast<float4 *>(y + i) =
            make_float4(f(v.x, 0.0f), f(v.y, 0.0f), f(v.z, 0.0f), f(v.w, 0.0f));
        return;
    }
    const int end = min(n, i + 4);
    for (int j = i; j < end; j++)
        y[j] = f(x[j], 0.0f);
}

// The launching function of one of the family.
#define DEFINE_UNARY(name, Fn)                                                                     \
    void launch_##name(const float *x, float *y, int n, cudaStream_t stream)                       \
    {                                                                                              \
        const int blocks = ceil_div(n, UNARY_THREADS);                                             \
        unary<Fn><<<blocks, UNARY_THREADS, 0, stream>>>(x, y, n, 0.0f);                            \
    }
#define DEFINE_UNARY_ALPHA(name, Fn)                                                               \
    void launch_##name(const float *x, float *y, int n, float alpha, cudaStream_t stream)          \
    {                                                                                              \
        const int blocks = ceil_div(n, UNARY_THREADS);                                             \
        unary<Fn><<<blocks, UNARY_THREADS, 0, stream>>>(x, y, n, alpha);                           \
    }
#define DEFINE_UNARY4(name, Fn)                                                                    \
    void launch_##name(const float *x, float *y, int n, cudaStream_t stream)                       \
    {                                                                                              \
        unary4<Fn><<<ceil_div(n, 4 * UNARY_THREADS), UNARY_THREADS, 0, stream>>>(x, y, n);         \
    }

DEFINE_UNARY(relu, ReluFn)
DEFINE_UNARY(sigmoid, SigmoidFn)
DEFINE_UNARY(tanh, TanhFn)
DEFINE_UNARY(gelu, GeluFn)
DEFINE_UNARY(gelu_tanh, GeluTanhFn)
DEFINE_UNARY(exp, ExpFn)
DEFINE_UNARY(sqrt, SqrtFn)
DEFINE_UNARY(copy, IdentityFn)
DEFINE_UNARY_ALPHA(leaky_relu, LeakyReluFn)
DEFINE_UNARY_ALPHA(elu, EluFn)
DEFINE_UNARY4(relu4, ReluFn)
DEFINE_UNARY4(sigmoid4, SigmoidFn)
DEFINE_UNARY4(tanh4, TanhFn)
