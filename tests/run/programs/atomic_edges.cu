// Atomics where they wrap or miss: what each leaves and what it returns, one thread at a time;
// then halves and pairs of them, for which threads contend.
#include <climits>
#include <cstring>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

constexpr int RESULTS = 2;

// Each case starts from `from`, and leaves its value and what it returned.
#define CASES(T, X)                                                                                                  \
    X(T, 0, 9u, atomicInc(p, 10u), 10u)                                                                              \
    X(T, 1, 10u, atomicInc(p, 10u), 0u)                                                                              \
    X(T, 2, 11u, atomicInc(p, 10u), 0u)                                                                              \
    X(T, 3, 5u, atomicInc(p, 0u), 0u)                                                                                \
    X(T, 4, 0u, atomicDec(p, 10u), 10u)                                                                              \
    X(T, 5, 11u, atomicDec(p, 10u), 10u)                                                                             \
    X(T, 6, 10u, atomicDec(p, 10u), 9u)                                                                              \
    X(T, 7, ~0u, atomicAdd(p, 2u), 1u)                                                                               \
    X(T, 8, 1u, atomicSub(p, 3u), ~0u - 1)                                                                           \
    X(T, 9, 0x80000000u, atomicMax(p, 5u), 0x80000000u)                                                              \
    X(T, 10, 0x80000000u, atomicMin(p, 5u), 5u)                                                                      \
    X(T, 11, 6u, atomicAnd(p, 3u), 2u)                                                                               \
    X(T, 12, 6u, atomicOr(p, 3u), 7u)                                                                                \
    X(T, 13, 6u, atomicXor(p, 3u), 5u)                                                                               \
    X(T, 14, 6u, atomicExch(p, 9u), 9u)                                                                              \
    X(T, 15, 6u, atomicCAS(p, 6u, 8u), 8u)                                                                           \
    X(T, 16, 6u, atomicCAS(p, 7u, 8u), 6u)                                                                           \
    X(T, 17, 6u, atomicCAS_block(p, 6u, 8u), 8u)                                                                     \
    X(T, 18, 9u, atomicInc_system(p, 9u), 0u)
#define SIGNED_CASES(T, X)                                                                                           \
    X(T, 0, INT_MIN, atomicMax(p, -5), -5)                                                                           \
    X(T, 1, 3, atomicMin(p, -5), -5)                                                                                 \
    X(T, 2, INT_MAX, atomicAdd(p, 1), INT_MIN)                                                                       \
    X(T, 3, -1, atomicMin_block(p, INT_MIN), INT_MIN)                                                                \
    X(T, 4, -1, atomicSub_system(p, INT_MAX), INT_MIN)
#define WIDE_CASES(T, X)                                                                                             \
    X(T, 0, 1ull << 40, atomicAdd(p, 1ull << 40), 1ull << 41)                                                        \
    X(T, 1, ~0ull, atomicAdd(p, 2ull), 1ull)                                                                         \
    X(T, 2, 1ull << 63, atomicMax(p, 7ull), 1ull << 63)                                                              \
    X(T, 3, 1ull << 63, atomicMin(p, 7ull), 7ull)                                                                    \
    X(T, 4, 3ull << 32, atomicAnd(p, 1ull << 32), 1ull << 32)                                                        \
    X(T, 5, 1ull, atomicOr(p, 1ull << 50), (1ull << 50) + 1)                                                         \
    X(T, 6, 1ull << 50, atomicXor(p, 1ull << 50), 0ull)                                                              \
    X(T, 7, 5ull << 33, atomicCAS(p, 5ull << 33, 6ull), 6ull)                                                        \
    X(T, 8, 5ull << 33, atomicCAS(p, 5ull, 6ull), 5ull << 33)                                                        \
    X(T, 9, 5ull, atomicExch_system(p, 6ull << 60), 6ull << 60)
#define WIDE_SIGNED_CASES(T, X)                                                                                      \
    X(T, 0, LLONG_MIN, atomicMax(p, -1ll), -1ll)                                                                     \
    X(T, 1, 4ll, atomicMin(p, LLONG_MIN), LLONG_MIN)
#define SHORT_CASES(T, X)                                                                                            \
    X(T, 0, 0xffff, atomicCAS(p, (T)0xffff, (T)1), 1)                                                                \
    X(T, 1, 0xfffe, atomicCAS(p, (T)0xffff, (T)1), 0xfffe)
#define FLOAT_CASES(T, X)                                                                                            \
    X(T, 0, T(0.1f), atomicAdd(p, T(0.2f)), T(0.1f) + T(0.2f))                                                       \
    X(T, 1, T(16777216.0f), atomicAdd(p, T(1.0f)), T(16777216.0f) + T(1.0f))                                         \
    X(T, 2, T(-0.0f), atomicAdd(p, T(-0.0f)), T(-0.0f))

#define AT_EDGE(T, i, from, call, want)                                                                                  \
    p = places + RESULTS * i;                                                                                        \
    *p = from;                                                                                                       \
    p[1] = call;
#define WANT(T, i, from, call, want) result.insert(result.end(), {(T)(want), (T)(from)});
#define KIND(name, T, cases)                                                                                         \
    __global__ void run_##name(T *places)                                                                            \
    {                                                                                                                \
        T *p;                                                                                                        \
        cases(T, AT_EDGE)                                                                                                \
    }                                                                                                                \
    static void check_##name()                                                                                       \
    {                                                                                                                \
        std::vector<T> result;                                                                                       \
        cases(T, WANT) check::buffer<T> places(result.size());                                                       \
        run_##name<<<1, 1>>>(places);                                                                                \
        LAUNCH_OK();                                                                                                 \
        check::same(#name, places.get(), result);                                                                    \
    }

KIND(unsigned, unsigned, CASES)
KIND(int, int, SIGNED_CASES)
KIND(wide, unsigned long long, WIDE_CASES)
KIND(wide_signed, long long, WIDE_SIGNED_CASES)
KIND(short, unsigned short, SHORT_CASES)
KIND(float, float, FLOAT_CASES)
KIND(double, double, FLOAT_CASES)

// Sums of small whole numbers, which halves and pairs of them hold exactly.
__global__ void add_halves(__half *half, __half2 *pair, __nv_bfloat16 *brain, __nv_bfloat162 *brains)
{
    atomicAdd(half, __float2half(1));
    atomicAdd(pair, __floats2half2_rn(1, 2));
    atomicAdd(brain, __float2bfloat16(1));
    atomicAdd(brains, __floats2bfloat162_rn(2, 1));
}

static void check_halves()
{
    check::buffer<__half> half(1);
    check::buffer<__half2> pair(1);
    check::buffer<__nv_bfloat16> brain(1);
    check::buffer<__nv_bfloat162> brains(1);
    half.zero(), pair.zero(), brain.zero(), brains.zero();
    add_halves<<<4, 32>>>(half, pair, brain, brains);
    LAUNCH_OK();
    const __half2 p = pair.get()[0];
    const __nv_bfloat162 b = brains.get()[0];
    check::same("halves", {__half2float(half.get()[0]), __half2float(p.x), __half2float(p.y), __bfloat162float(brain.get()[0]),
                           __bfloat162float(b.x), __bfloat162float(b.y)},
                std::vector<float>{128, 128, 256, 128, 256, 128});
}

int main()
{
    check_unsigned();
    check_int();
    check_wide();
    check_wide_signed();
    check_short();
    check_float();
    check_double();
    check_halves();
    return check::done();
}
