// Threads that return before barriers and warp operations which the others go on to.
#include "check.h"

// Threads beyond the end leave; the rest meet at barriers in a loop.
__global__ void rotate(const int *in, int *out, int n, int rounds)
{
    __shared__ int slots[128];
    if (threadIdx.x >= n)
        return;
    slots[threadIdx.x] = in[blockIdx.x * n + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < rounds; i++) {
        int next = slots[(threadIdx.x + 1) % n];
        __syncthreads();
        slots[threadIdx.x] = next;
        __syncthreads();
    }
    out[blockIdx.x * n + threadIdx.x] = slots[threadIdx.x];
}

// Whole blocks leave, and the rest have barriers.
__global__ void odd_blocks(int *out)
{
    __shared__ int first;
    if (blockIdx.x % 2 == 0)
        return;
    if (threadIdx.x == 0)
        first = 100 * blockIdx.x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = first + threadIdx.x;
}

// Each round some more threads leave, from the top.
__global__ void fewer_each_round(int *rounds_of, int *total)
{
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    for (unsigned round = 0; round < blockDim.x; round++) {
        if (threadIdx.x + round >= blockDim.x) {
            rounds_of[threadIdx.x] = round;
            return;
        }
        atomicAdd(&sum, 1);
        __syncthreads();
    }
    *total = sum;
    rounds_of[threadIdx.x] = blockDim.x;
}

// Lanes that are in range reduce among themselves.
__global__ void part_of_warp(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned mask = __ballot_sync(0xffffffffu, i < n);
    if (i >= n)
        return;
    int value = in[i];
    for (int distance = 16; distance > 0; distance /= 2) {
        int other = __shfl_down_sync(mask, value, distance);
        if ((int)(threadIdx.x % 32) + distance < 32 && i + distance < n)
            value += other;
    }
    if (threadIdx.x % 32 == 0)
        out[i / 32] = value;
}

static void check_rotation(int n, int threads, int rounds)
{
    const int blocks = 5;
    std::vector<int> in = check::values<int>(n * blocks, 16), want(in.size());
    check::buffer<int> device(in), out(in.size());
    rotate<<<blocks, threads>>>(device, out, n, rounds);
    LAUNCH_OK();
    for (int i = 0; i < n * blocks; i++)
        want[i] = in[i / n * n + (i % n + rounds) % n];
    check::same("rotation", out.get(), want);
}

int main()
{
    check_rotation(100, 128, 7);
    check_rotation(1, 128, 3);
    check_rotation(33, 64, 40);

    std::vector<int> want(6 * 70, -1);
    check::buffer<int> out(want);
    odd_blocks<<<6, 70>>>(out);
    LAUNCH_OK();
    for (int i = 0; i < 6 * 70; i++)
        if (i / 70 % 2)
            want[i] = 100 * (i / 70) + i % 70;
    check::same("odd blocks", out.get(), want);

    const int threads = 50;
    check::buffer<int> rounds_of(threads), total(1);
    fewer_each_round<<<1, threads>>>(rounds_of, total);
    LAUNCH_OK();
    std::vector<int> want_rounds(threads);
    for (int i = 0; i < threads; i++)
        want_rounds[i] = threads - i;
    check::same("rounds", rounds_of.get(), want_rounds);
    check::same("sum of rounds", total.get()[0], threads * (threads + 1) / 2);

    const int n = 333;
    std::vector<int> in = check::values<int>(n, 17), sums(check::blocks_for(n, 32));
    check::buffer<int> device(in), device_sums(sums.size());
    part_of_warp<<<4, 96>>>(device, device_sums, n);
    LAUNCH_OK();
    for (int i = 0; i < n; i++)
        sums[i / 32] += in[i];
    check::same("sums of warps", device_sums.get(), sums);
    return check::done();
}
