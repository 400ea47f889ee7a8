#include "tests/run/kernels/kernel.h"

#include <math.h>
#include <string.h>

bool type_is_float(type t)
{
    return t >= F32;
}

bool type_is_signed(type t)
{
    return t == I8 || t == I16 || t == I32 || t == I64;
}

unsigned type_bits(type t)
{
    static const unsigned bits[TYPES] = {8, 8, 16, 16, 32, 32, 64, 64, 32, 64};
    return bits[t];
}

const char *type_name(type t)
{
    static const char *const names[TYPES] = {
        "signed char", "unsigned char",      "short", "unsigned short", "int", "unsigned",
        "long long",   "unsigned long long", "float", "double"};
    return names[t];
}

type type_promoted(type t)
{
    return t < I32 ? I32 : t;
}

type type_common(type a, type b)
{
    a = type_promoted(a);
    b = type_promoted(b);
    return a > b ? a : b; /* the order of the enumeration is that of the conversions */
}

static float to_float(value v)
{
    const uint32_t bits = (uint32_t)v;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static double to_double(value v)
{
    double d;
    memcpy(&d, &v, sizeof d);
    return d;
}

static value from_float(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static value from_double(double d)
{
    value v;
    memcpy(&v, &d, sizeof v);
    return v;
}

/** The low bits of `v`, extended. */
static value extended(type t, value v)
{
    const unsigned spare = 64 - type_bits(t);
    return type_is_signed(t) ? (value)((int64_t)(v << spare) >> spare) : v << spare >> spare;
}

static double rounded(double d, operation how)
{
    return how == RN ? rint(d) : how == RD ? floor(d) : how == RU ? ceil(d) : trunc(d);
}

value value_round(type to, type from, operation how, value v)
{
    const double d = from == F32 ? (double)to_float(v) : to_double(v);
    const bool wide = type_bits(to) == 64;
    if (isnan(d)) /* 0 from a float to 32 bits, the highest bit else */
        return !wide && from == F32 ? 0 : extended(to, (value)1 << (type_bits(to) - 1));
    const double r = rounded(d, how), span = ldexp(1, (int)type_bits(to));
    if (type_is_signed(to)) {
        const value least = extended(to, (value)1 << (type_bits(to) - 1));
        return r >= span / 2 ? ~least : r < -span / 2 ? least : (value)(int64_t)r;
    }
    return r >= span ? extended(to, ~(value)0) : r <= 0 ? 0 : (value)r;
}

static value from_integer(type to, type from, value v)
{
    if (to == F32)
        return from_float(type_is_signed(from) ? (float)(int64_t)v : (float)v);
    return from_double(type_is_signed(from) ? (double)(int64_t)v : (double)v);
}

value value_convert(type to, type from, value v)
{
    if (!type_is_float(from))
        return type_is_float(to) ? from_integer(to, from, v) : extended(to, v);
    if (to == from)
        return v;
    if (type_is_float(to))
        return to == F32 ? from_float((float)to_double(v)) : from_double((double)to_float(v));
    if (type_bits(to) >= 32)
        return value_round(to, from, RZ, v);
    return extended(to, value_round(type_is_signed(to) ? I32 : U32, from, RZ, v));
}

/* Arithmetic. */

static bool float_binary(value *out, operation op, type t, double a, double b)
{
    double r = 0;
    switch (op) {
    case LT:
        *out = a < b;
        return true;
    case LE:
        *out = a <= b;
        return true;
    case GT:
        *out = a > b;
        return true;
    case GE:
        *out = a >= b;
        return true;
    case EQ:
        *out = a == b;
        return true;
    case NE:
        *out = a != b;
        return true;
    case MIN:
    case MAX: /* of zeros of both signs, PTX and C may give another one */
        *out = from_double(op == MIN ? fmin(a, b) : fmax(a, b));
        if (t == F32)
            *out = from_float((float)to_double(*out));
        return !(a == 0 && b == 0 && signbit(a) != signbit(b));
    default:
        break;
    }
    if (t == F32) { /* rounded once */
        const float x = (float)a, y = (float)b;
        *out = from_float(op == ADD ? x + y : op == SUB ? x - y : op == MUL ? x * y : x / y);
        return true;
    }
    r = op == ADD ? a + b : op == SUB ? a - b : op == MUL ? a * b : a / b;
    *out = from_double(r);
    return true;
}

static bool divide(value *out, operation op, type t, value a, value b)
{
    const bool is_signed = type_is_signed(t);
    if (b == 0 || (is_signed && (int64_t)b == -1))
        return false; /* by -1 the least number overflows */
    if (is_signed)
        *out = (value)(op == DIV ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
    else
        *out = op == DIV ? a / b : a % b;
    return true;
}

static value high_product(type t, value a, value b)
{
    __extension__ typedef __int128 wide;
    __extension__ typedef unsigned __int128 unsigned_wide;
    if (type_is_signed(t))
        return (value)(((wide)(int64_t)a * (int64_t)b) >> type_bits(t));
    return (value)(((unsigned_wide)a * b) >> type_bits(t));
}

bool value_binary(value *out, operation op, type t, value a, value b)
{
    if (t == F32)
        return float_binary(out, op, t, (double)to_float(a), (double)to_float(b));
    if (t == F64)
        return float_binary(out, op, t, to_double(a), to_double(b));
    const bool less = type_is_signed(t) ? (int64_t)a < (int64_t)b : a < b;
    switch (op) {
    case ADD:
        *out = a + b;
        break;
    case SUB:
        *out = a - b;
        break;
    case MUL:
        *out = a * b;
        break;
    case DIV:
    case REM:
        return divide(out, op, t, a, b);
    case AND:
        *out = a & b;
        break;
    case OR:
        *out = a | b;
        break;
    case XOR:
        *out = a ^ b;
        break;
    case LT:
        *out = less;
        return true;
    case GE:
        *out = !less;
        return true;
    case GT:
        *out = !less && a != b;
        return true;
    case LE:
        *out = less || a == b;
        return true;
    case EQ:
        *out = a == b;
        return true;
    case NE:
        *out = a != b;
        return true;
    case MIN:
        *out = less ? a : b;
        break;
    case MAX:
        *out = less ? b : a;
        break;
    case MULHI:
        *out = high_product(t, a, b);
        break;
    default:
        return false;
    }
    *out = extended(t, *out);
    return true;
}

value value_shift(operation op, type t, value a, value amount)
{
    const unsigned bits = type_bits(t);
    const uint32_t n = (uint32_t)amount; /* PTX: unsigned, and as many as there are when larger */
    if (op == SHL)
        return n >= bits ? 0 : extended(t, a << n);
    if (type_is_signed(t))
        return (value)((int64_t)a >> (n >= bits ? bits - 1 : n));
    return n >= bits ? 0 : a >> n;
}

/* Functions. */

static value float_unary(operation op, type t, value a)
{
    const double d = t == F32 ? (double)to_float(a) : to_double(a);
    if (op == LNOT)
        return d == 0;
    if (t == F32) {
        const float f = to_float(a);
        return from_float(op == NEG    ? -f
                          : op == ABS  ? fabsf(f)
                          : op == SQRT ? sqrtf(f)
                                       : (float)(op == FLOOR  ? floor(d)
                                                 : op == RINT ? rint(d)
                                                              : trunc(d)));
    }
    return from_double(op == NEG     ? -d
                       : op == ABS   ? fabs(d)
                       : op == SQRT  ? sqrt(d)
                       : op == FLOOR ? floor(d)
                       : op == RINT  ? rint(d)
                                     : trunc(d));
}

static value reversed(value a, unsigned bits)
{
    value r = 0;
    for (unsigned i = 0; i < bits; i++)
        r |= (a >> i & 1) << (bits - 1 - i);
    return r;
}

value value_unary(operation op, type t, value a)
{
    if (type_is_float(t))
        return float_unary(op, t, a);
    const unsigned bits = type_bits(t);
    const value low = bits == 64 ? a : a & 0xffffffffu;
    switch (op) {
    case NEG:
        return extended(t, 0 - a);
    case NOT:
        return extended(t, ~a);
    case LNOT:
        return a == 0;
    case ABS:
        return extended(t, (int64_t)a < 0 ? 0 - a : a);
    case CLZ:
        return low ? (value)__builtin_clzll(low) - (64 - bits) : bits;
    case POPC:
        return (value)__builtin_popcountll(low);
    case FFS:
        return low ? (value)__builtin_ctzll(low) + 1 : 0;
    case BREV:
        return extended(t, reversed(low, bits));
    default:
        return 0;
    }
}

static value permuted(uint32_t a, uint32_t b, uint32_t selector)
{
    const uint64_t bytes = (uint64_t)b << 32 | a;
    value r = 0;
    for (unsigned i = 0; i < 4; i++)
        r |= (bytes >> (8 * (selector >> (4 * i) & 7)) & 0xff) << (8 * i);
    return r;
}

value value_ternary(operation op, value a, value b, value c, type t)
{
    const uint32_t low = (uint32_t)a, high = (uint32_t)b, n = (uint32_t)c & 31;
    const uint64_t both = (uint64_t)high << 32 | low;
    switch (op) {
    case FUNNEL_L:
        return (uint32_t)(both << n >> 32);
    case FUNNEL_R:
        return (uint32_t)(both >> n);
    case BYTE_PERM:
        return permuted(low, high, (uint32_t)c);
    case FMA:
        if (t == F32)
            return from_float(fmaf(to_float(a), to_float(b), to_float(c)));
        return from_double(fma(to_double(a), to_double(b), to_double(c)));
    default:
        return 0;
    }
}

/* Inputs. */

static uint64_t mixed(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static value pool_integer(type t, int i)
{
    const value edges[] = {0,
                           1,
                           ~(value)0,
                           (value)1 << (type_bits(t) - 1),
                           ((value)1 << (type_bits(t) - 1)) - 1,
                           2,
                           7,
                           31,
                           32,
                           33};
    const value r = mixed((value)t << 32 | (value)i);
    if (i < 10)
        return extended(t, edges[i]);
    return i & 1 ? extended(t, r) : extended(t, r % 19) - (type_is_signed(t) ? 9 : 0);
}

static double pool_number(int i)
{
    static const double edges[] = {
        0.0,   1.0,     -1.0,    0.5,          -0.5,          1e10,         -1e10,   1e30,
        -1e30, 3e9,     -3e9,    2147483648.0, -2147483648.0, 4294967296.0, 255.5,   256.5,
        -5.0,  -129.25, 70000.0, 1e-40,        1.0 / 3,       9.3e18,       -9.3e18, 1.9e19};
    enum { EDGES = sizeof edges / sizeof *edges };
    const value r = mixed((value)i);
    if (i < EDGES)
        return edges[i];
    return i == 61   ? NAN
           : i == 62 ? INFINITY
           : i == 63 ? -INFINITY
                     : (double)((int64_t)(r % 4001) - 2000) / (double)(1 << (r >> 60));
}

value pool_value(type t, int index)
{
    const int i = index & (POOL_SIZE - 1);
    if (!type_is_float(t))
        return pool_integer(t, i);
    if (i == 61)
        return t == F32 ? 0x7fc00000u : 0x7ff8000000000000u;
    return t == F32 ? from_float((float)pool_number(i)) : from_double(pool_number(i));
}

value cell_initial(const array *a, int index)
{
    const value r = extended(a->type, mixed((value)index ^ 0xce11));
    return a->op == MIN || a->op == AND ? extended(a->type, r | 0x70) : r;
}
