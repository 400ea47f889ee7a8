// Copies to shared memory that go on while the threads do other things: pipeline primitives in two stages,
// and copies of a group.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include "check.h"

namespace cg = cooperative_groups;

constexpr int BLOCK = 64;

// Sums a row of tiles, the next of which is on its way meanwhile.
__global__ void staged(const int *in, int *out, int tiles)
{
    __shared__ __align__(16) int tile[2][BLOCK * 4];
    int sum = 0;
    const int *row = in + (size_t)blockIdx.x * tiles * BLOCK * 4;
    __pipeline_memcpy_async(&tile[0][4 * threadIdx.x], row + 4 * threadIdx.x, 16);
    __pipeline_commit();
    for (int i = 0; i < tiles; i++) {
        if (i + 1 < tiles)
            __pipeline_memcpy_async(&tile[(i + 1) % 2][4 * threadIdx.x], row + (i + 1) * BLOCK * 4 + 4 * threadIdx.x, 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int j = 0; j < 4; j++)
            sum += (i + 1) * tile[i % 2][j * BLOCK + BLOCK - 1 - threadIdx.x];
        __syncthreads();
    }
    out[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

__global__ void by_group(const int *in, int *out, int n)
{
    extern __shared__ int slots[];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, slots, in + blockIdx.x * n, n * sizeof(int));
    cg::wait(block);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[blockIdx.x * n + i] = slots[n - 1 - i];
}

int main()
{
    const int blocks = 3, tiles = 5;
    std::vector<int> in = check::values<int>(blocks * tiles * BLOCK * 4, 55), want(blocks * BLOCK);
    check::buffer<int> device(in), out(want.size());
    staged<<<blocks, BLOCK>>>(device, out, tiles);
    LAUNCH_OK();
    for (int i = 0; i < blocks * BLOCK; i++)
        for (int tile = 0; tile < tiles; tile++)
            for (int j = 0; j < 4; j++)
                want[i] += (tile + 1) * in[((i / BLOCK * tiles + tile) * 4 + j) * BLOCK + BLOCK - 1 - i % BLOCK];
    check::same("staged", out.get(), want);

    const int n = 101;
    check::buffer<int> reversed(4 * n);
    by_group<<<4, 48, n * sizeof(int)>>>(device, reversed, n);
    LAUNCH_OK();
    std::vector<int> want_reversed(4 * n);
    for (int i = 0; i < 4 * n; i++)
        want_reversed[i] = in[i / n * n + n - 1 - i % n];
    check::same("by group", reversed.get(), want_reversed);

    return check::done();
}
