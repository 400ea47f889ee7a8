#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) return; } while (0)
__global__ void add(float *y, const float *a, const float *b, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a[i] + b[i];
}
struct Vectors { float *a, *b, *out; int n; };
struct World { Vectors v; float *spare; };

static void step(const Vectors &v) { add<<<(v.n + 31) / 32, 32>>>(v.out, v.a, v.b, v.n); }
static void again(Vectors v) { add<<<(v.n + 31) / 32, 32>>>(v.a, v.out, v.b, v.n); }

void members(float *y, const float *x)
{
    Vectors v;
    v.n = 100;
    CHECK(cudaMalloc(&v.a, v.n * sizeof(float)));
    CHECK(cudaMalloc((void **)&v.b, v.n * sizeof(float)));
    cudaMalloc(&v.out, v.n * sizeof(float));
    cudaMemcpy(v.a, x, v.n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(v.b, x, v.n * sizeof(float), cudaMemcpyHostToDevice);
    step(v);
    again(v);
    step(v);
    cudaMemcpy(y, v.out, v.n * sizeof(float), cudaMemcpyDeviceToHost);
}
void nested(float *y, const float *x)
{
    World w = {};
    w.v.n = 64;
    cudaMalloc(&w.v.a, 256);
    cudaMalloc(&w.v.out, 256);
    cudaMalloc(&w.spare, 256);
    w.v.b = w.spare;
    cudaMemcpy(w.v.a, x, 256, cudaMemcpyHostToDevice);
    cudaMemcpy(w.v.b, x, 256, cudaMemcpyHostToDevice);
    step(w.v);
    cudaMemcpy(y, w.v.out, 256, cudaMemcpyDeviceToHost);
}
void arrays(float *y, const float *x)
{
    float *d[2];
    for (int i = 0; i < 2; i++)
        cudaMalloc(&d[i], 256);
    cudaMemcpy(d[0], x, 256, cudaMemcpyHostToDevice);
    add<<<2, 32>>>(d[1], d[0], d[0], 64);
    cudaMemcpy(y, d[1], 256, cudaMemcpyDeviceToHost);
}
void kept(float *y, const float *x)
{
    Vectors v, *p = &v;
    v.n = 64;
    cudaMalloc(&v.a, 256);
    p->a = y;
    add<<<2, 32>>>(v.a, v.a, v.a, 64);
}
