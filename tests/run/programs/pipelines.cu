// The C++ forms: cuda::barrier in shared memory, with waiting apart from arriving, and cuda::pipeline.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

#include "check.h"

namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void exchange(const int *in, int *out, int rounds)
{
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ block_barrier meeting;
    __shared__ int slots[96];
    if (threadIdx.x == 0)
        init(&meeting, blockDim.x);
    __syncthreads();
    int value = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int round = 0; round < rounds; round++) {
        slots[threadIdx.x] = value;
        block_barrier::arrival_token token = meeting.arrive();
        int own = value * 2;
        meeting.wait(std::move(token));
        value = own + slots[(threadIdx.x + 1) % blockDim.x];
        meeting.arrive_and_wait();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void staged(const int *in, int *out, int tiles, int size)
{
    extern __shared__ int buffers[];
    constexpr int STAGES = 2;
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int ready = 0, fetched = 0; ready < tiles; ready++) {
        for (; fetched < tiles && fetched < ready + STAGES; fetched++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, buffers + fetched % STAGES * size, in + fetched * size, size * sizeof(int), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        for (int i = threadIdx.x; i < size; i += blockDim.x)
            sum += (ready + 1) * buffers[ready % STAGES * size + i];
        block.sync();
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

int main()
{
    const int blocks = 2, threads = 80, rounds = 3;
    std::vector<int> in = check::values<int>(blocks * threads, 56), want = in;
    check::buffer<int> device(in), out(in.size());
    exchange<<<blocks, threads>>>(device, out, rounds);
    LAUNCH_OK();
    for (int round = 0; round < rounds; round++) {
        std::vector<int> before = want;
        for (int i = 0; i < blocks * threads; i++)
            want[i] = 2 * before[i] + before[i / threads * threads + (i % threads + 1) % threads];
    }
    check::same("exchanged", out.get(), want);

    const int tiles = 4, size = 150;
    std::vector<int> more = check::values<int>(tiles * size, 57), want_sums(64);
    check::buffer<int> device_more(more), sums(64);
    staged<<<1, 64, 2 * size * sizeof(int)>>>(device_more, sums, tiles, size);
    LAUNCH_OK();
    for (int i = 0; i < tiles * size; i++)
        want_sums[i % size % 64] += (i / size + 1) * more[i];
    check::same("staged", sums.get(), want_sums);
    return check::done();
}
