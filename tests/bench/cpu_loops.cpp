#include "cpu_loops.h"

void loop_saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y)
{
    for (int i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}

void loop_product(int n, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c)
{
    constexpr int tile = 64;
    for (int i = 0; i < n * n; i++)
        c[i] = 0;
    for (int k0 = 0; k0 < n; k0 += tile)
        for (int j0 = 0; j0 < n; j0 += tile)
            for (int i = 0; i < n; i++)
                for (int k = k0; k < k0 + tile; k++) {
                    const float by = a[i * n + k];
                    for (int j = j0; j < j0 + tile; j++)
                        c[i * n + j] += by * b[k * n + j];
                }
}

void loop_sums(int blocks, const float *__restrict__ in, float *__restrict__ out)
{
    for (int block = 0; block < blocks; block++) {
        float sums[256];
        for (int i = 0; i < 256; i++)
            sums[i] = in[block * 256 + i];
        for (int half = 128; half > 0; half /= 2)
            for (int i = 0; i < half; i++)
                sums[i] += sums[i + half];
        out[block] = sums[0];
    }
}
