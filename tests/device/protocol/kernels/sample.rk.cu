#include <rk/rkernel.h>
namespace rk__in_sample {
// Converted kernels for the checks of this folder: between them every barrier case and every member
// of the context.
}
#include <cuda_fp16.h>
namespace rk__in_sample {
#define STRIDE_LOOP(i, n)                                                                          \
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

template <class rk__Ctx> __device__ void scale(rk__Ctx &rk__ctx, const float * x, float * y, float factor, int n)
{ const uint3 threadIdx = rk__ctx.thread_idx(); const uint3 blockIdx = rk__ctx.block_idx(); const dim3 blockDim = rk__ctx.block_dim(); const dim3 gridDim = rk__ctx.grid_dim();
    STRIDE_LOOP(i, n)
        y[i] = x[i] * factor;
}

// Static shared memory and barriers; no return before one.
template <int THREADS> struct block_sum_rk__shared { float part[THREADS]; };
template <int THREADS, class rk__Ctx> __device__ float block_sum(rk__Ctx &rk__ctx, float value)
{ const uint3 threadIdx = rk__ctx.thread_idx(); const auto __syncthreads = [&rk__ctx] { rk__ctx.sync(); };
    auto &part = rk__ctx.template shared<block_sum_rk__shared<THREADS>>().part;
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

template <int THREADS, class rk__Ctx> __device__ void row_sum(rk__Ctx &rk__ctx, const float * x, float * y, int columns)
{ const uint3 threadIdx = rk__ctx.thread_idx(); const uint3 blockIdx = rk__ctx.block_idx(); const auto __ldg = [&rk__ctx](const auto *p) { return rk__ctx.ldg(p); };
    float sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += THREADS)
        sum += __ldg(&x[blockIdx.x * columns + i]);
    sum = block_sum<THREADS>(rk__ctx, sum);
    if (threadIdx.x == 0)
        y[blockIdx.x] = sum;
}
template <int THREADS> struct row_sum_rk__frame : block_sum_rk__shared<THREADS> { };

// Two dimensions.
template <int TILE> struct transpose_rk__shared { float tile[TILE][TILE + 1]; };
template <int TILE, class rk__Ctx> __device__ void transpose(rk__Ctx &rk__ctx, const float * x, float * y, int rows, int columns)
{ const uint3 threadIdx = rk__ctx.thread_idx(); const uint3 blockIdx = rk__ctx.block_idx(); const auto __syncthreads = [&rk__ctx] { rk__ctx.sync(); };
    auto &tile = rk__ctx.template shared<transpose_rk__shared<TILE>>().tile;
    int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    if (row < rows && column < columns)
        tile[threadIdx.y][threadIdx.x] = x[row * columns + column];
    __syncthreads();
    int to_column = blockIdx.y * TILE + threadIdx.x, to_row = blockIdx.x * TILE + threadIdx.y;
    if (to_row < columns && to_column < rows)
        y[to_row * rows + to_column] = tile[threadIdx.x][threadIdx.y];
}
template <int TILE> struct transpose_rk__frame : transpose_rk__shared<TILE> { };

// Returns before barriers, a reducing barrier, dynamic shared memory.
template <class rk__Ctx> __device__ void count_above(rk__Ctx &rk__ctx, const float * x, int * y, float limit, int n)
{ const uint3 threadIdx = rk__ctx.thread_idx(); const uint3 blockIdx = rk__ctx.block_idx(); const dim3 blockDim = rk__ctx.block_dim(); const auto __syncthreads = [&rk__ctx] { rk__ctx.sync(); }; const auto __syncthreads_count = [&rk__ctx](int p) { return rk__ctx.sync_count(p); }; const auto __syncthreads_and = [&rk__ctx](int p) { return rk__ctx.sync_and(p); }; const auto __syncthreads_or = [&rk__ctx](int p) { return rk__ctx.sync_or(p); };
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return rk__ctx.finish();
    float *kept = rk__ctx.template dynamic_shared<float>();
    kept[threadIdx.x] = x[i];
    __syncthreads();
    int above = __syncthreads_count(kept[threadIdx.x] > limit);
    if (__syncthreads_and(kept[threadIdx.x] > limit))
        above += 1000;
    if (!__syncthreads_or(kept[threadIdx.x] > limit))
        above -= 1000;
    if (threadIdx.x == 0)
        y[blockIdx.x] = above;
 rk__ctx.finish();}

// Warp operations after some lanes left, in a block that is no whole warp.
template <class rk__Ctx> __device__ void warp_sum(rk__Ctx &rk__ctx, const float * x, float * y, int n)
{ const uint3 threadIdx = rk__ctx.thread_idx(); const uint3 blockIdx = rk__ctx.block_idx(); const dim3 blockDim = rk__ctx.block_dim(); const auto __shfl_down_sync = [&rk__ctx](unsigned mask, auto v, unsigned d, int width = 32) { return rk__ctx.shfl_down(mask, v, d, width); }; const auto __ballot_sync = [&rk__ctx](unsigned mask, int p) { return rk__ctx.ballot(mask, p); }; const auto __syncwarp = [&rk__ctx](unsigned mask = 0xffffffffu) { rk__ctx.syncwarp(mask); }; const auto __syncthreads = [&rk__ctx] { rk__ctx.sync(); };
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __syncthreads();
    if (rk__ctx.leave(i >= n)) return;
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
template <class rk__Ctx> __device__ void members(rk__Ctx &rk__ctx, const float * x, float * y)
{
    const auto group = rk__::groups::this_thread_block(rk__ctx);
    group.sync();
    unsigned rank = group.thread_rank();
    float value = x[group.group_index().x * group.size() + rank] * (float)group.num_threads();
    value += __half2float(rk__ctx.shfl_xor(0xffffffffu, __float2half(value), 1, 32));
    value += rk__ctx.shfl(0xffffffffu, value, 0, 16) + rk__ctx.shfl_up(0xffffffffu, value, 1, 32);
    if (rk__ctx.any(0xffffffffu, value > 0.0f) && !rk__ctx.all(0xffffffffu, value > 1.0f))
        value += (float)__popc(rk__ctx.match_any(0xffffffffu, rank / 4));
    int same = 0;
    value += (float)__popc(rk__ctx.match_all(0xffffffffu, (unsigned long long)rank / 32, &same));
    value += rk__ctx.activemask() ? (float)same : 0.0f;
    y[group.group_index().x * group.size() + rank] = value + (float)group.thread_index().x;
}
}
