/* Cooperative groups, libcu++'s barriers and pipelines, assert and kernels by address, in launches. */

#include <rk/cpu/cpu_cuda.h>

#include "expect.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_runtime.h>

#include <cassert>

namespace cg = cooperative_groups;

/** What `__global__ void name(int *out) { body }` becomes. */
#define KERNEL(name, ...)                                                                          \
    __global__ void name(int *out)                                                                 \
    {                                                                                              \
        rk__::run_kernel<rk__::kernel_waits>(rk__::kernel_site{#name, "groups.cu", __LINE__, "out"},     \
                                         rk__::kernel_args(out), [=]() mutable { __VA_ARGS__ });     \
    }

KERNEL(tiles, {
    const auto block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const auto quad = cg::tiled_partition<4>(warp);
    const cg::thread_group eight = cg::tiled_partition(block, 8);
    const int r = int(block.thread_rank());
    int *mine = out + r * 16;
    mine[0] = cg::reduce(warp, r, cg::plus<int>());
    mine[1] = cg::reduce(quad, r, cg::greater<int>());
    mine[2] = cg::inclusive_scan(quad, r);
    mine[3] = cg::exclusive_scan(warp, 1);
    mine[4] = int(quad.meta_group_rank() * 100 + quad.meta_group_size());
    mine[5] = quad.shfl(r, 2);
    mine[6] = quad.shfl_up(r, 1);
    mine[7] = quad.shfl_down(r, 1);
    mine[8] = int(quad.ballot(r % 2));
    mine[9] = int(eight.thread_rank() * 100 + eight.size());
    const auto label = cg::labeled_partition(warp, r % 3);
    mine[10] = int(label.size() * 100 + label.meta_group_rank() * 10 + label.meta_group_size());
    if (r % 4 == 1) {
        const auto together = cg::coalesced_threads();
        mine[11] = int(together.size() * 100 + together.thread_rank());
        mine[12] = together.shfl(r, 1);
    }
    const double3 wide = quad.shfl(double3{1.0 * r, 2.0 * r, 3.0 * r}, 3);
    mine[13] = int(wide.z);
    mine[14] = int(warp.match_any(r / 16));
    mine[15] = quad.any(r == 5) * 10 + quad.all(r >= 4);
})

static void check_tiles()
{
    int *d, h[64 * 16];
    GOOD(cudaMalloc(&d, sizeof h));
    GOOD(cudaMemset(d, 0, sizeof h));
    (rk__::push_launch(1, 64), tiles(d));
    GOOD(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int r = 0; r < 64; r++) {
        const int *mine = h + r * 16, w = r / 32 * 32, q = r / 4 * 4, lane = r % 32;
        CHECK(mine[0] == 32 * w + 496 && mine[1] == q + 3);
        CHECK(mine[2] == (r - q + 1) * (q + r) / 2 && mine[3] == lane);
        CHECK(mine[4] == (lane / 4) * 100 + 8 && mine[5] == q + 2);
        CHECK(mine[6] == (r == q ? r : r - 1) && mine[7] == (r == q + 3 ? r : r + 1));
        CHECK(mine[8] == 10 && mine[9] == r % 8 * 100 + 8);
        if (r % 4 == 1)
            CHECK(mine[11] == 800 + lane / 4 && mine[12] == w + 5);
        CHECK(mine[13] == 3 * (q + 3) && unsigned(mine[14]) == (lane < 16 ? 0xffffu : 0xffff0000u));
        CHECK(mine[15] == (q == 4 ? 11 : q > 4));
    }
    CHECK(h[10] == 1103 && h[16 + 10] == 1113 && h[32 + 10] == 1023);
    GOOD(cudaFree(d));
}

KERNEL(barriers, {
    const auto block = cg::this_thread_block();
    __shared__ int data[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const int r = int(block.thread_rank());
    if (r == 0)
        init(&barrier, block.size());
    data[r] = r;
    block.sync();
    for (int round = 0; round < 3; round++) {
        const int other = data[63 - r];
        barrier.arrive_and_wait();
        data[r] = other + 1;
        barrier.arrive_and_wait();
    }
    out[r] = data[r];
    auto pipe = cuda::make_pipeline(block, &state);
    __shared__ int stage[2][64];
    int sum = 0;
    for (int i = 0; i < 6; i++) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, stage[i % 2], out + 128 + 64 * i, cuda::aligned_size_t<4>(256),
                           pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        sum += stage[i % 2][63 - r];
        pipe.consumer_release();
    }
    out[64 + r] = sum;
    cuda::atomic_ref<int, cuda::thread_scope_device> total(out[512]);
    total.fetch_add(r, cuda::memory_order_relaxed);
    total.fetch_max(100);
})

static void check_barriers()
{
    int *d, h[513];
    for (int i = 0; i < 512; i++)
        h[i] = i;
    h[512] = 0;
    GOOD(cudaMalloc(&d, sizeof h));
    GOOD(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    (rk__::push_launch(1, 64), barriers(d));
    GOOD(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int r = 0; r < 64; r++) {
        CHECK(h[r] == 63 - r + 3);
        CHECK(h[64 + r] == 6 * (128 + 63 - r) + 64 * 15);
    }
    CHECK(h[512] >= 2016);
    GOOD(cudaFree(d));
}

KERNEL(wide, {
    const auto block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<64>(block);
    const int r = int(block.thread_rank());
    out[r] = cg::reduce(tile, r, cg::plus<int>());
    out[128 + r] = tile.shfl(r, 40) * 10 + tile.any(r == 70);
    tile.sync();
})

static void check_wide()
{
    int *d, h[256];
    GOOD(cudaMalloc(&d, sizeof h));
    (rk__::push_launch(3, 128), wide(d));
    GOOD(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int r = 0; r < 128; r++) {
        const int first = r / 64 * 64;
        CHECK(h[r] == 64 * first + 2016);
        CHECK(h[128 + r] == (first + 40) * 10 + (first == 64));
    }
    GOOD(cudaFree(d));
}

KERNEL(fails, { assert(out == nullptr && "planted"); })

__global__ void scale(int *out, int n, double by)
{
    rk__::run_kernel<0>(rk__::kernel_site{"scale", "groups.cu", 1, "out, n, by"},
                      rk__::kernel_args(out, n, by), [=]() mutable {
                          const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
                          if (i < n)
                              out[i] = int(out[i] * by);
                      });
}

static void check_address()
{
    int *d, h[4] = {1, 2, 3, 4}, n = 3, blocks = 0, grid = 0, block = 0;
    double by = 2.5;
    void *args[] = {&d, &n, &by};
    cudaFuncAttributes attributes;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    GOOD(cudaMalloc(&d, sizeof h));
    GOOD(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    CHECK(cudaLaunchKernel((const void *)d, dim3(1), dim3(1), args) ==
          cudaErrorInvalidDeviceFunction);
    auto *kernel = rk__::kernel(scale, "scale");
    GOOD(cudaLaunchKernel(kernel, dim3(2), dim3(2), args));
    CHECK(cudaLaunchKernel(kernel, dim3(2), dim3(2000), args) == cudaErrorInvalidConfiguration);
    CHECK(d[0] == 2 && d[1] == 5 && d[2] == 7 && d[3] == 4);
    GOOD(cudaFuncGetAttributes(&attributes, kernel));
    CHECK(attributes.maxThreadsPerBlock == 1024);
    GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 100 << 10));
    CHECK(blocks == 2);
    GOOD(cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel));
    CHECK(block == 1024 && grid == 2 * 8);
    CHECK(cudaLaunchKernel(kernel, dim3(1), dim3(1), args, 60000) == cudaErrorInvalidValue);
    GOOD(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
    GOOD(cudaStreamCreate(&stream));
    GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    (rk__::push_launch(1, 4, 0, stream), scale(d, 4, 2.0));
    GOOD(cudaStreamEndCapture(stream, &graph));
    cudaKernelNodeParams params = {};
    params.func = (void *)kernel;
    params.gridDim = params.blockDim = dim3(2);
    params.kernelParams = args;
    GOOD(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
    by = 100;
    n = 1;
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    GOOD(cudaGraphLaunch(exec, stream));
    CHECK(d[0] == 10 && d[3] == 8);
    GOOD(cudaGraphExecKernelNodeSetParams(exec, node, &params));
    GOOD(cudaGraphLaunch(exec, stream));
    CHECK(d[0] == 2000 && d[3] == 16);
    GOOD(cudaGraphExecDestroy(exec));
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaStreamDestroy(stream));
    GOOD(cudaFree(d));
    cudaGetLastError();
}

int main()
{
    check_tiles();
    check_barriers();
    check_wide();
    check_address();
    (rk__::push_launch(1, 2), fails(reinterpret_cast<int *>(8)));
    CHECK(cudaDeviceSynchronize() == cudaErrorAssert);
    CHECK(cudaGetLastError() == cudaErrorAssert && cudaGetLastError() == cudaErrorAssert);
    return failures != 0;
}
