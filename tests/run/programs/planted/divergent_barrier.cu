// Planted: half of a warp waits for the block, and the other half for the warp.
// check: all
#include "../check.h"

__global__ void halves(const int *in, int *out)
{
    __shared__ int slots[32];
    int value = in[threadIdx.x];
    slots[threadIdx.x] = value;
#ifdef PLANTED
    if (threadIdx.x < 16)
        __syncthreads(); // planted
#else
    __syncthreads();
#endif
    int other = __shfl_xor_sync(0xffffffffu, value, 16); // planted
    out[threadIdx.x] = other + slots[31 - threadIdx.x];
}

int main()
{
    std::vector<int> in = check::values<int>(32, 7), want(32);
    check::buffer<int> device(in), out(32);
    halves<<<1, 32>>>(device, out);
    LAUNCH_OK();
    for (int i = 0; i < 32; i++)
        want[i] = in[i ^ 16] + in[31 - i];
    check::same("sums", out.get(), want);
    return check::done();
}
