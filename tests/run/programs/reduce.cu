// Sums of an array five ways: a tree in shared memory, warp shuffles, cooperative groups, atomics, and a last
// block that finds itself with a counter.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

template <class T> __global__ void by_tree(const T *in, int n, T *partial)
{
    extern __shared__ unsigned char memory[];
    T *sums = (T *)memory;
    T sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sums[0];
}

template <class T> __device__ T warp_sum(T value)
{
    for (int distance = 16; distance > 0; distance >>= 1)
        value += __shfl_down_sync(0xffffffffu, value, distance);
    return value;
}

template <class T> __device__ T block_sum(T value)
{
    __shared__ T of_warps[32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    value = warp_sum(value);
    if (lane == 0)
        of_warps[warp] = value;
    __syncthreads();
    value = threadIdx.x < blockDim.x / 32 ? of_warps[lane] : T(0);
    if (warp == 0)
        value = warp_sum(value);
    return value;
}

template <class T> __global__ void by_shuffles(const T *in, int n, T *partial)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T sum = block_sum(i < n ? in[i] : T(0));
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum;
}

__global__ void by_groups(const int *in, int n, int *total)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    int i = block.group_index().x * block.size() + block.thread_rank();
    int value = i < n ? in[i] : 0;
    for (int distance = warp.size() / 2; distance > 0; distance /= 2)
        value += warp.shfl_down(value, distance);
    block.sync();
    if (warp.thread_rank() == 0)
        atomicAdd(total, value);
}

__global__ void by_atomics(const unsigned long long *in, int n, unsigned long long *total)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(total, in[i]);
}

__device__ unsigned blocks_done = 0;

__global__ void by_last_block(const int *in, int n, volatile int *partial, int *total)
{
    __shared__ bool last;
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        unsigned before = atomicInc(&blocks_done, gridDim.x - 1);
        last = before == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    sum = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
        sum += partial[i];
    __syncthreads();
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        *total = sum;
}

template <class T> static T sum_of(const std::vector<T> &values)
{
    T sum = 0;
    for (T value : values)
        sum += value;
    return sum;
}

int main()
{
    const int n = 20011;
    std::vector<int> in = check::values<int>(n, 7);
    check::buffer<int> device_in(in), partial(128), total(1);
    const int want = sum_of(in);

    by_tree<int><<<9, 128, 128 * sizeof(int)>>>(device_in, n, partial);
    LAUNCH_OK();
    std::vector<int> sums = partial.get();
    sums.resize(9);
    check::same("tree", sum_of(sums), want);

    std::vector<double> reals = check::values<double>(n, 8);
    check::buffer<double> device_reals(reals), real_partial(check::blocks_for(n, 256));
    by_shuffles<double><<<check::blocks_for(n, 256), 256>>>(device_reals, n, real_partial);
    LAUNCH_OK();
    check::same("shuffles", sum_of(real_partial.get()), sum_of(reals), 1e-12);

    total.zero();
    by_groups<<<check::blocks_for(n, 96), 96>>>(device_in, n, total);
    LAUNCH_OK();
    check::same("groups", total.get()[0], want);

    std::vector<unsigned long long> large(n, 1ull << 40);
    check::buffer<unsigned long long> device_large(large), large_total(1);
    large_total.zero();
    by_atomics<<<check::blocks_for(n, 100), 100>>>(device_large, n, large_total);
    LAUNCH_OK();
    check::same("atomics", large_total.get()[0], sum_of(large));

    // Twice, since the counter has to be back to 0.
    for (int run = 0; run < 2; run++) {
        total.zero();
        by_last_block<<<37, 64>>>(device_in, n, partial, total);
        LAUNCH_OK();
        check::same("last block", total.get()[0], want);
    }
    return check::done();
}
