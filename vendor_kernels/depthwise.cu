// Depthwise convolution, NCHW: each output channel reads one input channel.
#include "activation.cuh"
#include "common.cuh"

#define DW_TILE_X 16
#define DW_TILE_Y 8

// Stages the input window of a DW_TILE_X x DW_TILE_Y tile of outputs, with its border.
__device__ void stage_window(float *tile, const float *plane, int tile_h, int tile_w, int y0, int x0,
                             int height, int width)
{
    const int tid = threadIdx.y * blockDim.x + threadIdx.x;
    for (int i = tid; i < tile_h * tile_w; i += blockDim.x * blockDim.y) {
        const int iy = y0 + i / tile_w;
        const int ix = x0 + i % tile_w;
        const bool inside = iy >= 0 && iy < height && ix >= 0 && ix < width;
        tile[i] = inside ? plane[(size_t)iy * width + ix] : 0.0f;
    }
    __syncthreads();
}

// KSIZE x KSIZE window, no dilation, one stride for both directions.
template <int KSIZE>
__global__ void __launch_bounds__(DW_TILE_X *DW_TILE_Y)
depthwise_tile(const float *__restrict__ x, const float *__restrict__ w,
               const float *__restrict__ bias, float *__restrict__ y, int channels, int height,
               int width, int out_channels, int out_height, int out_width, int stride, int pad_h,
               int pad_w, int activation)
{
    extern __shared__ float tile[];
    const int oc = blockIdx.z % out_channels;
    const int c = oc / (out_channels / channels);
    const int image = blockIdx.z / out_channels;
    const float *plane = x + ((size_t)image * channels + c) * height * width;
    const int tile_w = (DW_TILE_X - 1) * stride + KSIZE;
    const int tile_h = (DW_TILE_Y - 1) * stride + KSIZE;
    stage_window(tile, plane, tile_h, tile_w, blockIdx.y * DW_TILE_Y * stride - pad_h,
                 blockIdx.x * DW_TILE_X * stride - pad_w, height, width);

    const int ox = blockIdx.x * DW_TILE_X + threadIdx.x;
    const int oy = blockIdx.y * DW_TILE_Y + threadIdx.y;
    if (ox >= out_width || oy >= out_height)
        return;
    const float *filter = w + (size_t)oc * KSIZE * KSIZE;
    const float *window = tile + threadIdx.y * stride * tile_w + threadIdx.x * stride;
    float sum = bias ? bias[oc] : 0.0f;
#pragma unroll
    for (int i = 0; i < KSIZE; i++)
#pragma unroll
        for (int j = 0; j < KSIZE; j++)
            sum += window[i * tile_w + j] * filter[i * KSIZE + j];
    y[((size_t)blockIdx.z * out_height + oy) * out_width + ox] = activate(sum, activation);
}

// Any window, stride and dilation; a thread for each output.
__global__ void depthwise_any(const float *__restrict__ x, const float *__restrict__ w,
                              const float *__restrict__ bias, float *__restrict__ y, int outputs,
                              int channels, int height, int width, int out_channels, int out_height,
                              int out_width, int kh, int kw, int stride_h, int stride_w, int pad_h,
                              int pad_w, int dil_h, int dil_w, int activation)
{
    GRID_STRIDE_LOOP(index, outputs) {
        const int ox = index % out_width;
        const int oy = index / out_width % out_height;
        const int plane = index / out_width / out_height;
        const int oc = plane % out_channels;
        const int c = oc / (out_channels / channels);
        const float *in =
            x + ((size_t)(plane / out_channels) * channels + c) * height * width;
        float sum = bias ? bias[oc] : 0.0f;
        for (int i = 0; i < kh; i++)
            for (int j = 0; j < kw; j++) {
                const int iy = oy * stride_h - pad_h + i * dil_h;
                const int ix = ox * stride_w - pad_w + j * dil_w;
                if (iy >= 0 && iy < height && ix >= 0 && ix < width)
                    sum += in[(size_t)iy * width + ix] * w[((size_t)oc * kh + i) * kw + j];
            }
        y[index] = activate(sum, activation);
    }
}

// Bytes of the staged window.
static size_t depthwise_tile_bytes(int ksize, int stride)
{
    const int tile_w = (DW_TILE_X - 1) * stride + ksize;
    const int tile_h = (DW_TILE_Y - 1) * stride + ksize;
    return sizeof(float) * tile_w * tile_h;
}

void launch_depthwise_tile(const float *x, const float *w, const float *bias, float *y, int images,
                           int channels, int height, int width, int out_channels, int out_height,
                           int out_width, int ksize, int stride, int pad_h, int pad_w,
                           int activation, cudaStream_t stream)
{
    const dim3 block(DW_TILE_X, DW_TILE_Y);
    const dim3 grid(ceil_div(out_width, DW_TILE_X), ceil_div(out_height, DW_TILE_Y),
                    images * out_channels);
    const size_t shared = depthwise_tile_bytes(ksize, stride);
    if (ksize == 3)
        depthwise_tile<3><<<grid, block, shared, stream>>>(x, w, bias, y, channels, height, width,
                                                           out_channels, out_height, out_width,
                                                           stride, pad_h, pad_w, activation);
    else if (ksize == 5)
        depthwise_tile<5><<<grid, block, shared, stream>>>(x, w, bias, y, channels, height, width,
                                                           out_channels, out_height, out_width,
                                                           stride, pad_h, pad_w, activation);
}

void launch_depthwise_any(const float *x, const float *w, const float *bias, float *y, int images,
                          int channels, int height, int width, int out_channels, int out_height,
                          int out_width, int kh, int kw, int stride_h, int stride_w, int pad_h,
                          int pad_w, int dil_h, int dil_w, int activation, cudaStream_t stream)
{
    const int outputs = images * out_channels * out_height * out_width;
    depthwise_any<<<ceil_div(outputs, 128), 128, 0, stream>>>(
        x, w, bias, y, outputs, channels, height, width, out_channels, out_height, out_width, kh,
        kw, stride_h, stride_w, pad_h, pad_w, dil_h, dil_w, activation);
}
