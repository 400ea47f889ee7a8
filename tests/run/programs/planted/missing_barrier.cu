// Planted: a thread reads what its neighbour writes with no barrier between.
// check: race
#include "../check.h"

__global__ void rotate(const int *in, int *out)
{
    __shared__ int slots[64];
    slots[threadIdx.x] = in[threadIdx.x]; // planted
#ifndef PLANTED
    __syncthreads();
#endif
    out[threadIdx.x] = slots[(threadIdx.x + 1) % 64]; // planted
}

int main()
{
    std::vector<int> in = check::values<int>(64, 1), want(64);
    check::buffer<int> device(in), out(64);
    rotate<<<1, 64>>>(device, out);
    LAUNCH_OK();
    for (int i = 0; i < 64; i++)
        want[i] = in[(i + 1) % 64];
    check::same("rotated", out.get(), want);
    return check::done();
}
