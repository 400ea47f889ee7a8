#include <cuda_runtime.h>
template <class T> __device__ T bodiless(const T *p);
template <> __device__ int bodiless<int>(const int *p) { return p[threadIdx.x + 1]; }
__global__ void of_no_body(int *y, const int *x) { y[threadIdx.x] = bodiless(x); }

template <class T> __device__ T unnamed(const T *p, int) { return p[threadIdx.x]; }
template <> __device__ int unnamed(const int *p, int n) { return p[threadIdx.x + n]; }
template <class T> __global__ void of_unnamed(T *y, const T *x) { y[threadIdx.x] = unnamed(x, 1); }

template <class T> __device__ T before(const T *p) { return p[threadIdx.x]; }
template <> __device__ int before(const int *p);
template <class T> __global__ void of_declared(T *y, const T *x) { y[threadIdx.x] = before(x); }
template <> __device__ int before(const int *p) { return p[threadIdx.x + 1]; }

struct loader {
    template <class T> __device__ T load(const T *p) { return p[threadIdx.x]; }
};
template <> __device__ int loader::load(const int *p) { return p[threadIdx.x + 1]; }
__global__ void of_method(int *y, const int *x) { y[threadIdx.x] = loader().load(x); }

template <class T> __global__ void itself(T *y) { y[threadIdx.x] = 1; }
template <> __global__ void itself(int *y) { y[threadIdx.x] = 2; }

namespace n {
template <class T> __global__ void outside(T *y) { y[threadIdx.x] = 1; }
template <class T> __global__ void told(T *y) { y[threadIdx.x] = 1; }
template <> __global__ void told(int *y);
}
template <> __global__ void n::outside(int *y) { y[threadIdx.x] = 2; }
template <> __global__ void n::told(int *y) { y[threadIdx.x] = 2; }

void launch(int *i)
{
    n::outside<<<1, 32>>>(i);
    n::told<<<1, 32>>>(i);
    of_no_body<<<1, 32>>>(i, i);
    of_unnamed<<<1, 32>>>(i, i);
    of_declared<<<1, 32>>>(i, i);
    of_method<<<1, 32>>>(i, i);
    itself<<<1, 32>>>(i);
}
