// Launchers that are templates, instantiated by a macro between declarations.
#include <cuda_runtime.h>

template <typename T>
__global__ void scale(T *x, T s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= s;
}

template <typename T>
void launch(T *x, T s, int n)
{
    scale<T><<<(n + 127) / 128, 128>>>(x, s, n);
}

#define INSTANTIATE(T) template void launch<T>(T *, T, int);
INSTANTIATE(float)
#define INSTANTIATE_BOTH(A, B) \
    INSTANTIATE(A)            \
    INSTANTIATE(B)
INSTANTIATE_BOTH(double, int)

#define DECLARE(T) T zero_##T();
DECLARE(int)

// A macro that instantiates a kernel, given to another one.
#define FOR_EACH_COUNT(m) m(1) m(2)
template <int N> __global__ void add(int *x) { x[threadIdx.x] += N; }
#define INSTANTIATE_ADD(N) template __global__ void add<N>(int *);
FOR_EACH_COUNT(INSTANTIATE_ADD)
