// A program of two CUDA files, one of C++ and one of C: device functions, variables and kernels are declared in
// one and defined in another, and a header holds kernels.
// flags: -rdc=true
// vdevice: 10 of 11, since a device function is defined in the other file
#include "../check.h"
#include "vectors.cuh"

int main()
{
    EXPECT(run_steps(4) == 0);

    const int n = 129;
    float by = 2;
    std::vector<float> in = check::values<float>(n, 42), want(n);
    check::buffer<float> values(in), other(n);
    CUDA_OK(cudaMemcpyToSymbol(factor, &by, sizeof(by)));
    repeat<3><<<3, 50>>>(values, n);
    LAUNCH_OK();
    for (int i = 0; i < n; i++)
        want[i] = ((in[i] * 2 + 1) * 2 + 1) * 2 + 1;
    check::same("repeat", values.get(), want);

    // A kernel of the other file.
    weigh_all<<<3, 50>>>(values, other, n);
    LAUNCH_OK();
    for (int i = 0; i < n; i++)
        want[i] = want[i] * 2 + 1;
    check::same("weigh_all", other.get(), want);
    clear<<<1, 160>>>(other, n);
    LAUNCH_OK();
    check::same("clear", other.get(), std::vector<float>(n, 0.0f));

    int counted = 0;
    CUDA_OK(cudaMemcpyFromSymbol(&counted, calls, sizeof(counted)));
    check::same("calls", counted, 4 * 301 + 3 * n + n);
    return check::done();
}
