// Prefix sums of a warp by shuffles, of a block with two buffers in shared memory, and of an array of any
// length over several blocks and levels.
#include "check.h"

__device__ int scan_warp(int value)
{
    unsigned lane = threadIdx.x & 31;
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        int before = __shfl_up_sync(0xffffffffu, value, distance);
        if (lane >= distance)
            value += before;
    }
    return value;
}

// Each block of warps scans 32 elements a warp.
__global__ void scan_warps(int *values)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[i] = scan_warp(values[i]);
}

// Scans within each block, exclusively, and keeps the sum of the block.
__global__ void scan_blocks(const int *in, int *out, int *sums, int n)
{
    extern __shared__ int buffers[];
    int *from = buffers, *to = buffers + blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int own = i < n ? in[i] : 0;
    from[threadIdx.x] = own;
    __syncthreads();
    for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
        to[threadIdx.x] = from[threadIdx.x];
        if (threadIdx.x >= distance)
            to[threadIdx.x] += from[threadIdx.x - distance];
        int *swap = from;
        from = to;
        to = swap;
        __syncthreads();
    }
    if (i < n)
        out[i] = from[threadIdx.x] - own;
    if (threadIdx.x == blockDim.x - 1)
        sums[blockIdx.x] = from[threadIdx.x];
}

__global__ void add_offsets(int *out, const int *offsets, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] += offsets[blockIdx.x];
}

static void scan(const int *in, int *out, int n, int threads)
{
    int blocks = check::blocks_for(n, threads);
    check::buffer<int> sums(blocks);
    scan_blocks<<<blocks, threads, 2 * threads * sizeof(int)>>>(in, out, sums, n);
    LAUNCH_OK();
    if (blocks > 1) {
        check::buffer<int> offsets(blocks);
        scan(sums, offsets, blocks, threads);
        add_offsets<<<blocks, threads>>>(out, offsets, n);
        LAUNCH_OK();
    }
}

static std::vector<int> reference(const std::vector<int> &in)
{
    std::vector<int> out(in.size());
    int sum = 0;
    for (size_t i = 0; i < in.size(); i++) {
        out[i] = sum;
        sum += in[i];
    }
    return out;
}

int main()
{
    std::vector<int> in = check::values<int>(5 * 96, 9), want(in);
    check::buffer<int> warps(in);
    scan_warps<<<5, 96>>>(warps);
    LAUNCH_OK();
    for (size_t i = 0; i < want.size(); i++)
        want[i] += i % 32 ? want[i - 1] : 0;
    check::same("warps", warps.get(), want);

    for (int n : {1, 63, 64, 65, 4099, 30011}) {
        std::vector<int> values = check::values<int>(n, n);
        check::buffer<int> device(values), out(n);
        scan(device, out, n, 64);
        check::same("scan", out.get(), reference(values));
    }
    // A block that is no multiple of a warp.
    std::vector<int> values = check::values<int>(1003, 10);
    check::buffer<int> device(values), out(values.size());
    scan(device, out, 1003, 45);
    check::same("scan by 45", out.get(), reference(values));
    return check::done();
}
