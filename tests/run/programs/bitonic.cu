// A bitonic sort: steps within a block in shared memory, and larger steps with a launch each.
#include "check.h"

constexpr unsigned BLOCK = 128;

__device__ void order(unsigned &a, unsigned &b, bool up)
{
    if ((a > b) == up) {
        unsigned swap = a;
        a = b;
        b = swap;
    }
}

// Sorts each run of 2 * BLOCK, every second one downwards.
__global__ void sort_runs(unsigned *values)
{
    __shared__ unsigned run[2 * BLOCK];
    unsigned *own = values + blockIdx.x * 2 * BLOCK;
    run[threadIdx.x] = own[threadIdx.x];
    run[threadIdx.x + BLOCK] = own[threadIdx.x + BLOCK];
    for (unsigned size = 2; size <= 2 * BLOCK; size *= 2) {
        bool up = size < 2 * BLOCK ? (threadIdx.x & size / 2) == 0 : blockIdx.x % 2 == 0;
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            unsigned at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            order(run[at], run[at + stride], up);
        }
    }
    __syncthreads();
    own[threadIdx.x] = run[threadIdx.x];
    own[threadIdx.x + BLOCK] = run[threadIdx.x + BLOCK];
}

__global__ void merge_step(unsigned *values, unsigned size, unsigned stride)
{
    unsigned pair = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned at = 2 * pair - (pair & (stride - 1));
    order(values[at], values[at + stride], (pair & size / 2) == 0);
}

int main()
{
    const unsigned n = 4096;
    std::vector<unsigned> values(n);
    check::numbers from(73);
    for (unsigned &value : values)
        value = from.next();
    check::buffer<unsigned> device(values);
    sort_runs<<<n / (2 * BLOCK), BLOCK>>>(device);
    for (unsigned size = 4 * BLOCK; size <= n; size *= 2)
        for (unsigned stride = size / 2; stride > 0; stride /= 2)
            merge_step<<<n / 2 / 64, 64>>>(device, size, stride);
    LAUNCH_OK();
    std::sort(values.begin(), values.end());
    check::same("sorted", device.get(), values);
    return check::done();
}
