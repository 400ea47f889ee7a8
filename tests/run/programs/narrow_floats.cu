// Half precision and bfloat16: conversions with their rounding, arithmetic, comparisons and pairs.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstring>

#include "check.h"

// Each half from its bits to a float, and each float to its half by every rounding.
__global__ void from_bits(float *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 65536)
        out[i] = __half2float(__ushort_as_half((unsigned short)i));
}

__global__ void round_all(const float *in, unsigned short *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[5 * i] = __half_as_ushort(__float2half_rn(in[i]));
    out[5 * i + 1] = __half_as_ushort(__float2half_rz(in[i]));
    out[5 * i + 2] = __half_as_ushort(__float2half_ru(in[i]));
    out[5 * i + 3] = __half_as_ushort(__float2half_rd(in[i]));
    out[5 * i + 4] = __bfloat16_as_ushort(__float2bfloat16_rn(in[i]));
}

template <class T> struct results {
    T sum, difference, product, quotient, fused, negated, least, most;
    bool less, equal;
};

template <class T> __global__ void operate(const float *a, const float *b, results<T> *out)
{
    T x = T(a[threadIdx.x]), y = T(b[threadIdx.x]);
    out[threadIdx.x] = {x + y, x - y, x * y, x / y, __hfma(x, y, x), -x, __hmin(x, y), __hmax(x, y), x < y, x == y};
}

__global__ void pairs(const float2 *in, float *out, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    __half2 a = __float22half2_rn(in[i]), b = __half2half2(__float2half(0.5f));
    __half2 sum = __hadd2(__hmul2(a, b), __lowhigh2highlow(a));
    sum = __hfma2(sum, b, __halves2half2(__high2half(a), __low2half(a)));
    __nv_bfloat162 wide = __floats2bfloat162_rn(in[i].x, in[i].y);
    wide += __nv_bfloat162(wide.y, wide.x);
    out[4 * i] = __low2float(sum);
    out[4 * i + 1] = __high2float(sum);
    out[4 * i + 2] = __bfloat162float(wide.x);
    out[4 * i + 3] = (float)(int)__hgt(__low2half(a), __high2half(a)) + 2.0f * __hbeq2(a, a);
}

__global__ void functions(const float *in, float *out)
{
    __half x = __float2half(in[threadIdx.x]);
    float *own = out + 4 * threadIdx.x;
    own[0] = __half2float(hsqrt(x));
    own[1] = __half2float(hexp(x));
    own[2] = __half2float(hfloor(x));
    own[3] = (float)__half2int_rn(x) + (float)__hisnan(x);
}

// The value of a float of a few bits: `mantissa` bits, and an exponent with this bias.
static float decoded(unsigned bits, int mantissa, int bias)
{
    int exponent = (int)(bits >> mantissa & 0x1f), fraction = (int)(bits & ((1u << mantissa) - 1));
    float value;
    if (exponent == 31)
        value = fraction ? NAN : INFINITY;
    else if (exponent == 0)
        value = std::ldexp((float)fraction, 1 - bias - mantissa);
    else
        value = std::ldexp((float)(fraction + (1 << mantissa)), exponent - bias - mantissa);
    return bits & 0x8000u ? -value : value;
}

static float half_value(unsigned short bits)
{
    return decoded(bits, 10, 15);
}

// The half next to a finite value: the largest at most it, and the smallest at least it, by bits.
static void neighbours(float value, unsigned short &below, unsigned short &above)
{
    unsigned short sign = value < 0 ? 0x8000 : 0;
    float size = std::fabs(value);
    unsigned short low = 0, high = 0x7c00;
    while (low + 1 < high) {
        unsigned short middle = (unsigned short)((low + high) / 2);
        (half_value(middle) <= size ? low : high) = middle;
    }
    if (half_value(low) == size)
        high = low;
    below = sign | (sign ? high : low);
    above = sign | (sign ? low : high);
}

static unsigned short nearest(float value)
{
    unsigned short below, above;
    neighbours(value, below, above);
    double low = half_value(below), high = half_value(above);
    if (std::isinf(low))
        low = -65536;
    if (std::isinf(high))
        high = 65536;
    double to_low = (double)value - low, to_high = high - (double)value;
    if (to_low == to_high)
        return below & 1 ? above : below;
    return to_low < to_high ? below : above;
}

static unsigned short nearest_bfloat(float value)
{
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    bits += 0x7fff + (bits >> 16 & 1);
    return (unsigned short)(bits >> 16);
}

static void check_bits()
{
    check::buffer<float> all(65536);
    from_bits<<<256, 256>>>(all);
    LAUNCH_OK();
    std::vector<float> got = all.get(), want(65536);
    for (unsigned i = 0; i < 65536; i++) {
        want[i] = half_value((unsigned short)i);
        if (std::isnan(want[i])) {
            EXPECT(std::isnan(got[i]));
            got[i] = want[i] = 0;
        }
    }
    check::same("all halves", got, want);
}

static void check_rounding()
{
    std::vector<float> in = {0.0f, 1.0f, 1.0f + 1.0f / 2048, 1.0f + 3.0f / 2048, 65504, 65519, 65520, 70000, 1e-8f, 6e-8f, 3e-8f};
    check::numbers from(43);
    for (int i = 0; i < 600; i++) {
        const float fraction = (float)from.below(1 << 24) - (1 << 23); /* before the exponent, whatever the compiler */
        in.push_back(std::ldexp(fraction, (int)from.below(30) - 38));
    }
    for (size_t i = 0; i < 11; i++)
        in.push_back(-in[i]);
    check::buffer<float> device(in);
    check::buffer<unsigned short> out(5 * in.size());
    round_all<<<check::blocks_for(in.size(), 64), 64>>>(device, out, (int)in.size());
    LAUNCH_OK();
    std::vector<unsigned short> want;
    for (float value : in) {
        unsigned short below, above;
        neighbours(value, below, above);
        if (value == 0)
            below = above = std::signbit(value) ? 0x8000 : 0;
        unsigned short near = value == 0 ? above : nearest(value), zero = value < 0 ? above : below;
        want.insert(want.end(), {near, zero, above, below, nearest_bfloat(value)});
    }
    check::same("rounding", out.get(), want);
}

static float as_half(float value)
{
    return half_value(nearest(value));
}

static float as_bfloat(float value)
{
    uint32_t bits = (uint32_t)nearest_bfloat(value) << 16;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}

template <class T> static void check_arithmetic(const char *name, float (*rounded)(float))
{
    const int n = 100;
    std::vector<float> a(n), b(n), got, want;
    check::numbers from(44);
    for (int i = 0; i < n; i++) {
        a[i] = rounded(from.coarse() * 8);
        b[i] = rounded(i % 7 ? from.coarse() * 3 + 4 : a[i] == 0 ? 1 : a[i]);
    }
    check::buffer<float> device_a(a), device_b(b);
    check::buffer<results<T>> out(n);
    operate<T><<<1, n>>>(device_a, device_b, out);
    LAUNCH_OK();
    for (const results<T> &r : out.get())
        got.insert(got.end(), {(float)r.sum, (float)r.difference, (float)r.product, (float)r.quotient, (float)r.fused,
                               (float)r.negated, (float)r.least, (float)r.most, (float)r.less, (float)r.equal});
    for (int i = 0; i < n; i++) {
        float x = a[i], y = b[i];
        want.insert(want.end(), {rounded(x + y), rounded(x - y), rounded(x * y), rounded(x / y), rounded(x * y + x), -x,
                                 std::fmin(x, y), std::fmax(x, y), (float)(x < y), (float)(x == y)});
    }
    check::same(name, got, want);
}

static void check_pairs()
{
    const int n = 50;
    std::vector<float> flat = check::values<float>(2 * n, 45), got, want;
    std::vector<float2> in(n);
    for (int i = 0; i < n; i++)
        in[i] = make_float2(flat[2 * i], flat[2 * i + 1]);
    check::buffer<float2> device(in);
    check::buffer<float> out(4 * n);
    pairs<<<1, 64>>>(device, out, n);
    LAUNCH_OK();
    for (float2 p : in)
        want.insert(want.end(), {as_half((p.x * 0.5f + p.y) * 0.5f + p.y), as_half((p.y * 0.5f + p.x) * 0.5f + p.x),
                                 as_bfloat(p.x + p.y), (p.x > p.y) + 2.0f});
    check::same("pairs", out.get(), want);
}

int main()
{
    check_bits();
    check_rounding();
    check_arithmetic<__half>("half", as_half);
    check_arithmetic<__nv_bfloat16>("bfloat16", as_bfloat);
    check_pairs();

    std::vector<float> in = {0.25f, 1.0f, 2.25f, 3.5f, 4.0f, 0.0625f};
    check::buffer<float> device(in), out(4 * in.size());
    functions<<<1, (int)in.size()>>>(device, out);
    LAUNCH_OK();
    std::vector<float> want;
    for (float x : in)
        want.insert(want.end(), {std::sqrt(x), std::exp(x), std::floor(x), std::nearbyint(x)});
    check::same("functions", out.get(), want, 2e-3);
    return check::done();
}
