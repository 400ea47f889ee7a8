// Elements of any type by strides: slices, transposes, pads, repeats; and several operands along an axis.
#include "plan.cuh"

enum { MOVE_CONSTANT, MOVE_EDGE, MOVE_REFLECT, MOVE_WRAP };

// Where p is in [0, limit) by the mode; -1 for the fill.
__device__ Word position_of(Word p, Word limit, Word every, int mode)
{
    if (p % every != 0)
        return -1;
    p /= every;
    if (p >= 0 && p < limit)
        return p;
    if (mode == MOVE_CONSTANT)
        return -1;
    if (mode == MOVE_EDGE)
        return p < 0 ? 0 : limit - 1;
    const Word period = mode == MOVE_WRAP ? limit : limit > 1 ? 2 * (limit - 1) : 1;
    p = (p % period + period) % period;
    return p < limit ? p : period - p;
}

// Lists: {element size, offset, mode}, extents, strides, limits (none: positions are indices), begin, every.
__global__ void __launch_bounds__(PLAN_THREADS)
move(const Word *plan, const void *x, const void *fill, void *y, int n)
{
    const int i = blockIdx.x * PLAN_THREADS + threadIdx.x;
    if (i >= n)
        return;
    const Word *scalars = plan_list(plan, 0);
    const Word *extents = plan_list(plan, 1);
    const Word *strides = plan_list(plan, 2);
    const Word *limit = plan_list(plan, 3);
    const Word *begin = plan_list(plan, 4);
    const Word *every = plan_list(plan, 5);
    const bool plain = plan_count(plan, 3) == 0;
    Word at = scalars[1];
    Word rest = i;
    bool inside = true;
    for (int d = plan_count(plan, 1) - 1; d >= 0; d--) {
        Word p = rest % extents[d];
        rest /= extents[d];
        if (!plain) {
            p = position_of(p + begin[d], limit[d], every[d], (int)scalars[2]);
            inside = inside && p >= 0;
        }
        at += p * strides[d];
    }
    if (inside)
        copy_element(y, i, x, at, (int)scalars[0], true);
    else
        copy_element(y, i, fill, 0, (int)scalars[0], fill != nullptr);
}

void launch_move(const Word *plan, const void *x, const void *fill, void *y, int n,
                 cudaStream_t stream)
{
    move<<<ceil_div(n, PLAN_THREADS), PLAN_THREADS, 0, stream>>>(plan, x, fill, y, n);
}

struct Parts {
    const void *at[8];
};

// Lists: {element size, extent of the axis, what is after it}, where each operand ends along the axis.
__global__ void __launch_bounds__(PLAN_THREADS)
join(const Word *plan, const void *a, const void *b, const void *c, const void *d, const void *e,
     const void *f, const void *g, const void *h, void *y, int n)
{
    const int i = blockIdx.x * PLAN_THREADS + threadIdx.x;
    if (i >= n)
        return;
    const Word *scalars = plan_list(plan, 0);
    const Word *ends = plan_list(plan, 1);
    const Word inner = scalars[2];
    const Word along = i / inner % scalars[1];
    const Word outer = i / inner / scalars[1];
    int part = 0;
    while (along >= ends[part])
        part++;
    const Word begin = part ? ends[part - 1] : 0;
    const Word at = (outer * (ends[part] - begin) + along - begin) * inner + i % inner;
    const Parts parts = {{a, b, c, d, e, f, g, h}};
    copy_element(y, i, parts.at[part], at, (int)scalars[0], true);
}

void launch_join(const Word *plan, const void *a, const void *b, const void *c, const void *d,
                 const void *e, const void *f, const void *g, const void *h, void *y, int n,
                 cudaStream_t stream)
{
    join<<<ceil_div(n, PLAN_THREADS), PLAN_THREADS, 0, stream>>>(plan, a, b, c, d, e, f, g, h, y, n);
}
