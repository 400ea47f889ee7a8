#include <cuda_runtime.h>

namespace net
{
template <typename T> __global__ void relu(int n, const T *in, T *out, T slope)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] > 0 ? in[i] : in[i] * slope;
}
template <typename T> __global__ void back(int n, const T *in, T *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] > 0;
}

// Virtual functions that nothing calls here, private ones, and those that a macro instantiates.
template <typename T> class Layer
{
  public:
    virtual ~Layer() {}

  protected:
    virtual void forward(int n, T *p);
    virtual void backward(int n, T *p);
    T slope;
};
template <typename T> void Layer<T>::forward(int n, T *p)
{
    relu<T><<<(n + 511) / 512, 512>>>(n, p, p, slope);
}
template <typename T> void Layer<T>::backward(int n, T *p)
{
    back<<<(n + 511) / 512, 512>>>(n, p, p);
}
#define INSTANTIATE(L)                                                                             \
    template void L<float>::forward(int, float *);                                                 \
    template void L<double>::forward(int, double *);                                               \
    template void L<float>::backward(int, float *)
INSTANTIATE(Layer);

// Packs, one launcher in another, and a class whose instance is explicit.
template <typename... A> __global__ void many(float *out, A... a)
{
    __shared__ float all[32];
    all[threadIdx.x] = (float(a) + ... + 0.0f);
    out[threadIdx.x] = all[threadIdx.x];
}
template <int... N> __global__ void integers(int *out) { out[threadIdx.x] = (N + ... + 0); }
template <typename... A> void launch_many(float *out, A... a) { many<A...><<<1, 32>>>(out, a...); }
template <typename T> struct Inner {
    static void run(T *p, int n) { relu<T><<<n, 64>>>(n, p, p, T(0)); }
};
template <typename T> class Outer
{
    void go(T *p, float *q, int n)
    {
        Inner<T>::run(p, n);
        launch_many(q, T(1), 2, 3.0);
        launch_many(q);
    }
};
template class Outer<int>;

// A kernel that a template passes to a wrapper.
template <int N> __global__ void fixed(float *p) { p[threadIdx.x] = N; }
template <int N, class K> void wrap(K k, float *p) { k<<<N, 32>>>(p); }
template <typename T> struct Wrapped {
    void go(float *p) { wrap<3>(fixed<sizeof(T)>, p); }
};
template struct Wrapped<double>;

// Templates, functions and enumerators as arguments.
template <class T> struct Box {
    T value;
};
enum class Kind { first, second };
__device__ int twice(int x) { return 2 * x; }
template <template <class> class C, class T, Kind kind, int (*f)(int)>
__global__ void odd(C<T> c, int *p)
{
    p[threadIdx.x] = f(int(c.value)) + (kind == Kind::second);
}
} // namespace net

void generic(float *p, double *q)
{
    auto launch = [&](auto *x, int n) { net::relu<<<n, 128>>>(n, x, x, *x * 0); };
    launch(p, 3);
    launch(q, 4);
}

int main()
{
    int *p = nullptr;
    net::launch_many(nullptr, 1, 2.0f);
    net::integers<1, 2, -3><<<1, 1>>>(p);
    net::integers<><<<2, 1>>>(p);
    net::odd<net::Box, float, net::Kind::second, net::twice><<<1, 1>>>(net::Box<float>(), p);
}
