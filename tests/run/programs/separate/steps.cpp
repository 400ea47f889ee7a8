// Host code that knows of CUDA only by its runtime's header.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <vector>

#include "scale.h"

bool same_values(const float *got, const float *want, int n)
{
    for (int i = 0; i < n; i++)
        if (got[i] != want[i]) {
            printf("[%d] is %g instead of %g\n", i, got[i], want[i]);
            return false;
        }
    return true;
}

int run_steps(int steps)
{
    const int n = 301;
    float *in = nullptr;
    if (cudaMallocHost((void **)&in, n * sizeof(float)) != cudaSuccess)
        return 1;
    int status = 0;
    for (int step = 0; step < steps && status == 0; step++) {
        float factor = chosen_factor(step);
        std::vector<float> out(n), want(n);
        for (int i = 0; i < n; i++) {
            in[i] = (float)(i - step) / 8;
            want[i] = in[i] * factor + 1;
        }
        status = weigh_on_device(in, out.data(), n, factor) || !same_values(out.data(), want.data(), n);
    }
    cudaFreeHost(in);
    return status;
}
