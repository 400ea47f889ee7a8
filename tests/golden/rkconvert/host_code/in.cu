#include <cuda_runtime.h>
#include <stdio.h>

#define BLOCK 64
static int calls; // stays

__host__ __device__ constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

/* A comment between. */
static void check(cudaError_t e)
{
    if (e != cudaSuccess)
        printf("it's %d\n", (int)e);
}

__global__ void zero(float *x, int n)
{
    if (blockIdx.x < ceil_div(n, BLOCK))
        x[blockIdx.x * BLOCK + threadIdx.x] = 0;
}

class Runner
{
public:
    explicit Runner(float *x) : x_(x) {}
    float *data() const { return x_; }
    void run(int n)
    {
        zero<<<ceil_div(n, BLOCK), BLOCK>>>(x_, n);
        check(cudaGetLastError());
    }
    void twice(int n) { run(n); run(n); }

private:
    float *x_;
};

/* Its constructor and destructor call what goes. */
template <class T> struct Buffer {
    explicit Buffer(int n) { check(cudaMalloc(&data, n * sizeof(T))); }
    ~Buffer() { check(cudaFree(data)); }
    operator T *() const { return data; }
    T *data;
};

template <class T> void launch(T *x, int n) { Runner(x).run(n); } int main()
{
    launch((float *)Buffer<float>(5), 5);
    calls++;
    return 0;
}
template void launch<float>(float *, int);
