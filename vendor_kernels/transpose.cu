// Transposition of the last two dimensions through shared memory, and any order of up to four.
#include "common.cuh"

// out[batch, c, r] = in[batch, r, c], TILE x TILE elements by TILE x ROWS threads.
template <int TILE, int ROWS>
__global__ void transpose_tile(const float *__restrict__ in, float *__restrict__ out, int rows,
                               int cols)
{
    __shared__ float tile[TILE][TILE + 1];
    const size_t plane = (size_t)blockIdx.z * rows * cols;
    int c = blockIdx.x * TILE + threadIdx.x;
    int r = blockIdx.y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        if (c < cols && r + i < rows)
            tile[threadIdx.y + i][threadIdx.x] = in[plane + (size_t)(r + i) * cols + c];
    __syncthreads();
    r = blockIdx.y * TILE + threadIdx.x;
    c = blockIdx.x * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        if (r < rows && c + i < cols)
            out[plane + (size_t)(c + i) * rows + r] = tile[threadIdx.x][threadIdx.y + i];
}

// out, of extents d0..d3, element (i0, i1, i2, i3) is in[i0 * s0 + i1 * s1 + i2 * s2 + i3 * s3].
__global__ void permute(const float *__restrict__ in, float *__restrict__ out, int d0, int d1,
                        int d2, int d3, int s0, int s1, int s2, int s3)
{
    GRID_STRIDE_LOOP(index, d0 * d1 * d2 * d3) {
        const int i3 = index % d3;
        const int i2 = index / d3 % d2;
        const int i1 = index / d3 / d2 % d1;
        const int i0 = index / d3 / d2 / d1;
        out[index] = in[i0 * s0 + i1 * s1 + i2 * s2 + i3 * s3];
    }
}

void launch_transpose(const float *in, float *out, int batch, int rows, int cols, int tile,
                      cudaStream_t stream)
{
    const dim3 grid(ceil_div(cols, tile), ceil_div(rows, tile), batch);
    if (tile == 32) {
        transpose_tile<32, 8><<<grid, dim3(32, 8), 0, stream>>>(in, out, rows, cols);
    } else {
        transpose_tile<16, 16><<<grid, dim3(16, 16), 0, stream>>>(in, out, rows, cols);
    }
}

void launch_permute(const float *in, float *out, int d0, int d1, int d2, int d3, int s0, int s1,
                    int s2, int s3, cudaStream_t stream)
{
    const int elements = d0 * d1 * d2 * d3;
    permute<<<ceil_div(elements, 256), 256, 0, stream>>>(in, out, d0, d1, d2, d3, s0, s1, s2, s3);
}
