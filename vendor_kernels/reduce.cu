// Reductions over one dimension: of [rows, n] over n, and of [outer, n, inner] over the middle.
#include "common.cuh"

#include <math.h>

struct SumOp {
    static __device__ float identity() { return 0.0f; }
    static __device__ float combine(float a, float b) { return a + b; }
    static __device__ float finish(float v, int) { return v; }
};

struct MeanOp {
    static __device__ float identity() { return 0.0f; }
    static __device__ float combine(float a, float b) { return a + b; }
    static __device__ float finish(float v, int n) { return v / n; }
};

struct MaxOp {
    static __device__ float identity() { return -INFINITY; }
    static __device__ float combine(float a, float b) { return fmaxf(a, b); }
    static __device__ float finish(float v, int) { return v; }
};

template <class Op>
__device__ __forceinline__ float warp_reduce(float v)
{
#pragma unroll
    for (int step = WARP_SIZE / 2; step > 0; step >>= 1)
        v = Op::combine(v, __shfl_down_sync(FULL_MASK, v, step));
    return v;
}

// A warp for each row.
template <class Op>
__global__ void reduce_rows_warp(const float *__restrict__ x, float *__restrict__ y, int rows,
                                 int n)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    const float *in = x + (size_t)row * n;
    float v = Op::identity();
    for (int i = threadIdx.x; i < n; i += WARP_SIZE)
        v = Op::combine(v, in[i]);
    v = warp_reduce<Op>(v);
    if (threadIdx.x == 0)
        y[row] = Op::finish(v, n);
}

// A block for each row; the last warp's reduction in shared memory.
template <class Op, int BLOCK>
__global__ void __launch_bounds__(BLOCK)
reduce_rows_block(const float *__restrict__ x, float *__restrict__ y, int n)
{
    __shared__ float warps[WARP_SIZE];
    const float *in = x + (size_t)blockIdx.x * n;
    const int lane = threadIdx.x % WARP_SIZE;
    const int warp = threadIdx.x / WARP_SIZE;
    float v = Op::identity();
    for (int i = threadIdx.x; i < n; i += BLOCK)
        v = Op::combine(v, in[i]);
    v = warp_reduce<Op>(v);
    if (lane == 0)
        warps[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < BLOCK / WARP_SIZE ? warps[lane] : Op::identity();
        v = warp_reduce<Op>(v);
        if (lane == 0)
            y[blockIdx.x] = Op::finish(v, n);
    }
}

// 32 lines of [outer, n, inner] to a block, eight threads to a line; threads beyond the last line
// leave before the barrier.
template <class Op>
__global__ void reduce_lines(const float *__restrict__ x, float *__restrict__ y, int outer, int n,
                             int inner)
{
    __shared__ float partial[8][33];
    const int line = blockIdx.x * 32 + threadIdx.x;
    if (line >= outer * inner)
        return;
    const float *in = x + (size_t)(line / inner) * n * inner + line % inner;
    float v = Op::identity();
    for (int i = threadIdx.y; i < n; i += 8)
        v = Op::combine(v, in[(size_t)i * inner]);
    partial[threadIdx.y][threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.y != 0)
        return;
    for (int i = 1; i < 8; i++)
        v = Op::combine(v, partial[i][threadIdx.x]);
    y[line] = Op::finish(v, n);
}

void launch_sum_rows_warp(const float *x, float *y, int rows, int n, cudaStream_t stream)
{
    reduce_rows_warp<SumOp><<<ceil_div(rows, 4), dim3(32, 4), 0, stream>>>(x, y, rows, n);
}

void launch_mean_rows_warp(const float *x, float *y, int rows, int n, cudaStream_t stream)
{
    reduce_rows_warp<MeanOp><<<ceil_div(rows, 4), dim3(32, 4), 0, stream>>>(x, y, rows, n);
}

void launch_max_rows_warp(const float *x, float *y, int rows, int n, cudaStream_t stream)
{
    reduce_rows_warp<MaxOp><<<ceil_div(rows, 4), dim3(32, 4), 0, stream>>>(x, y, rows, n);
}

void launch_sum_rows(const float *x, float *y, int rows, int n, cudaStream_t stream)
{
    reduce_rows_block<SumOp, 128><<<rows, 128, 0, stream>>>(x, y, n);
}

void launch_sum_rows_wide(const float *x, float *y, int rows, int n, cudaStream_t stream)
{
    reduce_rows_block<SumOp, 256><<<rows, 256, 0, stream>>>(x, y, n);
}

void launch_mean_rows(const float *x, float *y, int rows, int n, cudaStream_t stream)
{
    reduce_rows_block<MeanOp, 128><<<rows, 128, 0, stream>>>(x, y, n);
}

void launch_max_rows(const float *x, float *y, int rows, int n, cudaStream_t stream)
{
    reduce_rows_block<MaxOp, 128><<<rows, 128, 0, stream>>>(x, y, n);
}

void launch_sum_lines(const float *x, float *y, int outer, int n, int inner, cudaStream_t stream)
{
    reduce_lines<SumOp><<<ceil_div(outer * inner, 32), dim3(32, 8), 0, stream>>>(x, y, outer, n,
                                                                                inner);
}

void launch_mean_lines(const float *x, float *y, int outer, int n, int inner, cudaStream_t stream)
{
    reduce_lines<MeanOp><<<ceil_div(outer * inner, 32), dim3(32, 8), 0, stream>>>(x, y, outer, n,
                                                                                 inner);
}

void launch_max_lines(const float *x, float *y, int outer, int n, int inner, cudaStream_t stream)
{
    reduce_lines<MaxOp><<<ceil_div(outer * inner, 32), dim3(32, 8), 0, stream>>>(x, y, outer, n,
                                                                                inner);
}
