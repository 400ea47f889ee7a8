// An rKernel as a vDevice would call it, for each launch configuration that the context takes.
#include <rk/rkernel.h>

namespace
{

struct frame {
    float values[256];
};

template <unsigned BX, unsigned BY, unsigned V, bool Barrier, bool Return = false, bool Warp = false>
struct config {
    static constexpr unsigned grid_x = 7, grid_y = 3, grid_z = 1;
    static constexpr unsigned block_x = BX, block_y = BY, block_z = 1, veu_threads = V;
    static constexpr bool barrier = Barrier, reduce = false, early_return = Return, warp = Warp;
    using Frame = frame;
};

template <class Context> __device__ void reverse(Context &rk__ctx, float *x)
{
    auto &values = rk__ctx.template shared<frame>().values;
    const unsigned i = rk__ctx.thread_idx().x + rk__ctx.block_dim().x * rk__ctx.thread_idx().y;
    values[i] = x[rk__ctx.block_idx().x * rk__ctx.threads() + i];
    rk__ctx.sync();
    x[rk__ctx.block_idx().x * rk__ctx.threads() + i] = values[rk__ctx.threads() - 1 - i];
}

template <class Context> __device__ void fill(Context &rk__ctx, float *x)
{
    x[rk__ctx.block_idx().y * rk__ctx.threads() + rk__ctx.rank()] = 1;
}

template <class Config> __device__ void barriers(unsigned rtask, float *x)
{
    rk__::hip_context<Config> context(rtask);
    if (context.active())
        reverse(context, x);
    context.finish();
}

template <class Config> __device__ void plain(unsigned rtask, float *x)
{
    rk__::hip_context<Config> context(rtask);
    if (context.active())
        fill(context, x);
    context.finish();
}

} // namespace

__global__ void veus(float *x)
{
    for (unsigned rtask = blockIdx.x; rtask < 21; rtask += gridDim.x) {
        barriers<config<64, 1, 64, true>>(rtask, x);
        barriers<config<16, 13, 256, true>>(rtask, x); /* 208 threads: 4 wavefronts, one of them mixed */
        plain<config<100, 1, 256, false, true>>(rtask, x);
#ifdef TOO_MANY_WAVEFRONTS
        barriers<config<64, 1, 128, true>>(rtask, x);
#endif
#ifdef EARLY_RETURN
        barriers<config<64, 1, 64, true, true>>(rtask, x);
#endif
#ifdef WARP
        plain<config<64, 1, 64, false, false, true>>(rtask, x);
#endif
#ifdef NO_WHOLE_WAVEFRONT
        plain<config<64, 1, 96, false>>(rtask, x);
#endif
    }
}
