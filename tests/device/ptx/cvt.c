#include "alu.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

/* Conversions. A lane's value is taken apart as a signed 128-bit integer or a double, both exact, then rounded once. */

typedef __int128 s128;

typedef enum { U8, S8, U16, S16, U32, S32, U64, S64, F16, BF16, F32, F64, NUMBERS } ptx_number;

static const struct {
    const char *name;
    int bytes;
    bool is_signed, real;
} numbers[NUMBERS] = {
    [U8] = {"u8", 1, false, false},   [S8] = {"s8", 1, true, false},
    [U16] = {"u16", 2, false, false}, [S16] = {"s16", 2, true, false},
    [U32] = {"u32", 4, false, false}, [S32] = {"s32", 4, true, false},
    [U64] = {"u64", 8, false, false}, [S64] = {"s64", 8, true, false},
    [F16] = {"f16", 2, true, true},   [BF16] = {"bf16", 2, true, true},
    [F32] = {"f32", 4, true, true},   [F64] = {"f64", 8, true, true},
};

static int number_named(const char *name, size_t length)
{
    for (int i = 0; i < NUMBERS; i++)
        if (strlen(numbers[i].name) == length && memcmp(numbers[i].name, name, length) == 0)
            return i;
    return -1;
}

/** A modifier that is no type. */
static bool modifier(cvt_form *form, const char *text, size_t length)
{
    static const struct {
        const char *name;
        int rounding;
        bool integer;
    } roundings[] = {{"rn", FE_TONEAREST, false}, {"rz", FE_TOWARDZERO, false},
                     {"rm", FE_DOWNWARD, false},  {"rp", FE_UPWARD, false},
                     {"rni", FE_TONEAREST, true}, {"rzi", FE_TOWARDZERO, true},
                     {"rmi", FE_DOWNWARD, true},  {"rpi", FE_UPWARD, true}};
    for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++) {
        if (strlen(roundings[i].name) == length && memcmp(roundings[i].name, text, length) == 0) {
            form->rounding = roundings[i].rounding;
            form->integer = roundings[i].integer;
            return true;
        }
    }
    form->ftz |= length == 3 && memcmp(text, "ftz", 3) == 0;
    form->sat |= length == 3 && memcmp(text, "sat", 3) == 0;
    form->relu |= length == 4 && memcmp(text, "relu", 4) == 0;
    return (length == 3 && (memcmp(text, "ftz", 3) == 0 || memcmp(text, "sat", 3) == 0)) ||
           (length == 4 && memcmp(text, "relu", 4) == 0);
}

bool cvt_read(cvt_form *form, const char *opcode, const char **operands)
{
    static const char *const widths[] = {NULL, "22", "22", NULL, "44", NULL, NULL, NULL, "88"};
    (void)widths;
    int types[2], count = 0;
    bool pair = false;
    *form = (cvt_form){.rounding = -1};
    for (const char *p = strchr(opcode, '.'); p; p = strchr(p, '.')) {
        const size_t length = strcspn(++p, ".");
        const bool two = length > 4 && memcmp(p + length - 2, "x2", 2) == 0;
        const int type = number_named(p, length - (two ? 2 : 0));
        if (type >= 0 && count < 2) {
            pair |= two;
            types[count++] = type;
        } else if (type >= 0 || !modifier(form, p, length)) {
            return false;
        }
    }
    if (count != 2)
        return false;
    form->to = types[0];
    form->from = types[1];
    if (pair) { /* cvt.rn.f16x2.f32 d, a, b: a is the upper half */
        *operands = "444";
        form->low = true;
        return (form->to == F16 || form->to == BF16) && form->from == F32;
    }
    static char letters[NUMBERS][NUMBERS][3];
    /* A register may be wider than an 8-bit number. */
    letters[form->to][form->from][0] = (char)('0' + numbers[form->to].bytes);
    letters[form->to][form->from][1] = (char)('0' + numbers[form->from].bytes);
    *operands = letters[form->to][form->from];
    return true;
}

static s128 load_integer(const unsigned char *p, int type)
{
    uint64_t bits = 0;
    memcpy(&bits, p, (size_t)numbers[type].bytes);
    const int shift = 64 - 8 * numbers[type].bytes;
    return numbers[type].is_signed ? (s128)((int64_t)(bits << shift) >> shift) : (s128)bits;
}

static double load_real(const unsigned char *p, int type)
{
    uint16_t half;
    float single;
    double wide;
    memcpy(&half, p, sizeof half);
    memcpy(&single, p, sizeof single);
    if (type == F16)
        return half_to_double(half);
    if (type == BF16)
        return bfloat_to_double(half);
    if (type == F32)
        return (double)single;
    memcpy(&wide, p, sizeof wide);
    return wide;
}

static s128 least_of(int type)
{
    return numbers[type].is_signed ? -((s128)1 << (8 * numbers[type].bytes - 1)) : 0;
}
static s128 most_of(int type)
{
    return ((s128)1 << (8 * numbers[type].bytes - numbers[type].is_signed)) - 1;
}

/** A real number as an integer of the type: rounded, held in its range, 0 for a NaN. */
static s128 to_integer(double value, const cvt_form *form)
{
    /* As PTX has it: 0, but the top bit alone where the source or the target has 64 bits. */
    if (isnan(value)) {
        const bool wide = form->from == F64 || numbers[form->to].bytes == 8;
        const s128 top = (s128)1 << (8 * numbers[form->to].bytes - 1);
        return !wide ? 0 : numbers[form->to].is_signed ? -top : top;
    }
    const double rounded = rint(value);
    if (rounded < (double)least_of(form->to))
        return least_of(form->to);
    if (rounded > (double)most_of(form->to) || rounded >= ldexp(1, 64))
        return most_of(form->to);
    const s128 whole = (s128)rounded;
    return whole > most_of(form->to) ? most_of(form->to) : whole;
}

static void store_real(unsigned char *p, double value, const cvt_form *form)
{
    if (form->relu && !(value > 0) && !isnan(value))
        value = 0;
    if (form->sat)
        value = isnan(value) || value < 0 ? 0 : value > 1 ? 1 : value;
    if (form->to == F64) {
        memcpy(p, &value, sizeof value);
    } else if (form->to == F32) {
        float single = (float)value;
        if (form->ftz && fpclassify(single) == FP_SUBNORMAL)
            single = copysignf(0, single);
        const uint32_t nan = 0x7FFFFFFF;
        if (isnan(value))
            memcpy(&single, &nan, sizeof nan);
        memcpy(p, &single, sizeof single);
    } else {
        const uint16_t half = form->to == F16 ? double_to_half(value) : double_to_bfloat(value);
        memcpy(p, &half, sizeof half);
    }
}

static void store_integer(unsigned char *p, s128 value, int type, int register_bytes)
{
    /* A wider register is filled with the sign. */
    const int64_t bits = (int64_t)value;
    memcpy(p, &bits,
           (size_t)(register_bytes > numbers[type].bytes ? register_bytes : numbers[type].bytes));
}

/** An integer as a real number of the type, rounded once; a 64-bit one into f32 must not pass through double. */
static void integer_to_real(unsigned char *p, s128 value, const cvt_form *form)
{
    if (form->to == F32 && !form->sat) {
        const float single = value < 0 ? (float)(int64_t)value : (float)(uint64_t)value;
        memcpy(p, &single, sizeof single);
        return;
    }
    const s128 low = value & 0xFFFFFFFF;
    double wide = (double)(value - low) + (double)low; /* rounds in the current direction */
    store_real(p, wide, form);
}

static void convert(unsigned char *to, int to_bytes, const unsigned char *from,
                    const cvt_form *form)
{
    if (!numbers[form->from].real) {
        s128 value = load_integer(from, form->from);
        if (numbers[form->to].real) {
            integer_to_real(to, value, form);
            return;
        }
        if (form->sat && value < least_of(form->to))
            value = least_of(form->to);
        if (form->sat && value > most_of(form->to))
            value = most_of(form->to);
        /* A narrower number is cut, and its own sign fills a wider register. */
        unsigned char cut[16];
        store_integer(cut, value, form->to, 8);
        store_integer(to, load_integer(cut, form->to), form->to, to_bytes);
        return;
    }
    double value = load_real(from, form->from);
    if (form->ftz && form->from == F32 && fabs(value) < ldexp(1, -126))
        value = copysign(0, value);
    if (!numbers[form->to].real)
        store_integer(to, to_integer(value, form), form->to, to_bytes);
    else
        store_real(to, form->integer ? rint(value) : value, form);
}

/** o[0] and o[1] are registers of extra[0] and extra[1] bytes. */
void cvt_run(run *c, const insn *i, uint32_t mask)
{
    const cvt_form *form = i->more;
    unsigned char *const d = at(c, i->o[0]);
    const unsigned char *const a = at(c, i->o[1]);
    const int before = fegetround(), to = i->extra[0], from = i->extra[1];
    if (form->to == U64 && form->from == U32 && to == 8 && from == 4) {
        EACH_LANE(((uint64_t *)(void *)d)[l] = ((const uint32_t *)(const void *)a)[l];)
        return;
    }
    if (form->to == S64 && form->from == S32 && to == 8 && from == 4) {
        EACH_LANE(((int64_t *)(void *)d)[l] = ((const int32_t *)(const void *)a)[l];)
        return;
    }
    if (!numbers[form->to].real && numbers[form->to].bytes == 4 && !form->sat && to == 4 &&
        from == 8 && !numbers[form->from].real) {
        EACH_LANE(((uint32_t *)(void *)d)[l] = (uint32_t)((const uint64_t *)(const void *)a)[l];)
        return;
    }
    if (form->rounding >= 0 && form->rounding != before)
        fesetround(form->rounding);
    for (uint32_t k = mask; k; k &= k - 1) {
        const int l = __builtin_ctz(k);
        convert(d + l * to, to, a + l * from, form);
    }
    fesetround(before);
}

void cvt_pack_run(run *c, const insn *i, uint32_t mask)
{
    const cvt_form *form = i->more;
    unsigned char *const d = at(c, i->o[0]);
    const unsigned char *const a = at(c, i->o[1]), *const b = at(c, i->o[2]);
    const int before = fegetround();
    if (form->rounding >= 0)
        fesetround(form->rounding);
    for (uint32_t k = mask; k; k &= k - 1) {
        const int l = __builtin_ctz(k);
        unsigned char halves[16];
        convert(halves + 2, 2, a + 4 * l, form);
        convert(halves, 2, b + 4 * l, form);
        memcpy(d + 4 * l, halves, 4);
    }
    fesetround(before);
}
