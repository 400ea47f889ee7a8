// Planted: the last block writes beyond the end of an array.
// check: memory
#include "../check.h"

__global__ void fill(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef PLANTED
    if (i < n)
#endif
        out[i] = 3 * i; // planted
}

int main()
{
    const int n = 100;
    check::buffer<int> out(n);
    fill<<<4, 32>>>(out, n);
    LAUNCH_OK();
    std::vector<int> want(n);
    for (int i = 0; i < n; i++)
        want[i] = 3 * i;
    check::same("filled", out.get(), want);
    return check::done();
}
