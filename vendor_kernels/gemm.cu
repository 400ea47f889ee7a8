// Matrix products C[batch] = A[batch] B[batch], row-major, in several tile sizes. A stride of 0 shares
// an operand among the batch.
#include "common.cuh"

// TILE x TILE outputs by TILE x ROWS threads; each thread computes TILE / ROWS outputs of a column.
template <int TILE, int ROWS>
__global__ void __launch_bounds__(TILE *ROWS)
gemm_tile(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int m,
          int n, int k, long long stride_a, long long stride_b)
{
    constexpr int OUTPUTS = TILE / ROWS;
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE + 1];
    A += blockIdx.z * stride_a;
    B += blockIdx.z * stride_b;
    C += (size_t)blockIdx.z * m * n;
    const int col = blockIdx.x * TILE + threadIdx.x;
    const int row0 = blockIdx.y * TILE;

    float sum[OUTPUTS] = {};
    for (int k0 = 0; k0 < k; k0 += TILE) {
        for (int r = threadIdx.y; r < TILE; r += ROWS) {
            const int row = row0 + r;
            const int a_col = k0 + threadIdx.x;
            const int b_row = k0 + r;
            As[r][threadIdx.x] = row < m && a_col < k ? A[(size_t)row * k + a_col] : 0.0f;
            Bs[r][threadIdx.x] = b_row < k && col < n ? B[(size_t)b_row * n + col] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++) {
#pragma unroll
            for (int i = 0; i < TILE; i++)
                sum[o] += As[threadIdx.y + o * ROWS][i] * Bs[i][threadIdx.x];
        }
        __syncthreads();
    }

#pragma unroll
    for (int o = 0; o < OUTPUTS; o++) {
        const int row = row0 + threadIdx.y + o * ROWS;
        if (row < m && col < n)
            C[(size_t)row * n + col] = sum[o];
    }
}

// BM x BN outputs, TM x TN of them in the registers of each of BM * BN / (TM * TN) threads.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
gemm_reg(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int m,
         int n, int k, long long stride_a, long long stride_b)
{
    constexpr int THREADS = (BM / TM) * (BN / TN);
    __shared__ float As[BK][BM + 1];
    __shared__ float Bs[BK][BN];
    A += blockIdx.z * stride_a;
    B += blockIdx.z * stride_b;
    C += (size_t)blockIdx.z * m * n;
    const int row0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;
    const int tr = threadIdx.x / (BN / TN);
    const int tc = threadIdx.x % (BN / TN);

    float sum[TM][TN] = {};
    for (int k0 = 0; k0 < k; k0 += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += THREADS) {
            const int r = i / BK, c = i % BK;
            As[c][r] = row0 + r < m && k0 + c < k ? A[(size_t)(row0 + r) * k + k0 + c] : 0.0f;
        }
        for (int i = threadIdx.x; i < BK * BN; i += THREADS) {
            const int r = i / BN, c = i % BN;
            Bs[r][c] = k0 + r < k && col0 + c < n ? B[(size_t)(k0 + r) * n + col0 + c] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < BK; i++) {
            float a[TM], b[TN];
#pragma unroll
            for (int r = 0; r < TM; r++)
                a[r] = As[i][tr * TM + r];
#pragma unroll
            for (int c = 0; c < TN; c++)
                b[c] = Bs[i][tc + c * (BN / TN)];
#pragma unroll
            for (int r = 0; r < TM; r++)
#pragma unroll
                for (int c = 0; c < TN; c++)
                    sum[r][c] += a[r] * b[c];
        }
        __syncthreads();
    }

#pragma unroll
    for (int r = 0; r < TM; r++) {
        const int row = row0 + tr * TM + r;
        if (row >= m)
            break;
#pragma unroll
        for (int c = 0; c < TN; c++) {
            const int col = col0 + tc + c * (BN / TN);
            if (col < n)
                C[(size_t)row * n + col] = sum[r][c];
        }
    }
}

void launch_gemm_tile_16(const float *A, const float *B, float *C, int m, int n, int k, int batch,
                         long long stride_a, long long stride_b, cudaStream_t stream)
{
    dim3 block(16, 16);
    dim3 grid(ceil_div(n, 16), ceil_div(m, 16), batch);
    gemm_tile<16, 16><<<grid, block, 0, stream>>>(A, B, C, m, n, k, stride_a, stride_b);
}

void launch_gemm_tile_32(const float *A, const float *B, float *C, int m, int n, int k, int batch,
                         long long stride_a, long long stride_b, cudaStream_t stream)
{
    dim3 block(32, 8);
    dim3 grid(ceil_div(n, 32), ceil_div(m, 32), batch);
    gemm_tile<32, 8><<<grid, block, 0, stream>>>(A, B, C, m, n, k, stride_a, stride_b);
}

template <int BM, int BN>
static dim3 gemm_grid(int m, int n, int batch)
{
    return dim3(ceil_div(n, BN), ceil_div(m, BM), batch);
}

void launch_gemm_reg(const float *A, const float *B, float *C, int m, int n, int k, int batch,
                     long long stride_a, long long stride_b, int tile_m, int tile_n,
                     cudaStream_t stream)
{
    if (tile_m == 64 && tile_n == 128) {
        const dim3 grid = gemm_grid<64, 128>(m, n, batch);
        gemm_reg<64, 128, 8, 8, 4><<<grid, 256, 0, stream>>>(A, B, C, m, n, k, stride_a, stride_b);
    } else if (tile_m == 64) {
        const dim3 grid = gemm_grid<64, 64>(m, n, batch);
        gemm_reg<64, 64, 8, 4, 4><<<grid, 256, 0, stream>>>(A, B, C, m, n, k, stride_a, stride_b);
    } else if (tile_m == 32) {
        const dim3 grid = gemm_grid<32, 64>(m, n, batch);
        gemm_reg<32, 64, 8, 4, 4><<<grid, 128, 0, stream>>>(A, B, C, m, n, k, stride_a, stride_b);
    } else {
        const dim3 grid = gemm_grid<16, 64>(m, n, batch);
        gemm_reg<16, 64, 16, 2, 4><<<grid, 128, 0, stream>>>(A, B, C, m, n, k, stride_a, stride_b);
    }
}
