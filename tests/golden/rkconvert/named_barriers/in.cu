#include <cuda_runtime.h>
// The first warp makes what the second one takes; the numbers are the kernel's own.
__device__ void hand_over() { asm volatile("bar.arrive 1, 64;" ::: "memory"); }
__global__ void pairs(float *x)
{
    __shared__ float s[32];
    if (threadIdx.x < 32) {
        s[threadIdx.x] = x[threadIdx.x];
        asm volatile("membar.cta;\n\t"
                     "bar.sync 2, 32;" ::: "memory");
        hand_over();
    } else {
        asm volatile("bar.sync\t1, 64;" ::: "memory");
        x[threadIdx.x] = s[threadIdx.x - 32];
    }
}
void launch(float *x) { pairs<<<1, 64>>>(x); }
