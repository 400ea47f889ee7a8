// What is built on compare-and-swap: a maximum of doubles, a product, a list that grows at its head, and a lock
// that threads of all blocks take one by one.
#include "check.h"

__device__ double atomic_max(double *address, double value)
{
    unsigned long long *as_bits = (unsigned long long *)address, old = *as_bits, seen;
    do {
        seen = old;
        if (__longlong_as_double(seen) >= value)
            break;
        old = atomicCAS(as_bits, seen, __double_as_longlong(value));
    } while (old != seen);
    return __longlong_as_double(old);
}

__device__ void atomic_multiply(float *address, float by)
{
    int *as_bits = (int *)address, old = *as_bits, seen;
    do {
        seen = old;
        old = atomicCAS(as_bits, seen, __float_as_int(__int_as_float(seen) * by));
    } while (seen != old);
}

__global__ void fold(const double *values, int n, double *most, float *product)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomic_max(most, values[i]);
        atomic_multiply(product, i % 2 ? 2.0f : 0.5f);
    }
}

// Two halves of 16 bits in a word, added to without disturbing each other.
__global__ void count_halves(unsigned short *counters)
{
    unsigned i = threadIdx.x % 4;
    unsigned *word = (unsigned *)(counters + (i & ~1u));
    unsigned shift = i % 2 * 16, old = *word, seen;
    do {
        seen = old;
        unsigned count = ((seen >> shift) + 1) & 0xffff;
        old = atomicCAS(word, seen, (seen & ~(0xffffu << shift)) | count << shift);
    } while (old != seen);
    unsigned short expected = 0;
    atomicCAS(&counters[4 + i], expected, (unsigned short)(i + 1));
}

__global__ void push(int *next, int *head, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int old = *(volatile int *)head;
    for (;;) {
        next[i] = old;
        __threadfence();
        int seen = atomicCAS(head, old, i);
        if (seen == old)
            return;
        old = seen;
    }
}

// One thread of each block at a time changes two numbers that belong together.
__global__ void locked(int *lock, volatile int *pair)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            __nanosleep(20);
        __threadfence();
        pair[0] = pair[0] + 1;
        pair[1] = pair[1] + pair[0];
        __threadfence();
        atomicExch(lock, 0);
    }
}

int main()
{
    const int n = 2000;
    std::vector<double> values = check::values<double>(n, 40);
    check::buffer<double> device(values), most({-1e30});
    check::buffer<float> product({3.0f});
    fold<<<check::blocks_for(n, 96), 96>>>(device, n, most, product);
    LAUNCH_OK();
    check::same("maximum", most.get()[0], *std::max_element(values.begin(), values.end()));
    check::same("product", product.get()[0], 3.0f);

    check::buffer<unsigned short> counters(std::vector<unsigned short>(8, 0));
    count_halves<<<5, 100>>>(counters);
    LAUNCH_OK();
    check::same("halves", counters.get(), {125, 125, 125, 125, 1, 2, 3, 4});

    check::buffer<int> next(n), head({-1});
    push<<<check::blocks_for(n, 64), 64>>>(next, head, n);
    LAUNCH_OK();
    std::vector<int> links = next.get(), visits(n);
    int length = 0;
    for (int at = head.get()[0]; at >= 0 && length <= n; at = links[at], length++)
        visits[at]++;
    check::same("length", length, n);
    check::same("visits", visits, std::vector<int>(n, 1));

    check::buffer<int> lock({0}), pair({0, 0});
    locked<<<40, 33>>>(lock, pair);
    LAUNCH_OK();
    check::same("locked", pair.get(), {40, 40 * 41 / 2});
    return check::done();
}
