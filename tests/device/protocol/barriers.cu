// An rTask of N threads on a vEU of V, with the barriers that --barrier asks for (barriers.sh reads what
// becomes of each).
#include <rk/rkernel.h>

#include <rk/cuda_barrier_groups.cuh>

template <unsigned N, unsigned V, rk__::cuda_barrier_form Form, bool Reduce, bool Early>
struct config {
    static constexpr unsigned grid_x = 4, grid_y = 1, grid_z = 1, block_x = N, block_y = 1,
                              block_z = 1;
    static constexpr unsigned veu_threads = V;
    static constexpr bool barrier = true, reduce = Reduce, early_return = Early, warp = false;
    static constexpr rk__::cuda_barrier_form barrier_form = Form;
    using Frame = void;
};

template <class Context> __device__ void exchange(Context &context, float *x)
{
    float *shared = context.template dynamic_shared<float>();
    shared[context.rank()] = x[context.rank()];
    context.sync();
    x[context.rank()] = shared[context.threads() - 1 - context.rank()];
}

template <class Config> __device__ void rtask(float *x)
{
    rk__::cuda_context<Config> context(blockIdx.x);
    if (context.active()) {
        exchange(context, x);
        if constexpr (Config::reduce)
            x[0] = (float)context.sync_count(x[context.rank()] > 0);
        context.finish();
    } else {
        context.finish();
    }
}

#define KERNEL(name, n, v, form, reduce, early)                                                    \
    extern "C" __global__ void __launch_bounds__(v) name(float *x)                                 \
    {                                                                                              \
        rtask<config<n, v, rk__::cuda_barrier_form::form, reduce, early>>(x);                        \
    }

#ifdef WRONG
#define INSTANCE(...) KERNEL(__VA_ARGS__)
INSTANCE(wrong, WRONG)
#else
KERNEL(auto_whole, 128, 128, choose, false, false)
KERNEL(auto_warps, 96, 128, choose, false, false)
KERNEL(auto_lanes, 20, 128, choose, false, false)
KERNEL(auto_count, 100, 128, choose, false, false)
KERNEL(named_whole, 128, 128, named, false, false)
KERNEL(named_warps, 96, 128, named, true, false)
KERNEL(named_warp, 32, 128, named, false, false)
KERNEL(named_lanes, 20, 128, named, false, false)
KERNEL(named_early, 128, 128, named, true, true)
KERNEL(cg_whole, 96, 96, cg, false, false)
KERNEL(cg_lanes, 16, 128, cg, false, false)
KERNEL(cg_warp, 32, 128, cg, false, false)
KERNEL(cg_warps, 64, 128, cg, false, false)
KERNEL(cg_most, 512, 1024, cg, false, false)
#endif
