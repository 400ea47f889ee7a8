// Kernel templates that are defined in another source: instances that it makes implicitly are launched and their
// addresses taken here, where only their declarations are.
// flags: -rdc=true -O2
#include "../check.h"
#include "kernels.cuh"

template <typename T> static void launch_alone(int n)
{
    std::vector<T> in(n), cubes(n), sums(n / 64, 0);
    for (int i = 0; i < n; i++) {
        in[i] = T(i % 7 - 3);
        cubes[i] = in[i] * in[i] * in[i];
        sums[i / 64] += cubes[i];
    }
    check::buffer<T> values(in), cubed(n), summed(n / 64);
    power::raise<T, 3><<<n / 32, 32>>>(values, cubed, n);
    LAUNCH_OK();
    check::same("raise", cubed.get(), cubes);
    sum_of_block<T><<<n / 64, 64>>>(cubed, summed);
    LAUNCH_OK();
    check::same("sum_of_block", summed.get(), sums);
    cube_and_sum<T>(values, cubed, summed, n);
    LAUNCH_OK();
    check::same("cube_and_sum", summed.get(), sums);
}

static void launch_by_address()
{
    const int n = 128;
    const std::vector<int> in(n, 2);
    check::buffer<int> values(in), cubed(n);
    int *from = values, *to = cubed, size = n;
    void *args[] = {&from, &to, &size};
    CUDA_OK(cudaLaunchKernel((const void *)power::raise<int, 3>, dim3(2), dim3(64), args, 0, 0));
    CUDA_OK(cudaDeviceSynchronize());
    check::same("by address", cubed.get(), std::vector<int>(n, 8));
}

int main()
{
    launch_alone<float>(192);
    launch_alone<int>(64);
    launch_by_address();
    return check::done();
}
