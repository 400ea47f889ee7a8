// What the programs of random kernels share: inputs, how kernels show values, and a main that compares these with
// a file of what the interpreter got (main.c writes it): 64-bit words.
#ifndef TESTS_KERNELS_HARNESS_H
#define TESTS_KERNELS_HARNESS_H

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

struct inputs {
    const signed char *i8;
    const unsigned char *u8;
    const short *i16;
    const unsigned short *u16;
    const int *i32;
    const unsigned *u32;
    const long long *i64;
    const unsigned long long *u64;
    const float *f32;
    const double *f64;
};

enum { slots = 24, pool = 64, cell_count = 32 };

struct shows {
    const unsigned *seen;
    unsigned long long *out;
};

// As kernels have them, one by one: a catalog's entries take no struct.
#define INPUTS                                                                                     \
    const signed char *in_i8, const unsigned char *in_u8, const short *in_i16,                     \
        const unsigned short *in_u16, const int *in_i32, const unsigned *in_u32,                   \
        const long long *in_i64, const unsigned long long *in_u64, const float *in_f32,            \
        const double *in_f64
#define SHOWS const unsigned *seen, unsigned long long *shown
#define FLAT(in, show)                                                                             \
    (in).i8, (in).u8, (in).i16, (in).u16, (in).i32, (in).u32, (in).i64, (in).u64, (in).f32,        \
        (in).f64, (show).seen, (show).out

#ifdef __CUDACC__
// The bits of a value; which of all that are no number a result is, nothing says.
template <class V> __device__ inline unsigned long long bits(V v)
{
    return v;
}

template <> __device__ inline unsigned long long bits(float v)
{
    return v != v ? 0x7fc00000u : (unsigned)__float_as_int(v);
}

template <> __device__ inline unsigned long long bits(double v)
{
    return v != v ? 0x7ff8000000000000ull : (unsigned long long)__double_as_longlong(v);
}

// Where the variable is defined, as the interpreter found. No compiler knows where that is.
#define SEE(slot, v)                                                                               \
    do {                                                                                           \
        if (seen[g] >> (slot)&1)                                                                   \
            shown[g * slots + (slot)] = shown[g * slots + (slot)] * 33 + bits(v);                  \
    } while (0)

template <class V> __device__ inline unsigned match_all(unsigned mask, V v)
{
    int all;
    return __match_all_sync(mask, v, &all);
}

// Atomics made of compare and swap.
#define SWAPPED(name, combine)                                                                     \
    template <class V> __device__ inline void swapped##name(V *at, V v)                            \
    {                                                                                              \
        V old = *at, seen;                                                                         \
        do {                                                                                       \
            seen = old;                                                                            \
            old = atomicCAS(at, seen, combine);                                                    \
        } while (old != seen);                                                                     \
    }
SWAPPED(Add, (V)(seen + v))
SWAPPED(Min, v < seen ? v : seen)
SWAPPED(Max, v > seen ? v : seen)
SWAPPED(And, seen &v)
SWAPPED(Or, seen | v)
SWAPPED(Xor, seen ^ v)
#endif

typedef unsigned long long word;

static float as_float(word v)
{
    const unsigned low = (unsigned)v;
    float f;
    memcpy(&f, &low, sizeof f);
    return f;
}

static double as_double(word v)
{
    double d;
    memcpy(&d, &v, sizeof d);
    return d;
}

static bool left_out; // nothing could run the kernel: it is not compared

struct launch {
    int kernel;
    void (*run)(inputs in, shows show, void *const *cells);
};

struct reader {
    FILE *file;
    word next()
    {
        word v;
        if (fread(&v, sizeof v, 1, file) != 1) {
            fprintf(stderr, "the file of results is too short\n");
            exit(2);
        }
        return v;
    }
    std::vector<word> next(size_t count)
    {
        std::vector<word> v(count);
        for (size_t i = 0; i < count; i++)
            v[i] = next();
        return v;
    }
};

// The low `bytes` bytes of each, on the device.
static void *packed(const std::vector<word> &v, size_t bytes)
{
    std::vector<char> host(v.size() * bytes + 1);
    for (size_t i = 0; i < v.size(); i++)
        memcpy(&host[i * bytes], &v[i], bytes);
    void *device = nullptr;
    cudaMalloc(&device, host.size());
    cudaMemcpy(device, host.data(), host.size(), cudaMemcpyHostToDevice);
    return device;
}

static unsigned differing(int kernel, const char *what, const void *device,
                          const std::vector<word> &right, size_t bytes, size_t row, bool all)
{
    std::vector<char> host(right.size() * bytes + 1);
    cudaMemcpy(host.data(), device, right.size() * bytes, cudaMemcpyDeviceToHost);
    unsigned count = 0;
    for (size_t i = 0; i < right.size(); i++) {
        word got = 0, mask = bytes == 8 ? ~0ull : (1ull << (8 * bytes)) - 1;
        memcpy(&got, &host[i * bytes], bytes);
        if (got == (right[i] & mask) || (count++ && !all))
            continue;
        printf("kernel %d: %s %zu, %zu: %llx, not %llx\n", kernel, what, i / row, i % row, got,
               right[i] & mask);
    }
    return count;
}

static bool run_one(const launch &l, const inputs &in, reader &r, bool all)
{
    const size_t threads = r.next(), arrays = r.next();
    void *cells[16] = {};
    std::vector<word> right[16];
    size_t bytes[16] = {};
    const shows show = {(const unsigned *)packed(r.next(threads), 4),
                        (word *)packed(std::vector<word>(threads * slots), 8)};
    const std::vector<word> shown = r.next(threads * slots);
    for (size_t i = 0; i < arrays; i++) {
        bytes[i] = r.next();
        if (!bytes[i])
            continue;
        cells[i] = packed(r.next(cell_count), bytes[i]);
        right[i] = r.next(cell_count);
    }
    left_out = false;
    l.run(in, show, cells);
    const cudaError_t launched = cudaGetLastError(), ended = cudaDeviceSynchronize();
    if (launched || ended) {
        printf("kernel %d: %s\n", l.kernel, cudaGetErrorString(launched ? launched : ended));
        exit(1); /* nothing can be launched after it */
    }
    if (left_out)
        return true;
    unsigned count = differing(l.kernel, "thread, slot", show.out, shown, 8, slots, all);
    for (size_t i = 0; i < arrays; i++)
        if (bytes[i])
            count +=
                differing(l.kernel, "array, cell", cells[i], right[i], bytes[i], cell_count, all);
    for (size_t i = 0; i < arrays; i++)
        cudaFree(cells[i]);
    cudaFree((void *)show.seen);
    cudaFree(show.out);
    return count == 0;
}

// run FILE [KERNEL]: all kernels, or one, of which every difference is told
template <size_t count> static int run(const launch (&launches)[count], int argc, char **argv)
{
    reader r = {argc > 1 ? fopen(argv[1], "rb") : nullptr};
    if (!r.file) {
        fprintf(stderr, "no file of results\n");
        return 2;
    }
    static const size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    const void *pools[10];
    for (int t = 0; t < 10; t++)
        pools[t] = packed(r.next(pool), sizes[t]);
    inputs in;
    memcpy(&in, pools, sizeof in);
    unsigned wrong = 0;
    for (const launch &l : launches)
        wrong += !run_one(l, in, r, argc > 2 && atoi(argv[2]) == l.kernel);
    printf("%zu kernels, %u differ\n", count, wrong);
    return wrong != 0;
}

#endif
