// assert on the device: it says nothing while it holds; when it fails, that launch and every later call do.
#include <cassert>

#include "check.h"

__global__ void bounded(const int *values, int limit, int *out)
{
    int value = values[threadIdx.x];
    assert(value < limit && "value beyond its limit");
    __syncthreads();
    out[threadIdx.x] = 2 * value;
}

int main()
{
    std::vector<int> values = {5, 1, 4, 40, 3}, want;
    check::buffer<int> device(values), out(values.size());
    bounded<<<1, 5>>>(device, 41, out);
    LAUNCH_OK();
    for (int value : values)
        want.push_back(2 * value);
    check::same("doubled", out.get(), want);

    bounded<<<1, 5>>>(device, 40, out);
    EXPECT(cudaDeviceSynchronize() == cudaErrorAssert);
    EXPECT(cudaGetLastError() == cudaErrorAssert);
    // Such an error stays.
    EXPECT(cudaGetLastError() == cudaErrorAssert);
    int *more;
    EXPECT(cudaMalloc((void **)&more, 4) == cudaErrorAssert);
    return check::done();
}
