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
static void read_list(float *const *d, float *out) { add<<<2, 32>>>(out, d[0], d[1], 64); }
static void change_list(float **d) { d[0] = d[1]; }
void arrays(float *y, const float *x)
{
    float *d[3];
    for (int i = 0; i < 3; i++)
        cudaMalloc((void **)&d[i], 256);
    cudaMemcpy(d[0], x, 256, cudaMemcpyHostToDevice);
    add<<<2, 32>>>(d[1], d[0], d[0], 64);
    read_list(d, d[2]);
    for (int i = 0; i < 2; i++) {
        float *t = d[0];
        d[0] = d[1];
        d[1] = t;
        add<<<2, 32>>>(d[1], d[0], d[2], 64);
    }
    float *list[] = {d[2], d[0], nullptr};
    cudaMemcpy(y, list[1], 256, cudaMemcpyDeviceToHost);
}
struct Net { float *layers[4]; int n; };
void layers(float *y, const float *x)
{
    Net net;
    net.n = 64;
    for (int i = 0; i < 4; i++)
        cudaMalloc(&net.layers[i], net.n * 4);
    cudaMemcpy(net.layers[0], x, 256, cudaMemcpyHostToDevice);
    for (int i = 1; i < 4; i++)
        add<<<2, 32>>>(net.layers[i], net.layers[i - 1], net.layers[0], net.n);
    cudaMemcpy(y, net.layers[3], 256, cudaMemcpyDeviceToHost);
}
void unknown_element(float *y, int k)
{
    float *d[3];
    for (int i = 0; i < 3; i++)
        cudaMalloc(&d[i], 256);
    add<<<2, 32>>>(y, d[0], d[0], 64);
    add<<<2, 32>>>(d[k], d[0], d[0], 64);
}
void changed_list(float *y)
{
    float *d[3];
    for (int i = 0; i < 3; i++)
        cudaMalloc(&d[i], 256);
    change_list(d);
    add<<<2, 32>>>(y, d[0], d[0], 64);
}
void set_by_unknown_index(float *y, int k)
{
    float *d[2];
    cudaMalloc(&d[0], 256);
    cudaMalloc(&d[1], 256);
    d[k] = y;
    add<<<2, 32>>>(y, d[0], d[0], 64);
}
void kept(float *y, const float *x)
{
    Vectors v, *p = &v;
    v.n = 64;
    cudaMalloc(&v.a, 256);
    p->a = y;
    add<<<2, 32>>>(v.a, v.a, v.a, 64);
}
