// Cooperative groups in blocks of any size, most of them no multiple of a warp: what `rkconvert verify` compares, and
// nvcc compiles.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <cstdlib>

namespace cg = cooperative_groups;

template <class Group> __device__ void rotate(const Group &group, int *at)
{
    const int next = at[(group.thread_rank() + 1) % group.size()];
    cg::sync(group);
    at[group.thread_rank()] = next;
    group.sync();
}

__device__ int meet(cg::thread_group any, int *at)
{
    at[any.thread_rank()] = any.size();
    any.sync();
    return at[any.size() - 1 - any.thread_rank()];
}

// A tile writes and reads shared memory with no barrier but its own; each warp is at another turn.
__global__ void tiles(int *to, const int *from)
{
    extern __shared__ int s[];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    const int i = block.group_index().x * block.size() + block.thread_rank();
    int *mine = s + tile.meta_group_rank() * tile.size();
    mine[tile.thread_rank()] = from[i];
    tile.sync();
    for (unsigned turn = 0; turn < block.thread_rank() / 32 + 1; turn++) {
        const int next = mine[(tile.thread_rank() + 3) % 8];
        tile.sync();
        mine[tile.thread_rank()] = next + turn;
        tile.sync();
    }
    to[i] = mine[tile.thread_rank()] + tile.any(from[i] > 90) + 2 * tile.all(from[i] < 90) +
            4 * tile.ballot(from[i] & 1) + tile.match_any(from[i] & 2);
}

// Of a block of whole tiles, collectives whose lanes are all there.
__global__ void collectives(float *to, const float *from)
{
    const auto block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const auto half = cg::tiled_partition<16>(warp);
    const int i = block.group_index().x * block.size() + block.thread_rank();
    float sum = cg::reduce(half, from[i], cg::plus<float>());
    sum += cg::inclusive_scan(half, from[i]) * half.shfl_xor(from[i], 5);
    sum += cg::exclusive_scan(half, from[i], cg::plus<float>()) - half.shfl_up(from[i], 2);
    double wide = half.shfl_down((double)from[i], 1);
    to[i] = sum + (float)half.shfl(wide, half.meta_group_rank()) + warp.meta_group_size();
}

// Lanes that are there by chance.
__global__ void coalesced(int *to, const int *from, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int result = 0;
    if (from[i] % 3 != 0) {
        const cg::coalesced_group there = cg::coalesced_threads();
        const auto same = cg::labeled_partition(there, from[i] & 3);
        const auto half = cg::binary_partition(there, from[i] > 50);
        const auto pairs = cg::tiled_partition(there, 2);
        result = cg::reduce(there, from[i], cg::plus<int>()) + 1000 * same.meta_group_rank() +
                 cg::inclusive_scan(half, from[i]) + cg::exclusive_scan(same, from[i]) +
                 pairs.shfl(from[i], 0) + half.ballot(from[i] & 4) +
                 there.shfl_down(from[i], 2) + there.shfl_up(from[i], 1) +
                 half.meta_group_size() + 10 * same.any(from[i] > 80) + 20 * same.all(from[i] > 9);
    }
    to[i] = result;
}

// Any group, known by its type and at run time.
__global__ void any_group(int *to)
{
    extern __shared__ int s[];
    const auto block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<32>(block);
    const unsigned rank = block.thread_rank();
    s[rank] = rank;
    cg::sync(block);
    rotate(block, s);
    const int first = meet(block, s);
    cg::sync(block);
    cg::thread_group part = cg::tiled_partition(block, 4);
    const int second = meet(part, s + rank / 4 * 4);
    cg::sync(block);
    if (tile.meta_group_rank() == 0)
        rotate(cg::coalesced_threads(), s);
    cg::sync(block);
    to[blockIdx.x * block.size() + rank] = first * 100 + second * 10 + s[rank];
}

// Copies by a group, waited for by it.
__global__ void copies(int *to, const int *from)
{
    extern __shared__ int s[];
    const auto block = cg::this_thread_block();
    const unsigned n = block.size(), base = blockIdx.x * n;
    cg::memcpy_async(block, s, from + base, sizeof(int) * n);
    cg::wait(block);
    const int far = s[n - 1 - block.thread_rank()];
    block.sync();
    const auto tile = cg::tiled_partition<4>(block);
    const unsigned begin = tile.meta_group_rank() * 4, left = n - begin < 4 ? n - begin : 4;
    cg::memcpy_async(tile, s + begin, left, from + base + begin, left);
    cg::wait(tile);
    to[base + block.thread_rank()] = far * 100 + s[begin + (tile.thread_rank() + 1) % left];
}

int main()
{
    const int most = 3 * 1024;
    int *from, *to;
    float *x, *y;
    cudaMallocManaged(&from, most * sizeof *from);
    cudaMallocManaged(&to, most * sizeof *to);
    cudaMallocManaged(&x, most * sizeof *x);
    cudaMallocManaged(&y, most * sizeof *y);
    for (int i = 0; i < most; i++) {
        from[i] = i * 37 % 101;
        x[i] = (float)(i * 31 % 97) / 7;
    }
    const int blocks[] = {8, 24, 40, 104, 128};
    for (int block : blocks) {
        tiles<<<3, block, block * sizeof(int)>>>(to, from);
        coalesced<<<3, block - 3>>>(to, from, 3 * (block - 3) - 5);
        copies<<<3, block - 1, block * sizeof(int)>>>(to, from);
        if (block % 32 == 0 || block < 32)
            any_group<<<3, block, block * sizeof(int)>>>(to);
    }
    collectives<<<3, 48>>>(y, x);
    collectives<<<3, 256>>>(y, x);
    cudaDeviceSynchronize();
    long sum = 0;
    for (int i = 0; i < most; i++)
        sum = sum * 31 % 1000003 + to[i] % 1000 + (int)y[i];
    printf("%ld\n", sum);
    return 0;
}
