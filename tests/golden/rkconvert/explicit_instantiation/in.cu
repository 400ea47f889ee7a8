#include <cuda_runtime.h>

template <class T, int N> __global__ void fill(T *x) { x[threadIdx.x] = N; }
template __global__ void fill<float, 3>(float *);
template <class T> struct Box {
    T value;
};
template struct Box<int>;

void launch(float *x) { fill<float, 3><<<1, 32>>>(x); }
