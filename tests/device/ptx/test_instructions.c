#include "ptx_machine.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Each row is an instruction and what it computes, written down a second time on the host's own arithmetic. Operands are
 * all combinations of numbers at the edges, and random ones.
 */

typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;

enum { TUPLES = 4096 };

typedef struct {
    const char *opcode, *letters; /**< bytes of result and operands; p: a predicate */
    u64 (*expected)(u64 a, u64 b, u64 e);
    bool real;        /**< NaNs are equal */
    double tolerance; /**< relative, of f32 */
} row;

static float f32(u64 v)
{
    const u32 bits = (u32)v;
    float f;
    memcpy(&f, &bits, 4);
    return f;
}
static u64 bits32(float f)
{
    u32 bits;
    memcpy(&bits, &f, 4);
    return bits;
}
static double f64(u64 v)
{
    double d;
    memcpy(&d, &v, 8);
    return d;
}
static u64 bits64(double d)
{
    u64 bits;
    memcpy(&bits, &d, 8);
    return bits;
}

/* The compiler's own half precision is not the machine's. */
static _Float16 h(u64 v)
{
    const u16 bits = (u16)v;
    _Float16 x;
    memcpy(&x, &bits, 2);
    return x;
}
static u64 bits16(_Float16 x)
{
    u16 bits;
    memcpy(&bits, &x, 2);
    return bits;
}

#define F(name, ...)                                                                               \
    static u64 name(u64 a, u64 b, u64 e)                                                           \
    {                                                                                              \
        (void)a;                                                                                   \
        (void)b;                                                                                   \
        (void)e;                                                                                   \
        return (u64)(__VA_ARGS__);                                                                 \
    }
F(e_add32, (u32)(a + b))
F(e_sub64, a - b)
F(e_mullo, (u32)((u32)a *(u32)b))
F(e_mulhiu, (u32)((u64)(u32)a *(u32)b >> 32))
F(e_mulhis, (u32)((s64)(s32)a *(s32)b >> 32))
F(e_mulhiu64, (u64)((unsigned __int128)a *b >> 64))
F(e_mulhis64, (u64)((__int128)(s64)a *(s64)b >> 64))
F(e_wides, (s64)(s32)a *(s32)b)
F(e_wideu16, (u32)((u32)(u16)a *(u16)b))
F(e_mads, (u32)((u32)a *(u32)b + (u32)e))
F(e_shl, (u32)b > 31 ? 0 : (u32)((u32)a << (u32)b))
F(e_shru, (u32)b > 31 ? 0 : (u32)a >> (u32)b)
F(e_shrs, (u32)((s32)a >> ((u32)b > 31 ? 31 : (u32)b)))
F(e_shrs64, (u64)((s64)a >> ((u32)b > 63 ? 63 : (u32)b)))
F(e_shl16, (u32)b > 15 ? 0 : (u16)(a << (u32)b))
F(e_mins, (u32)((s32)a < (s32)b ? a : b))
F(e_maxu64, a > b ? a : b)
F(e_abs, (u32)((s32)a < 0 ? 0u - (u32)a : (u32)a))
F(e_popc64, (u32)__builtin_popcountll(a))
static u64 e_clz(u64 a, u64 b, u64 e)
{
    u32 n = 0;
    (void)b;
    (void)e;
    for (int k = 31; k >= 0 && !(a >> k & 1); k--)
        n++;
    return n;
}
static u64 e_brev(u64 a, u64 b, u64 e)
{
    u32 r = 0;
    (void)b;
    (void)e;
    for (int k = 0; k < 32; k++)
        r |= (u32)(a >> k & 1) << (31 - k);
    return r;
}
/* As PTX's description of bfe and bfi has it, bit by bit. */
static u64 bfe(u64 a, u64 b, u64 e, int bits, bool is_signed)
{
    const int pos = b & 0xFF, len = e & 0xFF, msb = bits - 1;
    const int last = pos + len - 1 < msb ? pos + len - 1 : msb;
    u64 r = 0;
    const u64 sign = !is_signed || len == 0 ? 0 : a >> last & 1;
    for (int k = 0; k <= msb; k++)
        r |= (k < len && pos + k <= msb ? a >> (pos + k) & 1 : sign) << k;
    return r;
}
F(e_bfeu, bfe((u32)a, b, e, 32, false))
F(e_bfes, bfe((u32)a, b, e, 32, true))
F(e_bfes64, bfe(a, b, e, 64, true))
static u64 e_bfi(u64 a, u64 b, u64 e)
{
    u32 r = (u32)b;
    const u32 pos = 5, len = e & 0xFF;
    for (u32 k = 0; k < len && pos + k < 32; k++)
        r = (r & ~(1u << (pos + k))) | (u32)(a >> k & 1) << (pos + k);
    return r;
}
static u64 e_bfind(u64 a, u64 b, u64 e)
{
    const u32 v = (s32)a < 0 ? ~(u32)a : (u32)a;
    (void)b;
    (void)e;
    for (int k = 31; k >= 0; k--)
        if (v >> k & 1)
            return (u32)k;
    return 0xFFFFFFFFu;
}
static u64 e_prmt(u64 a, u64 b, u64 e)
{
    unsigned char bytes[8];
    const u32 lo = (u32)a, hi = (u32)b;
    memcpy(bytes, &lo, 4);
    memcpy(bytes + 4, &hi, 4);
    u32 r = 0;
    for (int k = 0; k < 4; k++) {
        const u32 s = (u32)e >> 4 * k & 15;
        const u32 byte = s & 8 ? (bytes[s & 7] >> 7) * 255u : bytes[s & 7];
        r |= byte << 8 * k;
    }
    return r;
}
static u64 e_lop3(u64 a, u64 b, u64 e)
{
    u32 r = 0;
    for (int k = 0; k < 32; k++)
        r |= (0x96u >> ((a >> k & 1) << 2 | (b >> k & 1) << 1 | (e >> k & 1)) & 1) << k;
    return r;
}
F(e_shfl, (u32)((e & 31) ? (u32)b << (e & 31) | (u32)a >> (32 - (e & 31)) : (u32)b))
F(e_shfrc,
  (u32)e > 31 ? (u32)b : (u32)((e & 31) ? (u32)a >> (e & 31) | (u32)b << (32 - (e & 31)) : (u32)a))
F(e_divu, (u32)b ? (u32)a / (u32)b : 0xFFFFFFFFu)
F(e_divs, (u32)b == 0 ? 0xFFFFFFFFu : (u32)((s64)(s32)a / (s32)b))
F(e_rems, (u32)b == 0 ? (u32)a : (u32)((s64)(s32)a % (s32)b))
F(e_rem64, b ? a % b : a)
F(e_sad, (u32)((u32)e + (u32)((s64)(s32)a > (s32)b ? (s64)(s32)a - (s32)b : (s64)(s32)b - (s32)a)))
F(e_selp, e & 1 ? (u32)a : (u32)b)
F(e_lt, (s32)a < (s32)b)
F(e_hi64, a > b)
F(e_fltu, !(f32(a) >= f32(b)))
F(e_fne, isless(f32(a), f32(b)) || isgreater(f32(a), f32(b)))
F(e_fnan, isnan(f64(a)) || isnan(f64(b)))
F(e_fadd, bits32(f32(a) + f32(b)))
F(e_fmul, bits32(f32(a) * f32(b)))
F(e_fma, bits32(fmaf(f32(a), f32(b), f32(e))))
F(e_fma64, bits64(fma(f64(a), f64(b), f64(e))))
F(e_fdiv, bits32(f32(a) / f32(b)))
F(e_sqrt64, bits64(sqrt(f64(a))))
F(e_copysign, bits32(copysignf(f32(b), f32(a))))
static u64 e_fmin(u64 a, u64 b, u64 e)
{
    const float x = f32(a), y = f32(b);
    (void)e;
    if (x == 0 && y == 0)
        return signbit(x) || signbit(y) ? 0x80000000u : 0;
    if (isnan(x) || isnan(y)) /* a signalling NaN, too, gives the other */
        return bits32(isnan(x) ? y : x);
    return bits32(x < y ? x : y);
}
static u64 e_fmaxnan(u64 a, u64 b, u64 e)
{
    const float x = f32(a), y = f32(b);
    (void)e;
    if (isnan(x) || isnan(y))
        return 0x7FFFFFFF;
    if (x == 0 && y == 0)
        return signbit(x) && signbit(y) ? 0x80000000u : 0;
    return bits32(fmaxf(x, y));
}
static u64 rounded(u64 a, u64 b, int direction)
{
    fesetround(direction);
    volatile float x = f32(a), y = f32(b);
    volatile float r = x + y;
    fesetround(FE_TONEAREST);
    return bits32(r);
}
F(e_addrm, rounded(a, b, FE_DOWNWARD))
F(e_addrp, rounded(a, b, FE_UPWARD))
static float flushed(float v)
{
    return fabsf(v) < 0x1p-126f ? copysignf(0, v) : v;
}
F(e_addftz, bits32(flushed(flushed(f32(a)) + flushed(f32(b)))))
static float saturated(float v)
{
    return isnan(v) || v < 0 ? 0 : v > 1 ? 1 : v;
}
F(e_mulsat, bits32(saturated(f32(a) * f32(b))))
F(e_ex2, bits32(exp2f(f32(a))))
F(e_rcp, bits32(1 / f32(a)))
static u64 to_s(double v, double low, double high, u64 nan)
{
    if (isnan(v))
        return nan;
    v = v < low ? low : v > high ? high : v;
    return v >= 9223372036854775807.0 ? (u64)INT64_MAX : (u64)(s64)v;
}
F(e_rzis32, (u32)to_s(trunc(f32(a)), -2147483648.0, 2147483647.0, 0))
F(e_rnis32, (u32)to_s(nearbyint(f32(a)), -2147483648.0, 2147483647.0, 0))
F(e_rmiu8, (unsigned char)to_s(floor(f32(a)), 0, 255, 0))
F(e_rzis64, to_s(trunc(f64(a)), -9223372036854775808.0, 9223372036854775807.0, (u64)1 << 63))
F(e_s8, (u64)(s64)(signed char)((s32)a<-128 ? -128 : (s32)a> 127 ? 127 : (s32)a) & 0xFFFF)
F(e_s16to32, (u32)(s32)(s16)a)
F(e_s32to64, (s64)(s32)a)
F(e_u32to64, (u32)a)
F(e_f64nan, isnan(f64(a)) ? 0x80000000u : (u32)to_s(trunc(f64(a)), 0, 4294967295.0, 0))
F(e_u64tof32, bits32((float)a))
F(e_s64tof64, bits64((double)(s64)a))
F(e_f32tof16, bits16((_Float16)f32(a)))
F(e_f16tof32, bits32((float)h(a)))
F(e_f64tof32, bits32((float)f64(a)))
static u64 pair(u64 a, u64 b, u64 e, char op)
{
    u64 out = 0;
    for (int k = 0; k < 32; k += 16) {
        const _Float16 x = h(a >> k), y = h(b >> k), z = h(e >> k);
        /* Half precision's own arithmetic: the compiler rounds each. */
        const _Float16 r = op == '+'   ? x + y
                           : op == '*' ? x * y
                                       : (_Float16)fma((double)x, (double)y, (double)z);
        out |= (isnan((float)r) ? 0x7FFF : bits16(r)) << k;
    }
    return out;
}
F(e_hadd2, pair(a, b, e, '+'))
F(e_hmul2, pair(a, b, e, '*'))
F(e_hfma2, pair(a, b, e, 'f'))
F(e_bf16,
  (u64)(isnan(f32(a)) ? 0x7FFF : (u32)(bits32(f32(a)) + 0x7FFF + (bits32(f32(a)) >> 16 & 1)) >> 16))
F(e_carry, (u64)(a + b))
F(e_dp4a, (u32)((u32)e + (u32)((s32)(signed char)a * (signed char)b) +
                (u32)((s32)(signed char)(a >> 8) * (signed char)(b >> 8)) +
                (u32)((s32)(signed char)(a >> 16) * (signed char)(b >> 16)) +
                (u32)((s32)(signed char)(a >> 24) * (signed char)(b >> 24))))

static const row rows[] = {
    {"add.s32", "444", e_add32, 0, 0},
    {"sub.s64", "888", e_sub64, 0, 0},
    {"mul.lo.s32", "444", e_mullo, 0, 0},
    {"mul.hi.u32", "444", e_mulhiu, 0, 0},
    {"mul.hi.s32", "444", e_mulhis, 0, 0},
    {"mul.hi.u64", "888", e_mulhiu64, 0, 0},
    {"mul.hi.s64", "888", e_mulhis64, 0, 0},
    {"mul.wide.s32", "844", e_wides, 0, 0},
    {"mul.wide.u16", "422", e_wideu16, 0, 0},
    {"mad.lo.s32", "4444", e_mads, 0, 0},
    {"shl.b32", "444", e_shl, 0, 0},
    {"shr.u32", "444", e_shru, 0, 0},
    {"shr.s32", "444", e_shrs, 0, 0},
    {"shr.s64", "884", e_shrs64, 0, 0},
    {"shl.b16", "224", e_shl16, 0, 0},
    {"min.s32", "444", e_mins, 0, 0},
    {"max.u64", "888", e_maxu64, 0, 0},
    {"abs.s32", "44", e_abs, 0, 0},
    {"popc.b64", "48", e_popc64, 0, 0},
    {"clz.b32", "44", e_clz, 0, 0},
    {"brev.b32", "44", e_brev, 0, 0},
    {"bfe.u32", "4444", e_bfeu, 0, 0},
    {"bfe.s32", "4444", e_bfes, 0, 0},
    {"bfe.s64", "8844", e_bfes64, 0, 0},
    {"bfi.b32:5", "4444", e_bfi, 0, 0},
    {"bfind.s32", "44", e_bfind, 0, 0},
    {"prmt.b32", "4444", e_prmt, 0, 0},
    {"lop3.b32:0x96", "4444", e_lop3, 0, 0},
    {"shf.l.wrap.b32", "4444", e_shfl, 0, 0},
    {"shf.r.clamp.b32", "4444", e_shfrc, 0, 0},
    {"div.u32", "444", e_divu, 0, 0},
    {"div.s32", "444", e_divs, 0, 0},
    {"rem.s32", "444", e_rems, 0, 0},
    {"rem.u64", "888", e_rem64, 0, 0},
    {"sad.s32", "4444", e_sad, 0, 0},
    {"selp.b32", "444p", e_selp, 0, 0},
    {"setp.lt.s32", "p44", e_lt, 0, 0},
    {"setp.hi.u64", "p88", e_hi64, 0, 0},
    {"setp.ltu.f32", "p44", e_fltu, 0, 0},
    {"setp.ne.f32", "p44", e_fne, 0, 0},
    {"setp.nan.f64", "p88", e_fnan, 0, 0},
    {"add.f32", "444", e_fadd, 1, 0},
    {"mul.rn.f32", "444", e_fmul, 1, 0},
    {"fma.rn.f32", "4444", e_fma, 1, 0},
    {"fma.rn.f64", "8888", e_fma64, 1, 0},
    {"div.rn.f32", "444", e_fdiv, 1, 0},
    {"sqrt.rn.f64", "88", e_sqrt64, 1, 0},
    {"copysign.f32", "444", e_copysign, 1, 0},
    {"min.f32", "444", e_fmin, 1, 0},
    {"max.NaN.f32", "444", e_fmaxnan, 1, 0},
    {"add.rm.f32", "444", e_addrm, 1, 0},
    {"add.rp.f32", "444", e_addrp, 1, 0},
    {"add.ftz.f32", "444", e_addftz, 1, 0},
    {"mul.sat.f32", "444", e_mulsat, 1, 0},
    {"ex2.approx.f32", "44", e_ex2, 1, 1e-6},
    {"rcp.approx.f32", "44", e_rcp, 1, 1e-6},
    {"cvt.rzi.s32.f32", "44", e_rzis32, 0, 0},
    {"cvt.rni.s32.f32", "44", e_rnis32, 0, 0},
    {"cvt.rmi.u8.f32", "24", e_rmiu8, 0, 0},
    {"cvt.rzi.s64.f64", "88", e_rzis64, 0, 0},
    /* A register may be wider than the number in it. */
    {"cvt.s64.s32", "88", e_s32to64, 0, 0},
    {"cvt.s64.s32", "84", e_s32to64, 0, 0},
    {"cvt.u64.u32", "88", e_u32to64, 0, 0},
    {"cvt.rzi.u32.f64", "48", e_f64nan, 0, 0},
    {"cvt.sat.s8.s32", "24", e_s8, 0, 0},
    {"cvt.s32.s16", "42", e_s16to32, 0, 0},
    {"cvt.rn.f32.u64", "48", e_u64tof32, 0, 0},
    {"cvt.rn.f64.s64", "88", e_s64tof64, 0, 0},
    {"cvt.rn.f16.f32", "24", e_f32tof16, 1, 0},
    {"cvt.f32.f16", "42", e_f16tof32, 1, 0},
    {"cvt.rn.f32.f64", "48", e_f64tof32, 1, 0},
    {"cvt.rn.bf16.f32", "24", e_bf16, 1, 0},
    {"add.rn.f16x2", "444", e_hadd2, 0, 0},
    {"mul.rn.f16x2", "444", e_hmul2, 0, 0},
    {"fma.rn.f16x2", "4444", e_hfma2, 0, 0},
    {"dp4a.s32.s32", "4444", e_dp4a, 0, 0},
    {"carry", "888", e_carry, 0, 0},
};

/** The instruction's text on registers %a, %b, %e of their widths. */
static void write_insn(char *out, size_t size, const row *r)
{
    static const char *const names[] = {"r", "a", "b", "e"};
    const char *colon = strchr(r->opcode, ':');
    const int length = colon ? (int)(colon - r->opcode) : (int)strlen(r->opcode);
    if (strcmp(r->opcode, "carry") == 0) {
        snprintf(
            out, size,
            "{ .reg .b32 %%l<2>, %%m<2>, %%n<2>;\n mov.b64 {%%l0, %%l1}, %%a8;\n mov.b64 {%%m0, %%m1}, %%b8;\n"
            " add.cc.u32 %%n0, %%l0, %%m0;\n addc.u32 %%n1, %%l1, %%m1;\n mov.b64 %%r8, {%%n0, %%n1}; }\n");
        return;
    }
    size_t used = (size_t)snprintf(out, size, "%.*s ", length, r->opcode);
    for (size_t k = 0; r->letters[k]; k++) {
        /* bfi's position is a constant and stands before its length. */
        if (colon && strncmp(r->opcode, "bfi", 3) == 0 && k == 3)
            used += (size_t)snprintf(out + used, size - used, ", %s", colon + 1);
        used += (size_t)snprintf(out + used, size - used, "%s%%%s%c", k ? ", " : "", names[k],
                                 r->letters[k]);
    }
    if (colon && strncmp(r->opcode, "bfi", 3) != 0)
        used += (size_t)snprintf(out + used, size - used, ", %s", colon + 1);
    snprintf(out + used, size - used, ";\n");
}

static void write_kernel(char *out, size_t size, const row *r)
{
    char insn[512];
    write_insn(insn, sizeof insn, r);
    const char w = r->letters[0];
    snprintf(
        out, size,
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 from, .param .u64 to)\n{\n"
        " .reg .b16 %%a2, %%b2, %%e2, %%r2; .reg .b32 %%a4, %%b4, %%e4, %%r4, %%t<4>;\n"
        " .reg .b64 %%a8, %%b8, %%e8, %%r8, %%d<4>; .reg .pred %%ap, %%bp, %%ep, %%rp;\n"
        " ld.param.u64 %%d0, [from]; ld.param.u64 %%d1, [to];\n"
        " mov.u32 %%t0, %%tid.x; mov.u32 %%t1, %%ctaid.x; mad.lo.s32 %%t0, %%t1, 128, %%t0;\n"
        " mul.wide.u32 %%d2, %%t0, 24; add.s64 %%d0, %%d0, %%d2; mul.wide.u32 %%d2, %%t0, 8; add.s64 %%d1, %%d1, %%d2;\n"
        " ld.global.u64 %%a8, [%%d0]; ld.global.u64 %%b8, [%%d0+8]; ld.global.u64 %%e8, [%%d0+16];\n"
        " cvt.u32.u64 %%a4, %%a8; cvt.u32.u64 %%b4, %%b8; cvt.u32.u64 %%e4, %%e8;\n"
        " cvt.u16.u64 %%a2, %%a8; cvt.u16.u64 %%b2, %%b8; cvt.u16.u64 %%e2, %%e8;\n"
        " and.b32 %%t2, %%e4, 1; setp.ne.u32 %%ep, %%t2, 0; mov.b64 %%r8, 0;\n %s"
        "%s st.global.u64 [%%d1], %%r8;\n ret;\n}\n",
        insn,
        w == '2'   ? " cvt.u64.u16 %r8, %r2;\n"
        : w == '4' ? " cvt.u64.u32 %r8, %r4;\n"
        : w == 'p' ? " selp.u64 %r8, 1, 0, %rp;\n"
                   : "");
}

static u64 next(u64 *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/** Numbers at edges of every width and kind. */
static u64 operand(u64 *state)
{
    static const u64 edges[] = {0,
                                1,
                                2,
                                5,
                                15,
                                16,
                                17,
                                31,
                                32,
                                33,
                                63,
                                64,
                                65,
                                127,
                                128,
                                255,
                                256,
                                0x7FFF,
                                0x8000,
                                0xFFFF,
                                0x7FFFFFFF,
                                0x80000000,
                                0x80000001,
                                0xFFFFFFFF,
                                0xFFFFFFFE,
                                0x7FFFFFFFFFFFFFFF,
                                0x8000000000000000,
                                0xFFFFFFFFFFFFFFFF,
                                0x3F800000,
                                0xBF800000,
                                0x7F800000,
                                0xFF800000,
                                0x7FC00000,
                                0x00000001,
                                0x00800000,
                                0x007FFFFF,
                                0x7F7FFFFF,
                                0x4F000000,
                                0xCF000000,
                                0x4EFFFFFF,
                                0x437F0000,
                                0x43800000,
                                0x3F000000,
                                0x3FC00000,
                                0x40200000,
                                0xC0200000,
                                0x3FF0000000000000,
                                0x7FF0000000000000,
                                0xFFF0000000000000,
                                0x7FF8000000000000,
                                0x43E0000000000000,
                                0xC3E0000000000000,
                                0x3FE0000000000000,
                                0x4004000000000000,
                                0x3C003C00,
                                0x7C00FC00,
                                0x7BFF7BFF,
                                0x00010001,
                                0x04003555,
                                0x477FF000,
                                0x477FE000,
                                0x33000000,
                                0x33000001,
                                0x38800000};
    const u64 r = next(state);
    if (r % 8 < 6)
        return edges[(r >> 8) % (sizeof edges / sizeof *edges)];
    return r % 8 == 6 ? next(state) : next(state) & 0xFFFFFFFF;
}

static bool same(const row *r, u64 got, u64 want)
{
    const char w = r->letters[0];
    if (got == want)
        return true;
    if (!r->real)
        return false;
    const double x = w == '8' ? f64(got) : w == '4' ? (double)f32(got) : (double)(float)h(got);
    const double y = w == '8' ? f64(want) : w == '4' ? (double)f32(want) : (double)(float)h(want);
    if (strstr(r->opcode, "bf16")) /* NaNs have been made the same */
        return false;
    return (isnan(x) && isnan(y)) || (r->tolerance > 0 && fabs(x - y) <= r->tolerance * fabs(y));
}

static int try_row(const row *r)
{
    static u64 in[TUPLES][3], out[TUPLES];
    char text[8192], error[512];
    u64 state = 88172645463325252u;
    rk_arena *arena = rk_arena_new();
    const ptx_options options = {.seed = 0};
    ptx_machine *m = ptx_machine_new(arena, &options);
    int wrong = 0;
    for (int k = 0; k < TUPLES; k++)
        for (int p = 0; p < 3; p++)
            in[k][p] = operand(&state);
    write_kernel(text, sizeof text, r);
    ptx_module *module = ptx_read(r->opcode, text, arena, error, sizeof error);
    const u64 params[2] = {(u64)(uintptr_t)in, (u64)(uintptr_t)out};
    ptx_machine_range(m, in, sizeof in, "operands", true, NULL);
    ptx_machine_range(m, out, sizeof out, "results", false, NULL);
    const ptx_launch launch = {.function = module ? ptx_find_function(module, "k") : NULL,
                               .grid = {TUPLES / 128, 1, 1},
                               .block = {128, 1, 1},
                               .params = params};
    if (!module || !ptx_machine_run(m, module, &launch)) {
        printf("%s\n", module ? m->error : error);
        wrong = 1;
    }
    for (int k = 0; k < TUPLES && wrong < 3; k++) {
        const u64 want = r->expected(in[k][0], in[k][1], in[k][2]);
        if (same(r, out[k], want))
            continue;
        printf("%s of %llx, %llx, %llx: %llx instead of %llx\n", r->opcode,
               (unsigned long long)in[k][0], (unsigned long long)in[k][1],
               (unsigned long long)in[k][2], (unsigned long long)out[k], (unsigned long long)want);
        wrong++;
    }
    rk_arena_free(arena);
    return wrong != 0;
}

int main(void)
{
    int wrong = 0;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        wrong += try_row(&rows[k]);
    printf("%zu instructions, %d wrong\n", sizeof rows / sizeof *rows, wrong);
    return wrong != 0;
}
