// Planted: the launch asks for less dynamic shared memory than the kernel uses.
// check: memory
#include "../check.h"

__global__ void reverse(const int *in, int *out)
{
    extern __shared__ int slots[];
    slots[threadIdx.x] = in[threadIdx.x]; // planted
    __syncthreads();
    out[threadIdx.x] = slots[blockDim.x - 1 - threadIdx.x]; // planted
}

int main()
{
    const int n = 64;
    std::vector<int> in = check::values<int>(n, 5), want(in.rbegin(), in.rend());
    check::buffer<int> device(in), out(n);
#ifdef PLANTED
    reverse<<<1, n, n>>>(device, out);
#else
    reverse<<<1, n, n * sizeof(int)>>>(device, out);
#endif
    LAUNCH_OK();
    check::same("reversed", out.get(), want);
    return check::done();
}
