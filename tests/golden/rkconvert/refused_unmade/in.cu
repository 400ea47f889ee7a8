#include <cuda_runtime.h>
template <class T> __global__ void fill(T *x) { x[threadIdx.x] = 1; }
// Another file makes it.
extern template __global__ void fill<float>(float *x);
void launch(float *x) { fill<float><<<1, 32>>>(x); }
