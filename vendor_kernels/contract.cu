// Reductions and sums of products by strides, of any type: what convolutions, pools and products of matrices come to
// where no kernel of their own takes them. A thread for each element of the result.
#include "plan.cuh"

enum { REDUCE_SUM, REDUCE_PROD, REDUCE_MAX, REDUCE_MIN, REDUCE_ARGMAX, REDUCE_ARGMIN };

// Whether `next` takes the place of `kept` as the extreme; what is no number does.
template <class T>
__device__ __forceinline__ bool takes_place(T kept, T next, bool largest, bool last)
{
    if (is_nan(next))
        return !is_nan(kept);
    const bool better = largest ? kept < next : next < kept;
    return better || (last && kept == next);
}

// Lists: types, {offset, kind, last}, extents, over, strides, steps.
template <class T>
__device__ void reduce_element(const Word *plan, const void *x, void *y, int i)
{
    const Word *types = plan_list(plan, 0);
    const Word *scalars = plan_list(plan, 1);
    const Word *steps = plan_list(plan, 5);
    const int kind = (int)scalars[1];
    const bool largest = kind == REDUCE_MAX || kind == REDUCE_ARGMAX;
    Odometer k(plan_count(plan, 3), plan_list(plan, 3));
    Word at = scalars[0] + offset_of(i, plan_count(plan, 2), plan_list(plan, 2), plan_list(plan, 4));
    Word unused = 0;
    T value = load_as<T>(x, (int)types[1], at);
    Word found = 0;
    for (Word count = 1; k.next(&at, steps, &unused, steps); count++) {
        const T next = load_as<T>(x, (int)types[1], at);
        if (kind == REDUCE_SUM) {
            value += next;
        } else if (kind == REDUCE_PROD) {
            value *= next;
        } else if (takes_place(value, next, largest, scalars[2] != 0)) {
            value = next;
            found = count;
        }
    }
    if (kind >= REDUCE_ARGMAX)
        store_as(y, (int)types[2], i, found);
    else
        store_as(y, (int)types[2], i, value);
}

__global__ void
reduce_strided(const Word *plan, const void *x, void *y, int n)
{
    const int i = blockIdx.x * PLAN_THREADS + threadIdx.x;
    if (i >= n)
        return;
    switch ((int)plan_list(plan, 0)[0]) {
    case IN_F32:
        reduce_element<float>(plan, x, y, i);
        return;
    case IN_F64:
        reduce_element<double>(plan, x, y, i);
        return;
    case IN_I64:
        reduce_element<Word>(plan, x, y, i);
        return;
    default:
        reduce_element<Natural>(plan, x, y, i);
        return;
    }
}

void launch_reduce_strided(const Word *plan, const void *x, void *y, int n, cudaStream_t stream)
{
    reduce_strided<<<ceil_div(n, PLAN_THREADS), PLAN_THREADS, 0, stream>>>(plan, x, y, n);
}

// Lists: types, offsets, extents, over, strides and steps of a, strides and steps of b.
template <class T>
__device__ void contract_element(const Word *plan, const void *a, const void *b, void *y, int i)
{
    const Word *types = plan_list(plan, 0);
    const Word *offsets = plan_list(plan, 1);
    const Word *extents = plan_list(plan, 2);
    const Word *a_steps = plan_list(plan, 5);
    const Word *b_steps = plan_list(plan, 7);
    const int loops = plan_count(plan, 2);
    const int a_type = (int)types[1];
    const int b_type = (int)types[2];
    Odometer k(plan_count(plan, 3), plan_list(plan, 3));
    Word at_a = offsets[0] + offset_of(i, loops, extents, plan_list(plan, 4));
    Word at_b = offsets[1] + offset_of(i, loops, extents, plan_list(plan, 6));
    T sum = 0;
    do {
        const T x = load_as<T>(a, a_type, at_a);
        sum += x * load_as<T>(b, b_type, at_b);
    } while (k.next(&at_a, a_steps, &at_b, b_steps));
    store_as(y, (int)types[3], i, sum);
}

__global__ void
contract(const Word *plan, const void *a, const void *b, void *y, int n)
{
    const int i = blockIdx.x * PLAN_THREADS + threadIdx.x;
    if (i >= n)
        return;
    switch ((int)plan_list(plan, 0)[0]) {
    case IN_F32:
        contract_element<float>(plan, a, b, y, i);
        return;
    case IN_F64:
        contract_element<double>(plan, a, b, y, i);
        return;
    default:
        contract_element<Natural>(plan, a, b, y, i);
        return;
    }
}

void launch_contract(const Word *plan, const void *a, const void *b, void *y, int n,
                     cudaStream_t stream)
{
    contract<<<ceil_div(n, PLAN_THREADS), PLAN_THREADS, 0, stream>>>(plan, a, b, y, n);
}
