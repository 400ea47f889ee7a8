#include <cuda_runtime.h>

template <class T> __device__ T own(const T *x) { return x[threadIdx.x]; }

template <class T> __global__ void never_launched(T *x) { x[threadIdx.x] = own(x) + 1; }

__global__ void launched_elsewhere(float *x) { x[threadIdx.x] = own(x); }
