// Two-dimensional convolution, NCHW: direct with groups and dilation, and as an implicit GEMM.
#include "activation.cuh"
#include "common.cuh"

// Extents of a convolution; a kernel takes them by value.
#define CONV_PARAMS                                                                                \
    int channels, int height, int width, int out_channels, int out_height, int out_width, int kh, \
        int kw, int stride_h, int stride_w, int pad_h, int pad_w, int dil_h, int dil_w
#define CONV_ARGS                                                                                  \
    channels, height, width, out_channels, out_height, out_width, kh, kw, stride_h, stride_w,      \
        pad_h, pad_w, dil_h, dil_w

// One input channel's window: x is the plane, w the kh x kw weights.
__device__ __forceinline__ float window_dot(const float *x, const float *w, int height, int width,
                                            int kh, int kw, int y0, int x0, int dil_h, int dil_w)
{
    float sum = 0.0f;
    for (int i = 0; i < kh; i++) {
        const int iy = y0 + i * dil_h;
        if (iy < 0 || iy >= height)
            continue;
        for (int j = 0; j < kw; j++) {
            const int ix = x0 + j * dil_w;
            if (ix >= 0 && ix < width)
                sum += x[(size_t)iy * width + ix] * w[i * kw + j];
        }
    }
    return sum;
}

// A thread for each output; a block covers TX x TY pixels of one output plane.
template <int TX, int TY>
__global__ void __launch_bounds__(TX *TY, 8)
conv2d_direct(const float *__restrict__ x, const float *__restrict__ w,
              const float *__restrict__ bias, float *__restrict__ y, CONV_PARAMS, int group,
              int activation)
{
    const int ox = blockIdx.x * TX + threadIdx.x;
    const int oy = blockIdx.y * TY + threadIdx.y;
    const int image = blockIdx.z / out_channels;
    const int oc = blockIdx.z % out_channels;
    if (ox >= out_width || oy >= out_height)
        return;
    const int group_channels = channels / group;
    const int first = oc / (out_channels / group) * group_channels;
    const float *plane = x + ((size_t)image * channels + first) * height * width;
    const float *filter = w + (size_t)oc * group_channels * kh * kw;
    float sum = bias ? bias[oc] : 0.0f;
    for (int c = 0; c < group_channels; c++) {
        sum += window_dot(plane, filter, height, width, kh, kw, oy * stride_h - pad_h,
                          ox * stride_w - pad_w, dil_h, dil_w);
        plane += (size_t)height * width;
        filter += kh * kw;
    }
    y[((size_t)blockIdx.z * out_height + oy) * out_width + ox] = activate(sum, activation);
}

// A three-dimensional block of 8 x 4 pixels and 4 output channels; small feature maps.
__global__ void __launch_bounds__(128)
conv2d_channels(const float *__restrict__ x, const float *__restrict__ w,
                const float *__restrict__ bias, float *__restrict__ y, CONV_PARAMS, int images,
                int activation)
{
    const int ox = blockIdx.x * blockDim.x + threadIdx.x;
    const int oy = blockIdx.y * blockDim.y + threadIdx.y;
    const int plane_out = blockIdx.z * blockDim.z + threadIdx.z;
    if (ox < out_width && oy < out_height && plane_out < images * out_channels) {
        const int oc = plane_out % out_channels;
        const float *plane = x + (size_t)(plane_out / out_channels) * channels * height * width;
        float sum = bias ? bias[oc] : 0.0f;
        for (int c = 0; c < channels; c++)
            sum += window_dot(plane + (size_t)c * height * width,
                              w + ((size_t)oc * channels + c) * kh * kw, height, width, kh, kw,
                              oy * stride_h - pad_h, ox * stride_w - pad_w, dil_h, dil_w);
        y[((size_t)plane_out * out_height + oy) * out_width + ox] = activate(sum, activation);
    }
}

// Rows are output channels, columns pixels, the inner dimension input channels times the window.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
conv2d_implicit_gemm(const float *__restrict__ x, const float *__restrict__ w,
                     const float *__restrict__ bias, float *__restrict__ y, CONV_PARAMS,
                     int activation)
{
    constexpr int THREADS = (BM / TM) * (BN / TN);
    __shared__ float Ws[BK][BM + 1];
    __shared__ float Xs[BK][BN];
    const int inner = channels * kh * kw;
    const int pixels = out_height * out_width;
    const int row0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;
    const int tr = threadIdx.x / (BN / TN);
    const int tc = threadIdx.x % (BN / TN);
    const float *image = x + (size_t)blockIdx.z * channels * height * width;

    float sum[TM][TN] = {};
    for (int k0 = 0; k0 < inner; k0 += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += THREADS) {
            const int r = row0 + i / BK, c = k0 + i % BK;
            Ws[i % BK][i / BK] = r < out_channels && c < inner ? w[(size_t)r * inner + c] : 0.0f;
        }
        for (int i = threadIdx.x; i < BK * BN; i += THREADS) {
            const int tap = k0 + i / BN, pixel = col0 + i % BN;
            float v = 0.0f;
            if (tap < inner && pixel < pixels) {
                const int c = tap / (kh * kw);
                const int iy = pixel / out_width * stride_h - pad_h + tap / kw % kh * dil_h;
                const int ix = pixel % out_width * stride_w - pad_w + tap % kw * dil_w;
                if (iy >= 0 && iy < height && ix >= 0 && ix < width)
                    v = image[((size_t)c * height + iy) * width + ix];
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
            if (oc < out_channels && pixel < pixels) {
                const float v = sum[r][c] + (bias ? bias[oc] : 0.0f);
                y[((size_t)blockIdx.z * out_channels + oc) * pixels + pixel] =
                    activate(v, activation);
            }
        }
    }
}

void launch_conv2d_direct(const float *x, const float *w, const float *bias, float *y, int images,
                          CONV_PARAMS, int group, int activation, cudaStream_t stream)
{
    if (out_width > 8) {
        dim3 grid(ceil_div(out_width, 16), ceil_div(out_height, 8), images * out_channels);
        conv2d_direct<16, 8><<<grid, dim3(16, 8), 0, stream>>>(x, w, bias, y, CONV_ARGS, group,
                                                               activation);
    } else {
        dim3 grid(ceil_div(out_width, 8), ceil_div(out_height, 8), images * out_channels);
        conv2d_direct<8, 8><<<grid, dim3(8, 8), 0, stream>>>(x, w, bias, y, CONV_ARGS, group,
                                                             activation);
    }
}

void launch_conv2d_channels(const float *x, const float *w, const float *bias, float *y, int images,
                            CONV_PARAMS, int activation, cudaStream_t stream)
{
    const dim3 block(8, 4, 4);
    const dim3 grid(ceil_div(out_width, block.x), ceil_div(out_height, block.y),
                    ceil_div(images * out_channels, block.z));
    conv2d_channels<<<grid, block, 0, stream>>>(x, w, bias, y, CONV_ARGS, images, activation);
}

void launch_conv2d_implicit_gemm(const float *x, const float *w, const float *bias, float *y,
                                 int images, CONV_PARAMS, int activation, int tile_m, int tile_n,
                                 cudaStream_t stream)
{
    const int pixels = out_height * out_width;
    const dim3 grid(ceil_div(pixels, tile_n), ceil_div(out_channels, tile_m), images);
    if (tile_m == 64)
        conv2d_implicit_gemm<64, 64, 8, 4, 4>
            <<<grid, 256, 0, stream>>>(x, w, bias, y, CONV_ARGS, activation);
    else if (tile_n == 64)
        conv2d_implicit_gemm<32, 64, 8, 4, 4>
            <<<grid, 128, 0, stream>>>(x, w, bias, y, CONV_ARGS, activation);
    else
        conv2d_implicit_gemm<16, 16, 16, 1, 2>
            <<<grid, 128, 0, stream>>>(x, w, bias, y, CONV_ARGS, activation);
}
