// Every atomic operation on every type it has, on global and on shared memory, with its return value.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

constexpr int BLOCKS = 7, THREADS = 70, ALL = BLOCKS * THREADS;

// For each operation one cell, which all threads of the grid use.
template <class T> struct cells {
    T add, exchanged, least, most, compared;
};

template <class T> __global__ void numbers(cells<T> *to, T *before_add)
{
    T own = (T)(blockIdx.x * blockDim.x + threadIdx.x);
    before_add[(int)own] = atomicAdd(&to->add, (T)1);
    atomicExch(&to->exchanged, own + 1);
    atomicMin(&to->least, own + 5);
    atomicMax(&to->most, own + 5);
    atomicCAS(&to->compared, (T)0, (T)7);
}

template <class T> __global__ void bits(T *to)
{
    unsigned rank = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAnd(to + 0, ~((T)1 << rank % 31));
    atomicOr(to + 1, (T)1 << rank % 29);
    atomicXor(to + 2, (T)rank);
}

__global__ void wrapping(unsigned *up, unsigned *down, int *difference)
{
    atomicInc(up, 9);
    atomicDec(down, 9);
    atomicSub(difference, 3);
}

template <class T> __global__ void reals(T *sum, T *last, const float *values)
{
    __shared__ T own;
    if (threadIdx.x == 0)
        own = T(0);
    __syncthreads();
    atomicAdd(&own, (T)values[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(sum, own);
    if (last)
        *last = T(1);
}

__global__ void halves(__half *sum, __half2 *pair, __nv_bfloat16 *other)
{
    atomicAdd(sum, __float2half(0.25f));
    atomicAdd(pair, __floats2half2_rn(0.5f, -0.25f));
    atomicAdd(other, __float2bfloat16(0.5f));
}

__global__ void scopes(int *of_block, int *of_system)
{
    atomicAdd_block(of_block + blockIdx.x, threadIdx.x);
    atomicAdd_system(of_system, 1);
    atomicMax_system(of_system + 1, (int)threadIdx.x);
}

template <class T> static void check_numbers(const char *name)
{
    check::buffer<cells<T>> to({cells<T>{0, 0, 1000, 0, 0}});
    check::buffer<T> before(ALL);
    numbers<T><<<BLOCKS, THREADS>>>(to, before);
    LAUNCH_OK();
    cells<T> got = to.get()[0];
    check::same(name, std::vector<T>{got.add, got.least, got.most, got.compared},
                {(T)ALL, (T)5, (T)(ALL + 4), (T)7});
    EXPECT(got.exchanged >= 1 && got.exchanged <= (T)ALL);
    // Each thread saw another value.
    std::vector<T> seen = before.get(), want(ALL);
    std::sort(seen.begin(), seen.end());
    for (int i = 0; i < ALL; i++)
        want[i] = (T)i;
    check::same(name, seen, want);
}

template <class T> static void check_bits(const char *name)
{
    check::buffer<T> to({(T)-1, (T)0, (T)0});
    bits<T><<<BLOCKS, THREADS>>>(to);
    LAUNCH_OK();
    T parity = 0;
    for (int i = 0; i < ALL; i++)
        parity ^= (T)i;
    check::same(name, to.get(), {(T)(~0ull << 31), (T)((1u << 29) - 1), parity});
}

template <class T> static void check_reals(const char *name)
{
    std::vector<float> values = check::values<float>(ALL, 39);
    double want = 0;
    for (float value : values)
        want += value;
    check::buffer<float> device(values);
    check::buffer<T> sum({T(0)});
    reals<T><<<BLOCKS, THREADS>>>(sum, nullptr, device);
    LAUNCH_OK();
    check::same(name, (double)sum.get()[0], want, 1e-6);
}

// nvcc's built-in atomics: those of CUDA 12.8 and later.
#if CUDART_VERSION >= 12080 || defined(__NV_ATOMIC_RELAXED)
__global__ void built_in(int *out, unsigned *flags)
{
    const int i = threadIdx.x;
    __nv_atomic_fetch_add(&out[0], i, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_add(&out[1], 2, __NV_ATOMIC_RELAXED);
    __nv_atomic_max(&out[2], i, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
    __nv_atomic_fetch_or(&flags[0], 1u << i % 32, __NV_ATOMIC_ACQ_REL);
    int seen = __nv_atomic_load_n(&out[3], __NV_ATOMIC_ACQUIRE);
    while (!__nv_atomic_compare_exchange_n(&out[3], &seen, seen + i, false, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED))
        ;
    if (i == 0)
        __nv_atomic_store_n(&flags[1], 7u, __NV_ATOMIC_RELEASE);
    if (i == 1)
        __nv_atomic_exchange_n(&flags[2], 9u, __NV_ATOMIC_RELAXED);
    __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
}

static void check_built_in()
{
    const int n = 96;
    check::buffer<int> out({0, 0, -1, 5});
    check::buffer<unsigned> flags({0u, 0u, 0u});
    built_in<<<1, n>>>(out, flags);
    LAUNCH_OK();
    check::same("built-in atomics", out.get(), {n * (n - 1) / 2, 2 * n, n - 1, 5 + n * (n - 1) / 2});
    check::same("built-in flags", flags.get(), {~0u, 7u, 9u});
}
#else
static void check_built_in()
{
}
#endif

static void check_small()
{
    check::buffer<unsigned> counters({0u, 0u});
    check::buffer<int> difference({5});
    wrapping<<<BLOCKS, THREADS>>>(counters, counters + 1, difference);
    LAUNCH_OK();
    check::same("wrapping", counters.get(), {ALL % 10, (10 - ALL % 10) % 10});
    check::same("difference", difference.get()[0], 5 - 3 * ALL);

    check::buffer<__half> half({__float2half(1)});
    check::buffer<__half2> pair({__floats2half2_rn(0, 8)});
    check::buffer<__nv_bfloat16> other({__float2bfloat16(0)});
    halves<<<2, 50>>>(half, pair, other);
    LAUNCH_OK();
    check::same("half", __half2float(half.get()[0]), 26.0f);
    check::same("half2, low", __low2float(pair.get()[0]), 50.0f);
    check::same("half2, high", __high2float(pair.get()[0]), -17.0f);
    check::same("bfloat16", __bfloat162float(other.get()[0]), 50.0f);

    check::buffer<int> of_block(BLOCKS), of_system(2);
    of_block.zero();
    of_system.zero();
    scopes<<<BLOCKS, THREADS>>>(of_block, of_system);
    LAUNCH_OK();
    check::same("block scope", of_block.get(), std::vector<int>(BLOCKS, THREADS * (THREADS - 1) / 2));
    check::same("system scope", of_system.get(), {ALL, THREADS - 1});
}

int main()
{
    check_numbers<int>("int");
    check_numbers<unsigned>("unsigned");
    check_numbers<unsigned long long>("unsigned long long");
    check_bits<int>("bits of int");
    check_bits<unsigned>("bits of unsigned");
    check_bits<unsigned long long>("bits of unsigned long long");
    check_reals<float>("float");
    check_reals<double>("double");
    check_small();
    check_built_in();
    return check::done();
}
