#include <cuda_runtime.h>
#ifdef FAST
#define MAKE(name, op)                                                                             \
    __global__ void name(float *x) { x[threadIdx.x] = __##op(x[threadIdx.x]); }                    \
    void launch_##name(float *x) { name<<<1, 32>>>(x); }
#else
#define MAKE(name, op)                                                                             \
    __global__ void name(float *x) { x[threadIdx.x] = op(x[threadIdx.x]); }                        \
    void launch_##name(float *x) { name<<<1, 32>>>(x); }
#endif
#define SHARED_ARRAY(name) __shared__ float name[32]
MAKE(roots, sqrtf)
__global__ void by_macro(float *x)
{
    SHARED_ARRAY(s);
    s[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = s[31 - threadIdx.x];
}
void launch(float *x) { by_macro<<<1, 32>>>(x); }
