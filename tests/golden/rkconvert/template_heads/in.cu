#include <cuda_runtime.h>

// Heads of templates with more than parameters: constraints, and types that only `sizeof...` counts.
template <class T> concept number = requires(T a) { a + a; };
template <class T, int N>
    requires(N % 32 == 0) && number<T>
__global__ void first(T *x)
{
    __shared__ T s[N];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = s[N - 1 - threadIdx.x];
}
template <number T> __global__ void second(T *x) { x[threadIdx.x] = blockIdx.x; }
template <class T> __global__ void third(T *x)
    requires number<T>
{
    x[threadIdx.x] = 3;
}
template <int N> struct list {
    void *p[N];
};
template <class... T> __global__ void fourth(list<sizeof...(T) + 1> l) { *(int *)l.p[threadIdx.x] = sizeof...(T); }
__global__ void fifth(auto *x, int n) { x[threadIdx.x] = n; }

// Friends of a class template, whose definitions come later.
template <class T> class box
{
    T *data;
    template <class U> friend __global__ void fill(box<U> b, U value);
    friend __global__ void clear(box<int> b);
};
template <class U> __global__ void fill(box<U> b, U value) { b.data[threadIdx.x] = value; }
__global__ void clear(box<int> b) { b.data[threadIdx.x] = 0; }
void launch(float *x, box<int> b)
{
    first<float, 32><<<1, 32>>>(x);
    second<<<1, 32>>>(x);
    third<<<1, 32>>>(x);
    fourth<int, float><<<1, 3>>>(list<3>());
    fifth<<<1, 32>>>(x, 1);
    fill<<<1, 32>>>(b, 1);
    clear<<<1, 32>>>(b);
}
