#include <cuda_runtime.h>

__global__ void k1(float *x, int n) { x[threadIdx.x] = n; }
__global__ void k2(float *x, int n) { x[threadIdx.x] = n; }
struct shape {
    int blocks;
};

// All of their calls are here, some of which are in loops and in others of their kind.
static void hidden(dim3 grid, int threads, float *x, int n) { k1<<<grid, threads>>>(x, n); }
static void middle(int threads, float *x, int n)
{
    hidden((n + threads - 1) / threads, threads, x, n);
}
namespace
{
void member(shape s, float *x, int n) { k2<<<s.blocks, 35>>>(x, n); }
} // namespace

// Others may call it, by its name or its address; nothing calls it; one call is not followed.
void open_one(int blocks, float *x, int n) { k2<<<blocks, 64>>>(x, n); }
static void taken(int blocks, float *x, int n) { k2<<<blocks, 32>>>(x, n); }
void (*pointer)(int, float *, int) = taken;
static void never(int blocks, float *x, int n) { k2<<<blocks, 34>>>(x, n); }
static void partly(int blocks, float *x, int n) { k2<<<blocks, 33>>>(x, n); }

void use(float *x, int n, char **words)
{
    hidden(dim3(n, 2), 128, x, n);
    middle(32, x, n);
    for (int i = 1; i < 4; i++)
        hidden(i, 16, x, n);
    member({n + 1}, x, n);
    open_one(n / 64, x, n);
    taken(7, x, n);
    int b = 1;
    while (words[b][0])
        if (words[b++][1])
            b *= 3;
    partly(3, x, n);
    partly(b, x, n);
}

// A call inside one of its own is not followed further.
static void halves(int threads, float *x, int n)
{
    k1<<<n / threads, threads>>>(x, n);
    if (n > threads)
        halves(threads, x, n / 2);
}
void use_halves(float *x) { halves(32, x, 1024); }
