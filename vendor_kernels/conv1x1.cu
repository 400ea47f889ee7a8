// Convolution with a 1 x 1 window and no padding, NCHW: a matrix product over the channels.
#include "activation.cuh"
#include "common.cuh"

// Rows are output channels, columns the pixels of one image.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
conv1x1_gemm(const float *__restrict__ x, const float *__restrict__ w,
             const float *__restrict__ bias, float *__restrict__ y, int channels, int height,
             int width, int out_channels, int out_height, int out_width, int stride_h,
             int stride_w, int activation)
{
    constexpr int THREADS = (BM / TM) * (BN / TN);
    __shared__ float Ws[BK][BM + 1];
    __shared__ float Xs[BK][BN];
    const int pixels = out_height * out_width;
    const int row0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;
    const int tr = threadIdx.x / (BN / TN);
    const int tc = threadIdx.x % (BN / TN);
    const size_t plane = (size_t)height * width;
    const float *image = x + blockIdx.z * channels * plane;

    float sum[TM][TN] = {};
    for (int k0 = 0; k0 < channels; k0 += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += THREADS) {
            const int r = row0 + i / BK, c = k0 + i % BK;
            Ws[i % BK][i / BK] =
                r < out_channels && c < channels ? w[(size_t)r * channels + c] : 0.0f;
        }
        for (int i = threadIdx.x; i < BK * BN; i += THREADS) {
            const int c = k0 + i / BN, pixel = col0 + i % BN;
            float v = 0.0f;
            if (c < channels && pixel < pixels) {
                const int iy = pixel / out_width * stride_h;
                const int ix = pixel % out_width * stride_w;
                v = image[c * plane + (size_t)iy * width + ix];
            }
            Xs[i / BN][i % BN] = v;
        }
        __syncthreads();
#pragma unroll
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
            if (oc < out_channels && pixel < pixels)
                y[((size_t)blockIdx.z * out_channels + oc) * pixels + pixel] =
                    activate(sum[r][c] + (bias ? bias[oc] : 0.0f), activation);
        }
    }
}

#define CONV1X1_PARAMS                                                                             \
    const float *x, const float *w, const float *bias, float *y, int images, int channels,         \
        int height, int width, int out_channels, int out_height, int out_width, int stride_h,      \
        int stride_w, int activation
#define CONV1X1_ARGS                                                                               \
    x, w, bias, y, channels, height, width, out_channels, out_height, out_width, stride_h,         \
        stride_w, activation

void launch_conv1x1(CONV1X1_PARAMS, int tile_m, int tile_n, cudaStream_t stream)
{
    const dim3 grid(ceil_div(out_height * out_width, tile_n), ceil_div(out_channels, tile_m),
                    images);
    if (tile_m == 64)
        conv1x1_gemm<64, 64, 8, 4, 4><<<grid, 256, 0, stream>>>(CONV1X1_ARGS);
    else if (tile_m == 32)
        conv1x1_gemm<32, 32, 16, 2, 4><<<grid, 128, 0, stream>>>(CONV1X1_ARGS);
    else
        conv1x1_gemm<16, 32, 32, 1, 4><<<grid, 128, 0, stream>>>(CONV1X1_ARGS);
}
