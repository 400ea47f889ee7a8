#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// a tile of several warps has barriers of its own
__global__ void wide(float *x)
{
    auto tile = cg::tiled_partition<64>(cg::this_thread_block());
    x[threadIdx.x] = tile.thread_rank();
}
__global__ void wide_memory(float *x)
{
    __shared__ cg::block_tile_memory<128> memory;
    auto block = cg::this_thread_block(memory);
    x[block.thread_rank()] = 0;
}

// arriving and waiting apart
__global__ void split(float *x)
{
    auto block = cg::this_thread_block();
    auto token = block.barrier_arrive();
    x[threadIdx.x] = 1;
    block.barrier_wait(static_cast<decltype(token) &&>(token));
}

// a group where no context is
struct holder {
    cg::thread_block_tile<32> tile;
};
__global__ void member(float *x)
{
    holder h = {cg::tiled_partition<32>(cg::this_thread_block())};
    x[threadIdx.x] = h.tile.shfl(x[threadIdx.x], 0);
}

// another name for it outside of the function
using tile_16 = cg::thread_block_tile<16>;
__global__ void alias(float *x)
{
    tile_16 tile = cg::tiled_partition<16>(cg::this_thread_block());
    x[threadIdx.x] = tile.any(x[threadIdx.x] > 0);
}

void launch(float *x)
{
    wide<<<1, 128>>>(x);
    wide_memory<<<1, 128>>>(x);
    split<<<1, 128>>>(x);
    member<<<1, 128>>>(x);
    alias<<<1, 128>>>(x);
}
