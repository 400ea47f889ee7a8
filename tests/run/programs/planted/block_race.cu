// Planted: blocks add to one sum without an atomic.
// check: race
// silent: init
#include "../check.h"

__global__ void sum(const int *in, int *total)
{
    __shared__ int own;
    if (threadIdx.x == 0)
        own = 0;
    __syncthreads();
    atomicAdd(&own, in[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
#ifdef PLANTED
        *total += own; // planted
#else
        atomicAdd(total, own);
#endif
    }
}

int main()
{
    std::vector<int> in = check::values<int>(9 * 32, 3);
    check::buffer<int> device(in), total({0});
    sum<<<9, 32>>>(device, total);
    LAUNCH_OK();
    int want = 0;
    for (int value : in)
        want += value;
    check::same("total", total.get()[0], want);
    return check::done();
}
