// Planted: the barrier at the end of a loop is missing, so that a round writes what the last one still reads.
// check: race
#include "../check.h"

__global__ void sums(const int *in, int *out, int rounds)
{
    __shared__ int tile[96];
    int sum = 0;
    for (int i = 0; i < rounds; i++) {
        tile[threadIdx.x] = in[i * 96 + threadIdx.x]; // planted
        __syncthreads();
        sum += tile[95 - threadIdx.x]; // planted
#ifndef PLANTED
        __syncthreads();
#endif
    }
    out[threadIdx.x] = sum;
}

int main()
{
    const int rounds = 4;
    std::vector<int> in = check::values<int>(rounds * 96, 2), want(96);
    check::buffer<int> device(in), out(96);
    sums<<<1, 96>>>(device, out, rounds);
    LAUNCH_OK();
    for (int i = 0; i < rounds * 96; i++)
        want[95 - i % 96] += in[i];
    check::same("sums", out.get(), want);
    return check::done();
}
