// The elements that meet a condition, in order: ballots within a warp, a scan over the warps of a block, and
// offsets of the blocks that a first pass counted.
#include "check.h"

__host__ __device__ inline bool wanted(int value)
{
    return value % 3 == 1;
}

__global__ void count(const int *in, int n, int *counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int of_block = __syncthreads_count(i < n && wanted(in[i]));
    if (threadIdx.x == 0)
        counts[blockIdx.x] = of_block;
}

__global__ void compact(const int *in, int n, const int *offsets, int *out)
{
    __shared__ int of_warps[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    bool mine = i < n && wanted(in[i]);
    unsigned ballot = __ballot_sync(0xffffffffu, mine);
    if (lane == 0)
        of_warps[warp] = __popc(ballot);
    __syncthreads();
    if (threadIdx.x == 0)
        for (int sum = 0, w = 0; w < (int)blockDim.x / 32; w++) {
            int own = of_warps[w];
            of_warps[w] = sum;
            sum += own;
        }
    __syncthreads();
    if (mine)
        out[offsets[blockIdx.x] + of_warps[warp] + __popc(ballot & ((1u << lane) - 1))] = in[i];
}

int main()
{
    const int n = 10007, threads = 160, blocks = check::blocks_for(n, threads);
    std::vector<int> in = check::values<int>(n, 75), want;
    for (int value : in)
        if (wanted(value))
            want.push_back(value);
    check::buffer<int> device(in), counts(blocks), out(n);
    count<<<blocks, threads>>>(device, n, counts);
    LAUNCH_OK();
    std::vector<int> offsets = counts.get();
    int total = 0;
    for (int &offset : offsets) {
        int own = offset;
        offset = total;
        total += own;
    }
    check::same("total", total, (int)want.size());
    counts.put(offsets);
    compact<<<blocks, threads>>>(device, n, counts, out);
    LAUNCH_OK();
    std::vector<int> got = out.get();
    got.resize(want.size());
    check::same("compacted", got, want);
    return check::done();
}
