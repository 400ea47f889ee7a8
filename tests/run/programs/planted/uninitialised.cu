// Planted: a sum over a shared array of which the last elements were never written.
// check: init
// silent: race
#include "../check.h"

__global__ void sum(const int *in, int n, int *total)
{
    __shared__ int slots[64];
#ifdef PLANTED
    if (threadIdx.x < n)
        slots[threadIdx.x] = in[threadIdx.x];
#else
    slots[threadIdx.x] = threadIdx.x < n ? in[threadIdx.x] : 0;
#endif
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (threadIdx.x < half)
            slots[threadIdx.x] += slots[threadIdx.x + half]; // planted
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *total = slots[0];
}

int main()
{
    const int n = 50;
    std::vector<int> in = check::values<int>(n, 8);
    check::buffer<int> device(in), total(1);
    sum<<<1, 64>>>(device, n, total);
    LAUNCH_OK();
    int want = 0;
    for (int value : in)
        want += value;
    check::same("total", total.get()[0], want);
    return check::done();
}
