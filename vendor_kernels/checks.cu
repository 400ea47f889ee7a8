// Checks on tensors that inference runs in debugging: counts and flags for each row.
#include "common.cuh"

#include <math.h>

// flags[row] = whether the row holds an infinity or a NaN.
__global__ void row_has_nonfinite(const float *__restrict__ x, int *__restrict__ flags, int n)
{
    int found = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        found |= !isfinite(x[(size_t)blockIdx.x * n + i]);
    found = __syncthreads_or(found);
    if (threadIdx.x == 0)
        flags[blockIdx.x] = found != 0;
}

// counts[row] = how many elements are above the limit; blocks of 100 threads.
__global__ void row_count_above(const float *__restrict__ x, int *__restrict__ counts, int n,
                                float limit)
{
    int count = 0;
    for (int i0 = 0; i0 < n; i0 += blockDim.x) {
        const int i = i0 + threadIdx.x;
        count += __syncthreads_count(i < n && x[(size_t)blockIdx.x * n + i] > limit);
    }
    if (threadIdx.x == 0)
        counts[blockIdx.x] = count;
}

// counts[row] = how many elements are below 0, by votes; a warp for each row.
__global__ void row_count_negative(const float *__restrict__ x, int *__restrict__ counts, int rows,
                                   int n)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    int count = 0;
    for (int i0 = 0; i0 < n; i0 += WARP_SIZE) {
        const int i = i0 + threadIdx.x;
        const bool negative = i < n && x[(size_t)row * n + i] < 0.0f;
        count += __popc(__ballot_sync(FULL_MASK, negative));
    }
    if (threadIdx.x == 0)
        counts[row] = count;
}

void launch_row_has_nonfinite(const float *x, int *flags, int rows, int n, cudaStream_t stream)
{
    row_has_nonfinite<<<rows, 128, 0, stream>>>(x, flags, n);
}

void launch_row_count_above(const float *x, int *counts, int rows, int n, float limit,
                            cudaStream_t stream)
{
    row_count_above<<<rows, 100, 0, stream>>>(x, counts, n, limit);
}

void launch_row_count_negative(const float *x, int *counts, int rows, int n, cudaStream_t stream)
{
    row_count_negative<<<ceil_div(rows, 4), dim3(WARP_SIZE, 4), 0, stream>>>(x, counts, rows, n);
}
