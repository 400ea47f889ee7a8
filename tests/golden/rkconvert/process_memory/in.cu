#include <cuda_runtime.h>

__global__ void warp_rows(float *out, const float *in, int rows, int n)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    if (in == nullptr) {
        return;
    }
    float v = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        v += in[row * n + i];
    for (int o = 16; o > 0; o /= 2)
        v += __shfl_xor_sync(0xffffffff, v, o);
    if (threadIdx.x != 0) return; // no warp operation follows
    out[row] = v;
}

void launch(float *out, const float *in, int rows, int n)
{
    warp_rows<<<(rows + 3) / 4, dim3(32, 4)>>>(out, in, rows, n);
}
