#include "base/sym.h"
#include "rkernel_lib/catalog/expr_internal.h"

void rk_open_unknown(rk_value *out)
{
    out->open = true;
    out->sym = NULL;
}

/** The value is that expression; a number where it is one. */
static void set(rk_value *out, rk_sym sym)
{
    int64_t number;
    rk_open_unknown(out);
    if (sym && rk_sym_is_number(sym, &number))
        *out = rk_value_int(number);
    else
        out->sym = sym;
}

/** NULL for a real, and for an integer without an expression. */
static rk_sym sym_of(rk_syms *syms, rk_value v)
{
    if (v.is_real)
        return NULL;
    return v.open ? v.sym : rk_sym_number(syms, v.i);
}

/** 1 where x is above 0, else 0. */
static rk_sym is_above_zero(rk_syms *syms, rk_sym x)
{
    const rk_sym above = rk_sym_max(syms, x, rk_sym_number(syms, 0));
    return rk_sym_min(syms, above, rk_sym_number(syms, 1));
}

static rk_sym not(rk_syms * syms, rk_sym truth)
{
    return rk_sym_sub(syms, rk_sym_number(syms, 1), truth);
}

/** 1 where a != b, else 0. */
static rk_sym differs(rk_syms *syms, rk_sym a, rk_sym b)
{
    const rk_sym less = rk_sym_sub(syms, b, a);
    const rk_sym more = rk_sym_sub(syms, a, b);
    return is_above_zero(syms, rk_sym_max(syms, less, more));
}

/** 1 where the comparison holds, else 0. */
static rk_sym comparison(rk_syms *syms, rk_expr_op op, rk_sym a, rk_sym b)
{
    const rk_sym less = rk_sym_sub(syms, b, a);
    const rk_sym more = rk_sym_sub(syms, a, b);
    switch (op) {
    case RK_OP_EQ:
        return not(syms, differs(syms, a, b));
    case RK_OP_NE:
        return differs(syms, a, b);
    case RK_OP_LT:
        return is_above_zero(syms, less);
    case RK_OP_GT:
        return is_above_zero(syms, more);
    case RK_OP_LE:
        return not(syms, is_above_zero(syms, more));
    default:
        return not(syms, is_above_zero(syms, less));
    }
}

/** 1 or 0, NULL where it is not known. */
static rk_sym truth_of(rk_syms *syms, rk_value v)
{
    const rk_sym x = sym_of(syms, v);
    return x ? differs(syms, x, rk_sym_number(syms, 0)) : NULL;
}

void rk_open_logical(rk_value *out, rk_syms *syms, rk_value a, rk_value b, bool all)
{
    const rk_sym x = truth_of(syms, a);
    const rk_sym y = truth_of(syms, b);
    const rk_sym both = rk_sym_mul(syms, x, y);
    set(out, all ? both : rk_sym_sub(syms, rk_sym_add(syms, x, y), both));
}

void rk_open_choice(rk_value *out, rk_syms *syms, rk_value condition, rk_value then,
                    rk_value otherwise)
{
    const rk_sym truth = truth_of(syms, condition);
    const rk_sym x = sym_of(syms, then);
    const rk_sym y = sym_of(syms, otherwise);
    if (!truth || !x || !y)
        rk_open_unknown(out);
    else
        set(out,
            rk_sym_add(syms, rk_sym_mul(syms, truth, x), rk_sym_mul(syms, not(syms, truth), y)));
}

/** C's division is ours where the dividend is not negative. */
static rk_sym divided(rk_syms *syms, rk_sym a, rk_sym b, bool quotient)
{
    int64_t by;
    const rk_sym exact = quotient ? rk_sym_quotient(syms, a, b) : NULL;
    if (exact)
        return exact;
    if (!a || !b || !rk_sym_is_number(b, &by) || by < 1 || rk_sym_bounds(a).low < 0)
        return NULL;
    return quotient ? rk_sym_div(syms, a, by) : rk_sym_mod(syms, a, by);
}

void rk_open_binary(rk_value *out, rk_syms *syms, rk_expr_op op, rk_value a, rk_value b)
{
    const rk_sym x = sym_of(syms, a);
    const rk_sym y = sym_of(syms, b);
    if (!x || !y)
        rk_open_unknown(out);
    else if (op >= RK_OP_EQ && op <= RK_OP_GE)
        set(out, comparison(syms, op, x, y));
    else if (op == RK_OP_ADD)
        set(out, rk_sym_add(syms, x, y));
    else if (op == RK_OP_SUB)
        set(out, rk_sym_sub(syms, x, y));
    else if (op == RK_OP_MUL)
        set(out, rk_sym_mul(syms, x, y));
    else if (op == RK_OP_DIV || op == RK_OP_MOD)
        set(out, divided(syms, x, y, op == RK_OP_DIV));
    else
        rk_open_unknown(out);
}

void rk_open_negative(rk_value *out, rk_syms *syms, rk_value v)
{
    set(out, rk_sym_sub(syms, rk_sym_number(syms, 0), sym_of(syms, v)));
}

void rk_open_least_or_most(rk_value *out, rk_syms *syms, rk_value a, rk_value b, bool most)
{
    const rk_sym x = sym_of(syms, a);
    const rk_sym y = sym_of(syms, b);
    set(out, most ? rk_sym_max(syms, x, y) : rk_sym_min(syms, x, y));
}

void rk_open_ceil_div(rk_value *out, rk_syms *syms, rk_value a, rk_value b)
{
    const rk_sym x = sym_of(syms, a);
    const bool good = x && !b.open && b.i >= 1 && b.i <= RK_SYM_MOST && rk_sym_bounds(x).low >= 0;
    set(out,
        good ? rk_sym_div(syms, rk_sym_add(syms, x, rk_sym_number(syms, b.i - 1)), b.i) : NULL);
}

void rk_open_within(rk_value *out, rk_value v, int64_t low, int64_t high)
{
    const bool inside =
        !v.is_real && v.sym && rk_sym_bounds(v.sym).low >= low && rk_sym_bounds(v.sym).high <= high;
    rk_open_unknown(out);
    out->sym = inside ? v.sym : NULL;
}
