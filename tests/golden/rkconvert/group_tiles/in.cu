#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
using cooperative_groups::thread_block_tile;

// a prototype, whose types change as the definition's do
__device__ float warp_sum(cg::thread_block_tile<32> &warp, float value);

template <class Group> __device__ float spread(const Group &group, float value)
{
    cg::sync(group);
    return group.shfl(value, 0) + (float)group.size();
}

template <unsigned Size>
__device__ int tile_max(const thread_block_tile<Size, cg::thread_block> &tile, int value)
{
    return cg::reduce(tile, value, cg::greater<int>());
}

__device__ void meet(cg::thread_group any) { any.sync(); }

#define WARP_OF(block) cg::tiled_partition<32>(block)

template <int N> __global__ void tiles(float *x, int *y, int n)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    const int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    if (row >= n)
        return;
    float sum = 0;
    for (int i = warp.thread_rank(); i < N; i += warp.size())
        sum += x[row * N + i];
    sum = warp_sum(warp, sum);
    auto quarter = cg::tiled_partition<8>(warp);
    const auto direct = WARP_OF(block);
    y[row] = tile_max(direct, (int)quarter.shfl_xor(row, 1)) + quarter.meta_group_rank();
    meet(warp);
    if (direct.any(row > 1) && warp.match_any(row) != 0)
        x[row] = spread(warp, sum) + cg::inclusive_scan(quarter, sum, cg::plus<float>());
}

__device__ float warp_sum(cg::thread_block_tile<32> &warp, float value)
{
    return cg::reduce(warp, value, cg::plus<float>{});
}

__global__ void lanes(int *x, int n)
{
    cg::thread_group tile = cg::tiled_partition(cg::this_thread_block(), 16);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto block = cg::this_thread_block();
    if (i < n && x[i] & 1) {
        cg::coalesced_group active = cg::coalesced_threads();
        auto same = cg::labeled_partition(active, x[i] & 6);
        auto half = cg::binary_partition(active, x[i] > 4);
        x[i] = same.size() * 100 + active.thread_rank() + half.meta_group_rank() + (int)tile.size();
    }
    cg::sync(tile);
    block.sync();
    auto count = [&](int v) { return cg::reduce(cg::coalesced_threads(), v, cg::plus<int>()); };
    x[i] += count(1);
}

void launch(float *x, int *y, int n)
{
    tiles<64><<<n / 4, 128>>>(x, y, n);
    lanes<<<2, 40>>>(y, 80);
}
