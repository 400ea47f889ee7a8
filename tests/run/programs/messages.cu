// Threads of a block that wait for each other by flags instead of barriers: release and acquire, and fences.
// vdevice: 0 of 2, since threads that spin are refused
#include <cuda/atomic>

#include "check.h"

using flag = cuda::atomic_ref<int, cuda::thread_scope_block>;

// Each thread waits for the next one, and the last for none: no barrier anywhere.
__global__ void chain(int *values, int *flags)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x + 1 < blockDim.x) {
        while (flag(flags[i + 1]).load(cuda::memory_order_acquire) == 0)
            ;
        values[i] += values[i + 1];
    }
    flag(flags[i]).store(1, cuda::memory_order_release);
}

// The upper half hands a value each to the lower half, which answers.
__global__ void answers(const int *in, int *out)
{
    __shared__ int values[64], sent[64];
    const unsigned half = blockDim.x / 2, slot = threadIdx.x % half;
    if (threadIdx.x < half)
        sent[slot] = 0;
    __syncthreads();
    if (threadIdx.x >= half) {
        values[slot] = in[blockIdx.x * half + slot];
        __threadfence_block();
        atomicExch(&sent[slot], 1);
        while (atomicAdd(&sent[slot], 0) != 2)
            ;
        __threadfence_block();
        out[blockIdx.x * half + slot] = values[slot];
    } else {
        while (atomicAdd(&sent[slot], 0) != 1)
            ;
        __threadfence_block();
        values[slot] = 3 * values[slot] + 1;
        __threadfence_block();
        atomicExch(&sent[slot], 2);
    }
}

int main()
{
    const int blocks = 3, threads = 70, half = 40;
    std::vector<int> in = check::values<int>(blocks * threads, 81), want = in;
    check::buffer<int> values(in), flags(std::vector<int>(in.size()));
    chain<<<blocks, threads>>>(values, flags);
    LAUNCH_OK();
    for (int i = blocks * threads - 2; i >= 0; i--)
        if (i % threads != threads - 1)
            want[i] += want[i + 1];
    check::same("chain", values.get(), want);

    std::vector<int> asked = check::values<int>(blocks * half, 82), want_answers;
    check::buffer<int> device(asked), out(asked.size());
    answers<<<blocks, 2 * half>>>(device, out);
    LAUNCH_OK();
    for (int value : asked)
        want_answers.push_back(3 * value + 1);
    check::same("answers", out.get(), want_answers);
    return check::done();
}
