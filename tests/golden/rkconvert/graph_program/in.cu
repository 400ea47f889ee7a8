// A program whose main allocates, copies, fills and launches, in helpers and loops, and keeps its input
// and result in files.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            printf("%s\n", cudaGetErrorString(error));                                             \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

__global__ void scale(const float *x, float *y, float s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = s * x[i];
}

__global__ void add_into(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += x[i];
}

template <int R>
__global__ void smooth(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = -R; k <= R; k++)
        sum += x[(i + k + n) % n];
    y[i] = sum;
}

static int blocks(int n)
{
    return (n + 127) / 128;
}

static void step(const float *x, float *y, float *t, int n, int k)
{
    scale<<<blocks(n), 128>>>(x, t, 0.5f + k, n);
    add_into<<<blocks(n), 128>>>(y, t, n);
}

static float *device_floats(int n)
{
    float *p;
    CHECK(cudaMalloc((void **)&p, n * sizeof(float)));
    return p;
}

static void save(const char *path, const float *values, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    fwrite(values, 1, bytes, file);
    fclose(file);
}

int main(int argc, char **argv)
{
    int n = 1000;
    if (argc > 1)
        n = atoi(argv[1]);
    const size_t bytes = n * sizeof(float);
    float *h = (float *)malloc(bytes);
    for (int i = 0; i < n; i++)
        h[i] = (float)(i % 17) - 3;
    save("input.bin", h, bytes);
    float *x = device_floats(n), *y = device_floats(n), *t = device_floats(n);
    CHECK(cudaMemcpy(x, h, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(y, 0, bytes));
    for (int k = 0; k < 3; k++)
        step(x, y, t, n, k);
    CHECK(cudaMemcpy(t, y, bytes / 2, cudaMemcpyDeviceToDevice));
    smooth<2><<<blocks(n - 100), 128>>>(y + 100, t + 100, n - 100);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(h, t, bytes, cudaMemcpyDeviceToHost));
    save("result.bin", h, bytes);
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    CHECK(cudaFree(t));
    return 0;
}
