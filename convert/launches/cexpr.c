#include "convert/launches/cexpr.h"

#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const rk_ctype rk_ctype_bool = {RK_CTYPE_BOOL, 1, false};
const rk_ctype rk_ctype_int = {RK_CTYPE_INT, 4, true};
const rk_ctype rk_ctype_unsigned = {RK_CTYPE_INT, 4, false};
const rk_ctype rk_ctype_size = {RK_CTYPE_INT, 8, false};

/** Wide enough for sums and products of two 64-bit integers. */
__extension__ typedef __int128 wide;

static bool same_type(rk_ctype a, rk_ctype b)
{
    return a.kind == b.kind && a.bytes == b.bytes && a.is_signed == b.is_signed;
}

/** The values of an integer type; those of 64 bits that rk_expr cannot hold are left out. */
static void type_range(rk_ctype type, int64_t *low, int64_t *high)
{
    *low = 0;
    *high = INT64_MAX;
    if (type.kind == RK_CTYPE_BOOL) {
        *high = 1;
    } else if (type.is_signed) {
        *high = type.bytes >= 8 ? INT64_MAX : ((int64_t)1 << (type.bytes * 8 - 1)) - 1;
        *low = -*high - 1;
    } else if (type.bytes < 8) {
        *high = ((int64_t)1 << (type.bytes * 8)) - 1;
    }
}

static rk_cexpr *make(rk_arena *arena, rk_cexpr_kind kind, rk_ctype type)
{
    rk_cexpr *e = RK_NEW(arena, rk_cexpr);
    e->kind = kind;
    e->type = type;
    type_range(type, &e->low, &e->high);
    return e;
}

static bool is_integer(const rk_cexpr *e)
{
    return e->type.kind == RK_CTYPE_INT || e->type.kind == RK_CTYPE_BOOL;
}

static int64_t wrap_constant(int64_t value, rk_ctype type)
{
    if (type.kind == RK_CTYPE_BOOL)
        return value != 0;
    if (type.bytes >= 8)
        return value;
    int bits = type.bytes * 8;
    uint64_t kept = (uint64_t)value & (((uint64_t)1 << bits) - 1);
    bool negative = type.is_signed && (kept >> (bits - 1)) != 0;
    return negative ? (int64_t)kept - ((int64_t)1 << bits) : (int64_t)kept;
}

const rk_cexpr *rk_cexpr_int(rk_arena *arena, int64_t value, rk_ctype type)
{
    rk_cexpr *e = make(arena, RK_CEXPR_INT, type);
    e->i = e->low = e->high = wrap_constant(value, type);
    return e;
}

const rk_cexpr *rk_cexpr_real(rk_arena *arena, double value, rk_ctype type)
{
    rk_cexpr *e = make(arena, RK_CEXPR_REAL, type);
    e->d = type.bytes == 4 ? (double)(float)value : value;
    return e;
}

const rk_cexpr *rk_cexpr_name(rk_arena *arena, const struct rk_cexpr_input *input, const char *name,
                              rk_ctype type)
{
    rk_cexpr *e = make(arena, RK_CEXPR_NAME, type);
    e->text = name;
    e->input = input;
    return e;
}

bool rk_cexpr_is_int(const rk_cexpr *e, int64_t value)
{
    return e->kind == RK_CEXPR_INT && e->i == value;
}

const rk_cexpr *rk_cexpr_status(rk_arena *arena)
{
    return rk_cexpr_name(arena, NULL, "", rk_ctype_unsigned);
}

static bool is_status(const rk_cexpr *e)
{
    return e->kind == RK_CEXPR_NAME && *e->text == '\0';
}

bool rk_cexpr_has_status(const rk_cexpr *e)
{
    if (is_status(e))
        return true;
    for (int i = 0; i < 3 && e->a[i]; i++)
        if (rk_cexpr_has_status(e->a[i]))
            return true;
    return false;
}

int rk_cexpr_successful(const rk_cexpr *e)
{
    if (e->kind == RK_CEXPR_INT)
        return e->i != 0;
    if (is_status(e))
        return 0;
    int a = e->a[0] ? rk_cexpr_successful(e->a[0]) : -1;
    if (e->kind == RK_CEXPR_NOT)
        return a < 0 ? -1 : !a;
    if (e->kind == RK_CEXPR_CAST)
        return a;
    int b = e->a[1] ? rk_cexpr_successful(e->a[1]) : -1;
    if (e->kind != RK_CEXPR_BINARY)
        return -1;
    bool and = strcmp(e->text, "&&") == 0, or = strcmp(e->text, "||") == 0;
    if (and || or)
        return a == or || b == or ? or : a >= 0 && b >= 0 ? and : -1;
    bool compared = rk_cexpr_has_status(e->a[0]) && e->a[1]->kind == RK_CEXPR_INT && a == 0;
    if (compared && (strcmp(e->text, "==") == 0 || strcmp(e->text, "!=") == 0))
        return (e->a[1]->i == 0) == (*e->text == '=');
    return -1;
}

bool rk_cexpr_equal(const rk_cexpr *a, const rk_cexpr *b)
{
    if (a == b)
        return true;
    if (a->kind != b->kind || !same_type(a->type, b->type) || !same_type(a->target, b->target) ||
        a->i != b->i || a->d != b->d)
        return false;
    if ((a->text == NULL) != (b->text == NULL) || (a->text && strcmp(a->text, b->text) != 0))
        return false;
    if (a->input != b->input)
        return false;
    for (int i = 0; i < 3; i++)
        if ((a->a[i] == NULL) != (b->a[i] == NULL) ||
            (a->a[i] && !rk_cexpr_equal(a->a[i], b->a[i])))
            return false;
    return true;
}

void rk_cexpr_inputs(const rk_cexpr *e, void (*visit)(void *user, const rk_cexpr *name), void *user)
{
    if (e->input)
        visit(user, e);
    for (int i = 0; i < 3 && e->a[i]; i++)
        rk_cexpr_inputs(e->a[i], visit, user);
}

bool rk_cexpr_has_input(const rk_cexpr *e)
{
    bool has = e->input != NULL;
    for (int i = 0; i < 3 && e->a[i] && !has; i++)
        has = rk_cexpr_has_input(e->a[i]);
    return has;
}

/** What is left of a budget of nodes; negative when it does not last. */
static int left_after(const rk_cexpr *e, int nodes)
{
    nodes--;
    for (int i = 0; i < 3 && e->a[i] && nodes >= 0; i++)
        nodes = left_after(e->a[i], nodes);
    return nodes;
}

bool rk_cexpr_exceeds(const rk_cexpr *e, int nodes)
{
    return left_after(e, nodes) < 0;
}

const rk_cexpr *rk_cexpr_replace(rk_arena *arena, const rk_cexpr *e,
                                 const rk_cexpr *(*other)(void *user, const rk_cexpr *name),
                                 void *user)
{
    const rk_cexpr *found = e->input ? other(user, e) : NULL;
    if (found || !rk_cexpr_has_input(e))
        return found ? found : e;
    rk_cexpr *copy = RK_NEW(arena, rk_cexpr);
    *copy = *e;
    for (int i = 0; i < 3 && e->a[i]; i++)
        copy->a[i] = rk_cexpr_replace(arena, e->a[i], other, user);
    return copy;
}

static const rk_cexpr *retyped(rk_arena *arena, const rk_cexpr *e, rk_ctype type)
{
    if (same_type(e->type, type))
        return e;
    rk_cexpr *copy = RK_NEW(arena, rk_cexpr);
    *copy = *e;
    copy->type = type;
    return copy;
}

static const rk_cexpr *cast(rk_arena *arena, const rk_cexpr *e, rk_ctype type)
{
    rk_cexpr *c = make(arena, RK_CEXPR_CAST, type);
    c->target = type;
    c->a[0] = e;
    return c;
}

/** Without the integer casts that do not matter to the lowest `bytes` bytes. */
static const rk_cexpr *modulo(const rk_cexpr *e, int bytes)
{
    while (e->kind == RK_CEXPR_CAST && e->target.kind == RK_CTYPE_INT && is_integer(e->a[0]) &&
           e->target.bytes >= bytes)
        e = e->a[0];
    return e;
}

static const rk_cexpr *to_real(rk_arena *arena, const rk_cexpr *e, rk_ctype type)
{
    if (e->kind == RK_CEXPR_INT) /* an int64_t goes to float in one rounding */
        return rk_cexpr_real(arena, type.bytes == 4 ? (double)(float)e->i : (double)e->i, type);
    if (e->kind == RK_CEXPR_REAL)
        return rk_cexpr_real(arena, e->d, type);
    if (e->type.kind == RK_CTYPE_REAL && e->type.bytes <= type.bytes)
        return retyped(arena, e, type);
    return cast(arena, e, type);
}

static const rk_cexpr *to_int(rk_arena *arena, const rk_cexpr *e, rk_ctype type)
{
    if (e->kind == RK_CEXPR_INT)
        return type.bytes == 8 && !type.is_signed && e->i < 0 ? cast(arena, e, type)
                                                              : rk_cexpr_int(arena, e->i, type);
    if (e->kind == RK_CEXPR_REAL && fabs(e->d) < 1e15)
        return rk_cexpr_int(arena, (int64_t)e->d, type);
    if (!is_integer(e))
        return cast(arena, e, type);
    int64_t low, high;
    type_range(type, &low, &high);
    if (e->low >= low && e->high <= high)
        return retyped(arena, e, type);
    const rk_cexpr *inner = modulo(e, type.bytes);
    if (inner->low >= low && inner->high <= high)
        return retyped(arena, inner, type);
    return cast(arena, inner, type);
}

const rk_cexpr *rk_cexpr_convert(rk_arena *arena, const rk_cexpr *e, rk_ctype type)
{
    if (same_type(e->type, type) || type.kind == RK_CTYPE_POINTER || type.kind == RK_CTYPE_OTHER)
        return e;
    if (type.kind == RK_CTYPE_REAL)
        return to_real(arena, e, type);
    if (type.kind == RK_CTYPE_INT)
        return to_int(arena, e, type);
    const rk_cexpr *zero = e->type.kind == RK_CTYPE_REAL ? rk_cexpr_real(arena, 0, e->type)
                                                         : rk_cexpr_int(arena, 0, e->type);
    return rk_cexpr_binary(arena, "!=", e, zero);
}

static int64_t clamp(wide value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : (int64_t)value;
}

/** Bounds of a corner product or sum over the operands' intervals, within those of 64 bits. */
static void set_bounds(rk_cexpr *e, wide a, wide b, wide c, wide d)
{
    wide least = a < b ? a : b, most = a < b ? b : a;
    least = c < least ? c : least;
    least = d < least ? d : least;
    most = c > most ? c : most;
    most = d > most ? d : most;
    e->low = clamp(least, INT64_MIN, INT64_MAX);
    e->high = clamp(most, INT64_MIN, INT64_MAX);
}

static void bound_ring(rk_cexpr *e, char op, const rk_cexpr *a, const rk_cexpr *b)
{
    wide al = a->low, ah = a->high, bl = b->low, bh = b->high;
    if (op == '+')
        set_bounds(e, al + bl, ah + bh, al + bl, ah + bh);
    else if (op == '-')
        set_bounds(e, al - bh, ah - bl, al - bh, ah - bl);
    else
        set_bounds(e, al * bl, al * bh, ah * bl, ah * bh);
}

/** Bounds of the operators that stay in their type without wrapping. */
static void bound_other(rk_cexpr *e, const char *op, const rk_cexpr *a, const rk_cexpr *b)
{
    bool positive = b->kind == RK_CEXPR_INT && b->i > 0;
    if (strcmp(op, "/") == 0 && positive) {
        e->low = a->low / b->i;
        e->high = a->high / b->i;
    } else if (strcmp(op, "/") == 0 && a->low >= 0 && b->low >= 0) {
        e->low = 0;
        e->high = a->high;
    } else if (strcmp(op, "%") == 0 && positive) {
        e->low = a->low >= 0 ? 0 : -(b->i - 1);
        e->high = a->high < b->i - 1 ? a->high : b->i - 1;
        e->high = e->high < 0 ? 0 : e->high;
    } else if (strcmp(op, ">>") == 0 && b->kind == RK_CEXPR_INT && b->i >= 0 && b->i < 63) {
        e->low = a->low >= 0 ? a->low >> b->i : e->low;
        e->high = a->high >= 0 ? a->high >> b->i : e->high;
    } else if (strcmp(op, "&") == 0 && positive) {
        e->low = 0;
        e->high = b->i;
    }
}

static rk_cexpr *binary_node(rk_arena *arena, const char *op, const rk_cexpr *a, const rk_cexpr *b,
                             rk_ctype type)
{
    rk_cexpr *e = make(arena, RK_CEXPR_BINARY, type);
    e->text = op;
    e->a[0] = a;
    e->a[1] = b;
    return e;
}

/** A value of `e`'s type that equals it: wrapped when unsigned, within bounds when signed. */
static const rk_cexpr *settle(rk_arena *arena, rk_cexpr *e)
{
    rk_ctype type = e->type;
    if (e->type.is_signed) {
        int64_t low, high;
        type_range(type, &low, &high);
        e->low = clamp(e->low, low, high);
        e->high = clamp(e->high, low, high);
        return e;
    }
    e->type = (rk_ctype){RK_CTYPE_INT, 8, true};
    return to_int(arena, e, type);
}

/** Splits `x + c` and `x - c`; e itself with 0 otherwise. */
static const rk_cexpr *split_sum(const rk_cexpr *e, int64_t *constant)
{
    *constant = 0;
    if (e->kind != RK_CEXPR_BINARY || e->a[1]->kind != RK_CEXPR_INT || e->text[1] != '\0' ||
        e->a[1]->i == INT64_MIN)
        return e;
    if (*e->text != '+' && *e->text != '-')
        return e;
    *constant = *e->text == '+' ? e->a[1]->i : -e->a[1]->i;
    return e->a[0];
}

/** `x + constant`, with the sign in the operator. */
static rk_cexpr *plus_constant(rk_arena *arena, const rk_cexpr *x, int64_t constant, rk_ctype type)
{
    rk_ctype wide_type = {RK_CTYPE_INT, 8, true};
    bool minus = constant < 0 && constant != INT64_MIN;
    const rk_cexpr *c = rk_cexpr_int(arena, minus ? -constant : constant, wide_type);
    rk_cexpr *e = binary_node(arena, minus ? "-" : "+", x, c, type);
    bound_ring(e, minus ? '-' : '+', x, c);
    return e;
}

static const rk_cexpr *ring_constants(rk_arena *arena, char op, int64_t a, int64_t b, rk_ctype type)
{
    wide result = op == '+' ? (wide)a + b : op == '-' ? (wide)a - b : (wide)a * b;
    if (result < INT64_MIN || result > INT64_MAX)
        return NULL;
    return to_int(arena, rk_cexpr_int(arena, (int64_t)result, (rk_ctype){RK_CTYPE_INT, 8, true}),
                  type);
}

/** +, - and * of integers, modulo the type when it is unsigned. */
static const rk_cexpr *ring(rk_arena *arena, const char *op, const rk_cexpr *a, const rk_cexpr *b)
{
    rk_ctype type = a->type;
    if (!type.is_signed) {
        a = modulo(a, type.bytes);
        b = modulo(b, type.bytes);
    }
    const rk_cexpr *folded = a->kind == RK_CEXPR_INT && b->kind == RK_CEXPR_INT
                                 ? ring_constants(arena, *op, a->i, b->i, type)
                                 : NULL;
    if (folded)
        return folded;
    if (*op == '*' && (rk_cexpr_is_int(a, 1) || rk_cexpr_is_int(b, 1)))
        return rk_cexpr_convert(arena, rk_cexpr_is_int(a, 1) ? b : a, type);
    if (*op == '+' && a->kind == RK_CEXPR_INT)
        return ring(arena, op, retyped(arena, b, type), a);
    int64_t inner = 0;
    const rk_cexpr *x = a;
    if (*op != '*' && b->kind == RK_CEXPR_INT && b->i != INT64_MIN) {
        int64_t outer = *op == '+' ? b->i : -b->i, sum;
        x = split_sum(a, &inner);
        if (!__builtin_add_overflow(inner, outer, &sum))
            return sum == 0 ? to_int(arena, x, type)
                            : settle(arena, plus_constant(arena, x, sum, type));
    }
    rk_cexpr *e = binary_node(arena, op, a, b, type);
    bound_ring(e, *op, a, b);
    return settle(arena, e);
}

static bool is_comparison(const char *op)
{
    return strchr("<>=!", *op) && strcmp(op, "<<") != 0 && strcmp(op, ">>") != 0;
}

static bool holds(const char *op, bool less, bool equal)
{
    if (strcmp(op, "==") == 0)
        return equal;
    if (strcmp(op, "!=") == 0)
        return !equal;
    if (*op == '<')
        return less || (op[1] == '=' && equal);
    return op[1] == '=' ? !less : !less && !equal;
}

static const rk_cexpr *comparison(rk_arena *arena, const char *op, const rk_cexpr *a,
                                  const rk_cexpr *b)
{
    if (a->kind == RK_CEXPR_INT && b->kind == RK_CEXPR_INT)
        return rk_cexpr_int(arena, holds(op, a->i < b->i, a->i == b->i), rk_ctype_bool);
    if (a->kind == RK_CEXPR_REAL && b->kind == RK_CEXPR_REAL)
        return rk_cexpr_int(arena, holds(op, a->d < b->d, a->d == b->d), rk_ctype_bool);
    return binary_node(arena, op, a, b, rk_ctype_bool);
}

static const rk_cexpr *logic(rk_arena *arena, const char *op, const rk_cexpr *a, const rk_cexpr *b)
{
    bool and = *op == '&';
    if (a->kind == RK_CEXPR_INT)
        return (a->i != 0) == and? rk_cexpr_convert(arena, b, rk_ctype_bool)
                                 : rk_cexpr_int(arena, !and, rk_ctype_bool);
    if (rk_cexpr_is_int(b, and))
        return a;
    return binary_node(arena, op, a, b, rk_ctype_bool);
}

static const rk_cexpr *real_operation(rk_arena *arena, const char *op, const rk_cexpr *a,
                                      const rk_cexpr *b)
{
    rk_ctype type = a->type;
    if (!strchr("+-*/", *op))
        return NULL;
    if (a->kind == RK_CEXPR_REAL && b->kind == RK_CEXPR_REAL && (*op != '/' || b->d != 0)) {
        double d = *op == '+'   ? a->d + b->d
                   : *op == '-' ? a->d - b->d
                   : *op == '*' ? a->d * b->d
                                : a->d / b->d;
        return rk_cexpr_real(arena, d, type);
    }
    rk_cexpr *e = binary_node(arena, op, a, b, (rk_ctype){RK_CTYPE_REAL, 8, true});
    return to_real(arena, e, type);
}

static const rk_cexpr *fold_other(rk_arena *arena, const char *op, int64_t a, int64_t b,
                                  rk_ctype type)
{
    if ((*op == '/' || *op == '%') && (b == 0 || (a == INT64_MIN && b == -1)))
        return NULL;
    switch (*op) {
    case '/':
        return rk_cexpr_int(arena, a / b, type);
    case '%':
        return rk_cexpr_int(arena, a % b, type);
    case '&':
        return rk_cexpr_int(arena, a & b, type);
    case '|':
        return rk_cexpr_int(arena, a | b, type);
    case '^':
        return rk_cexpr_int(arena, a ^ b, type);
    default:
        return b >= 0 && b < 63 && a >= 0 ? rk_cexpr_int(arena, a >> b, type) : NULL;
    }
}

static const rk_cexpr *shift_left(rk_arena *arena, const rk_cexpr *a, const rk_cexpr *b)
{
    if (b->kind == RK_CEXPR_INT && b->i >= 0 && b->i < 62) {
        const rk_cexpr *power =
            rk_cexpr_int(arena, (int64_t)1 << b->i, (rk_ctype){RK_CTYPE_INT, 8, true});
        if (a->kind == RK_CEXPR_INT || a->type.is_signed || !is_integer(a))
            return ring(arena, "*", a, power);
        return ring(arena, "*", a, retyped(arena, power, a->type));
    }
    rk_cexpr *e = binary_node(arena, "<<", a, b, a->type);
    e->low = INT64_MIN;
    e->high = INT64_MAX;
    return settle(arena, e);
}

/**
 * `x | x >> 1`, `y | y >> 2` of that and so on, as the next power of two is made: a function of expressions, since each
 * step names the one before twice. NULL when it is none.
 */
static const rk_cexpr *or_shifted(rk_arena *arena, const rk_cexpr *a, const rk_cexpr *b)
{
    const bool second = b->kind == RK_CEXPR_BINARY && strcmp(b->text, ">>") == 0;
    const rk_cexpr *plain = second ? a : b, *shift = second ? b : a;
    if (shift->kind != RK_CEXPR_BINARY || strcmp(shift->text, ">>") != 0 ||
        shift->a[1]->kind != RK_CEXPR_INT || !rk_cexpr_equal(plain, shift->a[0]))
        return NULL;
    const bool step = plain->kind == RK_CEXPR_CALL && strcmp(plain->text, "or_shifted") == 0;
    const int64_t before = step ? plain->a[1]->i : 1, by = shift->a[1]->i;
    if (by < 1 || by > before || before + by > 64)
        return NULL;
    const rk_cexpr *of = step ? plain->a[0] : plain;
    rk_cexpr *e = make(arena, RK_CEXPR_CALL, plain->type);
    e->text = "or_shifted";
    e->a[0] = of;
    e->a[1] = rk_cexpr_int(arena, before + by, rk_ctype_int);
    if (of->low >= 0) {
        e->low = of->low;
        e->high = of->high;
        for (int64_t bits = of->high; bits; bits >>= 1)
            e->high |= bits;
    }
    return e;
}

const rk_cexpr *rk_cexpr_binary(rk_arena *arena, const char *op, const rk_cexpr *a,
                                const rk_cexpr *b)
{
    if (strcmp(op, "&&") == 0 || strcmp(op, "||") == 0)
        return logic(arena, op, rk_cexpr_convert(arena, a, rk_ctype_bool),
                     rk_cexpr_convert(arena, b, rk_ctype_bool));
    if (is_comparison(op))
        return comparison(arena, op, a, b);
    if (a->type.kind == RK_CTYPE_REAL && b->type.kind == RK_CTYPE_REAL)
        return real_operation(arena, op, a, b);
    if (!is_integer(a) || !is_integer(b))
        return NULL;
    if (strcmp(op, "<<") == 0)
        return shift_left(arena, a, b);
    if (strchr("+-*", *op))
        return ring(arena, op, a, b);
    if (!strchr("/%&|^>", *op))
        return NULL;
    if (*op == '/' && rk_cexpr_is_int(b, 1))
        return a;
    const rk_cexpr *folded = a->kind == RK_CEXPR_INT && b->kind == RK_CEXPR_INT
                                 ? fold_other(arena, op, a->i, b->i, a->type)
                                 : NULL;
    if (folded)
        return folded;
    const rk_cexpr *shifted = *op == '|' ? or_shifted(arena, a, b) : NULL;
    if (shifted)
        return shifted;
    rk_cexpr *e = binary_node(arena, op, a, b, a->type);
    bound_other(e, op, a, b);
    return e;
}

const rk_cexpr *rk_cexpr_unary(rk_arena *arena, char op, const rk_cexpr *a)
{
    if (op == '+')
        return a;
    if (op == '!')
        return rk_cexpr_negate(arena, rk_cexpr_convert(arena, a, rk_ctype_bool));
    if (op == '-' && is_integer(a))
        return ring(arena, "-", rk_cexpr_int(arena, 0, a->type), a);
    if (op == '-' && a->kind == RK_CEXPR_REAL)
        return rk_cexpr_real(arena, -a->d, a->type);
    if (op != '-' && (op != '~' || !is_integer(a)))
        return NULL;
    rk_cexpr *e = make(arena, op == '-' ? RK_CEXPR_MINUS : RK_CEXPR_BITNOT, a->type);
    e->a[0] = a;
    if (op == '-')
        return e;
    set_bounds(e, ~a->low, ~a->high, ~a->low, ~a->high);
    return settle(arena, e);
}

const rk_cexpr *rk_cexpr_negate(rk_arena *arena, const rk_cexpr *e)
{
    static const char *const pairs[][2] = {{"==", "!="}, {"<", ">="}, {">", "<="}};
    if (e->kind == RK_CEXPR_INT)
        return rk_cexpr_int(arena, !e->i, rk_ctype_bool);
    if (e->kind == RK_CEXPR_NOT)
        return e->a[0];
    bool integers = e->kind == RK_CEXPR_BINARY && is_integer(e->a[0]) && is_integer(e->a[1]);
    for (size_t i = 0; integers && i < sizeof pairs / sizeof *pairs; i++)
        for (int j = 0; j < 2; j++)
            if (strcmp(e->text, pairs[i][j]) == 0)
                return binary_node(arena, pairs[i][!j], e->a[0], e->a[1], rk_ctype_bool);
    rk_cexpr *n = make(arena, RK_CEXPR_NOT, rk_ctype_bool);
    n->a[0] = e;
    return n;
}

const rk_cexpr *rk_cexpr_choice(rk_arena *arena, const rk_cexpr *condition, const rk_cexpr *yes,
                                const rk_cexpr *no)
{
    if (condition->kind == RK_CEXPR_INT)
        return condition->i ? yes : no;
    if (rk_cexpr_equal(yes, no))
        return yes;
    rk_cexpr *e = make(arena, RK_CEXPR_CHOICE, yes->type);
    e->a[0] = condition;
    e->a[1] = yes;
    e->a[2] = no;
    e->low = yes->low < no->low ? yes->low : no->low;
    e->high = yes->high > no->high ? yes->high : no->high;
    return e;
}

const rk_cexpr *rk_cexpr_call(rk_arena *arena, const char *function, const rk_cexpr *a,
                              const rk_cexpr *b, rk_ctype type)
{
    bool least = strcmp(function, "min") == 0, most = strcmp(function, "max") == 0;
    if (b && (least || most) && a->kind == RK_CEXPR_INT && b->kind == RK_CEXPR_INT)
        return (a->i < b->i) == least ? a : b;
    rk_cexpr *e = make(arena, RK_CEXPR_CALL, type);
    e->text = function;
    e->a[0] = a;
    e->a[1] = b;
    if (least && b) {
        e->low = a->low < b->low ? a->low : b->low;
        e->high = a->high < b->high ? a->high : b->high;
    } else if (most && b) {
        e->low = a->low > b->low ? a->low : b->low;
        e->high = a->high > b->high ? a->high : b->high;
    }
    return e;
}

const rk_cexpr *rk_cexpr_strip(const rk_cexpr *e)
{
    while (e->kind == RK_CEXPR_CAST && e->target.kind == RK_CTYPE_INT && e->target.bytes >= 4 &&
           is_integer(e->a[0]))
        e = e->a[0];
    return e;
}

static const char *type_name(rk_ctype type)
{
    if (type.kind == RK_CTYPE_REAL)
        return type.bytes == 4 ? "float" : "double";
    if (type.kind == RK_CTYPE_BOOL)
        return "bool";
    switch (type.bytes) {
    case 1:
        return type.is_signed ? "signed char" : "unsigned char";
    case 2:
        return type.is_signed ? "short" : "unsigned short";
    case 4:
        return type.is_signed ? "int" : "unsigned";
    default:
        return type.is_signed ? "long" : "unsigned long";
    }
}

/** How tightly operators bind, as in C; higher is tighter. */
static int precedence(const rk_cexpr *e)
{
    static const struct {
        const char *op;
        int value;
    } table[] = {{"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5},  {"==", 6},
                 {"!=", 6}, {"<", 7},  {"<=", 7}, {">", 7},  {">=", 7}, {"<<", 8},
                 {">>", 8}, {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
    if (e->kind == RK_CEXPR_CHOICE)
        return 0;
    if (e->kind == RK_CEXPR_BINARY)
        for (size_t i = 0; i < sizeof table / sizeof *table; i++)
            if (strcmp(table[i].op, e->text) == 0)
                return table[i].value;
    bool negative = (e->kind == RK_CEXPR_INT && e->i < 0) || (e->kind == RK_CEXPR_REAL && e->d < 0);
    bool prefix = e->kind == RK_CEXPR_CAST || e->kind == RK_CEXPR_NOT ||
                  e->kind == RK_CEXPR_MINUS || e->kind == RK_CEXPR_BITNOT || negative;
    return prefix ? 11 : 12;
}

/** Where expressions are printed. */
typedef struct {
    rk_str text;
    const rk_cexpr_names *names;
} printer;

static void print(printer *p, const rk_cexpr *e, int least);

static void print_constant(rk_str *out, const rk_cexpr *e)
{
    char text[40];
    if (e->kind == RK_CEXPR_INT && e->i == INT64_MIN) {
        rk_str_add(out, "(-9223372036854775807 - 1)");
        return;
    }
    if (e->kind == RK_CEXPR_INT) {
        rk_str_addf(out, "%lld", (long long)e->i);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, e->d);
        if (strtod(text, NULL) == e->d)
            break;
    }
    rk_str_addf(out, "%s%s", text, strpbrk(text, ".en") ? "" : ".0");
}

static void print_node(printer *p, const rk_cexpr *e)
{
    rk_str *out = &p->text;
    int own = precedence(e);
    switch (e->kind) {
    case RK_CEXPR_INT:
    case RK_CEXPR_REAL:
        print_constant(out, e);
        break;
    case RK_CEXPR_NAME:
        rk_str_add(out, e->input && p->names ? p->names->text(p->names->user, e) : e->text);
        break;
    case RK_CEXPR_CAST:
        rk_str_addf(out, "(%s)", type_name(e->target));
        print(p, e->a[0], own);
        break;
    case RK_CEXPR_NOT:
    case RK_CEXPR_BITNOT:
    case RK_CEXPR_MINUS:
        rk_str_add(out, e->kind == RK_CEXPR_NOT ? "!" : e->kind == RK_CEXPR_MINUS ? "-" : "~");
        print(p, e->a[0], own + 1);
        break;
    case RK_CEXPR_BINARY:
        print(p, e->a[0], own);
        rk_str_addf(out, " %s ", e->text);
        print(p, e->a[1], own + 1);
        break;
    case RK_CEXPR_CHOICE:
        print(p, e->a[0], 1);
        rk_str_add(out, " ? ");
        print(p, e->a[1], 0);
        rk_str_add(out, " : ");
        print(p, e->a[2], 0);
        break;
    case RK_CEXPR_CALL:
        rk_str_addf(out, "%s(", e->text);
        print(p, e->a[0], 0);
        if (e->a[1]) {
            rk_str_add(out, ", ");
            print(p, e->a[1], 0);
        }
        rk_str_add(out, ")");
        break;
    }
}

static void print(printer *p, const rk_cexpr *e, int least)
{
    bool parentheses = precedence(e) < least;
    rk_str_add(&p->text, parentheses ? "(" : "");
    print_node(p, e);
    rk_str_add(&p->text, parentheses ? ")" : "");
}

char *rk_cexpr_print(const rk_cexpr *e, const rk_cexpr_names *names, rk_arena *arena)
{
    printer p = {.text = {.arena = arena}, .names = names};
    print(&p, e, 0);
    return p.text.text;
}
