// Y = alpha op(A) op(B) + beta C, where op transposes or not and C is broadcast by its strides.
#include "common.cuh"

struct Epilogue {
    float alpha, beta;
    const float *c; // may be null
    int row_stride, col_stride;

    __device__ float operator()(float sum, int row, int col) const
    {
        const float scaled = alpha * sum;
        return c ? scaled + beta * c[(size_t)row * row_stride + (size_t)col * col_stride] : scaled;
    }
};

// Square tiles; each thread computes PER x PER outputs.
template <bool TRANS_A, bool TRANS_B, int TILE, int BK, int PER>
__global__ void __launch_bounds__((TILE / PER) * (TILE / PER), 2)
gemm_ex(const float *__restrict__ A, const float *__restrict__ B, const float *__restrict__ C,
        float *__restrict__ Y, int m, int n, int k, float alpha, float beta, int c_row, int c_col)
{
    constexpr int SIDE = TILE / PER;
    __shared__ float smem[2 * BK * (TILE + 1)];
    float(*As)[TILE + 1] = reinterpret_cast<float(*)[TILE + 1]>(smem);
    float(*Bs)[TILE + 1] = As + BK;

    const int tid = threadIdx.y * SIDE + threadIdx.x;
    const int row0 = blockIdx.y * TILE;
    const int col0 = blockIdx.x * TILE;
    const Epilogue epilogue = {alpha, beta, C, c_row, c_col};

    auto load_a = [&](int row, int i) {
        return row < m && i < k ? A[TRANS_A ? (size_t)i * m + row : (size_t)row * k + i] : 0.0f;
    };
    auto load_b = [&](int i, int col) {
        return col < n && i < k ? B[TRANS_B ? (size_t)col * k + i : (size_t)i * n + col] : 0.0f;
    };

    float sum[PER][PER] = {};
    for (int k0 = 0; k0 < k; k0 += BK) {
        for (int i = tid; i < TILE * BK; i += SIDE * SIDE) {
            const int a_r = TRANS_A ? i % TILE : i / BK, a_k = TRANS_A ? i / TILE : i % BK;
            const int b_c = TRANS_B ? i / BK : i % TILE, b_k = TRANS_B ? i % BK : i / TILE;
            As[a_k][a_r] = load_a(row0 + a_r, k0 + a_k);
            Bs[b_k][b_c] = load_b(k0 + b_k, col0 + b_c);
        }
        __syncthreads();
        for (int i = 0; i < BK; i++) {
#pragma unroll
            for (int r = 0; r < PER; r++)
#pragma unroll
                for (int c = 0; c < PER; c++)
                    sum[r][c] += As[i][threadIdx.y + r * SIDE] * Bs[i][threadIdx.x + c * SIDE];
        }
        __syncthreads();
    }

#pragma unroll
    for (int r = 0; r < PER; r++)
#pragma unroll
        for (int c = 0; c < PER; c++) {
            const int row = row0 + threadIdx.y + r * SIDE;
            const int col = col0 + threadIdx.x + c * SIDE;
            if (row < m && col < n)
                Y[(size_t)row * n + col] = epilogue(sum[r][c], row, col);
        }
}

// A fully connected layer at batch 1: y[n] = alpha W[n, k] x[k] + beta c[n], a warp for each output.
template <int WARPS>
__global__ void fc_warp(const float *__restrict__ W, const float *__restrict__ x,
                        const float *__restrict__ c, float *__restrict__ y, int n, int k,
                        float alpha, float beta, int c_stride)
{
    const int out = blockIdx.x * WARPS + threadIdx.y;
    if (out >= n)
        return;
    const float *w = W + (size_t)out * k;
    const bool aligned = is_aligned16(w) && is_aligned16(x);
    float sum = 0.0f;
    for (int i = threadIdx.x * 4; i < k; i += WARP_SIZE * 4)
        sum += dot4(load4(w + i, k - i, aligned), load4(x + i, k - i, aligned));
    sum = alpha * warp_sum(sum);
    if (threadIdx.x == 0)
        y[out] = c ? sum + beta * c[out * c_stride] : sum;
}

#define LAUNCH_GEMM_EX(TA, TB, TILE, BK, PER)                                                      \
    gemm_ex<TA, TB, TILE, BK, PER><<<dim3(ceil_div(n, TILE), ceil_div(m, TILE)),                   \
                                     dim3(TILE / PER, TILE / PER), 0, stream>>>(                   \
        A, B, C, Y, m, n, k, alpha, beta, c_row, c_col)

void launch_gemm_ex_64(const float *A, const float *B, const float *C, float *Y, int m, int n,
                       int k, float alpha, float beta, int c_row, int c_col, bool trans_a,
                       bool trans_b, cudaStream_t stream)
{
    if (trans_a && trans_b)
        LAUNCH_GEMM_EX(true, true, 64, 8, 4);
    else if (trans_a)
        LAUNCH_GEMM_EX(true, false, 64, 8, 4);
    else if (trans_b)
        LAUNCH_GEMM_EX(false, true, 64, 8, 4);
    else
        LAUNCH_GEMM_EX(false, false, 64, 8, 4);
}

void launch_gemm_ex_16(const float *A, const float *B, const float *C, float *Y, int m, int n,
                       int k, float alpha, float beta, int c_row, int c_col, bool trans_a,
                       bool trans_b, cudaStream_t stream)
{
    if (trans_a && trans_b)
        LAUNCH_GEMM_EX(true, true, 16, 16, 1);
    else if (trans_a)
        LAUNCH_GEMM_EX(true, false, 16, 16, 1);
    else if (trans_b)
        LAUNCH_GEMM_EX(false, true, 16, 16, 1);
    else
        LAUNCH_GEMM_EX(false, false, 16, 16, 1);
}

void launch_fc(const float *W, const float *x, const float *c, float *y, int n, int k, float alpha,
               float beta, int c_stride, int warps, cudaStream_t stream)
{
    if (warps == 8)
        fc_warp<8><<<ceil_div(n, 8), dim3(WARP_SIZE, 8), 0, stream>>>(W, x, c, y, n, k, alpha, beta,
                                                                      c_stride);
    else
        fc_warp<4><<<ceil_div(n, 4), dim3(WARP_SIZE, 4), 0, stream>>>(W, x, c, y, n, k, alpha, beta,
                                                                      c_stride);
}
