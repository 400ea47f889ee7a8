// Names and macros of the project that look like what the converter writes, and that are not reserved.
#include <cstdio>
#define a0 2.f
#define a1 (
#define N 16
#define T float
#define m 5
#define v )
#define l 0
#define w 1
#define p nothing
#define d 3
#define A B
#define R 7
#define I 8
#define Ctx void
#define Args void
#define slots 1
#define function 3
#define values 4
namespace rk
{
struct ambient {
    float value;
};
struct dim3 {
    int x;
};
__device__ float same(float a) { return a + 1; }
template <class K> struct kept {
    K of;
};
} // namespace rk
struct RkCtx {
    int rk_block;
};
namespace rk_in
{
__constant__ float rk_constant[4] = {1, 2, 3, 4};
}
__device__ float rk_ctx = 0.5f;
__device__ int rk_t = 2, rk_at = 3, rk_thread = 4, rk_block = 5, rk_call = 6, rk_grid = 7;
enum { RK_ORDER = 4, RK_INLINED = 1, RK_SPACE = 2 };
struct k_rk_shared {
    float s;
};
struct k_rk_frame {
    float s;
};
__device__ float k_rk(float q) { return q; }
void k_rk_launch(float *, int) { printf("not this one\n"); }

__device__ float helper(float *rk_args, int i)
{
    __shared__ T s[N * 4];
    s[threadIdx.x] = rk_args[i];
    __syncthreads();
    return s[(i + 1) % (N * 4)] + k_rk(rk_ctx);
}

__global__ void k(float *x, int n)
{
    __shared__ float s[N * 4];
    RkCtx RkArgs = {1};
    rk::dim3 own = {2};
    int rk_s = blockIdx.x * blockDim.x + threadIdx.x, uint3 = rk_s, dim3 = 1;
    rk::kept<float> rk_all = {rk::same(x[rk_s])};
    s[threadIdx.x] = rk_all.of + rk_in::rk_constant[threadIdx.x % 4];
    __syncthreads();
    float rk_m = helper(s, threadIdx.x);
    __syncthreads();
    if (uint3 < n)
        x[rk_s] = rk_m + s[63 - threadIdx.x] + RK_ORDER + RkArgs.rk_block + own.x * dim3 + rk_t + rk_at + rk_thread +
                  rk_block + rk_call + rk_grid + a0;
}

__global__ void warp(float *x, int rk_n)
{
    float rk_v = x[threadIdx.x];
    rk_v += __shfl_down_sync(0xffffffffu, rk_v, 1);
    rk_v += __any_sync(0xffffffffu, rk_v > 10) + __popc(__ballot_sync(0xffffffffu, rk_v > 20));
    x[threadIdx.x] = rk_v + rk_n;
}

void launch(float *x, int n)
{
    k<<<2, 64>>>(x, n);
    warp<<<1, 32>>>(x, n);
}

int main()
{
    float *x, sum = 0;
    cudaMallocManaged(&x, 128 * sizeof *x);
    for (int i = 0; i < 128; i++)
        x[i] = i;
    launch(x, 128);
    cudaDeviceSynchronize();
    for (int i = 0; i < 128; i++)
        sum += x[i] * (i % 5 + 1);
    printf("%g\n", sum);
    return cudaFree(x);
}
