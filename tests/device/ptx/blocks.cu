// Barriers of rTasks of N threads on a vEU of V: for each N of SIZES and two V, kernels with and without returns before
// barriers and reducing barriers, so that each of cases 1 to 4 comes (docs/vdevice.md). Three rTasks run on a vEU one after another.
#include <rk/rkernel.h>
#include <rk/vdevice.cuh>

#include <stdio.h>

#include <vector>

constexpr unsigned phases = 3, rtasks = 3;

template <unsigned N, unsigned V, bool Reduce, bool Early> struct config {
    static constexpr unsigned grid_x = rtasks, grid_y = 1, grid_z = 1, block_x = N, block_y = 1, block_z = 1;
    static constexpr unsigned veu_threads = V;
    static constexpr bool barrier = true, reduce = Reduce, early_return = Early, warp = false;
    using Frame = void;
};

/** Whether a thread is there in a phase of an rTask. */
template <bool Early> __host__ __device__ bool stays(unsigned rank, unsigned rtask, unsigned phase)
{
    return !Early || (rank * 7 + rtask) % 5 > phase;
}
__host__ __device__ inline bool counts(unsigned rank, unsigned rtask, unsigned phase)
{
    return (rank + rtask + phase) % 3 == 0;
}
__host__ __device__ inline int value(unsigned rank, unsigned rtask, unsigned phase)
{
    return (int)(rank + 2000 * phase + 10000 * rtask);
}

template <class Config, class Context> __device__ void body(Context &context, int *out)
{
    int *shared = context.template dynamic_shared<int>();
    const unsigned rank = context.rank(), rtask = context.block_idx().x, n = context.threads();
    int sum = 0;
    shared[rank] = -1;
    for (unsigned p = 0; p < phases; p++) {
        if (!stays<Config::early_return>(rank, rtask, p)) {
            out[rtask * n + rank] = sum;
            return context.finish();
        }
        context.sync();
        shared[rank] = value(rank, rtask, p);
        context.sync();
        sum += shared[(rank + 1) % n] + shared[n - 1 - rank];
        if constexpr (Config::reduce)
            sum += 100000 * context.sync_count(counts(rank, rtask, p));
        else
            context.sync();
    }
    out[rtask * n + rank] = sum;
    context.finish();
}

template <class Config> __global__ void __launch_bounds__(Config::veu_threads) veu(int *out)
{
    for (unsigned r = 0; r < rtasks; r++) {
        rk__::cuda_context<Config> context(r);
        if (context.active())
            body<Config>(context, out);
        else
            context.finish();
        rk__::vdevice_barrier();
    }
}

template <unsigned N, bool Reduce, bool Early> std::vector<int> expected()
{
    std::vector<int> all(N * rtasks);
    for (unsigned r = 0; r < rtasks; r++) {
        std::vector<int> shared(N, -1);
        for (unsigned p = 0; p < phases; p++) {
            int count = 0;
            for (unsigned t = 0; t < N; t++) {
                if (stays<Early>(t, r, p)) {
                    shared[t] = value(t, r, p);
                    count += counts(t, r, p);
                }
            }
            for (unsigned t = 0; t < N; t++) {
                if (stays<Early>(t, r, p))
                    all[r * N + t] += shared[(t + 1) % N] + shared[N - 1 - t] + (Reduce ? 100000 * count : 0);
            }
        }
    }
    return all;
}

template <unsigned N, unsigned V, bool Reduce, bool Early> bool one()
{
    const std::vector<int> want = expected<N, Reduce, Early>();
    std::vector<int> got(want.size(), -7);
    int *out;
    bool good = cudaMalloc(&out, got.size() * sizeof(int)) == cudaSuccess;
    veu<config<N, V, Reduce, Early>><<<1, V, N * sizeof(int)>>>(out);
    good = good && cudaDeviceSynchronize() == cudaSuccess &&
           cudaMemcpy(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess && got == want;
    cudaFree(out);
    if (!good)
        printf("%u threads of %u,%s%s: WRONG\n", N, V, Reduce ? " counting" : "", Early ? " with returns" : "");
    return good;
}

template <unsigned N, unsigned V> bool forms()
{
    bool good = one<N, V, false, false>();
    good = one<N, V, true, false>() && good;
    good = one<N, V, false, true>() && good;
    return one<N, V, true, true>() && good;
}

template <unsigned... N> bool sizes()
{
    bool good = true;
    ((good = forms<N, (N + 31) / 32 * 32>() && good), ...);
    ((good = forms<N, (N % 2 || N > 992 ? 1024 : (N + 63) / 32 * 32)>() && good), ...);
    return good;
}

int main()
{
    return sizes<SIZES>() ? 0 : 1;
}
