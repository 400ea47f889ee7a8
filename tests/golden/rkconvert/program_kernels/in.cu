#define MAP(name, op)                                                                              \
    __global__ void name(float *a, int n)                                                          \
    {                                                                                              \
        if (int(threadIdx.x) < n)                                                                       \
            a[threadIdx.x] = a[threadIdx.x] op 2;                                                  \
    }
#define KERNEL(name) static __global__ void name(int *a, int)
#define GLOBAL __global__ void

MAP(twice, *)
MAP(halve, /)

struct pair {
    int first, second;
};

namespace outer {
namespace {
__global__ void __launch_bounds__(64) hidden(pair p, const int *__restrict__ in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x] * p.first + p.second;
}
} // namespace
struct holder {
    template <class T> static __global__ void member(T *x) { x[threadIdx.x] += T(1); }
};
} // namespace outer

__global__ void declared(int *a, int n);

template <class T, int N = 3, class... Rest> __global__ void variadic(T *a, Rest... rest)
{
    a[threadIdx.x] += N + int(sizeof...(rest));
}
template <> __global__ void variadic<char>(char *a) { a[0] = 'x'; }
template __global__ void variadic<float, 7>(float *);

KERNEL(unnamed) { a[threadIdx.x] = __shfl_sync(~0u, a[threadIdx.x], 31 - threadIdx.x); }

extern "C" GLOBAL aliased(int (*unused)[4], void (*callback)(int), int a[], unsigned)
{
    auto add = [&](int i) { a[i] += blockDim.x; };
    add(threadIdx.x);
    (void)unused, (void)callback;
}

#ifdef DOUBLE
__global__ void branches(double *a)
#else
__global__ void branches(float *a, int by)
#endif
{
#ifdef DOUBLE
    a[0] = 1;
#else
    a[0] += by;
#endif
}

__global__ void declared(int *a, int n)
{
    for (n--; n >= 0; n--)
        a[n]++;
    __syncthreads();
}

#if NEVER
__global__ void inactive(Unknown x, unsigned) { __syncthreads(); }
#endif
