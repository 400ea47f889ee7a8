// Barriers of the hardware by number, in inline assembly: a producing and a consuming half of a block, and
// barriers of a part of the threads.
// vdevice: 0 of 2, since assembly that names barriers is refused
#include "check.h"

__device__ void wait_at(int barrier, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

__device__ void arrive_at(int barrier, int threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

constexpr int HALF = 64, FILLED = 1, EMPTIED = 2;

// The first half fills a buffer, and the second half sums it up, round by round.
__global__ void hand_over(const int *in, int *out, int rounds)
{
    __shared__ int slots[HALF];
    int lane = threadIdx.x % HALF;
    if (threadIdx.x < HALF) {
        for (int i = 0; i < rounds; i++) {
            wait_at(EMPTIED, 2 * HALF);
            slots[lane] = in[i * HALF + lane];
            __threadfence_block();
            arrive_at(FILLED, 2 * HALF);
        }
    } else {
        int sum = 0;
        arrive_at(EMPTIED, 2 * HALF);
        for (int i = 0; i < rounds; i++) {
            wait_at(FILLED, 2 * HALF);
            sum += (i + 1) * slots[HALF - 1 - lane];
            if (i + 1 < rounds)
                arrive_at(EMPTIED, 2 * HALF);
        }
        out[lane] = sum;
    }
}

// Each pair of warps has a barrier of its own, with a literal number of threads.
__global__ void pairs(int *out)
{
    __shared__ int slots[4][64];
    int pair = threadIdx.x / 64, at = threadIdx.x % 64;
    for (int round = 0; round < pair + 2; round++) {
        slots[pair][at] = round * 1000 + at;
        asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
        int other = slots[pair][63 - at];
        asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
        out[threadIdx.x] = other;
    }
    asm volatile("bar.sync 0;" ::: "memory");
    if (threadIdx.x == 0)
        out[256] = slots[0][63] + slots[3][0];
}

int main()
{
    const int rounds = 9;
    std::vector<int> in = check::values<int>(rounds * HALF, 32), want(HALF);
    check::buffer<int> device(in), out(HALF);
    hand_over<<<1, 2 * HALF>>>(device, out, rounds);
    LAUNCH_OK();
    for (int i = 0; i < rounds * HALF; i++)
        want[i % HALF] += (i / HALF + 1) * in[i / HALF * HALF + HALF - 1 - i % HALF];
    check::same("handed over", out.get(), want);

    check::buffer<int> of_pairs(257);
    pairs<<<1, 256>>>(of_pairs);
    LAUNCH_OK();
    std::vector<int> want_pairs(257);
    for (int i = 0; i < 256; i++)
        want_pairs[i] = (i / 64 + 1) * 1000 + 63 - i % 64;
    want_pairs[256] = 1000 + 63 + 4000;
    check::same("pairs", of_pairs.get(), want_pairs);
    return check::done();
}
