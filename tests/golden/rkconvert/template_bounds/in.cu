#include <cuda_runtime.h>

template <int TILE, typename T = float>
__global__ void __launch_bounds__(TILE * 8, 2) transpose(T *__restrict__ out,
                                                         const T *__restrict__ in, int w, int h)
{
    __shared__ T tile[TILE][TILE + 1];
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < w && y < h)
        tile[threadIdx.y][threadIdx.x] = in[y * w + x];
    __syncthreads();
    const int tx = blockIdx.y * TILE + threadIdx.x, ty = blockIdx.x * TILE + threadIdx.y;
    if (tx < h && ty < w)
        out[ty * h + tx] = tile[threadIdx.x][threadIdx.y];
}

void launch(float *out, const float *in, int w, int h)
{
    transpose<8><<<dim3((w + 7) / 8, (h + 7) / 8), dim3(8, 8)>>>(out, in, w, h);
    transpose<16, float><<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(out, in, w, h);
}
