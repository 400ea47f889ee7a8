// A helper that is only declared as a template: its specialisations are what kernels call.
#include <cuda_runtime.h>
template <class T> inline __device__ T add(T value, T *address);
template <> inline __device__ float add(float value, float *address) { return atomicAdd(address, value); }
template <> inline __device__ double add(double value, double *address) { *address += value * threadIdx.x; return 0; }
template <class T> __device__ T open(T *address);
template <class T> __global__ void good(T *x) { add(T(threadIdx.x), x); }
template <class T> __global__ void by_place(T *x) { add(T(1), x); }
template <class T> __global__ void bad(T *x) { open(x); }
void use(float *x, double *y) { good<float><<<1, 32>>>(x); by_place<double><<<1, 32>>>(y); bad<float><<<1, 1>>>(x); }
