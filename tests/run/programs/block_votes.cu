// Barriers that count, and, and or a predicate over the threads of the block, which need not be a multiple of a
// warp, and of which some may have returned.
#include "check.h"

struct votes {
    int count, all, any;
};

__global__ void vote(const int *values, int limit, votes *out)
{
    int value = values[blockIdx.x * blockDim.x + threadIdx.x];
    int count = __syncthreads_count(value < limit);
    int all = __syncthreads_and(value < limit);
    int any = __syncthreads_or(value < limit);
    out[blockIdx.x * blockDim.x + threadIdx.x] = {count, all, any};
}

// Each round the threads below the limit stay; it ends when none leaves.
__global__ void settle(int *values, int *rounds)
{
    __shared__ int limit;
    if (threadIdx.x >= blockDim.x - 3)
        return;
    int value = values[blockIdx.x * blockDim.x + threadIdx.x], round = 0;
    if (threadIdx.x == 0)
        limit = 64;
    __syncthreads(); // a vote's predicate is evaluated before threads meet
    while (__syncthreads_or(value > limit)) {
        if (value > limit)
            value -= limit;
        round++;
        __syncthreads();
        if (threadIdx.x == 0)
            limit = limit * 3 / 4 + 8;
        __syncthreads();
    }
    values[blockIdx.x * blockDim.x + threadIdx.x] = value;
    if (threadIdx.x == 0)
        rounds[blockIdx.x] = round;
}

static void check_votes(int blocks, int threads, int limit)
{
    std::vector<int> values = check::values<int>(blocks * threads, 18), got, want;
    check::buffer<int> device(values);
    check::buffer<votes> out(values.size());
    vote<<<blocks, threads>>>(device, limit, out);
    LAUNCH_OK();
    for (const votes &each : out.get())
        got.insert(got.end(), {each.count, each.all != 0, each.any != 0});
    for (int block = 0; block < blocks; block++) {
        int count = 0;
        for (int i = 0; i < threads; i++)
            count += values[block * threads + i] < limit;
        for (int i = 0; i < threads; i++)
            want.insert(want.end(), {count, count == threads, count > 0});
    }
    check::same("votes", got, want);
}

static void check_settling(int blocks, int threads)
{
    std::vector<int> values = check::values<int>(blocks * threads, 19), rounds(blocks);
    check::buffer<int> device(values), device_rounds(blocks);
    settle<<<blocks, threads>>>(device, device_rounds);
    LAUNCH_OK();
    for (int block = 0; block < blocks; block++)
        for (int limit = 64;; limit = limit * 3 / 4 + 8) {
            bool any = false;
            for (int i = 0; i < threads - 3; i++) {
                int &value = values[block * threads + i];
                any |= value > limit;
                value -= value > limit ? limit : 0;
            }
            if (!any)
                break;
            rounds[block]++;
        }
    check::same("settled", device.get(), values);
    check::same("rounds", device_rounds.get(), rounds);
}

int main()
{
    for (int limit : {0, 500, 990, 1000}) {
        check_votes(3, 96, limit);
        check_votes(4, 77, limit);
        check_votes(5, 1, limit);
    }
    check_settling(3, 128);
    check_settling(4, 41);
    return check::done();
}
