#include <rk/rkernel.h>
namespace rk_sample {
// Converted kernels for the checks of this folder: between them every barrier case and every member
// of the context.
}
#include <cuda_fp16.h>
namespace rk_sample {
#define STRIDE_LOOP(i, n)                                                                          \
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

template <class RkCtx> __device__ void scale(RkCtx &rk_ctx, const float * x, float * y, float factor, int n)
{ const uint3 threadIdx = rk_ctx.thread_idx(); const uint3 blockIdx = rk_ctx.block_idx(); const dim3 blockDim = rk_ctx.block_dim(); const dim3 gridDim = rk_ctx.grid_dim();
    STRIDE_LOOP(i, n)
        y[i] = x[i] * factor;
}

// Static shared memory and barriers; no return before one.
template <int THREADS> struct block_sum_rk_shared { float part[THREADS]; };
template <int THREADS, class RkCtx> __device__ float block_sum(RkCtx &rk_ctx, float value)
{ const uint3 threadIdx = rk_ctx.thread_idx(); const auto __syncthreads = [&rk_ctx] { rk_ctx.sync(); };
    auto &part = rk_ctx.template shared<block_sum_rk_shared<THREADS>>().part;
    part[threadIdx.x] = value;
    __syncthreads();
    for (int reach = 1; reach < THREADS; reach *= 2) {
        float other = threadIdx.x + reach < THREADS ? part[threadIdx.x + reach] : 0.0f;
        __syncthreads();
        part[threadIdx.x] += other;
        __syncthreads();
    }
    return part[0];
}

template <int THREADS, class RkCtx> __device__ void row_sum(RkCtx &rk_ctx, const float * x, float * y, int columns)
{ const uint3 threadIdx = rk_ctx.thread_idx(); const uint3 blockIdx = rk_ctx.block_idx(); const auto __ldg = [&rk_ctx](const auto *p) { return rk_ctx.ldg(p); };
    float sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += THREADS)
        sum += __ldg(&x[blockIdx.x * columns + i]);
    sum = block_sum<THREADS>(rk_ctx, sum);
    if (threadIdx.x == 0)
        y[blockIdx.x] = sum;
}
template <int THREADS> struct row_sum_rk_frame : block_sum_rk_shared<THREADS> { };

// Two dimensions.
template <int TILE> struct transpose_rk_shared { float tile[TILE][TILE + 1]; };
template <int TILE, class RkCtx> __device__ void transpose(RkCtx &rk_ctx, const float * x, float * y, int rows, int columns)
{ const uint3 threadIdx = rk_ctx.thread_idx(); const uint3 blockIdx = rk_ctx.block_idx(); const auto __syncthreads = [&rk_ctx] { rk_ctx.sync(); };
    auto &tile = rk_ctx.template shared<transpose_rk_shared<TILE>>().tile;
    int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    if (row < rows && column < columns)
        tile[threadIdx.y][threadIdx.x] = x[row * columns + column];
    __syncthreads();
    int to_column = blockIdx.y * TILE + threadIdx.x, to_row = blockIdx.x * TILE + threadIdx.y;
    if (to_row < columns && to_column < rows)
        y[to_row * rows + to_column] = tile[threadIdx.x][threadIdx.y];
}
template <int TILE> struct transpose_rk_frame : transpose_rk_shared<TILE> { };

// Returns before barriers, a reducing barrier, dynamic shared memory.
template <class RkCtx> __device__ void count_above(RkCtx &rk_ctx, const float * x, int * y, float limit, int n)
{ const uint3 threadIdx = rk_ctx.thread_idx(); const uint3 blockIdx = rk_ctx.block_idx(); const dim3 blockDim = rk_ctx.block_dim(); const auto __syncthreads = [&rk_ctx] { rk_ctx.sync(); }; const auto __syncthreads_count = [&rk_ctx](int p) { return rk_ctx.sync_count(p); }; const auto __syncthreads_and = [&rk_ctx](int p) { return rk_ctx.sync_and(p); }; const auto __syncthreads_or = [&rk_ctx](int p) { return rk_ctx.sync_or(p); };
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return rk_ctx.finish();
    float *kept = rk_ctx.template dynamic_shared<float>();
    kept[threadIdx.x] = x[i];
    __syncthreads();
    int above = __syncthreads_count(kept[threadIdx.x] > limit);
    if (__syncthreads_and(kept[threadIdx.x] > limit))
        above += 1000;
    if (!__syncthreads_or(kept[threadIdx.x] > limit))
        above -= 1000;
    if (threadIdx.x == 0)
        y[blockIdx.x] = above;
 rk_ctx.finish();}

// Warp operations after some lanes left, in a block that is no whole warp.
template <class RkCtx> __device__ void warp_sum(RkCtx &rk_ctx, const float * x, float * y, int n)
{ const uint3 threadIdx = rk_ctx.thread_idx(); const uint3 blockIdx = rk_ctx.block_idx(); const dim3 blockDim = rk_ctx.block_dim(); const auto __shfl_down_sync = [&rk_ctx](unsigned mask, auto v, unsigned d, int width = 32) { return rk_ctx.shfl_down(mask, v, d, width); }; const auto __ballot_sync = [&rk_ctx](unsigned mask, int p) { return rk_ctx.ballot(mask, p); }; const auto __syncwarp = [&rk_ctx](unsigned mask = 0xffffffffu) { rk_ctx.syncwarp(mask); }; const auto __syncthreads = [&rk_ctx] { rk_ctx.sync(); };
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __syncthreads();
    if (rk_ctx.leave(i >= n)) return;
    unsigned lanes = __ballot_sync(0xffffffffu, 1);
    int live = __popc(lanes);
    float sum = x[i];
    for (int offset = 16; offset > 0; offset /= 2) {
        float other = __shfl_down_sync(0xffffffffu, sum, offset);
        if ((int)threadIdx.x + offset < live)
            sum += other;
    }
    __syncwarp();
    if (threadIdx.x == 0)
        y[blockIdx.x] = sum;
}

// What is left of the context.
template <class RkCtx> __device__ void members(RkCtx &rk_ctx, const float * x, float * y)
{
    const auto group = rk::groups::this_thread_block(rk_ctx);
    group.sync();
    unsigned rank = group.thread_rank();
    float value = x[group.group_index().x * group.size() + rank] * (float)group.num_threads();
    value += __half2float(rk_ctx.shfl_xor(0xffffffffu, __float2half(value), 1, 32));
    value += rk_ctx.shfl(0xffffffffu, value, 0, 16) + rk_ctx.shfl_up(0xffffffffu, value, 1, 32);
    if (rk_ctx.any(0xffffffffu, value > 0.0f) && !rk_ctx.all(0xffffffffu, value > 1.0f))
        value += (float)__popc(rk_ctx.match_any(0xffffffffu, rank / 4));
    int same = 0;
    value += (float)__popc(rk_ctx.match_all(0xffffffffu, (unsigned long long)rank / 32, &same));
    value += rk_ctx.activemask() ? (float)same : 0.0f;
    y[group.group_index().x * group.size() + rank] = value + (float)group.thread_index().x;
}
}
