// The k largest or smallest along an axis, and sums or products of what comes before: a thread for each line.
#include "plan.cuh"

// Whether (a, i) comes before (b, j); what is no number is larger than all, and equal ones stay as they lie.
template <class T>
__device__ __forceinline__ bool comes_before(T a, Word i, T b, Word j, bool largest)
{
    const bool more = a > b || (is_nan(a) && !is_nan(b));
    const bool less = a < b || (is_nan(b) && !is_nan(a));
    return (largest ? more : less) || (!more && !less && i < j);
}

// Lists: types, {lines, extent, inner, k, largest}.
template <class T>
__device__ void order_line(const Word *plan, const void *x, void *values, Word *places, int line)
{
    const Word *types = plan_list(plan, 0);
    const Word *scalars = plan_list(plan, 1);
    const Word extent = scalars[1];
    const Word inner = scalars[2];
    const Word count = scalars[3];
    const bool largest = scalars[4] != 0;
    const Word from = line / inner * extent * inner + line % inner;
    const Word to = line / inner * count * inner + line % inner;
    T last = 0;
    Word last_at = -1;
    for (Word j = 0; j < count; j++) {
        T best = 0;
        Word best_at = -1;
        for (Word i = 0; i < extent; i++) {
            const T v = load_as<T>(x, (int)types[1], from + i * inner);
            if ((last_at < 0 || comes_before(last, last_at, v, i, largest)) &&
                (best_at < 0 || comes_before(v, i, best, best_at, largest))) {
                best = v;
                best_at = i;
            }
        }
        store_as(values, (int)types[2], to + j * inner, best);
        places[to + j * inner] = best_at;
        last = best;
        last_at = best_at;
    }
}

__global__ void __launch_bounds__(PLAN_THREADS)
order(const Word *plan, const void *x, void *values, Word *places, int n)
{
    const int line = blockIdx.x * PLAN_THREADS + threadIdx.x;
    if (line >= n)
        return;
    switch ((int)plan_list(plan, 0)[0]) {
    case IN_F32:
        order_line<float>(plan, x, values, places, line);
        return;
    case IN_F64:
        order_line<double>(plan, x, values, places, line);
        return;
    case IN_I64:
        order_line<Word>(plan, x, values, places, line);
        return;
    default:
        order_line<Natural>(plan, x, values, places, line);
        return;
    }
}

void launch_order(const Word *plan, const void *x, void *values, Word *places, int n,
                  cudaStream_t stream)
{
    order<<<ceil_div(n, PLAN_THREADS), PLAN_THREADS, 0, stream>>>(plan, x, values, places, n);
}

// Lists: types, {lines, extent, inner, 1 for products, exclusive, reverse}.
template <class T>
__device__ void accumulate_line(const Word *plan, const void *x, void *y, int line)
{
    const Word *types = plan_list(plan, 0);
    const Word *scalars = plan_list(plan, 1);
    const Word extent = scalars[1];
    const Word inner = scalars[2];
    const bool product = scalars[3] != 0;
    const Word base = line / inner * extent * inner + line % inner;
    T total = product ? 1 : 0;
    for (Word i = 0; i < extent; i++) {
        const Word at = base + (scalars[5] ? extent - 1 - i : i) * inner;
        const T v = load_as<T>(x, (int)types[1], at);
        const T earlier = total;
        total = product ? total * v : total + v;
        store_as(y, (int)types[2], at, scalars[4] ? earlier : total);
    }
}

__global__ void __launch_bounds__(PLAN_THREADS)
accumulate(const Word *plan, const void *x, void *y, int n)
{
    const int line = blockIdx.x * PLAN_THREADS + threadIdx.x;
    if (line >= n)
        return;
    switch ((int)plan_list(plan, 0)[0]) {
    case IN_F32:
        accumulate_line<float>(plan, x, y, line);
        return;
    case IN_F64:
        accumulate_line<double>(plan, x, y, line);
        return;
    default:
        accumulate_line<Natural>(plan, x, y, line);
        return;
    }
}

void launch_accumulate(const Word *plan, const void *x, void *y, int n, cudaStream_t stream)
{
    accumulate<<<ceil_div(n, PLAN_THREADS), PLAN_THREADS, 0, stream>>>(plan, x, y, n);
}
