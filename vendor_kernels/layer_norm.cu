// Layer normalisation of [rows, n]: y = (x - mean) / sqrt(variance + eps) * scale + bias.
#include "common.cuh"

struct Affine {
    const float *scale;
    const float *bias; // may be null

    __device__ __forceinline__ float apply(float normalised, int i) const
    {
        const float v = normalised * scale[i];
        return bias ? v + bias[i] : v;
    }
};

// A warp for each row, four rows to a block.
__global__ void layer_norm_warp(const float *__restrict__ x, const float *__restrict__ scale,
                                const float *__restrict__ bias, float *__restrict__ y, int rows,
                                int n, float eps)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    const float *in = x + (size_t)row * n;
    const Affine affine = {scale, bias};

    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += WARP_SIZE)
        sum += in[i];
    const float mean = warp_sum(sum) / n;

    float squares = 0.0f;
    for (int i = threadIdx.x; i < n; i += WARP_SIZE)
        squares += (in[i] - mean) * (in[i] - mean);
    const float inv = rsqrtf(warp_sum(squares) / n + eps);

    for (int i = threadIdx.x; i < n; i += WARP_SIZE)
        y[(size_t)row * n + i] = affine.apply((in[i] - mean) * inv, i);
}

// A block for each row.
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
layer_norm_block(const float *__restrict__ x, const float *__restrict__ scale,
                 const float *__restrict__ bias, float *__restrict__ y, int n, float eps)
{
    const float *in = x + (size_t)blockIdx.x * n;
    float *out = y + (size_t)blockIdx.x * n;
    const Affine affine = {scale, bias};

    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += BLOCK)
        sum += in[i];
    const float mean = block_sum<BLOCK>(sum) / n;

    float squares = 0.0f;
    for (int i = threadIdx.x; i < n; i += BLOCK)
        squares += (in[i] - mean) * (in[i] - mean);
    const float inv = rsqrtf(block_sum<BLOCK>(squares) / n + eps);

    for (int i = threadIdx.x; i < n; i += BLOCK)
        out[i] = affine.apply((in[i] - mean) * inv, i);
}

// Rows of at most 256 elements in a block of one warp, staged in static shared memory.
__global__ void __launch_bounds__(32)
layer_norm_short(const float *__restrict__ x, const float *__restrict__ scale,
                 const float *__restrict__ bias, float *__restrict__ y, int n, float eps)
{
    __shared__ float row[256];
    __shared__ struct {
        float mean, inv;
    } stats;
    const Affine affine = {scale, bias};
    for (int i = threadIdx.x; i < n; i += 32)
        row[i] = x[(size_t)blockIdx.x * n + i];
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int i = 0; i < n; i++)
            sum += row[i];
        const float mean = sum / n;
        float squares = 0.0f;
        for (int i = 0; i < n; i++)
            squares += (row[i] - mean) * (row[i] - mean);
        stats.mean = mean;
        stats.inv = rsqrtf(squares / n + eps);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += 32)
        y[(size_t)blockIdx.x * n + i] = affine.apply((row[i] - stats.mean) * stats.inv, i);
}

void launch_layer_norm_warp(const float *x, const float *scale, const float *bias, float *y,
                            int rows, int n, float eps, cudaStream_t stream)
{
    dim3 block(32, 4);
    layer_norm_warp<<<ceil_div(rows, 4), block, 0, stream>>>(x, scale, bias, y, rows, n, eps);
}

void launch_layer_norm_block(const float *x, const float *scale, const float *bias, float *y,
                             int rows, int n, float eps, cudaStream_t stream)
{
    if (n > 1024)
        layer_norm_block<256><<<rows, 256, 0, stream>>>(x, scale, bias, y, n, eps);
    else
        layer_norm_block<128><<<rows, 128, 0, stream>>>(x, scale, bias, y, n, eps);
}

void launch_layer_norm_short(const float *x, const float *scale, const float *bias, float *y,
                             int rows, int n, float eps, cudaStream_t stream)
{
    layer_norm_short<<<rows, 32, 0, stream>>>(x, scale, bias, y, n, eps);
}
