// Softmax over the last dimension of [rows, n], and over a middle one of [outer, n, inner].
#include "common.cuh"

#include <math.h>

// A warp for each row, four rows to a block; the row is read three times, from cache.
__global__ void softmax_warp(const float *__restrict__ in, float *__restrict__ out, int rows, int n)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    const float *x = in + (size_t)row * n;
    float *y = out + (size_t)row * n;

    float top = -INFINITY;
    for (int i = threadIdx.x; i < n; i += WARP_SIZE)
        top = fmaxf(top, x[i]);
    top = warp_max(top);

    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += WARP_SIZE)
        sum += expf(x[i] - top);
    const float scale = 1.0f / warp_sum(sum);

    for (int i = threadIdx.x; i < n; i += WARP_SIZE)
        y[i] = expf(x[i] - top) * scale;
}

// A block for each row.
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
softmax_block(const float *__restrict__ in, float *__restrict__ out, int n)
{
    const float *x = in + (size_t)blockIdx.x * n;
    float *y = out + (size_t)blockIdx.x * n;

    float top = -INFINITY;
    for (int i = threadIdx.x; i < n; i += BLOCK)
        top = fmaxf(top, x[i]);
    top = block_max<BLOCK>(top);

    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += BLOCK) {
        const float e = expf(x[i] - top);
        y[i] = e;
        sum += e;
    }
    const float scale = 1.0f / block_sum<BLOCK>(sum);

    for (int i = threadIdx.x; i < n; i += BLOCK)
        y[i] *= scale;
}

// A block for each row, which stays in dynamic shared memory; tree reductions in place beside it.
__global__ void softmax_shared(const float *__restrict__ in, float *__restrict__ out, int n)
{
    extern __shared__ float smem[];
    float *row = smem;         // n elements
    float *scratch = smem + n; // one for each thread
    const int t = threadIdx.x;
    const float *x = in + (size_t)blockIdx.x * n;

    float top = -INFINITY;
    for (int i = t; i < n; i += blockDim.x) {
        row[i] = x[i];
        top = fmaxf(top, row[i]);
    }
    scratch[t] = top;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half)
            scratch[t] = fmaxf(scratch[t], scratch[t + half]);
        __syncthreads();
    }
    top = scratch[0];
    __syncthreads();

    float sum = 0.0f;
    for (int i = t; i < n; i += blockDim.x) {
        row[i] = expf(row[i] - top);
        sum += row[i];
    }
    scratch[t] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half)
            scratch[t] += scratch[t + half];
        __syncthreads();
    }
    const float scale = 1.0f / scratch[0];
    for (int i = t; i < n; i += blockDim.x)
        out[(size_t)blockIdx.x * n + i] = row[i] * scale;
}

// Rows of at most 16 elements: half a warp for each, three rows to a block of 48 threads.
__global__ void softmax_short(const float *__restrict__ in, float *__restrict__ out, int rows,
                              int n)
{
    const int lane = threadIdx.x;
    const int row = blockIdx.x * 3 + threadIdx.y;
    const bool live = row < rows && lane < n;
    const size_t at = (size_t)row * n + lane;

    const float x = live ? in[at] : -INFINITY;
    float top = x;
    for (int step = 8; step > 0; step /= 2)
        top = fmaxf(top, __shfl_xor_sync(FULL_MASK, top, step, 16));
    const float e = live ? expf(x - top) : 0.0f;
    float sum = e;
    for (int step = 8; step > 0; step /= 2)
        sum += __shfl_xor_sync(FULL_MASK, sum, step, 16);
    if (live)
        out[at] = e / sum;
}

// Along a dimension that is not the last: a thread for each of the outer * inner lines.
__global__ void softmax_strided(const float *__restrict__ in, float *__restrict__ out, int outer,
                                int n, int inner)
{
    GRID_STRIDE_LOOP(line, outer * inner) {
        const size_t base = (size_t)(line / inner) * n * inner + line % inner;
        float top = -INFINITY;
        for (int i = 0; i < n; i++)
            top = fmaxf(top, in[base + (size_t)i * inner]);
        float sum = 0.0f;
        for (int i = 0; i < n; i++)
            sum += expf(in[base + (size_t)i * inner] - top);
        for (int i = 0; i < n; i++)
            out[base + (size_t)i * inner] = expf(in[base + (size_t)i * inner] - top) / sum;
    }
}

void launch_softmax_warp(const float *in, float *out, int rows, int n, cudaStream_t stream)
{
    const dim3 block(WARP_SIZE, 4, 1);
    const dim3 grid(ceil_div(rows, block.y), 1, 1);
    softmax_warp<<<grid, block, 0, stream>>>(in, out, rows, n);
}

void launch_softmax_block(const float *in, float *out, int rows, int n, cudaStream_t stream)
{
    if (n >= 1024)
        softmax_block<256><<<rows, 256, 0, stream>>>(in, out, n);
    else
        softmax_block<128><<<rows, 128, 0, stream>>>(in, out, n);
}

void launch_softmax_shared(const float *in, float *out, int rows, int n, cudaStream_t stream)
{
    const int threads = n > 512 ? 256 : n > 128 ? 128 : 64;
    const size_t shared = (n + threads) * sizeof(float);
    softmax_shared<<<rows, threads, shared, stream>>>(in, out, n);
}

void launch_softmax_short(const float *in, float *out, int rows, int n, cudaStream_t stream)
{
    softmax_short<<<ceil_div(rows, 3), dim3(16, 3), 0, stream>>>(in, out, rows, n);
}

void launch_softmax_strided(const float *in, float *out, int outer, int n, int inner,
                            cudaStream_t stream)
{
    const int needed = ceil_div(outer * inner, 128);
    const int blocks = needed < 1024 ? needed : 1024;
    softmax_strided<<<blocks, 128, 0, stream>>>(in, out, outer, n, inner);
}
