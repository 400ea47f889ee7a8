// Two kernels with barriers of the whole grid, launched cooperatively; the graph launches their phases.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
namespace cg = cooperative_groups;

constexpr int n = 1000, threads = 64, blocks = (n + threads - 1) / threads;

__global__ void normalise(const float *__restrict__ x, float *partial, float *y, int count)
{
    __shared__ float tile[threads];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool there = i < count;
    const float own = there ? x[i] : 0; // read again behind the barrier: nobody writes it
    tile[threadIdx.x] = own;
    __syncthreads();
    for (int width = blockDim.x / 2; width > 0; width /= 2) {
        if (threadIdx.x < width)
            tile[threadIdx.x] += tile[threadIdx.x + width];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        partial[blockIdx.x] = tile[0];
    cg::this_grid().sync();
    float total = 0;
    for (int b = 0; b < gridDim.x; b++)
        total += partial[b];
    if (there)
        y[i] = own / total;
}

// Each value becomes its mirror's, smoothed, in place: nobody may write before all have read.
template <int Times> __global__ void mirror(float *y, float *other, int count)
{
    cg::grid_group grid = cg::this_grid();
    const unsigned long long i = grid.thread_rank();
    if (i >= count)
        return;
    const auto wrapped = [=](unsigned long long k) { return k % count; };
    other[i] = y[count - 1 - i];
    grid.sync();
    y[i] = (other[i] + other[wrapped(i + 1)]) * Times;
    cg::sync(grid);
    other[i] = y[wrapped(i + count / 2)];
    grid.sync();
    y[wrapped(i + 7)] -= other[i];
}

static void save(const char *name, const float *values)
{
    FILE *file = fopen(name, "wb");
    if (!file)
        exit(1);
    fwrite(values, sizeof *values, n, file);
    fclose(file);
}

int main()
{
    static float host[n];
    for (int i = 0; i < n; i++)
        host[i] = (float)(i * 7919 % 1013) / 16 + 1;
    save("input.bin", host);
    float *x, *partial, *y, *other;
    cudaMalloc(&x, n * sizeof *x);
    cudaMalloc(&partial, blocks * sizeof *partial);
    cudaMalloc(&y, n * sizeof *y);
    cudaMalloc(&other, n * sizeof *other);
    cudaMemcpy(x, host, n * sizeof *x, cudaMemcpyHostToDevice);
    cudaMemset(y, 0, n * sizeof *y);
    cudaMemset(other, 0, n * sizeof *other);
    int count = n;
    void *first[] = {&x, &partial, &y, &count};
    cudaLaunchCooperativeKernel((void *)normalise, dim3(blocks), dim3(threads), first, 0, 0);
    void *second[] = {&y, &other, &count};
    cudaLaunchCooperativeKernel((void *)mirror<3>, dim3(blocks), dim3(threads), second, 0, 0);
    cudaMemcpy(host, y, n * sizeof *y, cudaMemcpyDeviceToHost);
    save("result.bin", host);
    return cudaDeviceSynchronize() != cudaSuccess;
}
