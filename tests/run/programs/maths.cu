// Mathematical functions in both precisions, their fast forms, rounding modes and conversions, each within its
// error as CUDA's programming guide states it.
#include <cstring>

#include "check.h"

constexpr int FLOATS = 24, DOUBLES = 12;

__global__ void floats(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = in[i], *own = out + FLOATS * i, whole;
    own[0] = sinf(x), own[1] = cosf(x), own[2] = tanf(x / 8), own[3] = expf(x), own[4] = exp2f(x);
    own[5] = logf(x + 9), own[6] = log2f(x + 9), own[7] = log1pf(x / 9 + 1), own[8] = sqrtf(x + 8);
    own[9] = rsqrtf(x + 9), own[10] = cbrtf(x), own[11] = powf(x + 9, 1.7f), own[12] = tanhf(x);
    own[13] = erff(x / 3), own[14] = fmodf(x, 0.75f), own[15] = hypotf(x, 3), own[16] = rintf(x);
    own[17] = modff(x, &whole) + whole;
    own[18] = fmaf(x, x, -1), own[19] = copysignf(2, x), own[20] = atan2f(x, 2), own[21] = fdividef(x, 3);
    own[22] = fmaxf(fminf(x, 2), -2), own[23] = normcdff(x / 4);
}

static std::vector<double> float_reference(double x)
{
    return {std::sin(x), std::cos(x), std::tan(x / 8), std::exp(x), std::exp2(x), std::log(x + 9), std::log2(x + 9),
            std::log1p(x / 9 + 1), std::sqrt(x + 8), 1 / std::sqrt(x + 9), std::cbrt(x), std::pow(x + 9, (double)1.7f),
            std::tanh(x), std::erf(x / 3), std::fmod(x, 0.75), std::hypot(x, 3), std::nearbyint(x), x, x * x - 1,
            x < 0 ? -2.0 : 2.0, std::atan2(x, 2), x / 3, std::fmax(std::fmin(x, 2), -2),
            0.5 * std::erfc(-x / 4 / std::sqrt(2.0))};
}

__global__ void doubles(const float *in, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double x = in[i], *own = out + DOUBLES * i, sine, cosine;
    sincos(x, &sine, &cosine);
    own[0] = sine, own[1] = cosine, own[2] = exp(x), own[3] = log(x + 9), own[4] = pow(x + 9, -0.3);
    own[5] = sqrt(x + 8), own[6] = rsqrt(x + 9), own[7] = floor(x) + 100 * ceil(x) + 10000 * trunc(x);
    own[8] = fma(x, 3.0, x), own[9] = lgamma(x + 9), own[10] = sinpi(x / 4), own[11] = erfc(x / 2);
}

static std::vector<double> double_reference(double x)
{
    const double pi = 3.14159265358979323846;
    return {std::sin(x), std::cos(x), std::exp(x), std::log(x + 9), std::pow(x + 9, -0.3), std::sqrt(x + 8),
            1 / std::sqrt(x + 9), std::floor(x) + 100 * std::ceil(x) + 10000 * std::trunc(x), 4 * x,
            std::lgamma(x + 9), std::sin(pi * (x / 4)), std::erfc(x / 2)};
}

// Fast functions are only roughly right.
__global__ void fast(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = in[i], *own = out + 6 * i;
    own[0] = __sinf(x / 4), own[1] = __cosf(x / 4), own[2] = __expf(x / 2), own[3] = __logf(x + 9);
    own[4] = __powf(x + 9, 0.5f), own[5] = __fdividef(x, x + 9) + __saturatef(x);
}

// What has one right result to the last bit.
__global__ void exact(const float *in, const float *other, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = in[i], y = other[i];
    int *own = out + 14 * i;
    own[0] = __float_as_int(__fadd_rn(x, y)), own[1] = __float_as_int(__fmul_rn(x, y));
    own[2] = __float_as_int(__fdiv_rn(x, y)), own[3] = __float_as_int(__fsqrt_rn(fabsf(x)));
    own[4] = __float_as_int(__fmaf_rn(x, y, x)), own[5] = __float2int_rn(x * 8), own[6] = __float2int_rz(x * 8);
    own[7] = __float2int_ru(x), own[8] = __float2int_rd(x), own[9] = (int)__float2uint_rn(fabsf(y));
    own[10] = __float_as_int(__int2float_rn(i * 1000003)), own[11] = isnan(x) + 2 * isinf(__fdiv_rn(y, x - x));
    own[12] = signbit(x) != 0, own[13] = __double2int_rn(x * 0.5) + (int)llrintf(y);
}

static int bits(float value)
{
    int as;
    std::memcpy(&as, &value, sizeof(as));
    return as;
}

static std::vector<int> exact_reference(int i, float x, float y)
{
    return {bits(x + y), bits(x * y), bits(x / y), bits(std::sqrt(std::fabs(x))), bits(std::fma(x, y, x)),
            (int)std::nearbyint(x * 8), (int)(x * 8), (int)std::ceil(x), (int)std::floor(x),
            (int)std::nearbyint(std::fabs(y)), bits((float)(i * 1000003)), 2, x < 0,
            (int)std::nearbyint(x * 0.5) + (int)std::nearbyint(y)};
}

int main()
{
    const int n = 300;
    std::vector<float> in = check::values<float>(n, 50), other = check::values<float>(n, 51);
    for (int i = 0; i < n; i++) {
        in[i] *= 8;
        other[i] = other[i] * 5 + 5.125f;
    }
    check::buffer<float> device(in), device_other(other), out(n * FLOATS), roughly(n * 6);
    check::buffer<double> wide(n * DOUBLES);
    check::buffer<int> whole(n * 14);
    floats<<<5, 64>>>(device, out, n);
    doubles<<<5, 64>>>(device, wide, n);
    fast<<<5, 64>>>(device, roughly, n);
    exact<<<5, 64>>>(device, device_other, whole, n);
    LAUNCH_OK();

    std::vector<float> want_floats, want_fast;
    std::vector<double> want_doubles;
    std::vector<int> want_exact;
    for (int i = 0; i < n; i++) {
        double x = in[i];
        for (double value : float_reference(x))
            want_floats.push_back((float)value);
        for (double value : double_reference(x))
            want_doubles.push_back(value);
        for (double value : {std::sin(x / 4), std::cos(x / 4), std::exp(x / 2), std::log(x + 9), std::sqrt(x + 9),
                             x / (x + 9) + std::fmax(0.0, std::fmin(x, 1.0))})
            want_fast.push_back((float)value);
        std::vector<int> own = exact_reference(i, in[i], other[i]);
        want_exact.insert(want_exact.end(), own.begin(), own.end());
    }
    check::same("floats", out.get(), want_floats, 2e-6);
    check::same("doubles", wide.get(), want_doubles, 1e-14);
    check::same("fast", roughly.get(), want_fast, 1e-4);
    check::same("exact", whole.get(), want_exact);
    return check::done();
}
