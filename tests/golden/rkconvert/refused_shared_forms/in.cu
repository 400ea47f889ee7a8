#include <cuda_runtime.h>
__shared__ float at_file_scope[32], another[32];
template <class T> struct Holder {
    __device__ T sum(T v)
    {
        __shared__ T s[32];
        s[threadIdx.x] = v;
        return s[0];
    }
};
struct Loud {
    int v;
    __device__ Loud() { v = 7; }
};
__global__ void constructed(float *x)
{
    __shared__ Loud loud;
    x[threadIdx.x] = loud.v;
}
__global__ void uses_file(float *x) { at_file_scope[threadIdx.x] = x[threadIdx.x]; }
__global__ void uses_holder(float *x) { x[threadIdx.x] = Holder<float>().sum(x[threadIdx.x]); }
__global__ void local_type(float *x)
{
    struct Local {
        float a;
    };
    __shared__ Local s[32];
    s[threadIdx.x].a = x[threadIdx.x];
}
void launch(float *x)
{
    uses_file<<<1, 32>>>(x);
    constructed<<<1, 32>>>(x);
    uses_holder<<<1, 32>>>(x);
    local_type<<<1, 32>>>(x);
}
