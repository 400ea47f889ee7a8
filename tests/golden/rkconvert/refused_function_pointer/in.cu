#include <cuda_runtime.h>
__device__ float mine(const float *x) { return x[threadIdx.x]; }
template <typename T> __device__ T any(const T *x) { return x[threadIdx.x]; }
template <float (*F)(const float *)> __device__ float through(const float *x) { return F(x); }
template <float (*F)(const float *)> __device__ float kept(const float *x)
{
    float (*f)(const float *) = F;
    return f(x);
}
__global__ void of_a_template(float *y, const float *x) { y[threadIdx.x] = through<any<float>>(x); }
__global__ void kept_by_parameter(float *y, const float *x) { y[threadIdx.x] = kept<mine>(x); }
template <float (*F)(const float *)> __global__ void of_a_kernel(float *y, const float *x)
{
    y[threadIdx.x] = F(x);
}
__global__ void by_variable(float *y, const float *x)
{
    float (*f)(const float *) = mine;
    y[threadIdx.x] = f(x);
}
void launch(float *y, const float *x)
{
    of_a_template<<<1, 32>>>(y, x);
    kept_by_parameter<<<1, 32>>>(y, x);
    of_a_kernel<mine><<<1, 32>>>(y, x);
    by_variable<<<1, 32>>>(y, x);
}
