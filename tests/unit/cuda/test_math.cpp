/* Half, bfloat16, rounding, SIMD and special functions against their definitions. */

#include "expect.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <atomic>
#include <climits>
#include <cmath>
#include <cstring>
#include <thread>

static bool near(double value, double expected, double relative = 4e-16)
{
    return std::fabs(value - expected) <= relative * std::fabs(expected);
}

/** The value of binary16 bits, by its definition. */
static double half_value(unsigned bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size =
        exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
    return bits & 0x8000 ? -size : size;
}

/** Every half: conversions both ways, and between neighbours each rounding. */
static void halves()
{
    for (unsigned bits = 0; bits < 0x7c00; bits++) {
        const double value = half_value(bits);
        CHECK(__half2float(__ushort_as_half((unsigned short)bits)) == float(value));
        CHECK(__half2float(__ushort_as_half((unsigned short)(bits | 0x8000))) == float(-value));
        CHECK(__float2half(float(value)).__x == bits);
        CHECK(__float2half_rz(float(-value)).__x == (bits | 0x8000));
        const double next = bits == 0x7bff ? 65536 : half_value(bits + 1);
        const float middle = float((value + next) / 2), above = std::nextafter(middle, 1e9f);
        const float below = std::nextafter(middle, 0.0f);
        CHECK(__float2half_rn(middle).__x == bits + (bits & 1));
        CHECK(__float2half_rn(above).__x == bits + 1 && __float2half_rn(below).__x == bits);
        CHECK(__float2half_rz(above).__x == bits && __float2half_ru(below).__x == bits + 1);
        CHECK(__float2half_rd(above).__x == bits);
        CHECK(__float2half_rd(-below).__x == ((bits + 1) | 0x8000));
    }
    CHECK(__hisnan(__float2half(NAN)) && __hisinf(__float2half(-1e9f)) == -1);
    CHECK(__float2half_rz(1e9f).__x == 0x7bff && __float2half(1e-9f).__x == 0);
    CHECK(__half2int_rn(__half(2.5f)) == 2 && __half2int_ru(__half(2.25f)) == 3);
    CHECK(__half2short_rz(__half(-1.75f)) == -1 && __half2ushort_rz(__half(-3)) == 0);
    CHECK(__ll2half_rd(2049).__x == __half(2048).__x && __ll2half_ru(2049).__x == __half(2050).__x);
}

static void pairs()
{
    const __half2 a(1.5f, -2.0f), b(0.5f, NAN);
    CHECK(__low2float(__hadd2(a, b)) == 2 && __hisnan(__high2half(__hadd2(a, b))));
    CHECK(__low2float(__hgt2(a, b)) == 1 && __high2float(__hgt2(a, b)) == 0);
    CHECK(__high2float(__hgtu2(a, b)) == 1 && !__hbgt2(a, b) && __hbgtu2(a, b));
    CHECK(__hgt2_mask(a, b) == 0xffff);
    CHECK(float(__hmax(a.y, b.y)) == -2 && __hisnan(__hmax_nan(a.y, b.y)));
    CHECK(float(__hfma_relu(a.y, a.x, b.x)) == 0 && float(__hadd_sat(a.x, b.x)) == 1);
    CHECK(__low2float(__lowhigh2highlow(a)) == -2 && float(hsqrt(__half(6.25f))) == 2.5f);
    /* 1 + 2^-10 squared plus 2^-24: a tie that only one rounding resolves upwards. */
    const __half x(1.0f + 0x1p-10f), tiny(0x1p-24f);
    CHECK(double(float(__hfma(x, x, tiny))) == 1 + 0x1p-9);
    const __nv_bfloat16 y(1.0f + 0x1p-7f), z = __ushort_as_bfloat16(1);
    CHECK(float(__hfma(y, __nv_bfloat16(1.0f + 0x1p-1f), z)) == 1.5f + 0x1p-6f);
    CHECK(__float2bfloat16_rn(1.0f + 0x1p-8f).__x == 0x3f80);
    CHECK(__float2bfloat16_ru(1.0f + 0x1p-20f).__x == 0x3f81);
    CHECK(__bfloat162float(__ushort_as_bfloat16(0x4049)) == 3.140625f);
    __half sum(0.0f);
    atomicAdd(&sum, __half(2.0f));
    CHECK(float(sum) == 2);
}

static void rounding()
{
    CHECK(__fadd_ru(1, 1e-10f) == std::nextafter(1.0f, 2.0f) && __fadd_rd(1, 1e-10f) == 1);
    CHECK(__fadd_rz(-1, 1e-10f) == -std::nextafter(1.0f, 0.0f));
    CHECK(std::nextafter(__fdiv_rd(1, 3), 1.0f) == __fdiv_ru(1, 3));
    CHECK(__dmul_ru(1e-300, 1e-300) > 0 && __dmul_rd(1e-300, 1e-300) == 0);
    CHECK(__fma_rd(1, 1, -1e-200) < 1 && __fmaf_ru(1, 1, 1e-20f) > 1);
    CHECK(__dsqrt_rd(2) < __dsqrt_ru(2) && __dsqrt_rd(4) == __dsqrt_ru(4));
    CHECK(__int2float_rz(16777217) == 16777216 && __int2float_ru(16777217) == 16777218);
    CHECK(__ull2double_rd(~0ull) < 0x1p64 && __ull2double_ru(~0ull) == 0x1p64);
    CHECK(__double2float_rd(0.1) < 0.1 && __double2float_ru(0.1) > 0.1);
    CHECK(__float2int_rn(2.5f) == 2 && __float2int_rz(-2.9f) == -2 && __float2uint_rz(-1) == 0);
    CHECK(__double2ll_ru(1e30) == 0x7fffffffffffffffll && __float2int_rz(NAN) == 0);
}

static void integers()
{
    CHECK(__vadd4(0xff010203, 0x01010101) == 0x00020304);
    CHECK(__vadd2(0xffff0001, 0x00010001) == 0x00000002);
    CHECK(__vaddss2(0x7fff8000, 0x0001ffff) == 0x7fff8000);
    CHECK(__vsubus4(0x01050000, 0x02030000) == 0x00020000);
    CHECK(__vcmpgts4(0xff00ff7f, 0x01010101) == 0x000000ff && __vsetgtu4(0xff00, 0x0101) == 0x100);
    CHECK(__vabsdiffs2(0x8000ffff, 0x00010001) == 0x80010002 && __vabs4(0x80ff7f01) == 0x80017f01);
    CHECK(__vavgu4(0x01020304, 0x02020202) == 0x02020303 && __vsadu4(0x01020304, 0x04030201) == 8);
    CHECK(__dp4a(0x01ff0203, 0x01020304, 10) == 10 + 1 - 2 + 6 + 12);
    CHECK(__dp2a_lo(0x00020003, 0x0405, 1) == 24 && __dp2a_hi(0x00020003, 0x04050000, 1) == 24);
    CHECK(__byte_perm(0x33221100, 0x77665544, 0x7531) == 0x77553311);
    CHECK(__byte_perm(0x33221180, 0x77665544, 0xfff8) == 0x77777780);
    CHECK(__funnelshift_l(0x80000000, 1, 1) == 3 && __funnelshift_rc(5, 7, 40) == 7);
    CHECK(__brev(1) == 0x80000000 && __clz(0) == 32 && __ffs(8) == 4 && __popcll(~0ull) == 64);
    CHECK(__fns(0xf0, 0, 2) == 5 && __fns(0xf0, 31, -1) == 7 && __fns(0xf0, 0, 5) == 0xffffffff);
    CHECK(__mulhi(-2, 3) == -1 && __umul24(0x1000003, 2) == 6 && __sad(-3, 4, 1) == 8);
    CHECK(__hadd(-3, 0) == -2 && __urhadd(2, 3) == 3 && max(-1, 1u) == 0xffffffffu);
}

/* PTX: of NaN a conversion makes 0, but the highest bit when source or target has 64 bits. */
static void not_a_number()
{
    const __half h(NAN);
    const __nv_bfloat16 b(NAN);
    const unsigned long long high = 1ull << 63;
    CHECK(__float2int_rn(NAN) == 0 && __float2uint_ru(NAN) == 0);
    CHECK(__half2int_rz(h) == 0 && __bfloat162uint_rn(b) == 0 && __half2short_rd(h) == 0);
    CHECK(__float2ll_rz(NAN) == LLONG_MIN && __float2ull_rd(NAN) == high);
    CHECK(__half2ll_rn(h) == LLONG_MIN && __bfloat162ull_rz(b) == high);
    CHECK(__double2int_rn(NAN) == INT_MIN && __double2uint_rz(NAN) == 1u << 31);
    CHECK(__double2ll_ru(NAN) == LLONG_MIN && __double2ull_rn(NAN) == high);
    CHECK(__half_as_ushort(__float2half(-NAN)) == 0x7fff &&
          __float_as_int(__half2float(h)) == 0x7fffffff);
    CHECK(fmaxf(NAN, -1) == -1 && fmin(2.0, NAN) == 2 && max(NAN, 3.0f) == 3 &&
          __saturatef(NAN) == 0);
    /* Each comparison but != of C++ is false for NaN, and true in its unordered form. */
    CHECK(!__heq(h, h) && !__hne(h, h) && !__hle(h, __half(1)) &&
          !__hbne2(__half2(h, h), __half2(h, h)));
    CHECK(__hequ(h, h) && __hneu(h, h) && __hgeu(h, __half(1)) &&
          __hbneu2(__half2(h, h), __half2(h, h)));
    CHECK(h != h && __half2(h, h) != __half2(h, h) && !(h == h) && b != b && !__hne(b, b));
    CHECK(__hne2_mask(__half2(h, 1), __half2(1, 2)) == 0xffff0000u);
    CHECK(__hneu2_mask(__half2(h, 1), __half2(1, 1)) == 0xffffu);
}

/* Dynamic programming: sums wrap before they are compared, halves of words each for itself. */
static void dynamic_programming()
{
    bool high, low;
    CHECK(__viaddmax_s32(INT_MAX, 1, -5) == -5 && __viaddmax_u32(~0u, 2, 0) == 1);
    CHECK(__viaddmin_s32(3, 4, 5) == 5 && __viaddmin_s32_relu(-3, -4, 5) == 0);
    CHECK(__viaddmax_s16x2(0x7fff0001, 0x00010001, 0xfffe0003) == 0xfffe0003);
    CHECK(__viaddmin_u16x2(0xffff0001, 0x00020001, 0x00050005) == 0x00010002);
    CHECK(__viaddmax_s16x2_relu(0xfff00001, 0, 0xffff0000) == 0x00000001);
    CHECK(__vimax3_s32(-1, 7, 3) == 7 && __vimin3_u32(9, 4, ~0u) == 4 &&
          __vimax3_s32_relu(-1, -2, -3) == 0);
    CHECK(__vimin3_s16x2(0x0003ffff, 0x00020001, 0x00040000) == 0x0002ffff);
    CHECK(__vimax_s16x2_relu(0xffff0002, 0xfffe0001) == 0x00000002 && __vimin_s32_relu(-7, 3) == 0);
    CHECK(__vibmax_s32(2, 2, &low) == 2 && low && __vibmin_u32(3, 2, &low) == 2 && !low);
    CHECK(__vibmax_s16x2(0xffff0005, 0x00000004, &high, &low) == 0x00000005 && !high && low);
    CHECK(__vibmin_u16x2(0xffff0005, 0x00000005, &high, &low) == 0x00000005 && !high && low);
    CHECK(__dp2a_lo(make_short2(3, -2), make_char4(5, 4, 9, 9), 1) == 8);
    CHECK(__dp2a_hi(make_ushort2(3, 2), make_uchar4(9, 9, 5, 4), 1u) == 24);
    /* (1 + 2i)(3 - i) + (10 + 20i) */
    const __half2 c = __hcmadd(__half2(1, 2), __half2(3, -1), __half2(10, 20));
    CHECK(float(c.x) == 15 && float(c.y) == 25);
    CHECK(__fdividef(1, 0x1.8p126f) == 0 && __fdividef(6, 0x1p126f) == 6 * 0x1p-126f);
    CHECK(std::isnan(__fdividef(INFINITY, 0x1p127f)) && __fdividef(1, INFINITY) == 0);
}

struct alignas(16) wide {
    unsigned long long count, sum;
};

/* Values of 16 bytes change as a whole: no thread sees parts of two. */
static void whole_values()
{
    wide shared[2] = {};
    std::atomic<int> torn(0);
    const auto work = [&](unsigned long long own) {
        for (int i = 0; i < 2000; i++) {
            wide seen = {}, old = atomicCAS(shared, seen, wide{1, own});
            while (old.count != seen.count || old.sum != seen.sum) {
                seen = old;
                old = atomicCAS(shared, seen, wide{seen.count + 1, seen.sum + own});
            }
            const wide before = atomicExch(shared + 1, wide{own, 3 * own});
            torn += before.sum != 3 * before.count;
        }
    };
    std::thread first(work, 5), second(work, 7);
    first.join();
    second.join();
    CHECK(shared[0].count == 4000 && shared[0].sum == 2000 * 12 && torn == 0);
}

static void functions()
{
    CHECK(sinpi(1.0) == 0 && cospi(0.5) == 0 && cospi(1e10) == 1 && sinpif(-0.5f) == -1);
    CHECK(near(sinpi(1.0 / 6), 0.5) && near(cospi(1 / 3.0), 0.5, 1e-15));
    CHECK(near(erfinv(0.3), 0.27246271472675434) &&
          near(erfcinv(1e-10), 4.5728249673894852, 1e-15));
    CHECK(near(normcdfinv(0.975), 1.9599639845400545, 1e-15));
    CHECK(std::isinf(erfinv(1.0)) && std::isnan(erfcinv(-1.0)) && erfinv(0.0) == 0);
    CHECK(near(erfcx(10.0), 0.056140992743822586, 1e-15) &&
          near(erfcx(-2.0), 108.9409043899780, 1e-14));
    CHECK(near(normcdf(-1.0), 0.15865525393145705) && near(rcbrt(8.0), 0.5));
    CHECK(near(cyl_bessel_i0(1.0), 1.2660658777520084, 1e-15));
    /* Where digits are lost unless one looks after them. */
    CHECK(near(normcdf(-28.125), 2.42331408637343404e-174, 1e-15));
    CHECK(near(erfcinv(0.9921875), 0.00692375849154961371) &&
          near(normcdfinv(0.501953125), 0.00489577790634245161));
    CHECK(near(cyl_bessel_i0(4.25), 14.0412636830006114) &&
          near(cyl_bessel_i1(-8.75), -813.167752814717922));
    CHECK(near(rcbrt(1.53125), 0.867596849107332148) && std::isinf(rcbrt(0.0)));
    CHECK(std::isinf(cyl_bessel_i0(1e9)) && cyl_bessel_i1(-INFINITY) == -INFINITY);
    CHECK(normcdf(INFINITY) == 1 && normcdf(-INFINITY) == 0 && std::isnan(normcdf(NAN)));
    CHECK(near(norm4d(1, 1, 1, 1), 2) && rnorm3df(0, 3, 4) == 0.2f && rhypotf(3, 4) == 0.2f);
    float s, c;
    sincospi(0.25f, &s, &c);
    CHECK(s == c);
    CHECK(__int_as_float(0x3f800000) == 1 && __double2hiint(1.0) == 0x3ff00000);
}

/** As they are in line: a number beside no number, infinities, and values that the compiler does not know. */
static void extremes()
{
    volatile double values[] = {0, 1, -1, 1e-40, -1e-40, INFINITY, -INFINITY, NAN};
    for (const double a : values) {
        for (const double b : values) {
            const double most = std::isnan(a) ? b : std::isnan(b) ? a : a < b ? b : a;
            const double least = std::isnan(a) ? b : std::isnan(b) ? a : a < b ? a : b;
            const double got[] = {fmax(a, b), fmin(a, b), fmaxf((float)a, (float)b),
                                  fminf((float)a, (float)b)};
            for (int i = 0; i < 4; i++) {
                const double exact = i % 2 ? least : most, want = i < 2 ? exact : (float)exact;
                CHECK(std::isnan(want) ? std::isnan(got[i]) : got[i] == want);
            }
        }
    }
}

int main()
{
    extremes();
    halves();
    pairs();
    rounding();
    integers();
    not_a_number();
    dynamic_programming();
    whole_values();
    functions();
    return failures != 0;
}
