// Products with a long inner dimension: k is cut into slices that run in parallel.
#include "common.cuh"

// Sum over [k_begin, k_end) of one output of a TILE x TILE tile; all threads of the block call it.
template <int TILE>
__device__ float tile_product(const float *A, const float *B, int m, int n, int k, int k_begin,
                              int k_end)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y;
    const int col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int k0 = k_begin; k0 < k_end; k0 += TILE) {
        const int a_col = k0 + threadIdx.x;
        const int b_row = k0 + threadIdx.y;
        As[threadIdx.y][threadIdx.x] =
            row < m && a_col < k_end ? A[(size_t)row * k + a_col] : 0.0f;
        Bs[threadIdx.y][threadIdx.x] =
            b_row < k_end && col < n ? B[(size_t)b_row * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += As[threadIdx.y][i] * Bs[i][threadIdx.x];
        __syncthreads();
    }
    return sum;
}

// partial[slice, m, n], summed by splitk_sum.
template <int TILE>
__global__ void __launch_bounds__(TILE *TILE)
splitk_partial(const float *__restrict__ A, const float *__restrict__ B,
               float *__restrict__ partial, int m, int n, int k, int slice)
{
    const int row = blockIdx.y * TILE + threadIdx.y;
    const int col = blockIdx.x * TILE + threadIdx.x;
    const int k_begin = blockIdx.z * slice;
    const int k_end = min(k, k_begin + slice);
    const float sum = tile_product<TILE>(A, B, m, n, k, k_begin, k_end);
    if (row < m && col < n)
        partial[((size_t)blockIdx.z * m + row) * n + col] = sum;
}

// out[i] = the sum over all slices of partial[slice, i], in the order of the slices.
__global__ void splitk_sum(const float *__restrict__ partial, float *__restrict__ out, int slices,
                           int elements)
{
    GRID_STRIDE_LOOP(i, elements) {
        float sum = 0.0f;
        for (int s = 0; s < slices; s++)
            sum += partial[(size_t)s * elements + i];
        out[i] = sum;
    }
}

// One pass: slices add to C, which is zero before. The order of the additions is not fixed.
template <int TILE>
__global__ void __launch_bounds__(TILE *TILE)
splitk_atomic(const float *__restrict__ A, const float *__restrict__ B, float *C, int m, int n,
              int k, int slice)
{
    const int row = blockIdx.y * TILE + threadIdx.y;
    const int col = blockIdx.x * TILE + threadIdx.x;
    const int k_begin = blockIdx.z * slice;
    const int k_end = min(k, k_begin + slice);
    const float sum = tile_product<TILE>(A, B, m, n, k, k_begin, k_end);
    if (row < m && col < n)
        atomicAdd(&C[(size_t)row * n + col], sum);
}

void launch_splitk_partial(const float *A, const float *B, float *partial, int m, int n, int k,
                           int slices, cudaStream_t stream)
{
    const int slice = ceil_div(k, slices);
    dim3 block(16, 16);
    dim3 grid(ceil_div(n, 16), ceil_div(m, 16), slices);
    splitk_partial<16><<<grid, block, 0, stream>>>(A, B, partial, m, n, k, slice);
}

void launch_splitk_sum(const float *partial, float *out, int slices, int elements,
                       cudaStream_t stream)
{
    const int threads = 128;
    splitk_sum<<<ceil_div(elements, threads), threads, 0, stream>>>(partial, out, slices, elements);
}

// Both passes; `workspace` holds slices * m * n floats.
void launch_splitk(const float *A, const float *B, float *C, float *workspace, int m, int n, int k,
                   int slices, cudaStream_t stream)
{
    launch_splitk_partial(A, B, workspace, m, n, k, slices, stream);
    launch_splitk_sum(workspace, C, slices, m * n, stream);
}

// C must be zero.
void launch_splitk_atomic(const float *A, const float *B, float *C, int m, int n, int k, int slices,
                          cudaStream_t stream)
{
    const int slice = ceil_div(k, slices);
    dim3 block(16, 16);
    dim3 grid(ceil_div(n, 16), ceil_div(m, 16), slices);
    splitk_atomic<16><<<grid, block, 0, stream>>>(A, B, C, m, n, k, slice);
}
