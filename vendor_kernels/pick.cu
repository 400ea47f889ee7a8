// Elements by indices of any parts, and updates at indices: an element looks for its own, so that the order of threads
// does not matter. An index outside picks zeros and puts nothing.
#include "plan.cuh"

__device__ __forceinline__ Word index_of(const void *indices, int type, Word at, Word extent)
{
    const Word index =
        type == I32 ? static_cast<const int *>(indices)[at] : static_cast<const Word *>(indices)[at];
    return index < 0 ? index + extent : index;
}

// Lists: {element size, type of indices, step from part to part}, extents, strides of x and of the indices, limits and
// strides of the parts.
__global__ void __launch_bounds__(PLAN_THREADS)
pick(const Word *plan, const void *x, const void *indices, void *y, int n)
{
    const int i = blockIdx.x * PLAN_THREADS + threadIdx.x;
    if (i >= n)
        return;
    const Word *scalars = plan_list(plan, 0);
    const Word *extents = plan_list(plan, 1);
    const int loops = plan_count(plan, 1);
    const Word *limits = plan_list(plan, 4);
    const Word *part_strides = plan_list(plan, 5);
    const Word first = offset_of(i, loops, extents, plan_list(plan, 3));
    Word at = offset_of(i, loops, extents, plan_list(plan, 2));
    bool inside = true;
    for (int p = 0; p < plan_count(plan, 4); p++) {
        const Word index = index_of(indices, (int)scalars[1], first + p * scalars[2], limits[p]);
        inside = inside && index >= 0 && index < limits[p];
        at += index * part_strides[p];
    }
    copy_element(y, i, x, at, (int)scalars[0], inside);
}

void launch_pick(const Word *plan, const void *x, const void *indices, void *y, int n,
                 cudaStream_t stream)
{
    pick<<<ceil_div(n, PLAN_THREADS), PLAN_THREADS, 0, stream>>>(plan, x, indices, y, n);
}

enum { PUT_NONE, PUT_ADD, PUT_MUL, PUT_MIN, PUT_MAX };

template <class T>
__device__ __forceinline__ T combine(T a, T b, int kind)
{
    switch (kind) {
    case PUT_ADD:
        return a + b;
    case PUT_MUL:
        return a * b;
    case PUT_MIN:
        return a < b ? a : b;
    case PUT_MAX:
        return a < b ? b : a;
    default:
        return b;
    }
}

// Lists: types, {kind, step from part to part}, shape, over, within, parts, strides and steps of the indices, strides
// and steps of the updates.
template <class T>
__device__ void put_element(const Word *plan, const void *data, const void *indices,
                            const void *updates, void *y, int i)
{
    const Word *types = plan_list(plan, 0);
    const Word *scalars = plan_list(plan, 1);
    const Word *shape = plan_list(plan, 2);
    const int rank = plan_count(plan, 2);
    const Word *within = plan_list(plan, 4);
    const Word *parts = plan_list(plan, 5);
    Word element[PLAN_LOOPS];
    bool inside = true;
    Word rest = i;
    for (int d = rank - 1; d >= 0; d--) {
        element[d] = rest % shape[d];
        rest /= shape[d];
        inside = inside && element[d] < within[d];
    }
    T value = load_as<T>(data, (int)types[1], i);
    Word at = offset_of(i, rank, shape, plan_list(plan, 6));
    Word update = offset_of(i, rank, shape, plan_list(plan, 8));
    Odometer k(plan_count(plan, 3), plan_list(plan, 3));
    if (inside)
        do {
            bool named = true;
            for (int p = 0; p < plan_count(plan, 5) && named; p++) {
                const int d = (int)parts[p];
                named = index_of(indices, (int)types[2], at + p * scalars[1], shape[d]) == element[d];
            }
            if (named)
                value = combine(value, load_as<T>(updates, (int)types[3], update), (int)scalars[0]);
        } while (k.next(&at, plan_list(plan, 7), &update, plan_list(plan, 9)));
    store_as(y, (int)types[4], i, value);
}

__global__ void __launch_bounds__(PLAN_THREADS)
put(const Word *plan, const void *data, const void *indices, const void *updates, void *y, int n)
{
    const int i = blockIdx.x * PLAN_THREADS + threadIdx.x;
    if (i >= n)
        return;
    switch ((int)plan_list(plan, 0)[0]) {
    case IN_F32:
        put_element<float>(plan, data, indices, updates, y, i);
        return;
    case IN_F64:
        put_element<double>(plan, data, indices, updates, y, i);
        return;
    case IN_I64:
        put_element<Word>(plan, data, indices, updates, y, i);
        return;
    default:
        put_element<Natural>(plan, data, indices, updates, y, i);
        return;
    }
}

void launch_put(const Word *plan, const void *data, const void *indices, const void *updates,
                void *y, int n, cudaStream_t stream)
{
    put<<<ceil_div(n, PLAN_THREADS), PLAN_THREADS, 0, stream>>>(plan, data, indices, updates, y, n);
}
