// Numbers of 8 bits: all values, rounding from each type with what is too large, pairs, fours, and integers.
#include <cuda_fp8.h>

#include "check.h"

template <class T> __global__ void values(float *out, float *halves)
{
    T x;
    x.__x = (unsigned char)threadIdx.x;
    out[threadIdx.x] = float(x);
    halves[threadIdx.x] = float(__half(x));
}

template <class T> __global__ void rounded(const float *in, unsigned char *out, int n)
{
    const unsigned i = threadIdx.x;
    if (i >= (unsigned)n)
        return;
    out[3 * i] = T(in[i]).__x;
    out[3 * i + 1] = T(double(in[i])).__x;
    out[3 * i + 2] = T(__float2bfloat16(in[i])).__x;
}

__global__ void several(const float4 *in, float4 *out, __nv_fp8x2_storage_t *pair, unsigned char *loud, int *whole)
{
    const __nv_fp8x4_e4m3 four(*in);
    *out = float4(four);
    const __nv_fp8x2_e5m2 two(make_float2(in->x, in->y));
    pair[0] = two.__x;
    pair[1] = __nv_cvt_float2_to_fp8x2(make_float2(in->z, in->w), __NV_SATFINITE, __NV_E4M3);
    const __half2 back = __half2(__nv_cvt_fp8x2_to_halfraw2(pair[0], __NV_E5M2));
    whole[0] = int(__low2float(back));
    whole[1] = int(__nv_fp8_e4m3(-7));
    whole[2] = (unsigned char)__nv_fp8_e5m2(1000.0f);
    loud[0] = __nv_cvt_float_to_fp8(1000.0f, __NV_NOSAT, __NV_E4M3);
    loud[1] = __nv_cvt_float_to_fp8(-1e6f, __NV_NOSAT, __NV_E5M2);
    loud[2] = __nv_cvt_float_to_fp8(1e6f, __NV_SATFINITE, __NV_E5M2);
}

/** By the definition, with `most` finite numbers of each sign. */
template <class T> static std::vector<float> check_values(int exponent_bits, int most)
{
    const int fraction_bits = 7 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
    check::buffer<float> out(256), halves(256);
    values<T><<<1, 256>>>(out, halves);
    LAUNCH_OK();
    const std::vector<float> got = out.get(), half = halves.get();
    for (int i = 0; i < 256; i++) {
        const int size = i & 127, exponent = size >> fraction_bits, rest = size & ((1 << fraction_bits) - 1);
        if (size > most) {
            EXPECT(exponent_bits == 5 && rest == 0 ? std::isinf(got[i]) && std::isinf(half[i])
                                                   : got[i] != got[i] && half[i] != half[i]);
            continue;
        }
        const float want = exponent ? std::ldexp(1.0f + (float)rest / (float)(1 << fraction_bits), exponent - bias)
                                    : std::ldexp((float)rest, 1 - bias - fraction_bits);
        check::same("value", got[i], i < 128 ? want : -want);
        check::same("as a half", half[i], i < 128 ? want : -want);
    }
    return got;
}

/** The nearest of all, and of two the even one; what is above all is the largest. */
template <class T> static void check_rounding(const std::vector<float> &all, int most)
{
    std::vector<float> in = {0.0f, -0.0f, 1e-9f, 1e9f, -1e9f, INFINITY};
    for (int i = 0; i + 1 <= most; i += 3) {
        in.push_back((all[i] + all[i + 1]) / 2);
        in.push_back(-all[i + 1]);
        in.push_back(all[i] + (all[i + 1] - all[i]) * 0.75f);
    }
    check::buffer<float> numbers(in);
    check::buffer<unsigned char> out(3 * in.size());
    rounded<T><<<1, (unsigned)in.size()>>>(numbers, out, (int)in.size());
    LAUNCH_OK();
    const std::vector<unsigned char> got = out.get();
    for (size_t i = 0; i < in.size(); i++) {
        const float size = std::fabs(in[i]);
        int best = 0;
        for (int k = 1; k <= most; k++) {
            const float before = std::fabs(size - all[best]), here = std::fabs(size - all[k]);
            if (here < before || (here == before && k % 2 == 0))
                best = k;
        }
        best = size > all[most] ? most : best;
        for (int form = 0; form < 3; form++)
            check::same("rounded", (int)got[3 * i + form], best | (std::signbit(in[i]) ? 128 : 0));
    }
}

int main()
{
    check_rounding<__nv_fp8_e4m3>(check_values<__nv_fp8_e4m3>(4, 126), 126);
    check_rounding<__nv_fp8_e5m2>(check_values<__nv_fp8_e5m2>(5, 123), 123);
    check::buffer<float4> in(std::vector<float4>{make_float4(3.2f, -5.0f, 0.3f, 500.0f)}), out(1);
    check::buffer<__nv_fp8x2_storage_t> pair(2);
    check::buffer<unsigned char> loud(3);
    check::buffer<int> whole(3);
    several<<<1, 1>>>(in, out, pair, loud, whole);
    LAUNCH_OK();
    const float4 four = out.get()[0];
    EXPECT(four.x == 3.25f && four.y == -5.0f && four.z == 0.3125f && four.w == 448.0f);
    check::same("pair", pair.get(), {0xc542, 0x7e2a});
    check::same("without saturation", loud.get(), {0x7f, 0xfc, 0x7b});
    check::same("whole", whole.get(), {3, -7, 255});
    return check::done();
}
