// What a graph cannot have, and what is known only at run time.
#include <cuda_runtime.h>

__global__ void add(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += x[i];
}

__global__ void count(const int *x, int *y)
{
    y[threadIdx.x] = x[threadIdx.x];
}

struct shape {
    int n;
};
__global__ void of_shape(float *y, shape s)
{
    if (threadIdx.x < s.n)
        y[threadIdx.x] = 0;
}

__global__ void waits(volatile int *flag)
{
    while (*flag == 0)
        ;
}

void elsewhere(float *x);

void on_value(float *x, float *y, int n)
{
    add<<<1, 32>>>(x, y, 32);
    if (n > 5)
        add<<<1, 32>>>(x, y, 32);
}

void on_result(float *x, float *y)
{
    float h;
    add<<<1, 32>>>(x, y, 32);
    cudaMemcpy(&h, y, 4, cudaMemcpyDeviceToHost);
    while (h > 1)
        add<<<1, 32>>>(x, y, 32);
}

void host_between(float *x, float *y, float *h)
{
    add<<<1, 32>>>(x, y, 32);
    cudaMemcpy(h, y, 128, cudaMemcpyDeviceToHost);
    cudaMemcpy(x, h, 128, cudaMemcpyHostToDevice);
    add<<<1, 32>>>(x, y, 32);
}

void overlap(float *x, float *y)
{
    add<<<1, 32>>>(x, y, 32);
    add<<<1, 16>>>(y, y + 16, 16);
}

void two_types(float *x, float *y)
{
    add<<<1, 32>>>(x, y, 32);
    count<<<1, 32>>>((const int *)x, (int *)y);
}

void structs(float *x, float *y)
{
    shape s = {5};
    add<<<1, 32>>>(x, y, 32);
    of_shape<<<1, 32>>>(y, s);
}

void refused(float *x, float *y, int *flag)
{
    add<<<1, 32>>>(x, y, 32);
    waits<<<1, 1>>>(flag);
}

void unseen(float *x, float *y)
{
    add<<<1, 32>>>(x, y, 32);
    elsewhere(y);
    add<<<1, 32>>>(x, y, 32);
}

void recursive(float *x, float *y, int n)
{
    add<<<1, 32>>>(x, y, 32);
    recursive(x, y, n - 1);
}

void captured(float *x, float *y, cudaStream_t stream)
{
    add<<<1, 32>>>(x, y, 32);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    add<<<1, 32, 0, stream>>>(x, y, 32);
}

void managed_between()
{
    float *m;
    cudaMallocManaged(&m, 256);
    add<<<1, 32>>>(m, m + 32, 32);
}

void host_changes(float *x)
{
    float *m;
    cudaMallocManaged(&m, 256);
    add<<<1, 32>>>(x, m, 32);
    cudaDeviceSynchronize();
    m[0] = 1;
    add<<<1, 32>>>(x, m, 32);
}

void nothing(int n)
{
    (void)n;
}
