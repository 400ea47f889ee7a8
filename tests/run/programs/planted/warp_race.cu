// Planted: lanes of a warp exchange through shared memory with nothing that orders them.
// check: race
#include "../check.h"

__global__ void reverse(const int *in, int *out)
{
    __shared__ int slots[2][32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    slots[warp][lane] = in[threadIdx.x]; // planted
#ifndef PLANTED
    __syncwarp();
#endif
    out[threadIdx.x] = slots[warp][31 - lane]; // planted
}

int main()
{
    std::vector<int> in = check::values<int>(64, 4), want(64);
    check::buffer<int> device(in), out(64);
    reverse<<<1, 64>>>(device, out);
    LAUNCH_OK();
    for (int i = 0; i < 64; i++)
        want[i] = in[i / 32 * 32 + 31 - i % 32];
    check::same("reversed", out.get(), want);
    return check::done();
}
