#include <cuda_runtime.h>
__device__ float elsewhere(float);
extern __constant__ float far_away[4];
struct of_class {
    static __device__ int there;
};
__global__ void calls(float *x) { x[threadIdx.x] = elsewhere(x[threadIdx.x]); }
__global__ void reads(float *x) { x[threadIdx.x] = far_away[threadIdx.x & 3] + of_class::there; }
template <class T> __device__ T special(T x) { return x; }
template <> __device__ float special<float>(float x);
__global__ void specialised(float *x) { x[threadIdx.x] = special(x[threadIdx.x]); }
void launch(float *x)
{
    calls<<<1, 32>>>(x);
    reads<<<1, 32>>>(x);
    specialised<<<1, 32>>>(x);
}
