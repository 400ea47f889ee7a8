#include <cuda_runtime.h>
#define KERNEL(name) __global__ void name##_kernel
#define QUALIFIERS __global__ void
#define BODY(x) { x[threadIdx.x] = 1; }
KERNEL(seen)(int *x, int n)
{
    if (threadIdx.x < n)
        x[threadIdx.x] = n;
    __syncthreads();
}
#ifdef HIDDEN
QUALIFIERS hidden(int *x) BODY(x)
#endif
void launch(int *x)
{
    seen_kernel<<<1, 32>>>(x, 5);
}
