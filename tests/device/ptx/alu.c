#include "alu.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

/* Integer instructions, predicates, selections and moves. */

typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef __int128 s128;
typedef unsigned __int128 u128;

#define ONE(name, D, A, ...)                                                                       \
    static void name(run *c, const insn *i, uint32_t mask)                                         \
    {                                                                                              \
        D *const d = at(c, i->o[0]);                                                               \
        const A *const pa = at(c, i->o[1]);                                                        \
        EACH_LANE(const A a = pa[l]; d[l] = (D)(__VA_ARGS__);)                                     \
    }
#define TWO(name, D, A, B, ...)                                                                    \
    static void name(run *c, const insn *i, uint32_t mask)                                         \
    {                                                                                              \
        D *const d = at(c, i->o[0]);                                                               \
        const A *const pa = at(c, i->o[1]);                                                        \
        const B *const pb = at(c, i->o[2]);                                                        \
        EACH_LANE(const A a = pa[l]; const B b = pb[l]; d[l] = (D)(__VA_ARGS__);)                  \
    }
#define THREE(name, D, A, B, C, ...)                                                               \
    static void name(run *c, const insn *i, uint32_t mask)                                         \
    {                                                                                              \
        D *const d = at(c, i->o[0]);                                                               \
        const A *const pa = at(c, i->o[1]);                                                        \
        const B *const pb = at(c, i->o[2]);                                                        \
        const C *const pe = at(c, i->o[3]);                                                        \
        EACH_LANE(const A a = pa[l]; const B b = pb[l]; const C e = pe[l];                         \
                  d[l] = (D)(__VA_ARGS__);)                                                        \
    }

/* Wrapping is PTX's: all of it is done without signs. */
#define INTEGERS(T, U, W, bits)                                                                    \
    TWO(add_##T, U, U, U, a + b)                                                                   \
    TWO(sub_##T, U, U, U, a - b)                                                                   \
    TWO(mul_lo_##T, U, U, U, (u64)a *(u64)b)                                                       \
    TWO(mul_hi_##T, U, T, T, ((W)a * (W)b) >> bits)                                                \
    THREE(mad_lo_##T, U, U, U, U, (u64)a *(u64)b + (u64)e)                                         \
    THREE(mad_hi_##T, U, T, T, U, (U)(((W)a * (W)b) >> bits) + e)                                  \
    TWO(min_##T, T, T, T, a < b ? a : b)                                                           \
    TWO(max_##T, T, T, T, a > b ? a : b)                                                           \
    THREE(sad_##T, U, T, T, U, e + (a < b ? (U)b - (U)a : (U)a - (U)b))                            \
    TWO(div_##T, T, T, T, divide_##T(a, b))                                                        \
    TWO(rem_##T, T, T, T, remainder_##T(a, b))                                                     \
    TWO(shr_##T, T, T, u32, b >= bits ? (a < 0 ? -1 : 0) : a >> (b & (bits - 1)))

/** By zero, and the least number by -1: what the hardware gives. */
#define DIVISIONS(T, S, least)                                                                     \
    static inline T divide_##T(T a, T b)                                                           \
    {                                                                                              \
        return b == 0 ? (T)-1 : S && a == least && b == (T)-1 ? a : (T)(a / b);                    \
    }                                                                                              \
    static inline T remainder_##T(T a, T b)                                                        \
    {                                                                                              \
        return b == 0 ? a : S && b == (T)-1 ? 0 : (T)(a % b);                                      \
    }
DIVISIONS(u16, 0, 0)
DIVISIONS(s16, 1, SHRT_MIN)
DIVISIONS(u32, 0, 0)
DIVISIONS(s32, 1, INT_MIN)
DIVISIONS(u64, 0, 0)
DIVISIONS(s64, 1, LLONG_MIN)

#pragma GCC diagnostic ignored "-Wtype-limits"
INTEGERS(u16, u16, u32, 16)
INTEGERS(s16, u16, s32, 16)
INTEGERS(u32, u32, u64, 32)
INTEGERS(s32, u32, s64, 32)
INTEGERS(u64, u64, u128, 64)
INTEGERS(s64, u64, s128, 64)
TWO(mul_wide_u16, u32, u16, u16, (u32)a *(u32)b)
TWO(mul_wide_s16, u32, s16, s16, (s32)a *(s32)b)
TWO(mul_wide_u32, u64, u32, u32, (u64)a *(u64)b)
TWO(mul_wide_s32, u64, s32, s32, (s64)a *(s64)b)
THREE(mad_wide_u16, u32, u16, u16, u32, (u32)a *(u32)b + e)
THREE(mad_wide_s16, u32, s16, s16, u32, (u32)((s32)a *(s32)b) + e)
THREE(mad_wide_u32, u64, u32, u32, u64, (u64)a *(u64)b + e)
THREE(mad_wide_s32, u64, s32, s32, u64, (u64)((s64)a *(s64)b) + e)

static inline s32 low24(s32 v)
{
    return (s32)((u32)v << 8) >> 8;
}
TWO(mul24_lo_u32, u32, u32, u32, (u64)(a & 0xFFFFFF) * (b & 0xFFFFFF))
TWO(mul24_hi_u32, u32, u32, u32, (u64)(a & 0xFFFFFF) * (b & 0xFFFFFF) >> 16)
TWO(mul24_lo_s32, u32, s32, s32, (s64)low24(a) * low24(b))
TWO(mul24_hi_s32, u32, s32, s32, (s64)low24(a) * low24(b) >> 16)
THREE(mad24_lo_u32, u32, u32, u32, u32, (u32)((u64)(a & 0xFFFFFF) * (b & 0xFFFFFF)) + e)
THREE(mad24_lo_s32, u32, s32, s32, u32, (u32)((s64)low24(a) * low24(b)) + e)

ONE(abs_s16, s16, s16, (u16)(a < 0 ? -(u32)a : (u32)a))
ONE(abs_s32, u32, s32, a < 0 ? -(u32)a : (u32)a)
ONE(abs_s64, u64, s64, a < 0 ? -(u64)a : (u64)a)
ONE(neg_s16, u16, u16, -(u32)a)
ONE(neg_s32, u32, u32, -a)
ONE(neg_s64, u64, u64, -a)
TWO(add_sat_s32, s32, s32, s32,
    (s64)a + b > INT_MAX   ? INT_MAX
    : (s64)a + b < INT_MIN ? INT_MIN
                           : (s64)a + b)
TWO(sub_sat_s32, s32, s32, s32,
    (s64)a - b > INT_MAX   ? INT_MAX
    : (s64)a - b < INT_MIN ? INT_MIN
                           : (s64)a - b)

#define BITS(T)                                                                                    \
    TWO(and_##T, T, T, T, a &b)                                                                    \
    TWO(or_##T, T, T, T, a | b)                                                                    \
    TWO(xor_##T, T, T, T, a ^ b)                                                                   \
    ONE(not_##T, T, T, ~a)                                                                         \
    ONE(cnot_##T, T, T, a == 0)                                                                    \
    ONE(mov_##T, T, T, a)                                                                          \
    TWO(shl_##T, T, T, u32, b >= 8 * sizeof(T) ? 0 : (u64)a << (b & (8 * sizeof(T) - 1)))          \
    static void selp_##T(run *c, const insn *i, uint32_t mask)                                     \
    {                                                                                              \
        T *const d = at(c, i->o[0]);                                                               \
        const T *const a = at(c, i->o[1]), *const b = at(c, i->o[2]);                              \
        const u32 p = predicate(c, i->o[3]);                                                       \
        EACH_LANE(d[l] = p >> l & 1 ? a[l] : b[l];)                                                \
    }                                                                                              \
    THREE(slct_##T##_s32, T, T, T, s32, e >= 0 ? a : b)                                            \
    THREE(slct_##T##_f32, T, T, T, float, e >= 0 ? a : b)
BITS(u16)
BITS(u32)
BITS(u64)

#define PREDICATES(name, expression)                                                               \
    static void name(run *c, const insn *i, uint32_t mask)                                         \
    {                                                                                              \
        u32 *const d = at(c, i->o[0]);                                                             \
        const u32 a = predicate(c, i->o[1]), b = predicate(c, i->o[2]);                            \
        (void)b;                                                                                   \
        *d = (*d & ~mask) | ((expression)&mask);                                                   \
    }
PREDICATES(and_pred, a &b)
PREDICATES(or_pred, a | b)
PREDICATES(xor_pred, a ^ b)
PREDICATES(not_pred, ~a)
PREDICATES(mov_pred, a)

ONE(popc_b32, u32, u32, __builtin_popcount(a))
ONE(popc_b64, u32, u64, __builtin_popcountll(a))
ONE(clz_b32, u32, u32, a ? __builtin_clz(a) : 32)
ONE(clz_b64, u32, u64, a ? __builtin_clzll(a) : 64)

static inline u64 reverse(u64 v)
{
    v = (v >> 1 & 0x5555555555555555u) | (v & 0x5555555555555555u) << 1;
    v = (v >> 2 & 0x3333333333333333u) | (v & 0x3333333333333333u) << 2;
    v = (v >> 4 & 0x0F0F0F0F0F0F0F0Fu) | (v & 0x0F0F0F0F0F0F0F0Fu) << 4;
    return __builtin_bswap64(v);
}
ONE(brev_b32, u32, u32, reverse(a) >> 32)
ONE(brev_b64, u64, u64, reverse(a))

/** The highest bit that differs from the sign; `shift`: how far it would have to move to the top. */
static inline u32 find_bit(u64 v, int bits, bool is_signed, bool shift)
{
    if (is_signed && v >> (bits - 1) & 1)
        v = ~v;
    v &= bits == 64 ? ~(u64)0 : 0xFFFFFFFFu;
    if (!v)
        return 0xFFFFFFFFu;
    const u32 at_bit = 63 - (u32)__builtin_clzll(v);
    return shift ? (u32)bits - 1 - at_bit : at_bit;
}
ONE(bfind_u32, u32, u32, find_bit(a, 32, false, false))
ONE(bfind_s32, u32, u32, find_bit(a, 32, true, false))
ONE(bfind_u64, u32, u64, find_bit(a, 64, false, false))
ONE(bfind_s64, u32, u64, find_bit(a, 64, true, false))
ONE(bfind_shiftamt_u32, u32, u32, find_bit(a, 32, false, true))
ONE(bfind_shiftamt_s32, u32, u32, find_bit(a, 32, true, true))
ONE(bfind_shiftamt_u64, u32, u64, find_bit(a, 64, false, true))
ONE(bfind_shiftamt_s64, u32, u64, find_bit(a, 64, true, true))

/** `length` bits from `position`; the sign of what is taken fills the rest. */
static inline u64 extract(u64 v, u32 position, u32 length, u32 bits, bool is_signed)
{
    position &= 0xFF;
    length &= 0xFF;
    if (length == 0)
        return 0;
    const u32 top = position + length - 1 < bits - 1 ? position + length - 1 : bits - 1;
    const u64 sign = is_signed && v >> top & 1 ? ~(u64)0 : 0;
    if (position >= bits)
        return sign;
    const u32 taken = top - position + 1;
    const u64 field = taken == 64 ? v : v >> position & (((u64)1 << taken) - 1);
    return taken == 64 ? field : field | sign << taken;
}
THREE(bfe_u32, u32, u32, u32, u32, extract(a, b, e, 32, false))
THREE(bfe_s32, u32, u32, u32, u32, extract(a, b, e, 32, true))
THREE(bfe_u64, u64, u64, u32, u32, extract(a, b, e, 64, false))
THREE(bfe_s64, u64, u64, u32, u32, extract(a, b, e, 64, true))

static inline u64 insert_bits(u64 a, u64 b, u32 position, u32 length, u32 bits)
{
    position &= 0xFF;
    length &= 0xFF;
    if (position >= bits || length == 0)
        return b;
    const u64 field = (length >= 64 ? ~(u64)0 : ((u64)1 << length) - 1) << position;
    return (b & ~field) | (a << position & field);
}
#define INSERT(name, T, bits)                                                                      \
    static void name(run *c, const insn *i, uint32_t mask)                                         \
    {                                                                                              \
        T *const d = at(c, i->o[0]);                                                               \
        const T *const a = at(c, i->o[1]), *const b = at(c, i->o[2]);                              \
        const u32 *const e = at(c, i->o[3]), *const f = at(c, i->o[4]);                            \
        EACH_LANE(d[l] = (T)insert_bits(a[l], b[l], e[l], f[l], bits);)                            \
    }
INSERT(bfi_b32, u32, 32)
INSERT(bfi_b64, u64, 64)

static void lop3_b32(run *c, const insn *i, uint32_t mask)
{
    u32 *const d = at(c, i->o[0]);
    const u32 *const pa = at(c, i->o[1]), *const pb = at(c, i->o[2]), *const pe = at(c, i->o[3]);
    const u32 table = *(const u32 *)at(c, i->o[4]);
    EACH_LANE(const u32 a = pa[l]; const u32 b = pb[l]; const u32 e = pe[l]; u32 r = 0;
              r |= (table >> 0 & 1 ? ~a & ~b & ~e : 0) | (table >> 1 & 1 ? ~a & ~b & e : 0);
              r |= (table >> 2 & 1 ? ~a & b & ~e : 0) | (table >> 3 & 1 ? ~a & b & e : 0);
              r |= (table >> 4 & 1 ? a & ~b & ~e : 0) | (table >> 5 & 1 ? a & ~b & e : 0);
              r |= (table >> 6 & 1 ? a & b & ~e : 0) | (table >> 7 & 1 ? a & b & e : 0); d[l] = r;)
}

/** Two words as one, shifted; b is the upper. */
#define WORDS (((u64)b << 32) | a)
THREE(shf_l_wrap_b32, u32, u32, u32, u32, WORDS << (e & 31) >> 32)
THREE(shf_r_wrap_b32, u32, u32, u32, u32, WORDS >> (e & 31))
THREE(shf_l_clamp_b32, u32, u32, u32, u32, e >= 32 ? a : WORDS << (e & 31) >> 32)
THREE(shf_r_clamp_b32, u32, u32, u32, u32, e >= 32 ? b : WORDS >> (e & 31))

/** Byte `s` of the eight in b:a, or its sign. */
static inline u32 pick(u64 words, u32 s)
{
    const u32 byte = (u32)(words >> (8 * (s & 7))) & 0xFF;
    return s & 8 ? (byte & 0x80 ? 0xFF : 0) : byte;
}
static inline u32 permute(u64 words, u32 s)
{
    return pick(words, s & 15) | pick(words, s >> 4 & 15) << 8 | pick(words, s >> 8 & 15) << 16 |
           pick(words, s >> 12 & 15) << 24;
}
/** The special forms choose selectors by the low two bits. */
static inline u32 special(u64 words, u32 s, const u16 selectors[4])
{
    return permute(words, selectors[s & 3]);
}
static const u16 f4e[4] = {0x3210, 0x4321, 0x5432, 0x6543},
                 b4e[4] = {0x5670, 0x6701, 0x7012, 0x0123},
                 rc8[4] = {0x0000, 0x1111, 0x2222, 0x3333},
                 ecl[4] = {0x3210, 0x3211, 0x3222, 0x3333},
                 ecr[4] = {0x0000, 0x1110, 0x2210, 0x3210},
                 rc16[4] = {0x1010, 0x3232, 0x1010, 0x3232};
THREE(prmt_b32, u32, u32, u32, u32, permute(WORDS, e))
THREE(prmt_f4e, u32, u32, u32, u32, special(WORDS, e, f4e))
THREE(prmt_b4e, u32, u32, u32, u32, special(WORDS, e, b4e))
THREE(prmt_rc8, u32, u32, u32, u32, special(WORDS, e, rc8))
THREE(prmt_ecl, u32, u32, u32, u32, special(WORDS, e, ecl))
THREE(prmt_ecr, u32, u32, u32, u32, special(WORDS, e, ecr))
THREE(prmt_rc16, u32, u32, u32, u32, special(WORDS, e, rc16))

/** Four bytes times four bytes; or two halves times two of the bytes. */
#define BYTE(v, k, sign) ((sign) ? (s32)(int8_t)((v) >> 8 * (k)) : (s32)((v) >> 8 * (k)&0xFF))
#define HALF(v, k, sign) ((sign) ? (s32)(s16)((v) >> 16 * (k)) : (s32)((v) >> 16 * (k)&0xFFFF))
#define DOT4(name, sa, sb)                                                                         \
    THREE(name, u32, u32, u32, u32,                                                                \
          e + (u32)(BYTE(a, 0, sa) * BYTE(b, 0, sb)) + (u32)(BYTE(a, 1, sa) * BYTE(b, 1, sb)) +    \
              (u32)(BYTE(a, 2, sa) * BYTE(b, 2, sb)) + (u32)(BYTE(a, 3, sa) * BYTE(b, 3, sb)))
#define DOT2(name, sa, sb, first)                                                                  \
    THREE(name, u32, u32, u32, u32,                                                                \
          e + (u32)HALF(a, 0, sa) * (u32)BYTE(b, first, sb) +                                      \
              (u32)HALF(a, 1, sa) * (u32)BYTE(b, first + 1, sb))
DOT4(dp4a_uu, 0, 0)
DOT4(dp4a_us, 0, 1)
DOT4(dp4a_su, 1, 0)
DOT4(dp4a_ss, 1, 1)
DOT2(dp2a_lo_uu, 0, 0, 0)
DOT2(dp2a_lo_us, 0, 1, 0)
DOT2(dp2a_lo_su, 1, 0, 0)
DOT2(dp2a_lo_ss, 1, 1, 0)
DOT2(dp2a_hi_uu, 0, 0, 2)
DOT2(dp2a_hi_us, 0, 1, 2)
DOT2(dp2a_hi_su, 1, 0, 2)
DOT2(dp2a_hi_ss, 1, 1, 2)

/** With the warp's carry flags: what comes in, and whether what comes out is kept. */
#define CARRY(name, T, W, takes, gives, expression)                                                \
    static void name(run *c, const insn *i, uint32_t mask)                                         \
    {                                                                                              \
        T *const d = at(c, i->o[0]);                                                               \
        const T *const pa = at(c, i->o[1]), *const pb = at(c, i->o[2]);                            \
        const T *const pe = at(c, i->o[3]);                                                        \
        u32 out = c->w->carry;                                                                     \
        for (u32 k = mask; k; k &= k - 1) {                                                        \
            const int l = __builtin_ctz(k);                                                        \
            const W a = pa[l], b = pb[l], in = takes ? c->w->carry >> l & 1 : 0;                   \
            const W e = pe[l];                                                                     \
            (void)e;                                                                               \
            (void)in;                                                                              \
            const W r = expression;                                                                \
            d[l] = (T)r;                                                                           \
            out = (out & ~(1u << l)) | (u32)(r >> (8 * sizeof(T)) & 1) << l;                       \
        }                                                                                          \
        if (gives)                                                                                 \
            c->w->carry = out;                                                                     \
    }
/* The carry of a subtraction is its borrow. */
#define CARRIES(T, W)                                                                              \
    CARRY(add_cc_##T, T, W, 0, 1, a + b)                                                           \
    CARRY(addc_##T, T, W, 1, 0, a + b + in)                                                        \
    CARRY(addc_cc_##T, T, W, 1, 1, a + b + in)                                                     \
    CARRY(sub_cc_##T, T, W, 0, 1, a - b)                                                           \
    CARRY(subc_##T, T, W, 1, 0, a - b - in)                                                        \
    CARRY(subc_cc_##T, T, W, 1, 1, a - b - in)                                                     \
    CARRY(mad_lo_cc_##T, T, W, 0, 1, (W)(T)(a * b) + e)                                            \
    CARRY(madc_lo_##T, T, W, 1, 0, (W)(T)(a * b) + e + in)                                         \
    CARRY(madc_lo_cc_##T, T, W, 1, 1, (W)(T)(a * b) + e + in)                                      \
    CARRY(mad_hi_cc_##T, T, W, 0, 1, (a * b >> (8 * sizeof(T))) + e)                               \
    CARRY(madc_hi_##T, T, W, 1, 0, (a * b >> (8 * sizeof(T))) + e + in)                            \
    CARRY(madc_hi_cc_##T, T, W, 1, 1, (a * b >> (8 * sizeof(T))) + e + in)
CARRIES(u32, u64)
CARRIES(u64, u128)

/** Lanes for which a byte is not 0. */
static inline u32 gather(const unsigned char t[LANES])
{
#ifdef __AVX2__
    return (u32)_mm256_movemask_epi8(_mm256_loadu_si256((const __m256i *)(const void *)t));
#else
    u32 out = 0;
    for (int l = 0; l < LANES; l++)
        out |= (u32)(t[l] >> 7) << l;
    return out;
#endif
}

/** `imm` says how a third predicate is taken: 0 not at all, then and, or, xor. */
static inline void set_predicates(run *c, const insn *i, u32 mask, u32 r)
{
    u32 p = r, q = ~r;
    if (i->imm) {
        const u32 third = predicate(c, i->o[4]);
        p = i->imm == 1 ? r & third : i->imm == 2 ? r | third : r ^ third;
        q = i->imm == 1 ? ~r & third : i->imm == 2 ? ~r | third : ~r ^ third;
    }
    u32 *const d = at(c, i->o[0]), *const e = at(c, i->o[1]);
    *d = (*d & ~mask) | (p & mask);
    if (e != d)
        *e = (*e & ~mask) | (q & mask);
}
#define COMPARE(name, T, ...)                                                                      \
    static void setp_##name(run *c, const insn *i, uint32_t mask)                                  \
    {                                                                                              \
        const T *const pa = at(c, i->o[2]), *const pb = at(c, i->o[3]);                            \
        unsigned char t[LANES];                                                                    \
        for (int l = 0; l < LANES; l++) {                                                          \
            const T a = pa[l], b = pb[l];                                                          \
            t[l] = (__VA_ARGS__) ? 0xFF : 0;                                                       \
        }                                                                                          \
        set_predicates(c, i, mask, gather(t));                                                     \
    }
#define COMPARES(T, C)                                                                             \
    COMPARE(eq_##T, C, a == b)                                                                     \
    COMPARE(ne_##T, C, a != b)                                                                     \
    COMPARE(lt_##T, C, a < b)                                                                      \
    COMPARE(le_##T, C, a <= b)                                                                     \
    COMPARE(gt_##T, C, a > b)                                                                      \
    COMPARE(ge_##T, C, a >= b)
COMPARES(u16, u16)
COMPARES(s16, s16)
COMPARES(u32, u32)
COMPARES(s32, s32)
COMPARES(u64, u64)
COMPARES(s64, s64)
#define FLOAT_COMPARES(T, C)                                                                       \
    COMPARE(eq_##T, C, a == b)                                                                     \
    COMPARE(ne_##T, C, a<b || a> b)                                                                \
    COMPARE(lt_##T, C, a < b)                                                                      \
    COMPARE(le_##T, C, a <= b)                                                                     \
    COMPARE(gt_##T, C, a > b)                                                                      \
    COMPARE(ge_##T, C, a >= b)                                                                     \
    COMPARE(equ_##T, C, !(a < b || a > b))                                                         \
    COMPARE(neu_##T, C, a != b)                                                                    \
    COMPARE(ltu_##T, C, !(a >= b))                                                                 \
    COMPARE(leu_##T, C, !(a > b))                                                                  \
    COMPARE(gtu_##T, C, !(a <= b))                                                                 \
    COMPARE(geu_##T, C, !(a < b))                                                                  \
    COMPARE(num_##T, C, a == a && b == b)                                                          \
    COMPARE(nan_##T, C, a != a || b != b)
FLOAT_COMPARES(f32, float)
FLOAT_COMPARES(f64, double)

#define INTEGER_ROWS(T, w)                                                                         \
    {"add." #T, add_##T, w w w}, {"sub." #T, sub_##T, w w w}, {"mul.lo." #T, mul_lo_##T, w w w},   \
        {"mul.hi." #T, mul_hi_##T, w w w}, {"mad.lo." #T, mad_lo_##T, w w w w},                    \
        {"mad.hi." #T, mad_hi_##T, w w w w}, {"min." #T, min_##T, w w w},                          \
        {"max." #T, max_##T, w w w}, {"sad." #T, sad_##T, w w w w}, {"div." #T, div_##T, w w w},   \
        {"rem." #T, rem_##T, w w w},                                                               \
    {                                                                                              \
        "shr." #T, shr_##T, w w "4"                                                                \
    }
#define BIT_ROWS(n, T, w)                                                                          \
    {"and.b" n, and_##T, w w w}, {"or.b" n, or_##T, w w w}, {"xor.b" n, xor_##T, w w w},           \
        {"not.b" n, not_##T, w w}, {"cnot.b" n, cnot_##T, w w}, {"shl.b" n, shl_##T, w w "4"},     \
        {"shr.b" n, shr_##T, w w "4"}, {"mov.b" n, mov_##T, w w}, {"mov.u" n, mov_##T, w w},       \
        {"mov.s" n, mov_##T, w w}, {"mov.f" n, mov_##T, w w}, {"selp.b" n, selp_##T, w w w "p"},   \
        {"selp.u" n, selp_##T, w w w "p"}, {"selp.s" n, selp_##T, w w w "p"},                      \
        {"selp.f" n, selp_##T, w w w "p"}, {"slct.b" n ".s32", slct_##T##_s32, w w w "4"},         \
        {"slct.u" n ".s32", slct_##T##_s32, w w w "4"},                                            \
        {"slct.s" n ".s32", slct_##T##_s32, w w w "4"},                                            \
        {"slct.f" n ".s32", slct_##T##_s32, w w w "4"},                                            \
        {"slct.f" n ".f32", slct_##T##_f32, w w w "4"},                                            \
    {                                                                                              \
        "slct.b" n ".f32", slct_##T##_f32, w w w "4"                                               \
    }
#define COMPARE_ROWS(T, F, w)                                                                      \
    {"setp.eq." #T, setp_eq_##F, "pp" w w}, {"setp.ne." #T, setp_ne_##F, "pp" w w},                \
        {"setp.lt." #T, setp_lt_##F, "pp" w w}, {"setp.le." #T, setp_le_##F, "pp" w w},            \
        {"setp.gt." #T, setp_gt_##F, "pp" w w},                                                    \
    {                                                                                              \
        "setp.ge." #T, setp_ge_##F, "pp" w w                                                       \
    }
#define UNSIGNED_ROWS(T, w)                                                                        \
    {"setp.lo." #T, setp_lt_##T, "pp" w w}, {"setp.ls." #T, setp_le_##T, "pp" w w},                \
        {"setp.hi." #T, setp_gt_##T, "pp" w w},                                                    \
    {                                                                                              \
        "setp.hs." #T, setp_ge_##T, "pp" w w                                                       \
    }
#define FLOAT_COMPARE_ROWS(T, w)                                                                   \
    COMPARE_ROWS(T, T, w), {"setp.equ." #T, setp_equ_##T, "pp" w w},                               \
        {"setp.neu." #T, setp_neu_##T, "pp" w w}, {"setp.ltu." #T, setp_ltu_##T, "pp" w w},        \
        {"setp.leu." #T, setp_leu_##T, "pp" w w}, {"setp.gtu." #T, setp_gtu_##T, "pp" w w},        \
        {"setp.geu." #T, setp_geu_##T, "pp" w w}, {"setp.num." #T, setp_num_##T, "pp" w w},        \
    {                                                                                              \
        "setp.nan." #T, setp_nan_##T, "pp" w w                                                     \
    }
#define CARRY_ROWS(s, T, w)                                                                        \
    {"add.cc." s, add_cc_##T, w w w}, {"addc." s, addc_##T, w w w},                                \
        {"addc.cc." s, addc_cc_##T, w w w}, {"sub.cc." s, sub_cc_##T, w w w},                      \
        {"subc." s, subc_##T, w w w}, {"subc.cc." s, subc_cc_##T, w w w},                          \
        {"mad.lo.cc." s, mad_lo_cc_##T, w w w w}, {"madc.lo." s, madc_lo_##T, w w w w},            \
    {                                                                                              \
        "madc.lo.cc." s, madc_lo_cc_##T, w w w w                                                   \
    }
/* The upper halves differ by sign: these are those of unsigned numbers. */
#define CARRY_HIGH_ROWS(s, T, w)                                                                   \
    {"mad.hi.cc." s, mad_hi_cc_##T, w w w w}, {"madc.hi." s, madc_hi_##T, w w w w},                \
    {                                                                                              \
        "madc.hi.cc." s, madc_hi_cc_##T, w w w w                                                   \
    }

static const alu_op ops[] = {
    INTEGER_ROWS(u16, "2"),
    INTEGER_ROWS(s16, "2"),
    INTEGER_ROWS(u32, "4"),
    INTEGER_ROWS(s32, "4"),
    INTEGER_ROWS(u64, "8"),
    INTEGER_ROWS(s64, "8"),
    BIT_ROWS("16", u16, "2"),
    BIT_ROWS("32", u32, "4"),
    BIT_ROWS("64", u64, "8"),
    COMPARE_ROWS(u16, u16, "2"),
    COMPARE_ROWS(s16, s16, "2"),
    COMPARE_ROWS(b16, u16, "2"),
    COMPARE_ROWS(u32, u32, "4"),
    COMPARE_ROWS(s32, s32, "4"),
    COMPARE_ROWS(b32, u32, "4"),
    COMPARE_ROWS(u64, u64, "8"),
    COMPARE_ROWS(s64, s64, "8"),
    COMPARE_ROWS(b64, u64, "8"),
    UNSIGNED_ROWS(u16, "2"),
    UNSIGNED_ROWS(u32, "4"),
    UNSIGNED_ROWS(u64, "8"),
    FLOAT_COMPARE_ROWS(f32, "4"),
    FLOAT_COMPARE_ROWS(f64, "8"),
    CARRY_ROWS("u32", u32, "4"),
    CARRY_ROWS("s32", u32, "4"),
    CARRY_ROWS("u64", u64, "8"),
    CARRY_ROWS("s64", u64, "8"),
    CARRY_HIGH_ROWS("u32", u32, "4"),
    CARRY_HIGH_ROWS("u64", u64, "8"),
    {"mul.wide.u16", mul_wide_u16, "422"},
    {"mul.wide.s16", mul_wide_s16, "422"},
    {"mul.wide.u32", mul_wide_u32, "844"},
    {"mul.wide.s32", mul_wide_s32, "844"},
    {"mad.wide.u16", mad_wide_u16, "4224"},
    {"mad.wide.s16", mad_wide_s16, "4224"},
    {"mad.wide.u32", mad_wide_u32, "8448"},
    {"mad.wide.s32", mad_wide_s32, "8448"},
    {"mul24.lo.u32", mul24_lo_u32, "444"},
    {"mul24.hi.u32", mul24_hi_u32, "444"},
    {"mul24.lo.s32", mul24_lo_s32, "444"},
    {"mul24.hi.s32", mul24_hi_s32, "444"},
    {"mad24.lo.u32", mad24_lo_u32, "4444"},
    {"mad24.lo.s32", mad24_lo_s32, "4444"},
    {"abs.s16", abs_s16, "22"},
    {"abs.s32", abs_s32, "44"},
    {"abs.s64", abs_s64, "88"},
    {"neg.s16", neg_s16, "22"},
    {"neg.s32", neg_s32, "44"},
    {"neg.s64", neg_s64, "88"},
    {"add.sat.s32", add_sat_s32, "444"},
    {"sub.sat.s32", sub_sat_s32, "444"},
    {"and.pred", and_pred, "ppp"},
    {"or.pred", or_pred, "ppp"},
    {"xor.pred", xor_pred, "ppp"},
    {"not.pred", not_pred, "pp"},
    {"mov.pred", mov_pred, "pp"},
    {"popc.b32", popc_b32, "44"},
    {"popc.b64", popc_b64, "48"},
    {"clz.b32", clz_b32, "44"},
    {"clz.b64", clz_b64, "48"},
    {"brev.b32", brev_b32, "44"},
    {"brev.b64", brev_b64, "88"},
    {"bfind.u32", bfind_u32, "44"},
    {"bfind.s32", bfind_s32, "44"},
    {"bfind.u64", bfind_u64, "48"},
    {"bfind.s64", bfind_s64, "48"},
    {"bfind.shiftamt.u32", bfind_shiftamt_u32, "44"},
    {"bfind.shiftamt.s32", bfind_shiftamt_s32, "44"},
    {"bfind.shiftamt.u64", bfind_shiftamt_u64, "48"},
    {"bfind.shiftamt.s64", bfind_shiftamt_s64, "48"},
    {"bfe.u32", bfe_u32, "4444"},
    {"bfe.s32", bfe_s32, "4444"},
    {"bfe.u64", bfe_u64, "8844"},
    {"bfe.s64", bfe_s64, "8844"},
    {"bfi.b32", bfi_b32, "44444"},
    {"bfi.b64", bfi_b64, "88844"},
    {"lop3.b32", lop3_b32, "44444"},
    {"shf.l.wrap.b32", shf_l_wrap_b32, "4444"},
    {"shf.r.wrap.b32", shf_r_wrap_b32, "4444"},
    {"shf.l.clamp.b32", shf_l_clamp_b32, "4444"},
    {"shf.r.clamp.b32", shf_r_clamp_b32, "4444"},
    {"prmt.b32", prmt_b32, "4444"},
    {"prmt.b32.f4e", prmt_f4e, "4444"},
    {"prmt.b32.b4e", prmt_b4e, "4444"},
    {"prmt.b32.rc8", prmt_rc8, "4444"},
    {"prmt.b32.ecl", prmt_ecl, "4444"},
    {"prmt.b32.ecr", prmt_ecr, "4444"},
    {"prmt.b32.rc16", prmt_rc16, "4444"},
    {"dp4a.u32.u32", dp4a_uu, "4444"},
    {"dp4a.u32.s32", dp4a_us, "4444"},
    {"dp4a.s32.u32", dp4a_su, "4444"},
    {"dp4a.s32.s32", dp4a_ss, "4444"},
    {"dp2a.lo.u32.u32", dp2a_lo_uu, "4444"},
    {"dp2a.lo.u32.s32", dp2a_lo_us, "4444"},
    {"dp2a.lo.s32.u32", dp2a_lo_su, "4444"},
    {"dp2a.lo.s32.s32", dp2a_lo_ss, "4444"},
    {"dp2a.hi.u32.u32", dp2a_hi_uu, "4444"},
    {"dp2a.hi.u32.s32", dp2a_hi_us, "4444"},
    {"dp2a.hi.s32.u32", dp2a_hi_su, "4444"},
    {"dp2a.hi.s32.s32", dp2a_hi_ss, "4444"},
};

const alu_op *alu_find(const char *name)
{
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(ops[i].name, name) == 0)
            return &ops[i];
    return NULL;
}
