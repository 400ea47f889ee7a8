// A histogram with counters in shared memory for each block, and one straight in global memory.
#include "check.h"

constexpr int BINS = 61;

__global__ void by_blocks(const unsigned char *data, int n, unsigned *bins)
{
    __shared__ unsigned own[BINS];
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        own[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[data[i] % BINS], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        if (own[i] > 0)
            atomicAdd(bins + i, own[i]);
}

__global__ void straight(const unsigned char *data, int n, unsigned *bins, int *last_of_bin)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int bin = data[i] % BINS;
    atomicInc(&bins[bin], 0xffffffffu);
    atomicMax(&last_of_bin[bin], i);
}

int main()
{
    const int n = 50021;
    std::vector<unsigned char> data(n);
    check::numbers from(11);
    for (unsigned char &value : data)
        value = (unsigned char)(from.below(16) * from.below(17));
    std::vector<unsigned> want(BINS);
    std::vector<int> want_last(BINS, -1);
    for (int i = 0; i < n; i++) {
        want[data[i] % BINS]++;
        want_last[data[i] % BINS] = i;
    }

    check::buffer<unsigned char> device(data);
    check::buffer<unsigned> bins(BINS);
    bins.zero();
    by_blocks<<<11, 128>>>(device, n, bins);
    LAUNCH_OK();
    check::same("by blocks", bins.get(), want);

    check::buffer<int> last(BINS);
    bins.zero();
    CUDA_OK(cudaMemset(last, 0xff, BINS * sizeof(int)));
    straight<<<check::blocks_for(n, 250), 250>>>(device, n, bins, last);
    LAUNCH_OK();
    check::same("straight", bins.get(), want);
    check::same("last of each", last.get(), want_last);
    return check::done();
}
