// Kernels on the CPU beside loops written by hand, both on one thread: a row of a table for each.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "cpu_loops.h"

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

__global__ void sums(const float *in, float *out)
{
    __shared__ float slots[256];
    slots[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    for (unsigned half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half)
            slots[threadIdx.x] += slots[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = slots[0];
}

template <int TILE> __global__ void product(int n, const float *a, const float *b, float *c)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

static double worked()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

struct times {
    double kernel, loop;
};

// The best of several runs of both, in microseconds that the processor worked for this program: others may run beside
// it. They take turns, so that both meet the same conditions.
template <class Kernel, class Loop> static times best(int runs, Kernel kernel, Loop loop)
{
    times least = {1e30, 1e30};
    for (int i = 0; i < runs; i++) {
        double begin = worked();
        kernel();
        least.kernel = std::fmin(least.kernel, worked() - begin);
        begin = worked();
        loop();
        least.loop = std::fmin(least.loop, worked() - begin);
    }
    return least;
}

static void row(const char *name, times took, int units)
{
    printf("%-40s %12.2f %12.2f %8.2f\n", name, took.kernel / units, took.loop / units, took.kernel / took.loop);
}

static void same(const std::vector<float> &got, const float *want)
{
    for (size_t i = 0; i < got.size(); i++)
        if (std::fabs(got[i] - want[i]) > 1e-3f * (1 + std::fabs(want[i]))) {
            printf("[%zu] is %g instead of %g\n", i, got[i], want[i]);
            exit(1);
        }
}

int main()
{
    const int n = 1 << 16, side = 512, blocks = 200;
    float *x, *y, *c;
    cudaMallocManaged((void **)&x, side * side * sizeof(float));
    cudaMallocManaged((void **)&y, side * side * sizeof(float));
    cudaMallocManaged((void **)&c, side * side * sizeof(float));
    for (int i = 0; i < side * side; i++) {
        x[i] = (float)(i % 17) / 16;
        y[i] = (float)(i % 13) / 8;
    }
    std::vector<float> hand(y, y + n);
    printf("%-40s %12s %12s %8s\n", "", "kernel us", "by hand us", "ratio");

    times took = best(
        5000,
        [=] {
            saxpy<<<n / 256, 256>>>(n, 1e-6f, x, y);
            cudaDeviceSynchronize();
        },
        [&] { loop_saxpy(n, 1e-6f, x, hand.data()); });
    same(hand, y);
    row("saxpy of 65536", took, 1);

    hand.resize(blocks);
    took = best(
        100,
        [=] {
            sums<<<blocks, 256>>>(x, c);
            cudaDeviceSynchronize();
        },
        [&] { loop_sums(blocks, x, hand.data()); });
    same(hand, c);
    row("a block of 256 threads with 9 barriers", took, blocks);

    hand.resize(side * side);
    took = best(
        8,
        [=] {
            product<16><<<dim3(side / 16, side / 16), dim3(16, 16)>>>(side, x, y, c);
            cudaDeviceSynchronize();
        },
        [&] { loop_product(side, x, y, hand.data()); });
    same(hand, c);
    row("product of 512 by 512, tiles of 16", took, 1);
    return 0;
}
