// Pooling over NCHW.
#include "common.cuh"

#include <math.h>

#define POOL_PARAMS                                                                                \
    int height, int width, int out_height, int out_width, int kh, int kw, int stride_h,            \
        int stride_w, int pad_h, int pad_w
#define POOL_ARGS                                                                                  \
    height, width, out_height, out_width, kh, kw, stride_h, stride_w, pad_h, pad_w

// One direction of a window clipped to the input.
struct Span {
    int begin, end;
};

__device__ __forceinline__ Span clip(int start, int length, int extent)
{
    Span s;
    s.begin = max(start, 0);
    s.end = min(start + length, extent);
    return s;
}

// A thread for each output, in a grid-stride loop.
__global__ void max_pool(const float *__restrict__ x, float *__restrict__ y, int outputs,
                         POOL_PARAMS)
{
    GRID_STRIDE_LOOP(index, outputs) {
        const int ox = index % out_width;
        const int oy = index / out_width % out_height;
        const float *plane = x + (size_t)(index / out_width / out_height) * height * width;
        const Span rows = clip(oy * stride_h - pad_h, kh, height);
        const Span cols = clip(ox * stride_w - pad_w, kw, width);
        float top = -INFINITY;
        for (int i = rows.begin; i < rows.end; i++)
            for (int j = cols.begin; j < cols.end; j++)
                top = fmaxf(top, plane[(size_t)i * width + j]);
        y[index] = top;
    }
}

// 2 x 2 windows with stride 2 and no padding: two loads of a pair for each output.
__global__ void max_pool_2x2(const float *__restrict__ x, float *__restrict__ y, int height,
                             int width, int out_height, int out_width)
{
    const int ox = blockIdx.x * blockDim.x + threadIdx.x;
    const int oy = blockIdx.y * blockDim.y + threadIdx.y;
    if (ox >= out_width || oy >= out_height)
        return;
    const float *top = x + ((size_t)blockIdx.z * height + 2 * oy) * width + 2 * ox;
    const float *bottom = top + width;
    const float a = fmaxf(top[0], top[1]);
    const float b = fmaxf(bottom[0], bottom[1]);
    y[((size_t)blockIdx.z * out_height + oy) * out_width + ox] = fmaxf(a, b);
}

// A block covers 16 x 8 outputs of one plane.
template <bool COUNT_PAD>
__global__ void avg_pool(const float *__restrict__ x, float *__restrict__ y, POOL_PARAMS)
{
    const int ox = blockIdx.x * blockDim.x + threadIdx.x;
    const int oy = blockIdx.y * blockDim.y + threadIdx.y;
    if (ox >= out_width || oy >= out_height)
        return;
    const float *plane = x + (size_t)blockIdx.z * height * width;
    const Span rows = clip(oy * stride_h - pad_h, kh, height);
    const Span cols = clip(ox * stride_w - pad_w, kw, width);
    float sum = 0.0f;
    for (int i = rows.begin; i < rows.end; i++)
        for (int j = cols.begin; j < cols.end; j++)
            sum += plane[(size_t)i * width + j];
    const int count =
        COUNT_PAD ? kh * kw : (rows.end - rows.begin) * (cols.end - cols.begin);
    y[((size_t)blockIdx.z * out_height + oy) * out_width + ox] = sum / count;
}

// A warp for each plane, four planes to a block.
__global__ void global_avg_pool_warp(const float *__restrict__ x, float *__restrict__ y, int planes,
                                     int pixels)
{
    const int plane = blockIdx.x * blockDim.y + threadIdx.y;
    if (plane >= planes)
        return;
    const float *p = x + (size_t)plane * pixels;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < pixels; i += WARP_SIZE)
        sum += p[i];
    sum = warp_sum(sum);
    if (threadIdx.x == 0)
        y[plane] = sum / pixels;
}

// A block of 10 x 10 threads for each plane, as the maps it was written for are 10 x 10.
__global__ void global_avg_pool_map(const float *__restrict__ x, float *__restrict__ y, int pixels)
{
    __shared__ float partial[10][10];
    __shared__ float column[10];
    const float *p = x + (size_t)blockIdx.x * pixels;
    float sum = 0.0f;
    for (int i = threadIdx.y * 10 + threadIdx.x; i < pixels; i += 100)
        sum += p[i];
    partial[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0) {
        float total = 0.0f;
        for (int i = 0; i < 10; i++)
            total += partial[i][threadIdx.x];
        column[threadIdx.x] = total;
    }
    __syncthreads();
    if (threadIdx.y == 0 && threadIdx.x == 0) {
        float total = 0.0f;
        for (int i = 0; i < 10; i++)
            total += column[i];
        y[blockIdx.x] = total / pixels;
    }
}

void launch_max_pool(const float *x, float *y, int planes, POOL_PARAMS, cudaStream_t stream)
{
    const int outputs = planes * out_height * out_width;
    const int threads = outputs < 4096 ? 64 : 128;
    max_pool<<<ceil_div(outputs, threads), threads, 0, stream>>>(x, y, outputs, POOL_ARGS);
}

void launch_max_pool_2x2(const float *x, float *y, int planes, int height, int width,
                         cudaStream_t stream)
{
    const int out_height = height / 2;
    const int out_width = width / 2;
    dim3 block(16, 8);
    dim3 grid(ceil_div(out_width, 16), ceil_div(out_height, 8), planes);
    max_pool_2x2<<<grid, block, 0, stream>>>(x, y, height, width, out_height, out_width);
}

void launch_avg_pool(const float *x, float *y, int planes, POOL_PARAMS, bool count_pad,
                     cudaStream_t stream)
{
    dim3 block(16, 8);
    dim3 grid(ceil_div(out_width, block.x), ceil_div(out_height, block.y), planes);
    if (count_pad)
        avg_pool<true><<<grid, block, 0, stream>>>(x, y, POOL_ARGS);
    else
        avg_pool<false><<<grid, block, 0, stream>>>(x, y, POOL_ARGS);
}

void launch_global_avg_pool_warp(const float *x, float *y, int planes, int pixels,
                                 cudaStream_t stream)
{
    global_avg_pool_warp<<<ceil_div(planes, 4), dim3(WARP_SIZE, 4), 0, stream>>>(x, y, planes,
                                                                                 pixels);
}

void launch_global_avg_pool_map(const float *x, float *y, int planes, int pixels,
                                cudaStream_t stream)
{
    global_avg_pool_map<<<planes, dim3(10, 10), 0, stream>>>(x, y, pixels);
}
