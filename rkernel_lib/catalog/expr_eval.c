#include "rkernel_lib/catalog/expr.h"

#include "rkernel_lib/catalog/expr_internal.h"

#include <math.h>
#include <string.h>

typedef struct {
    const rk_env *env;
    rk_diag *diag;
} evaluation;

static bool eval(rk_value *out, const evaluation *ev, const rk_expr *e);

static bool fail(const evaluation *ev, const rk_expr *e, const char *code, const char *what)
{
    return rk_diag_add(ev->diag, RK_ERROR, code, e->source->place, NULL, "%s in '%.200s'", what,
                       e->source->text);
}

static bool overflow(const evaluation *ev, const rk_expr *e)
{
    return fail(ev, e, "RK-E004", "a value beyond 64 bits");
}

static bool integers_only(const evaluation *ev, const rk_expr *e)
{
    return fail(ev, e, "RK-E005", "an operation on integers is applied to a real number");
}

static bool division_by_zero(const evaluation *ev, const rk_expr *e)
{
    return fail(ev, e, "RK-E003", "division by zero");
}

static double as_real(rk_value v)
{
    return v.is_real ? v.d : (double)v.i;
}

static bool is_true(rk_value v)
{
    return v.is_real ? v.d != 0 : v.i != 0;
}

static bool set_real(rk_value *out, const evaluation *ev, const rk_expr *e, double d)
{
    *out = rk_value_real(d);
    return isfinite(d) || fail(ev, e, "RK-E004", "a real value that is not finite");
}

static bool unary_of(rk_value *out, const evaluation *ev, const rk_expr *e, rk_value v)
{
    *out = v;
    switch (e->op) {
    case RK_OP_PLUS:
        return true;
    case RK_OP_NOT:
        *out = rk_value_int(!is_true(v));
        return true;
    case RK_OP_BITNOT:
        *out = rk_value_int(~v.i);
        return !v.is_real || integers_only(ev, e);
    default:
        if (v.is_real)
            return set_real(out, ev, e, -v.d);
        return !__builtin_sub_overflow((int64_t)0, v.i, &out->i) || overflow(ev, e);
    }
}

static bool unary(rk_value *out, const evaluation *ev, const rk_expr *e)
{
    rk_value v;
    if (!eval(&v, ev, e->args[0]) || !unary_of(out, ev, e, v))
        return false;
    if (v.open && e->op == RK_OP_MINUS)
        rk_open_negative(out, ev->env->syms, v);
    else if (v.open && e->op == RK_OP_NOT)
        rk_open_binary(out, ev->env->syms, RK_OP_EQ, v, rk_value_int(0));
    else if (v.open && e->op == RK_OP_BITNOT)
        rk_open_unknown(out);
    return true;
}

static bool compare(rk_value *out, rk_expr_op op, rk_value a, rk_value b)
{
    bool real = a.is_real || b.is_real;
    double x = as_real(a), y = as_real(b);
    bool less = real ? x < y : a.i < b.i;
    bool equal = real ? x == y : a.i == b.i;
    bool result = op == RK_OP_EQ   ? equal
                  : op == RK_OP_NE ? !equal
                  : op == RK_OP_LT ? less
                  : op == RK_OP_LE ? less || equal
                  : op == RK_OP_GT ? !less && !equal
                                   : !less;
    *out = rk_value_int(result);
    return true;
}

static bool real_arithmetic(rk_value *out, const evaluation *ev, const rk_expr *e, double a,
                            double b)
{
    switch (e->op) {
    case RK_OP_ADD:
        return set_real(out, ev, e, a + b);
    case RK_OP_SUB:
        return set_real(out, ev, e, a - b);
    case RK_OP_MUL:
        return set_real(out, ev, e, a * b);
    case RK_OP_DIV:
        return b == 0 ? division_by_zero(ev, e) : set_real(out, ev, e, a / b);
    default:
        return integers_only(ev, e);
    }
}

static bool divide(rk_value *out, const evaluation *ev, const rk_expr *e, int64_t a, int64_t b)
{
    if (b == 0)
        return division_by_zero(ev, e);
    if (a == INT64_MIN && b == -1)
        return overflow(ev, e);
    *out = rk_value_int(e->op == RK_OP_DIV ? a / b : a % b);
    return true;
}

static bool shift(rk_value *out, const evaluation *ev, const rk_expr *e, int64_t a, int64_t b)
{
    if (b < 0 || b > 63)
        return fail(ev, e, "RK-E004", "a shift by fewer than 0 or more than 63 bits");
    if (e->op == RK_OP_SHR) {
        *out = rk_value_int(a >= 0 ? a >> b : ~(~a >> b));
        return true;
    }
    *out = rk_value_int((int64_t)((uint64_t)a << b));
    bool kept = (out->i >= 0 ? out->i >> b : ~(~out->i >> b)) == a;
    return kept || overflow(ev, e);
}

static bool int_arithmetic(rk_value *out, const evaluation *ev, const rk_expr *e, int64_t a,
                           int64_t b)
{
    *out = rk_value_int(0);
    switch (e->op) {
    case RK_OP_ADD:
        return !__builtin_add_overflow(a, b, &out->i) || overflow(ev, e);
    case RK_OP_SUB:
        return !__builtin_sub_overflow(a, b, &out->i) || overflow(ev, e);
    case RK_OP_MUL:
        return !__builtin_mul_overflow(a, b, &out->i) || overflow(ev, e);
    case RK_OP_BITAND:
        out->i = a & b;
        return true;
    case RK_OP_BITOR:
        out->i = a | b;
        return true;
    case RK_OP_BITXOR:
        out->i = a ^ b;
        return true;
    case RK_OP_SHL:
    case RK_OP_SHR:
        return shift(out, ev, e, a, b);
    default:
        return divide(out, ev, e, a, b);
    }
}

/** && and ||: beside an open operand the other counts, too. */
static bool logical(rk_value *out, const evaluation *ev, const rk_expr *e)
{
    rk_value a, b;
    if (!eval(&a, ev, e->args[0]))
        return false;
    *out = rk_value_int(e->op == RK_OP_OR);
    const bool decides = is_true(a) == (e->op == RK_OP_OR);
    if (decides && !a.open)
        return true;
    if (!eval(&b, ev, e->args[1]))
        return false;
    if (!decides)
        *out = rk_value_int(is_true(b));
    if (a.open || b.open)
        rk_open_logical(out, ev->env->syms, a, b, e->op == RK_OP_AND);
    return true;
}

static bool binary_of(rk_value *out, const evaluation *ev, const rk_expr *e, rk_value a, rk_value b)
{
    if (e->op >= RK_OP_EQ && e->op <= RK_OP_GE)
        return compare(out, e->op, a, b);
    if (a.is_real || b.is_real)
        return real_arithmetic(out, ev, e, as_real(a), as_real(b));
    return int_arithmetic(out, ev, e, a.i, b.i);
}

static bool binary(rk_value *out, const evaluation *ev, const rk_expr *e)
{
    rk_value a, b;
    if (e->op == RK_OP_OR || e->op == RK_OP_AND)
        return logical(out, ev, e);
    if (!eval(&a, ev, e->args[0]) || !eval(&b, ev, e->args[1]) || !binary_of(out, ev, e, a, b))
        return false;
    if (a.open || b.open)
        rk_open_binary(out, ev->env->syms, e->op, a, b);
    return true;
}

/** To an integer type: a real is truncated and must fit, an integer wraps as C's do. */
static bool cast_to_int(rk_value *out, const evaluation *ev, const rk_expr *e, rk_value v)
{
    const rk_expr_type *type = e->type;
    int bits = type->bytes * 8;
    if (v.is_real) {
        double t = trunc(v.d);
        double low = type->is_signed ? -ldexp(1, bits - 1) : 0;
        double high = type->is_signed ? ldexp(1, bits - 1) : ldexp(1, bits < 64 ? bits : 63);
        if (!(t >= low && t < high))
            return fail(ev, e, "RK-E004", "a real value beyond the type that it is cast to");
        *out = rk_value_int((int64_t)t);
        return true;
    }
    if (bits == 64) {
        *out = v;
        return type->is_signed || v.i >= 0 || overflow(ev, e);
    }
    uint64_t low = (uint64_t)v.i & (((uint64_t)1 << bits) - 1);
    bool negative = type->is_signed && (low >> (bits - 1)) != 0;
    *out = rk_value_int(negative ? (int64_t)low - ((int64_t)1 << bits) : (int64_t)low);
    return true;
}

static bool cast_of(rk_value *out, const evaluation *ev, const rk_expr *e, rk_value v)
{
    if (e->type->is_bool) {
        *out = rk_value_int(is_true(v));
        return true;
    }
    if (!e->type->is_real)
        return cast_to_int(out, ev, e, v);
    double d = as_real(v);
    if (e->type->bytes == 4) /* an int64_t goes to float in one rounding, not by way of double */
        d = v.is_real ? (double)(float)d : (double)(float)v.i;
    return set_real(out, ev, e, d);
}

static bool cast(rk_value *out, const evaluation *ev, const rk_expr *e)
{
    rk_value v;
    if (!eval(&v, ev, e->args[0]) || !cast_of(out, ev, e, v))
        return false;
    const int bits = e->type->bytes * 8 - e->type->is_signed;
    const int64_t most = bits > 62 ? INT64_MAX : ((int64_t)1 << bits) - 1;
    if (v.open && e->type->is_real)
        rk_open_unknown(out);
    else if (v.open && e->type->is_bool)
        rk_open_binary(out, ev->env->syms, RK_OP_NE, v, rk_value_int(0));
    else if (v.open)
        rk_open_within(out, v, e->type->is_signed ? -most : 0, most);
    return true;
}

static double rsqrt_of(double d)
{
    return 1 / sqrt(d);
}

/** Functions of reals with a real result. */
static const struct {
    const char *name;
    double (*of)(double);
} real_functions[] = {{"ceil", ceil},   {"floor", floor}, {"round", round},
                      {"trunc", trunc}, {"sqrt", sqrt},   {"exp", exp},
                      {"log", log},     {"log2", log2},   {"rsqrt", rsqrt_of}};

static bool real_function(rk_value *out, bool *found, const evaluation *ev, const rk_expr *e)
{
    for (size_t i = 0; i < sizeof real_functions / sizeof *real_functions; i++) {
        if (e->arg_count != 1 || strcmp(real_functions[i].name, e->text) != 0)
            continue;
        *found = true;
        rk_value v;
        if (!eval(&v, ev, e->args[0]) || !set_real(out, ev, e, real_functions[i].of(as_real(v))))
            return false;
        out->open = v.open;
        return true;
    }
    *found = false;
    return true;
}

static bool least_or_most(rk_value *out, const evaluation *ev, const rk_expr *e, bool most)
{
    rk_value a, b;
    if (!eval(&a, ev, e->args[0]) || !eval(&b, ev, e->args[1]))
        return false;
    if (a.is_real || b.is_real) {
        double x = as_real(a), y = as_real(b);
        *out = rk_value_real(most == (x < y) ? y : x);
    } else {
        *out = rk_value_int(most == (a.i < b.i) ? b.i : a.i);
    }
    if (a.open || b.open)
        rk_open_least_or_most(out, ev->env->syms, a, b, most);
    return true;
}

static bool absolute(rk_value *out, const evaluation *ev, const rk_expr *e)
{
    if (!eval(out, ev, e->args[0]))
        return false;
    const rk_value v = *out;
    if (v.open)
        rk_open_within(out, v, 0, INT64_MAX);
    if (out->is_real) {
        *out = rk_value_real(fabs(out->d));
        out->open = v.open;
        return true;
    }
    if (out->i == INT64_MIN)
        return overflow(ev, e);
    out->i = out->i < 0 ? -out->i : out->i;
    return true;
}

static bool ceil_div(rk_value *out, const evaluation *ev, const rk_expr *e)
{
    rk_value a, b;
    if (!eval(&a, ev, e->args[0]) || !eval(&b, ev, e->args[1]))
        return false;
    if (a.is_real || b.is_real)
        return integers_only(ev, e);
    if (b.i == 0)
        return division_by_zero(ev, e);
    if (a.i == INT64_MIN && b.i == -1)
        return overflow(ev, e);
    int64_t quotient = a.i / b.i;
    *out = rk_value_int(quotient + (a.i % b.i != 0 && (a.i < 0) == (b.i < 0)));
    if (a.open || b.open)
        rk_open_ceil_div(out, ev->env->syms, a, b);
    return true;
}

/** `x | x >> 1 | ... | x >> (n - 1)`: with x - 1 and 32 the next power of two less one. */
static bool or_shifted(rk_value *out, const evaluation *ev, const rk_expr *e)
{
    rk_value x, n;
    if (!eval(&x, ev, e->args[0]) || !eval(&n, ev, e->args[1]))
        return false;
    if (x.is_real || n.is_real)
        return integers_only(ev, e);
    int64_t all = x.i;
    for (int64_t k = 1; k < n.i && k < 64; k++)
        all |= x.i >> k;
    *out = rk_value_int(all);
    if (x.open || n.open)
        rk_open_unknown(out);
    return true;
}

static bool power(rk_value *out, const evaluation *ev, const rk_expr *e)
{
    rk_value a, b;
    if (!eval(&a, ev, e->args[0]) || !eval(&b, ev, e->args[1]) ||
        !set_real(out, ev, e, pow(as_real(a), as_real(b))))
        return false;
    out->open = a.open || b.open;
    return true;
}

static bool unknown(const evaluation *ev, const rk_expr *e, const char *what)
{
    return rk_diag_add(ev->diag, RK_ERROR, "RK-E002", e->source->place, NULL,
                       "unknown %s '%s' in '%.200s'", what, e->text, e->source->text);
}

/** Whether `call` ended without a value for another reason than not knowing the function. */
static bool call_env(rk_value *out, const evaluation *ev, const rk_expr *e)
{
    const rk_env *env = ev->env;
    size_t before = rk_diag_count(ev->diag);
    if (env && env->call && env->call(env->user, out, e->text, e->args, e->arg_count))
        return true;
    return rk_diag_count(ev->diag) == before ? unknown(ev, e, "function") : false;
}

static bool call(rk_value *out, const evaluation *ev, const rk_expr *e)
{
    bool is_min = strcmp(e->text, "min") == 0;
    if (e->arg_count == 2 && (is_min || strcmp(e->text, "max") == 0))
        return least_or_most(out, ev, e, !is_min);
    if (e->arg_count == 2 && strcmp(e->text, "ceil_div") == 0)
        return ceil_div(out, ev, e);
    if (e->arg_count == 2 && strcmp(e->text, "or_shifted") == 0)
        return or_shifted(out, ev, e);
    if (e->arg_count == 2 && strcmp(e->text, "pow") == 0)
        return power(out, ev, e);
    if (e->arg_count == 1 && strcmp(e->text, "abs") == 0)
        return absolute(out, ev, e);
    bool found;
    bool ok = real_function(out, &found, ev, e);
    return found ? ok : call_env(out, ev, e);
}

/** By an open condition both values count. */
static bool choose(rk_value *out, const evaluation *ev, const rk_expr *e, rk_value condition)
{
    rk_value other;
    const bool first = is_true(condition);
    if (!eval(out, ev, e->args[first ? 1 : 2]))
        return false;
    if (!condition.open)
        return true;
    if (!eval(&other, ev, e->args[first ? 2 : 1]))
        return false;
    const rk_value taken = *out;
    rk_open_choice(out, ev->env->syms, condition, first ? taken : other, first ? other : taken);
    return true;
}

static bool eval(rk_value *out, const evaluation *ev, const rk_expr *e)
{
    rk_value condition;
    *out = rk_value_int(0);
    switch (e->kind) {
    case RK_EXPR_INT:
    case RK_EXPR_SIZEOF:
        *out = rk_value_int(e->i);
        return true;
    case RK_EXPR_REAL:
        *out = rk_value_real(e->d);
        return true;
    case RK_EXPR_NAME:
        return (ev->env && ev->env->name && ev->env->name(ev->env->user, out, e->text)) ||
               unknown(ev, e, "name");
    case RK_EXPR_CALL:
        return call(out, ev, e);
    case RK_EXPR_CAST:
        return cast(out, ev, e);
    case RK_EXPR_UNARY:
        return unary(out, ev, e);
    case RK_EXPR_BINARY:
        return binary(out, ev, e);
    case RK_EXPR_CHOICE:
        return eval(&condition, ev, e->args[0]) && choose(out, ev, e, condition);
    }
    return false;
}

bool rk_expr_eval(rk_value *out, const rk_expr *expr, const rk_env *env, rk_diag *diag)
{
    const evaluation ev = {.env = env, .diag = diag};
    return eval(out, &ev, expr);
}

bool rk_expr_eval_int(int64_t *out, const char *text, const rk_env *env, rk_place place,
                      rk_arena *scratch, rk_diag *diag)
{
    const rk_expr *e = rk_expr_parse(text, place, scratch, diag);
    rk_value v;
    if (!e || !rk_expr_eval(&v, e, env, diag))
        return false;
    if (v.is_real)
        return rk_diag_add(diag, RK_ERROR, "RK-E005", e->source->place,
                           "cast it to an integer type",
                           "'%.200s' is a real number where an integer is needed", text);
    *out = v.i;
    return true;
}
