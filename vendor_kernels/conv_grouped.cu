// Grouped two-dimensional convolution, NCHW, as one implicit GEMM for each group of each image.
#include "activation.cuh"
#include "common.cuh"

// Rows are the group's output channels, columns pixels, the inner dimension its input channels
// times the window; blockIdx.z is the group of the image.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
conv2d_grouped_gemm(const float *__restrict__ x, const float *__restrict__ w,
                    const float *__restrict__ bias, float *__restrict__ y, int group_in,
                    int height, int width, int group_out, int out_height, int out_width, int kh,
                    int kw, int stride_h, int stride_w, int pad_h, int pad_w, int dil_h, int dil_w,
                    int groups, int activation)
{
    constexpr int THREADS = (BM / TM) * (BN / TN);
    __shared__ float Ws[BK][BM + 1];
    __shared__ float Xs[BK][BN];
    const int inner = group_in * kh * kw;
    const int pixels = out_height * out_width;
    const int row0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;
    const int tr = threadIdx.x / (BN / TN);
    const int tc = threadIdx.x % (BN / TN);
    const int group = blockIdx.z % groups;
    const float *planes = x + (size_t)blockIdx.z * group_in * height * width;
    const float *filters = w + (size_t)group * group_out * inner;

    float sum[TM][TN] = {};
    for (int k0 = 0; k0 < inner; k0 += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += THREADS) {
            const int r = row0 + i / BK, c = k0 + i % BK;
            Ws[i % BK][i / BK] = r < group_out && c < inner ? filters[(size_t)r * inner + c] : 0.0f;
        }
#pragma unroll 1
        for (int i = threadIdx.x; i < BK * BN; i += THREADS) {
            const int tap = k0 + i / BN, pixel = col0 + i % BN;
            float v = 0.0f;
            if (tap < inner && pixel < pixels) {
                const int c = tap / (kh * kw);
                const int iy = pixel / out_width * stride_h - pad_h + tap / kw % kh * dil_h;
                const int ix = pixel % out_width * stride_w - pad_w + tap % kw * dil_w;
                if (iy >= 0 && iy < height && ix >= 0 && ix < width)
                    v = planes[((size_t)c * height + iy) * width + ix];
            }
            Xs[i / BN][i % BN] = v;
        }
        __syncthreads();
#pragma unroll 4
        for (int i = 0; i < BK; i++)
#pragma unroll
            for (int r = 0; r < TM; r++)
#pragma unroll
                for (int c = 0; c < TN; c++)
                    sum[r][c] += Ws[i][tr * TM + r] * Xs[i][tc + c * (BN / TN)];
        __syncthreads();
    }

#pragma unroll
    for (int r = 0; r < TM; r++) {
        const int oc = row0 + tr * TM + r;
#pragma unroll
        for (int c = 0; c < TN; c++) {
            const int pixel = col0 + tc + c * (BN / TN);
            if (oc < group_out && pixel < pixels) {
                const float b = bias ? bias[group * group_out + oc] : 0.0f;
                y[((size_t)blockIdx.z * group_out + oc) * pixels + pixel] =
                    activate(sum[r][c] + b, activation);
            }
        }
    }
}

#define GROUPED_PARAMS                                                                             \
    const float *x, const float *w, const float *bias, float *y, int images, int group_in,         \
        int height, int width, int group_out, int out_height, int out_width, int kh, int kw,       \
        int stride_h, int stride_w, int pad_h, int pad_w, int dil_h, int dil_w, int groups,        \
        int activation
#define GROUPED_ARGS                                                                               \
    x, w, bias, y, group_in, height, width, group_out, out_height, out_width, kh, kw, stride_h,    \
        stride_w, pad_h, pad_w, dil_h, dil_w, groups, activation

void launch_conv2d_grouped(GROUPED_PARAMS, int tile_m, int tile_n, cudaStream_t stream)
{
    const dim3 grid(ceil_div(out_height * out_width, tile_n), ceil_div(group_out, tile_m),
                    images * groups);
    if (tile_m == 64)
        conv2d_grouped_gemm<64, 64, 8, 4, 4><<<grid, 256, 0, stream>>>(GROUPED_ARGS);
    else
        conv2d_grouped_gemm<16, 32, 16, 1, 4><<<grid, 128, 0, stream>>>(GROUPED_ARGS);
}
