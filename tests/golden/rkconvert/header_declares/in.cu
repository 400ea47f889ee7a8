// What a header declares and the source defines is one thing, and what overloads a function of CUDA's own does not hide it.
#include <cuda_runtime.h>
#include <unistd.h> // which nvcc may not see: its pipe() is for the host alone
#include "h.h"
#include "host.h"
__device__ float atan2f(float a, int b) { return a * b; }
struct big {
    float v;
};
__device__ big max(big a, big b) { return a.v > b.v ? a : b; }
__device__ float f(int x) { return x * 2; }
__global__ void k(int *x, float *y)
{
    with w = {3};
    x[threadIdx.x] = tab[threadIdx.x & 3] + one(2) + twice(3) + w.get() + weights[1] + max(x[threadIdx.x], 16777217);
    y[threadIdx.x] = f(1.5f) + f(2) + atan2f(x[threadIdx.x], 2.5f) + max(big{1.f}, big{2.f}).v + other();
}
__device__ int tab[4] = {1, 2, 3, 4};
__constant__ float weights[2] = {10, 20};
__device__ int one(int a) { return a + 1; }
template <class T> __device__ T twice(T a) { return 2 * a; }
struct part {
    int x;
};
__device__ int with::get() const { return v + size; }
const int with::size;
int host_only(int a) { return a; }
void launch(int *x, float *y) { k<<<1, 32>>>(x, y); }
__global__ void pipe(float *x) { x[0] = 1; }
