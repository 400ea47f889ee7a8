#include <cuda_runtime.h>

#define FULL 0xffffffffu

__global__ void warps(unsigned *out, const float *in)
{
    const float v = __ldg(in + threadIdx.x);
    unsigned r = __ballot_sync(FULL, v > 0) + __any_sync(FULL, v > 1) + __all_sync(FULL, v > 2);
    r += (unsigned)__shfl_sync(FULL, v, 0) + (unsigned)__shfl_up_sync(FULL, v, 1, 16);
    r += (unsigned)__shfl_down_sync(FULL, v, 1) + (unsigned)__shfl_xor_sync(FULL, v, 1);
    __syncwarp();
    __syncwarp(FULL);
    int same;
    r += __match_any_sync(FULL, (int)v) + __match_all_sync(FULL, (int)v, &same);
    r += __reduce_add_sync(FULL, r) + __reduce_max_sync(FULL, r) + __reduce_xor_sync(FULL, r);
    out[threadIdx.x] = r + __activemask();
}

void launch(unsigned *out, const float *in) { warps<<<1, 48>>>(out, in); }
