// Sums in the manner of the years before __syncwarp: the last warp goes on without barriers, on volatile shared memory.
//
// unchecked: lanes pass values on without a barrier, which since sm_70 is a race
#include "check.h"

// A helper with a volatile pointer, as every reduction of those years had it.
template <int Size> __device__ void sum_warp(volatile int *s, int t)
{
    if (Size >= 64)
        s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
}

template <int Size> __global__ void by_helper(const int *in, int *out)
{
    extern __shared__ int s[];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * Size + t];
    for (int half = Size / 2; half > 32; half /= 2) {
        __syncthreads();
        if (t < half)
            s[t] += s[t + half];
    }
    __syncthreads();
    if (t < 32)
        sum_warp<Size>(s, t);
    if (t == 0)
        out[blockIdx.x] = s[0];
}

// A pointer that becomes volatile in the kernel, half a warp, and the sum kept in a register.
__global__ void by_pointer(const int *in, int *out)
{
    __shared__ int s[64];
    const int t = threadIdx.x;
    int sum = in[blockIdx.x * 64 + t];
    s[t] = sum;
    __syncthreads();
    if (t < 16) {
        volatile int *v = s;
        v[t] = sum = sum + v[t + 16] + v[t + 32] + v[t + 48];
        v[t] = sum = sum + v[t + 8];
        v[t] = sum = sum + v[t + 4];
        v[t] = sum = sum + v[t + 2];
        if (t == 0)
            *v = sum + v[1];
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

// Running sums of each warp, with zeros in front in place of conditions; no barrier at all.
__global__ void running(const int *in, int *out)
{
    __shared__ volatile int s[2][48];
    const int lane = threadIdx.x % 32;
    volatile int *mine = s[threadIdx.x / 32] + 16;
    mine[lane - 16] = 0;
    mine[lane] = in[threadIdx.x];
    for (int step = 1; step < 32; step *= 2)
        mine[lane] = mine[lane] + mine[lane - step];
    out[threadIdx.x] = mine[lane];
}

int main()
{
    const int blocks = 5;
    const auto in = check::values<int>(blocks * 256, 3);
    check::buffer<int> from(in), sums(blocks), lanes(64);
    auto want = [&](int size) {
        std::vector<int> total(blocks);
        for (int i = 0; i < blocks * size; i++)
            total[i / size] += in[i];
        return total;
    };
    by_helper<256><<<blocks, 256, 256 * sizeof(int)>>>(from, sums);
    LAUNCH_OK();
    check::same("by_helper<256>", sums.get(), want(256));
    by_helper<64><<<blocks, 64, 64 * sizeof(int)>>>(from, sums);
    LAUNCH_OK();
    check::same("by_helper<64>", sums.get(), want(64));
    by_pointer<<<blocks, 64>>>(from, sums);
    LAUNCH_OK();
    check::same("by_pointer", sums.get(), want(64));
    running<<<1, 64>>>(from, lanes);
    LAUNCH_OK();
    std::vector<int> so_far(64);
    for (int i = 0; i < 64; i++)
        so_far[i] = in[i] + (i % 32 ? so_far[i - 1] : 0);
    check::same("running", lanes.get(), so_far);
    return check::done();
}
