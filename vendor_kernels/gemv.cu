// Matrix times vector, for batch 1: y[m] = W[m, k] x[k], and y[n] = x[k] W[k, n].
#include "common.cuh"

#define GEMV_THREADS 128
#define GEMV_WARPS (GEMV_THREADS / WARP_SIZE)

// A warp for each row, eight rows to a block.
__global__ void gemv_warp_row(const float *__restrict__ W, const float *__restrict__ x,
                              float *__restrict__ y, int m, int k)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= m)
        return;
    const float *w = W + (size_t)row * k;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < k; i += WARP_SIZE)
        sum += __ldg(w + i) * __ldg(x + i);
    sum = warp_sum(sum);
    if (threadIdx.x == 0)
        y[row] = sum;
}

// Four warps take ROWS rows in turns; 16-byte loads.
template <int ROWS>
__global__ void __launch_bounds__(GEMV_THREADS)
gemv_rows(const float *__restrict__ W, const float *__restrict__ x, float *__restrict__ y, int m,
          int k)
{
    static_assert(ROWS % GEMV_WARPS == 0, "each warp takes as many rows");
    const int lane = threadIdx.x % WARP_SIZE;
    const int first = blockIdx.x * ROWS + threadIdx.x / WARP_SIZE;
    const bool x_aligned = is_aligned16(x);
#pragma unroll
    for (int r = 0; r < ROWS; r += GEMV_WARPS) {
        const int row = first + r;
        if (row >= m)
            break;
        const float *w = W + (size_t)row * k;
        const bool w_aligned = is_aligned16(w);
        float sum = 0.0f;
        for (int i = lane * 4; i < k; i += WARP_SIZE * 4)
            sum += dot4(load4(w + i, k - i, w_aligned), load4(x + i, k - i, x_aligned));
        sum = warp_sum(sum);
        if (lane == 0)
            y[row] = sum;
    }
}

// A block for each row: for few, long rows.
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
gemv_block(const float *__restrict__ W, const float *__restrict__ x, float *__restrict__ y, int k)
{
    const float *w = W + (size_t)blockIdx.x * k;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < k; i += BLOCK)
        sum += w[i] * x[i];
    sum = block_sum<BLOCK>(sum);
    if (threadIdx.x == 0)
        y[blockIdx.x] = sum;
}

// ROWS rows to a block; x is staged in dynamic shared memory, partial sums in static.
template <int ROWS>
__global__ void __launch_bounds__(GEMV_THREADS)
gemv_smem(const float *__restrict__ W, const float *__restrict__ x, float *__restrict__ y, int m,
          int k)
{
    constexpr int PER_ROW = GEMV_THREADS / ROWS;
    extern __shared__ float x_shared[];
    __shared__ float partial[ROWS][PER_ROW + 1];

    for (int i = threadIdx.x; i < k; i += GEMV_THREADS)
        x_shared[i] = x[i];
    __syncthreads();

    const int r = threadIdx.x / PER_ROW;
    const int part = threadIdx.x % PER_ROW;
    const int row = blockIdx.x * ROWS + r;
    float sum = 0.0f;
    if (row < m) {
        const float *w = W + (size_t)row * k;
        for (int i = part; i < k; i += PER_ROW)
            sum += w[i] * x_shared[i];
    }
    partial[r][part] = sum;
    __syncthreads();

    if (part == 0 && row < m) {
        float total = 0.0f;
#pragma unroll
        for (int i = 0; i < PER_ROW; i++)
            total += partial[r][i];
        y[row] = total;
    }
}

// A thread for each row: for many short rows, and where threads of a block are dear.
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
gemv_thread(const float *__restrict__ W, const float *__restrict__ x, float *__restrict__ y, int m,
            int k)
{
    const int row = blockIdx.x * BLOCK + threadIdx.x;
    if (row >= m)
        return;
    const float *w = W + (size_t)row * k;
    float sum[4] = {};
    int i = 0;
    for (; i + 4 <= k; i += 4) {
#pragma unroll
        for (int j = 0; j < 4; j++)
            sum[j] += w[i + j] * x[i + j];
    }
    for (; i < k; i++)
        sum[0] += w[i] * x[i];
    y[row] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Vector times matrix: COLS columns to a block, each summed by SLICES threads.
template <int COLS, int SLICES>
__global__ void gevm(const float *__restrict__ x, const float *__restrict__ W,
                     float *__restrict__ y, int k, int n)
{
    __shared__ float partial[SLICES][COLS];
    const int col = blockIdx.x * COLS + threadIdx.x;
    if (col >= n)
        return;
    float sum = 0.0f;
    for (int i = threadIdx.y; i < k; i += SLICES)
        sum += x[i] * W[(size_t)i * n + col];
    partial[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0) {
        float total = 0.0f;
        for (int s = 0; s < SLICES; s++)
            total += partial[s][threadIdx.x];
        y[col] = total;
    }
}

void launch_gemv_warp_row(const float *W, const float *x, float *y, int m, int k,
                          cudaStream_t stream)
{
    dim3 block(WARP_SIZE, 8);
    dim3 grid(ceil_div(m, 8));
    gemv_warp_row<<<grid, block, 0, stream>>>(W, x, y, m, k);
}

void launch_gemv_rows(const float *W, const float *x, float *y, int m, int k, int rows_per_block,
                      cudaStream_t stream)
{
    const int blocks = ceil_div(m, rows_per_block);
    switch (rows_per_block) {
    case 4:
        gemv_rows<4><<<blocks, GEMV_THREADS, 0, stream>>>(W, x, y, m, k);
        break;
    case 8:
        gemv_rows<8><<<blocks, GEMV_THREADS, 0, stream>>>(W, x, y, m, k);
        break;
    case 16:
        gemv_rows<16><<<blocks, GEMV_THREADS, 0, stream>>>(W, x, y, m, k);
        break;
    case 32:
        gemv_rows<32><<<blocks, GEMV_THREADS, 0, stream>>>(W, x, y, m, k);
        break;
    default:
        break;
    }
}

void launch_gemv_block(const float *W, const float *x, float *y, int m, int k, bool wide,
                       cudaStream_t stream)
{
    if (wide)
        gemv_block<256><<<m, 256, 0, stream>>>(W, x, y, k);
    else
        gemv_block<128><<<m, 128, 0, stream>>>(W, x, y, k);
}

void launch_gemv_smem_4(const float *W, const float *x, float *y, int m, int k, cudaStream_t stream)
{
    const size_t bytes = k * sizeof(float);
    gemv_smem<4><<<ceil_div(m, 4), GEMV_THREADS, bytes, stream>>>(W, x, y, m, k);
}

void launch_gemv_smem_8(const float *W, const float *x, float *y, int m, int k, cudaStream_t stream)
{
    const size_t bytes = k * sizeof(float);
    gemv_smem<8><<<ceil_div(m, 8), GEMV_THREADS, bytes, stream>>>(W, x, y, m, k);
}

void launch_gemv_smem_16(const float *W, const float *x, float *y, int m, int k,
                         cudaStream_t stream)
{
    const size_t bytes = k * sizeof(float);
    gemv_smem<16><<<ceil_div(m, 16), GEMV_THREADS, bytes, stream>>>(W, x, y, m, k);
}

void launch_gemv_smem_32(const float *W, const float *x, float *y, int m, int k,
                         cudaStream_t stream)
{
    const size_t bytes = k * sizeof(float);
    gemv_smem<32><<<ceil_div(m, 32), GEMV_THREADS, bytes, stream>>>(W, x, y, m, k);
}

void launch_gemv_thread(const float *W, const float *x, float *y, int m, int k, int rows_per_block,
                        cudaStream_t stream)
{
    const dim3 grid(ceil_div(m, rows_per_block));
    if (rows_per_block == 32)
        gemv_thread<32><<<grid, 32, 0, stream>>>(W, x, y, m, k);
    else if (rows_per_block == 64)
        gemv_thread<64><<<grid, 64, 0, stream>>>(W, x, y, m, k);
    else
        gemv_thread<128><<<grid, 128, 0, stream>>>(W, x, y, m, k);
}

void launch_gevm(const float *x, const float *W, float *y, int k, int n, cudaStream_t stream)
{
    if (n <= 64) {
        // A narrow matrix: more threads to a column.
        dim3 block(16, 16);
        gevm<16, 16><<<ceil_div(n, 16), block, 0, stream>>>(x, W, y, k, n);
    } else {
        dim3 block(32, 8);
        gevm<32, 8><<<ceil_div(n, 32), block, 0, stream>>>(x, W, y, k, n);
    }
}
