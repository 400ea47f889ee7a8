// What C++ leaves undefined and PTX defines: conversions, shifts, wrapping, values of variables that were not set.
// What is expected is written out; defined.sh builds it with each compiler.
// vdevice: 24 of 25, since inline assembly stays as it is
// unchecked: it reads shared memory that nobody wrote
#include "check.h"

#include <cuda_fp16.h>

#include <climits>
#include <cmath>
#include <string>

#ifdef __NVCC__ // what it would warn of is what is tested
#pragma nv_diag_suppress 550, 940
#endif

namespace
{
const float INF = 1.f / 0.f, NOT = 0.f / 0.f;
const long long LOW = LLONG_MIN;

enum color : unsigned char { RED, BLUE = 200 };
struct fields {
    int low : 12, high : 20;
};
struct box {
    int whole;
    __host__ __device__ explicit box(float f) : whole(f)
    {
    }
};
struct real {
    float value;
    __device__ operator float() const
    {
        return value;
    }
};

/* Each kind of conversion, of one value. */

#define TO_INT(x) ((int)(x))
#define TO_TYPE(T, x) ((T)(x))
#define ONCE(x) (int)x
#define FIRST(a, b) a

__device__ int takes(int a, long long b)
{
    return a == (int)b;
}
__device__ int gives(float v)
{
    return v;
}
template <class T> __device__ T gives_as(float v)
{
    return v;
}
template <class T, class F> __device__ void all_ways(T *o, F v)
{
    T a = v, b(v), c = (T)v, d = T(v), e = static_cast<T>(v);
    T f;
    f = v;
    T g = 0;
    g += v;
    o[0] = a, o[1] = b, o[2] = c, o[3] = d, o[4] = e, o[5] = f, o[6] = v, o[7] = g;
}
template <class T> struct holder {
    T value;
    __device__ explicit holder(float v) : value(v)
    {
    }
    __device__ T half(float v) const
    {
        return v / 2;
    }
    __device__ virtual T virtually(float v) const
    {
        return v;
    }
};

enum { WAYS = 26 };
__device__ void convert(int *o, float v, bool choose)
{
    int a = v;
    const int b(v), c = (int)v, d = int(v), e = static_cast<int>(v);
    int f;
    f = v;
    int g = 0;
    g += v;
    long long wide = v;
    auto h = [](float x) -> int { return x; };
    auto any = [](auto x) {
        int i = x;
        return i;
    };
    const int list[] = {(int)v, choose ? (int)v : -1};
    o[0] = a, o[1] = b, o[2] = c, o[3] = d, o[4] = e, o[5] = f, o[6] = g;
    o[7] = gives(v), o[8] = gives_as<int>(v), o[9] = holder<int>(v).value;
    o[10] = h(v), o[11] = list[0], o[12] = list[1];
    o[13] = TO_INT(v), o[14] = TO_TYPE(int, v), o[15] = ONCE(v), o[16] = FIRST(v, 7);
    o[17] = choose ? v : 2.0;
    o[18] = box(v).whole;
    o[19] = real{v};
    o[20] = (int)(float)(double)v;
    o[21] = v * 1.f;
    o[22] = takes(v, wide) ? a : v > 0 ? a : a;
    for (o[23] = v; false;)
        ;
    const holder<int> hold(0);
    o[24] = any(v), o[25] = hold.virtually(v);
}

__global__ void in_loop(int *o, const float *v)
{
    const int t = threadIdx.x;
    convert(o + t * WAYS, v[t], true);
}

/** The text of each form: the same in the kernels below, between barriers or not. */
#define NARROW(o, d, v)                                                                                                \
    o[0] = (signed char)v, o[1] = (unsigned char)v, o[2] = (short)v, o[3] = (unsigned short)v, o[4] = (unsigned)v;     \
    o[5] = (long long)v, o[6] = (unsigned long long)v, o[7] = (int)d, o[8] = (unsigned)d, o[9] = (long long)d;         \
    o[10] = (unsigned long long)d, o[11] = (color)v, o[12] = (bool)v, o[13] = (unsigned char)d
enum { NARROWS = 14 };

__global__ void narrow_loop(long long *o, const float *f)
{
    const float v = f[threadIdx.x];
    const double d = v;
    o += threadIdx.x * NARROWS;
    NARROW(o, d, v);
}
__global__ void narrow_fission(long long *o, const float *f)
{
    const int t = threadIdx.x, whole = f[t];
    const float v = f[t];
    __shared__ int all[32];
    all[t] = v;
    __syncthreads();
    const double d = v;
    o += t * NARROWS;
    NARROW(o, d, v);
    if (all[t] != whole || all[31 - t] != (int)f[31 - t])
        o[0] = 99;
}
__global__ void narrow_fibers(long long *o, const float *f)
{
    const float v = __shfl_sync(~0u, f[threadIdx.x], threadIdx.x);
    const double d = v;
    o += threadIdx.x * NARROWS;
    NARROW(o, d, v);
}

const float values[] = {1e10f,  -1e10f, INF,    -INF,   NOT,    300.7f,        -5.9f,   2147483648.f, 2147483520.f, -2147483648.f,
                        4.3e9f, 1e30f,  -1e30f, -0.75f, 255.5f, 9.223372e18f, 70000.f, 1.9e19f};
enum { VALUES = sizeof values / sizeof *values };

/** The same in long double, which has each of these, as the PTX ISA says it. */
long long cvt(double v, int bits, bool is_signed, bool from_double)
{
    if (v != v)
        return bits == 64 || from_double ? (bits == 64 ? LOW : is_signed ? (long long)INT_MIN : 1ll << 31) : 0;
    const long double top = is_signed ? powl(2, bits - 1) : powl(2, bits), bottom = is_signed ? -top : 0;
    const long double whole = truncl(v);
    if (whole >= top)
        return is_signed ? (bits == 64 ? LLONG_MAX : (1ll << (bits - 1)) - 1) : bits == 64 ? -1 : (1ll << bits) - 1;
    return whole <= bottom ? (is_signed ? (bits == 64 ? LOW : -(1ll << (bits - 1))) : 0)
                           : (long long)(unsigned long long)(whole < 0 ? -(unsigned long long)-whole : (unsigned long long)whole);
}

void check_narrow(const char *what, const std::vector<long long> &got)
{
    for (int i = 0; i < VALUES; i++) {
        const float v = values[i];
        const int s = (int)cvt(v, 32, true, false), sd = (int)cvt(v, 32, true, true);
        const unsigned u = (unsigned)cvt(v, 32, false, false), ud = (unsigned)cvt(v, 32, false, true);
        const long long want[] = {(signed char)s,
                                  (unsigned char)u,
                                  (short)s,
                                  (unsigned short)u,
                                  u,
                                  cvt(v, 64, true, false),
                                  cvt(v, 64, false, false),
                                  sd,
                                  ud,
                                  cvt(v, 64, true, true),
                                  cvt(v, 64, false, true),
                                  (unsigned char)u,
                                  v != 0,
                                  (unsigned char)ud};
        for (int k = 0; k < NARROWS; k++)
            check::same((std::string(what) + " " + std::to_string(i) + " " + std::to_string(k)).c_str(),
                        got[i * NARROWS + k], want[k]);
    }
}

void conversions()
{
    std::vector<float> in(values, values + VALUES);
    in.resize(32, 1.f);
    check::buffer<float> f(in);
    check::buffer<int> o(32 * WAYS);
    in_loop<<<1, 32>>>(o, f);
    LAUNCH_OK();
    const std::vector<int> ways = o.get();
    for (int i = 0; i < VALUES; i++)
        for (int k = 0; k < WAYS; k++) {
            const int want = (int)cvt(values[i], 32, true, k == 17); /* which is a double's */
            check::same(("way " + std::to_string(k) + " of value " + std::to_string(i)).c_str(),
                        ways[i * WAYS + k], want);
        }
    check::buffer<long long> n(32 * NARROWS);
    narrow_loop<<<1, 32>>>(n, f);
    LAUNCH_OK();
    check_narrow("loop", n.get());
    narrow_fission<<<1, 32>>>(n, f);
    LAUNCH_OK();
    check_narrow("fission", n.get());
    narrow_fibers<<<1, 32>>>(n, f);
    LAUNCH_OK();
    check_narrow("fibers", n.get());
}

/* In templates; what a compound assignment changes; halves. */

template <class T, class F> __global__ void as_template(T *o, F v)
{
    all_ways(o, v);
    o[8] = holder<T>(v).half(v);
}
template <class T> void in_template(float v, T want, T half)
{
    check::buffer<T> o(9);
    as_template<<<1, 1>>>((T *)o, v);
    LAUNCH_OK();
    std::vector<T> all(9, want);
    all[8] = half;
    check::same("in a template", o.get(), all);
}

__global__ void compound(int *o, float v, __half h)
{
    unsigned char c = 250;
    c += v;
    int i = 7;
    i *= v;
    unsigned u = 5;
    u -= v;
    short s = -3;
    s /= 1e-6 / v;
    o[0] = c, o[1] = i, o[2] = u, o[3] = s;
    o[4] = (int)h, o[5] = (signed char)h, o[6] = (unsigned)h, o[7] = __half2int_rz(h);
    int at = 0;
    int *p = o + 8;
    p[at++] = 3;
    p[--at] += v;
    o[9] = at;
}

void others()
{
    in_template<float>(1e10f, 1e10f, 5e9f);
    in_template<int>(1e10f, INT_MAX, INT_MAX);
    in_template<unsigned char>(300.f, 44, 150);
    in_template<unsigned>(-5.f, 0, 0);
    in_template<long long>(1e30f, LLONG_MAX, LLONG_MAX);
    check::buffer<int> o(10);
    compound<<<1, 1>>>(o, 1e9f, __float2half(70000.f));
    LAUNCH_OK();
    check::same("compound", o.get(), {1000000256 % 256, INT_MAX, 0, (short)INT_MIN, INT_MAX, 127, -1, INT_MAX, 1000000000, 0});
}

/* Where no expression of the source shows the conversion: initial values of members, destructors of templates, assembly. */

struct with_values {
    float from;
    int whole = from, listed{(int)from};
    unsigned char low = from;
    __device__ with_values(float v) : from(v)
    {
    }
};
template <class T> struct with_value {
    float from;
    T whole = from;
    __device__ with_value(float v) : from(v)
    {
    }
};
template <class F> struct at_end {
    F v;
    int *o;
    __device__ ~at_end()
    {
        int whole = v;
        o[0] = v;
        o[1] += v;
        whole <<= sizeof(F) * 8 + (F() != v);
        o[2] = whole + INT_MAX;
    }
};
struct owner {
    at_end<float> member;
};
/* Nothing of these instances shows in the source's tree: both types depend on the template's arguments. */
__device__ int took;
__device__ void take(int v)
{
    took = v;
}
template <class T, class V> struct passed_on {
    __device__ static T give(V v)
    {
        return v;
    }
};
template <class T, class V> struct unshown {
    T *o;
    V v;
    __device__ ~unshown()
    {
        T x = v, y = passed_on<T, V>::give(v);
        o[0] = x;
        o[1] = y;
        o[2] = v;
        take(v);
        o[3] = took;
        V &same = v;
        same = 3;
        o[4] = v;
    }
};
template <class F> __device__ int by_assembly(F v)
{
    int r;
    asm("mov.b32 %0, %1;" : "=r"(r) : "r"((int)v));
    return r;
}
#define MOVE(to, from) asm("mov.b32 %0, %1;" : "=r"(to) : "r"(int(from)))

enum { HIDDEN = 15, ASSEMBLED = 4 };
__global__ void hidden(int *o, float v)
{
    const with_values a(v);
    o[0] = a.whole, o[1] = a.listed, o[2] = a.low, o[3] = with_value<int>(v).whole;
    o[5] = o[8] = 1;
    {
        at_end<float> end{v, o + 4};
        owner own{{v, o + 7}};
        unshown<int, float> last{o + 10, v};
    }
}
__global__ void assembled(int *o, float v, int n)
{
    asm("mov.b32 %0, %1;" : "=r"(o[0]) : "r"((int)v));
    o[1] = by_assembly(v);
    MOVE(o[2], v);
    asm("mov.b32 %0, %1;" : "=r"(o[3]) : "r"(1 << n));
}
__global__ void zeros(float *o, int i)
{
    o[0] = 0.f - (float)i, o[1] = floorf(0.5f) - i, o[2] = 0.f - fabsf((float)i);
}

void hiddens()
{
    check::buffer<int> o(HIDDEN), a(ASSEMBLED);
    hidden<<<1, 1>>>(o, 1e10f);
    LAUNCH_OK();
    std::vector<int> want(HIDDEN, INT_MAX);
    want[2] = 255, want[14] = 3;
    check::same("hidden", o.get(), want);
    assembled<<<1, 1>>>(a, 1e10f, 33);
    LAUNCH_OK();
    check::same("assembled", a.get(), {INT_MAX, INT_MAX, INT_MAX, 0});
    check::buffer<float> z(3);
    zeros<<<1, 1>>>(z, 0);
    LAUNCH_OK();
    for (float zero : z.get())
        check::same("sign of 0", (int)std::signbit(zero), 0);
}

/* Shifts: amounts of the width and more shift all out; left shifts of negative numbers. */

#define ROTATED(x, n) (((x) << (n)) | ((x) >> (32 - (n))))

template <class T> __device__ T shifted(T x, int n)
{
    return x << n;
}
enum { SHIFTS = 14 };
__device__ void shift(long long *o, int n)
{
    const int i = -3;
    const unsigned u = 0x80000001u;
    const long long l = -5;
    unsigned char c = 0x81;
    o[0] = i << n, o[1] = i >> n, o[2] = u << n, o[3] = u >> n, o[4] = l << n, o[5] = l >> n;
    o[6] = (1u << n) - 1, o[7] = ROTATED(u, (unsigned)n);
    int a = i;
    a <<= n;
    unsigned b = u;
    b >>= n;
    c <<= n;
    o[8] = a, o[9] = b, o[10] = c, o[11] = shifted(u, n), o[12] = shifted(i, n), o[13] = shifted((short)i, n);
}
__global__ void shift_loop(long long *o, const int *n)
{
    shift(o + threadIdx.x * SHIFTS, n[threadIdx.x]);
}
__global__ void shift_fission(int *o, const int *n)
{
    const int t = threadIdx.x, by = 1 << n[t];
    __shared__ int all[32];
    all[t] = -1 >> n[t];
    __syncthreads();
    o[t] = by + (all[31 - t] << n[t]);
}

void shifts()
{
    const int amounts[] = {0, 1, 31, 32, 33, 63, 64, 100, -1, INT_MIN};
    std::vector<int> in(amounts, amounts + 10);
    in.resize(32, 5);
    check::buffer<int> n(in), p(32);
    check::buffer<long long> o(32 * SHIFTS);
    shift_loop<<<1, 32>>>(o, n);
    LAUNCH_OK();
    const std::vector<long long> got = o.get();
    for (int k = 0; k < 10; k++) {
        const unsigned m = amounts[k], u = 0x80000001u, mine = m < 32 ? (unsigned)-3 << m : 0;
        const unsigned left = m < 32 ? u << m : 0, right = m < 32 ? u >> m : 0, back = 32 - m < 32 ? u >> (32 - m) : 0;
        const long long want[] = {(int)mine,
                                  -3 >> (m < 32 ? m : 31),
                                  left,
                                  right,
                                  (long long)(m < 64 ? (unsigned long long)-5 << m : 0),
                                  -5ll >> (m < 64 ? m : 63),
                                  (m < 32 ? 1u << m : 0) - 1,
                                  left | back,
                                  (int)mine,
                                  right,
                                  (unsigned char)(m < 32 ? 0x81u << m : 0),
                                  left,
                                  (int)mine,
                                  (short)mine};
        for (int i = 0; i < SHIFTS; i++)
            check::same(("shift " + std::to_string(i) + " by " + std::to_string(amounts[k])).c_str(), got[k * SHIFTS + i],
                        want[i]);
    }
    shift_fission<<<1, 32>>>(p, n);
    LAUNCH_OK();
    std::vector<int> want(32);
    for (int t = 0; t < 32; t++) {
        const unsigned m = in[t], other = ~0u;
        want[t] = (m < 32 ? 1u << m : 0) + (m < 32 ? other << m : 0);
    }
    check::same("shift by fission", p.get(), want);
}

/* Variables that were not set have a value. */

__global__ void aggregated(int *c, int *o)
{
    int l = threadIdx.x % 32, base;
    if (l == 0)
        base = atomicAdd(c, 32);
    base = __shfl_sync(~0u, base, 0);
    o[base + l] = l;
}
__device__ int increment(int *counter)
{
    const unsigned mask = __activemask();
    const int leader = __ffs(mask) - 1, lane = threadIdx.x % 32;
    int before;
    if (lane == leader)
        before = atomicAdd(counter, __popc(mask));
    before = __shfl_sync(mask, before, leader);
    return before + __popc(mask & ((1u << lane) - 1));
}
__global__ void filter(int *counter, int *o, const int *x)
{
    if (x[threadIdx.x] > 0)
        o[increment(counter)] = x[threadIdx.x];
}
__global__ void some_lanes(float *o, const float *x, int n)
{
    const int t = threadIdx.x;
    float v;
    if (t < n)
        v = x[t];
    v = __shfl_sync(~0u, v, t % n);
    o[t] = v;
}
struct pair {
    int a, b;
    __device__ pair() : a(1)
    {
    }
};
/** Passes on what it did not set, before a barrier and behind it, and uses none of it. */
__global__ void not_set(int *o, int n, bool never)
{
    const int t = threadIdx.x;
    int v, many[8];
    pair p;
    __shared__ int all[64];
    if (t < n) {
        v = o[t] + 1;
        atomicAdd(o + 64, 1);
    }
    if (never)
        many[t % 8] = t;
    all[t] = v + many[3] + p.b;
    __syncthreads();
    int w;
    switch (n) {
        int u;
    case 7:
        u = 3;
    case 32:
        w = u;
    }
    if (t < n)
        w = v;
    if (never)
        all[63 - t] = w + p.b + many[1];
    else if (t < n)
        o[t] = w;
}

void not_sets()
{
    check::buffer<int> c(1), o(8192);
    c.zero();
    aggregated<<<2, 64>>>(c, o);
    LAUNCH_OK();
    check::same("aggregated", c.get(), {128});
    std::vector<int> x(64), out;
    for (int i = 0; i < 64; i++)
        x[i] = i % 3 - 1;
    check::buffer<int> in(x);
    c.zero();
    filter<<<1, 64>>>(c, o, in);
    LAUNCH_OK();
    check::same("filtered", c.get(), {21});
    const std::vector<float> some = check::values<float>(32, 3);
    check::buffer<float> f(some), to(32);
    some_lanes<<<1, 32>>>(to, f, 5);
    LAUNCH_OK();
    std::vector<float> want(32);
    for (int i = 0; i < 32; i++)
        want[i] = some[i % 5];
    check::same("some lanes", to.get(), want);
    check::buffer<int> s(65);
    s.zero();
    not_set<<<1, 64>>>(s, 32, false);
    LAUNCH_OK();
    std::vector<int> ones(65, 0);
    std::fill(ones.begin(), ones.begin() + 32, 1);
    ones[64] = 32;
    check::same("not set", s.get(), ones);
}

/* Arithmetic that wraps around, memory that has no types, addresses and functions as they come. */

__global__ void wraps(int *o, int n, int *nothing)
{
    const int most = n + 1;
    o[0] = n + 1 > n, o[1] = n * 2, o[2] = -most, o[3] = most - 1 < most, o[4] = n * n;
    o[5] = most < 0 ? -most : most;
    int sum = n;
    for (int i = 0; i < 3; i++)
        sum += n;
    o[6] = sum;
    const float f = 1.5f;
    o[7] = *(const int *)&f;
    *(float *)(o + 8) = 2.f;
    o[9] = o[8];
    union {
        float f;
        int i;
    } both;
    both.f = -1.f;
    o[10] = both.i;
    memcpy(nothing, nothing, 0);
    o[11] = nothing ? 1 : 2;
    o[12] = nothing + 1 > nothing;
    char *const end = (char *)nothing - 1;
    o[13] = end > (char *)nothing;
}
/* Quotients that do not fit, also those that compilers make; and the absolute value that does not. */
__global__ void quotients(long long *o, int low, int minus, int one, long long lowest, short narrow)
{
    o[0] = low / minus, o[1] = low % minus, o[2] = 0 - low / ((one & 15) | 1);
    o[3] = lowest / minus, o[4] = lowest % minus, o[5] = (short)(narrow / (short)minus);
    o[6] = abs(low) / one, o[7] = std::abs(lowest) < 0, o[8] = llabs(lowest) < 0, o[9] = abs((long)lowest) < 0;
}
/* Divided by zero, which PTX leaves open: the kernel goes on. */
__global__ void by_zero(int *o, int n, int zero, long long wide)
{
    o[0] = n, o[1] = n / zero, o[2] = n % zero, o[3] = (int)(wide / zero);
    o[4] = (unsigned)n / (unsigned)zero, o[5] = (unsigned char)n % (unsigned char)zero, o[6] = n + 1;
}
void divisions()
{
    check::buffer<long long> o(10);
    quotients<<<1, 1>>>(o, INT_MIN, -1, 1, LOW, SHRT_MIN);
    LAUNCH_OK();
    check::same("quotients", o.get(), {INT_MIN, 0, INT_MIN, LOW, 0, SHRT_MIN, INT_MIN, 1, 1, 1});
    if (check::sanitized) /* then they are told: planted/division.cu */
        return;
    check::buffer<int> z(7);
    by_zero<<<1, 1>>>(z, 7, 0, 7ll << 40);
    LAUNCH_OK();
    const std::vector<int> got = z.get();
    check::same<int>("by zero", std::vector<int>{got[0], got[6]}, {7, 8});
}

__device__ __noinline__ int may_end(int *o, int n)
{
    if (n > 3) {
        o[0] = n;
        return 1;
    }
    o[0] = -n;
}
__global__ void ends(int *o, int n)
{
    may_end(o, n);
    may_end(o + 1, n + 4);
}
/** What a source is told of nvcc is the same where it is parsed and where it is compiled: else this is not seen. */
__global__ void told(int *o, float f)
{
#if __CUDACC_VER_MAJOR__ == CUDART_VERSION / 1000 && __CUDACC_VER_MINOR__ == CUDART_VERSION % 1000 / 10
    o[0] = f;
#else
    o[0] = f * 2;
#endif
#ifdef __NVCC__
    o[1] = f;
#endif
}
/** A loop that only waits: for a number that this thread's own atomics make. */
__global__ void waits(unsigned *o, unsigned n)
{
    for (unsigned i = n; i != 0; i += 3)
        ;
    o[0] = 7;
}

void rest()
{
    check::buffer<int> o(14);
    o.zero();
    wraps<<<1, 1>>>(o, INT_MAX, nullptr);
    LAUNCH_OK();
    const float one = -1.f;
    int bits;
    memcpy(&bits, &one, 4);
    check::same("wraps", o.get(),
                {0, -2, INT_MIN, 0, 1, INT_MIN, -4, 0x3fc00000, 0x40000000, 0x40000000, bits, 2, 1, 1});
    ends<<<1, 1>>>(o, 2);
    LAUNCH_OK();
    std::vector<int> got = o.get();
    told<<<1, 1>>>(o, 1e10f);
    LAUNCH_OK();
    const std::vector<int> tells = o.get();
    check::same("told", std::vector<int>(tells.begin(), tells.begin() + 2), {INT_MAX, INT_MAX});
    check::same("ends", std::vector<int>(got.begin(), got.begin() + 2), {-2, 6});
    check::buffer<unsigned> w(1);
    waits<<<1, 1>>>(w, 3u * 0x55555555u - 2);
    LAUNCH_OK();
    check::same("waits", w.get(), {7u});
}
} // namespace

int main()
{
    conversions();
    others();
    hiddens();
    shifts();
    not_sets();
    divisions();
    rest();
    return check::done();
}
