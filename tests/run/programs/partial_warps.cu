// Blocks that are no multiple of a warp: the last warp's lanes that are not there take no part.
#include "check.h"

// Who is there, how many, and the sum over them by each way of asking.
__global__ void census(int *present, int *sums, unsigned *masks)
{
    unsigned rank = threadIdx.x + blockDim.x * threadIdx.y;
    unsigned size = blockDim.x * blockDim.y, in_warp = rank / 32 * 32 + 32 <= size ? 32 : size % 32;
    unsigned mask = in_warp == 32 ? 0xffffffffu : (1u << in_warp) - 1;
    int at = blockIdx.x * size + rank;
    masks[at] = __activemask();
    present[at] = __popc(__ballot_sync(mask, 1));
    int value = rank;
    for (unsigned distance = 16; distance > 0; distance /= 2) {
        int other = __shfl_down_sync(mask, value, distance);
        if (rank % 32 + distance < in_warp)
            value += other;
    }
    sums[at] = __shfl_sync(mask, value, 0);
}

// A barrier, a warp barrier and a block of an odd size in a loop.
__global__ void ring(int *values, int rounds)
{
    extern __shared__ int slots[];
    unsigned n = blockDim.x;
    slots[threadIdx.x] = values[blockIdx.x * n + threadIdx.x];
    for (int i = 0; i < rounds; i++) {
        __syncthreads();
        int from = slots[(threadIdx.x + n - 1) % n];
        __syncthreads();
        slots[threadIdx.x] = from + 1;
    }
    __syncthreads();
    values[blockIdx.x * n + threadIdx.x] = slots[n - 1 - threadIdx.x];
}

static void check_census(int blocks, dim3 block)
{
    unsigned size = block.x * block.y;
    check::buffer<int> present(blocks * size), sums(blocks * size);
    check::buffer<unsigned> masks(blocks * size);
    census<<<blocks, block>>>(present, sums, masks);
    LAUNCH_OK();
    std::vector<int> want_present, want_sums;
    std::vector<unsigned> want_masks;
    for (unsigned i = 0; i < blocks * size; i++) {
        unsigned first = i % size / 32 * 32, lanes = first + 32 <= size ? 32 : size % 32;
        want_present.push_back((int)lanes);
        want_sums.push_back((int)(lanes * first + lanes * (lanes - 1) / 2));
        want_masks.push_back(lanes == 32 ? ~0u : (1u << lanes) - 1);
    }
    check::same("present", present.get(), want_present);
    check::same("sums", sums.get(), want_sums);
    check::same("masks", masks.get(), want_masks);
}

static void check_ring(int blocks, int threads, int rounds)
{
    std::vector<int> values = check::values<int>(blocks * threads, 31), want(values.size());
    check::buffer<int> device(values);
    ring<<<blocks, threads, threads * sizeof(int)>>>(device, rounds);
    LAUNCH_OK();
    for (int i = 0; i < blocks * threads; i++) {
        int slot = threads - 1 - i % threads, from = ((slot - rounds) % threads + threads) % threads;
        want[i] = values[i / threads * threads + from] + rounds;
    }
    check::same("ring", device.get(), want);
}

int main()
{
    for (int threads : {1, 7, 31, 32, 33, 48, 100})
        check_census(2, threads);
    check_census(3, dim3(5, 9));
    check_ring(3, 17, 5);
    check_ring(2, 100, 9);
    check_ring(2, 33, 34);
    return check::done();
}
