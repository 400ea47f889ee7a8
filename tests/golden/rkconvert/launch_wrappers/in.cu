#include <cuda_runtime.h>
#include <functional>
#include <cstdio>

__global__ void k1(float *x, int n) { x[threadIdx.x] = n; }
__global__ void k2(float *x, int n) { x[threadIdx.x] = -n; }
template <int B> __global__ void kt(float *x, int n) { x[threadIdx.x] = B; }
typedef void (*kernel_t)(float *, int);

static int block_size = 256;
static dim3 tile(16, 16);
static int changed = 3;
static const kernel_t table[] = {k1, k2, kt<4>}; // the instance is not told

void wrapper(kernel_t kernel, dim3 grid, dim3 block, float *x, int n) { kernel<<<grid, block>>>(x, n); }
template <class... P, class... A>
void launch(void (*kernel)(P...), dim3 grid, dim3 block, A... args)
{
    void *list[] = {(void *)&args...};
    cudaLaunchKernel((const void *)kernel, grid, block, list, 0, 0);
}
template <class K, class... A> void go(K kernel, int n, A &&...args) { kernel<<<(n + 255) / 256, 256>>>(args...); }
void middle(kernel_t kernel, float *x, int n) { wrapper(kernel, (n + 63) / 64, 64, x, n); }

void use_wrapper(float *x, int n)
{
    wrapper(k1, n / 32, 32, x, n);
    wrapper(&kt<8>, dim3(4), dim3(8, 8), x, n);
    middle(k2, x, n);
}
void use_templates(float *x, int n)
{
    launch(k1, n, 128, x, n);
    launch(kt<2>, n, 64, x, n);
    go(k1, n, x, n);
    go(kt<16>, n, x, n);
}
void choice(float *x, int n, bool fast)
{
    auto k = fast ? k1 : k2;
    k<<<1, n>>>(x, n);
    void (*f)(float *, int) = k1;
    if (n > 100)
        f = kt<1>;
    f<<<2, n>>>(x, n);
    kernel_t g;
    switch (n) {
    case 1: g = k1; break;
    case 2: g = k2; break;
    default: g = kt<3>;
    }
    g<<<3, n>>>(x, n);
}
void arrays(float *x, int n, int which)
{
    kernel_t local[] = {k1, k2};
    local[which]<<<4, n>>>(x, n);
    table[which]<<<5, n>>>(x, n);
    for (int i = 0; i < 2; i++)
        local[i]<<<6, n>>>(x, n);
}
void globals(float *x, int n)
{
    changed++;
    k1<<<n, block_size>>>(x, n);
    k1<<<n, tile>>>(x, n);
    k1<<<n, changed>>>(x, n);
    static int local = 64;
    k1<<<n, local>>>(x, n);
}
void lambdas(float *x, int n)
{
    auto run = [&](int block) { k1<<<n / block, block>>>(x, n); };
    run(32);
    run(64);
    auto any = [=](auto kernel, int blocks) { kernel<<<blocks, 10>>>(x, n); };
    any(k1, 3);
    any(k2, n);
    std::function<void(int)> f = [=](int b) { k2<<<b, 11>>>(x, n); };
    f(3);
    auto none = [&] { k2<<<n, 12>>>(x, n); };
    none();
}
template <void (*K)(float *, int)> void by_argument(float *x, int n) { K<<<7, n>>>(x, n); }
template <class F> void timed(F f) { f(); }
void rest(float *x, int n)
{
    by_argument<k1>(x, n);
    timed([&] { k2<<<8, n>>>(x, n); });
}
struct entry { const char *name; kernel_t kernel; };
static const entry entries[] = {{"one", k1}, {"two", k2}};
void structs(float *x, int n, int i) { entries[i].kernel<<<9, n>>>(x, n); }
#define LAUNCH(K, ...) K<<<10, 32>>>(__VA_ARGS__)
void macro(float *x, int n) { LAUNCH(k1, x, n); LAUNCH(kt<9>, x, n); }
