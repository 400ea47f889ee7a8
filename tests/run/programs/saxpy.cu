// Vectors: a thread for each element, and a grid-stride loop of fewer threads than elements.
#include "check.h"

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

__global__ void shift(size_t n, long long by, long long *values)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        values[i] += by * (long long)i;
}

int main()
{
    const int n = 1000003;
    std::vector<float> x = check::values<float>(n, 1), y = check::values<float>(n, 2), want(n);
    check::buffer<float> device_x(x), device_y(y);
    saxpy<<<check::blocks_for(n, 192), 192>>>(n, 3, device_x, device_y);
    LAUNCH_OK();
    for (int i = 0; i < n; i++)
        want[i] = 3 * x[i] + y[i];
    check::same("y", device_y.get(), want);

    std::vector<long long> sums = check::values<long long>(70001, 3);
    check::buffer<long long> device_sums(sums);
    shift<<<7, 96>>>(sums.size(), -5, device_sums);
    LAUNCH_OK();
    for (size_t i = 0; i < sums.size(); i++)
        sums[i] -= 5 * (long long)i;
    check::same("sums", device_sums.get(), sums);
    return check::done();
}
