#include "sched/ops/plan.h"

#include <math.h>

/*
 * Reduce: y[o] = the sum, product, ... over the loops `over` of x[offset + o * strides + k * steps]; arguments of
 * extremes are k counted row-major. Contract: the sum over k of a times b, each by strides and steps of its own: matrix
 * products, convolutions, any einsum of two operands.
 */

static const char *const kinds[] = {"sum", "prod", "max", "min", "argmax", "argmin", NULL};
enum { SUM, PROD, MAX, MIN, ARGMAX, ARGMIN };

typedef struct {
    const int64_t *extents, *over;
    const int64_t *strides[2], *steps[2];
    int64_t offset[2];
    size_t loops, inner;
} nest;

/** Reads strides, steps and offset of operand `i`; false with RK-G008 when the operand is left. */
static bool operand_of(nest *n, const rk_op_call *call, size_t i, const char *const names[3],
                       rk_diag *diag)
{
    int64_t range[2] = {0, 0};
    n->strides[i] = rk_op_list(call, names[0], n->loops, 0, diag);
    n->steps[i] = rk_op_list(call, names[1], n->inner, 0, diag);
    n->offset[i] = rk_op_int(call, names[2]);
    if (!n->strides[i] || !n->steps[i])
        return false;
    if (!diag)
        return true;
    if (!rk_nest_range(range, n->extents, n->strides[i], n->loops) ||
        !rk_nest_range(range, n->over, n->steps[i], n->inner))
        return rk_op_fail(call, diag, "RK-G008", "its strides are too large");
    return rk_op_inside(call, i, n->offset[i], range, diag);
}

static const char *const names_of_x[] = {"strides", "steps", "offset"};
static const char *const names_of_a[] = {"a_strides", "a_steps", "a_offset"};
static const char *const names_of_b[] = {"b_strides", "b_steps", "b_offset"};

/** Of a validated call. */
static nest nest_of(const rk_op_call *call, bool pair)
{
    nest n;
    n.extents = rk_op_ints(call, "extents", &n.loops);
    if (n.loops == 0)
        n.extents = rk_op_ints(call, "shape", &n.loops);
    n.over = rk_op_ints(call, "over", &n.inner);
    operand_of(&n, call, 0, pair ? names_of_a : names_of_x, NULL);
    if (pair)
        operand_of(&n, call, 1, names_of_b, NULL);
    return n;
}

static bool reduce_infer(const rk_op_call *call, rk_diag *diag)
{
    nest n;
    const int kind = rk_op_word(call, "kind", kinds, diag);
    if (kind < 0)
        return false;
    rk_dtype dtype = kind >= ARGMAX ? RK_I64 : call->in[0]->dtype;
    return rk_op_dtype(&dtype, call, dtype, diag) &&
           rk_op_nest(&n.extents, &n.loops, call, dtype, diag) &&
           rk_op_extents(&n.over, &n.inner, call, "over", diag) &&
           operand_of(&n, call, 0, names_of_x, diag);
}

static double inner_of(const rk_op_call *call)
{
    size_t count;
    const int64_t *over = rk_op_ints(call, "over", &count);
    double n = 1;
    for (size_t i = 0; i < count; i++)
        n *= (double)over[i];
    return n;
}

static void reduce_cost(rk_cost *out, const rk_op_call *call)
{
    rk_op_cost_streaming(out, call, inner_of(call) * (double)rk_tensor_elements(call->out[0]));
}

static void contract_cost(rk_cost *out, const rk_op_call *call)
{
    rk_op_cost_streaming(out, call, 2 * inner_of(call) * (double)rk_tensor_elements(call->out[0]));
}

static bool less(rk_scalar a, rk_scalar b, rk_domain domain)
{
    return rk_domain_is_real(domain) ? a.d < b.d : domain == RK_DOMAIN_I64 ? a.i < b.i : a.u < b.u;
}

/** What is kept of `so_far` and the next value; whether it is the next one. */
static bool take(rk_scalar *so_far, rk_scalar next, int kind, bool last, rk_domain domain)
{
    const bool real = rk_domain_is_real(domain);
    const bool tie = last && !less(next, *so_far, domain) && !less(*so_far, next, domain);
    switch (kind) {
    case SUM:
        if (real)
            so_far->d += next.d;
        else
            so_far->u += next.u;
        return false;
    case PROD:
        if (real)
            so_far->d *= next.d;
        else
            so_far->u *= next.u;
        return false;
    case MAX:
    case ARGMAX:
        if (!less(*so_far, next, domain) && !tie && !(real && isnan(next.d) && !isnan(so_far->d)))
            return false;
        break;
    default:
        if (!less(next, *so_far, domain) && !tie && !(real && isnan(next.d) && !isnan(so_far->d)))
            return false;
        break;
    }
    *so_far = next;
    return true;
}

static bool reduce_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    const nest n = nest_of(call, false);
    const int kind = rk_op_word_of(call, "kind", kinds);
    const bool last = rk_op_int(call, "last") != 0;
    const rk_dtype dtype = call->in[0]->dtype;
    const rk_domain domain = rk_domain_of(dtype);
    rk_loops o = {n.loops, n.extents, {0}};
    int64_t to = 0;
    do {
        const int64_t base = n.offset[0] + rk_loops_at(&o, n.strides[0]);
        rk_loops k = {n.inner, n.over, {0}};
        rk_scalar value = rk_scalar_load(in[0], dtype, base, domain);
        int64_t found = 0;
        for (int64_t count = 1; rk_loops_next(&k); count++) {
            const int64_t at = base + rk_loops_at(&k, n.steps[0]);
            if (take(&value, rk_scalar_load(in[0], dtype, at, domain), kind, last, domain))
                found = count;
        }
        if (kind >= ARGMAX)
            rk_scalar_store(out[0], call->out[0]->dtype, to++, (rk_scalar){.i = found},
                            RK_DOMAIN_I64);
        else
            rk_scalar_store(out[0], call->out[0]->dtype, to++, value, domain);
    } while (rk_loops_next(&o));
    return true;
}

static void plan_nest(rk_plan_lists *plan, const nest *n, size_t operands)
{
    rk_plan_add(plan, n->extents, n->loops);
    rk_plan_add(plan, n->over, n->inner);
    for (size_t i = 0; i < operands; i++) {
        rk_plan_add(plan, n->strides[i], n->loops);
        rk_plan_add(plan, n->steps[i], n->inner);
    }
}

static void reduce_plan(rk_plan_lists *plan, const rk_op_call *call)
{
    const nest n = nest_of(call, false);
    int64_t *scalars = RK_NEW_ARRAY(plan->arena, int64_t, 3);
    scalars[0] = n.offset[0];
    scalars[1] = rk_op_word_of(call, "kind", kinds);
    scalars[2] = rk_op_int(call, "last") != 0;
    rk_plan_types(plan, call, rk_domain_of(call->in[0]->dtype));
    rk_plan_add(plan, scalars, 3);
    plan_nest(plan, &n, 1);
}

const rk_op rk_op_reduce = {
    .name = "Reduce",
    .summary = "sum, product, extremes or their places over loops, by strides, of any type; ours",
    .inputs = (const char *const[]){"x", "plan?", NULL},
    .outputs = (const char *const[]){"y", NULL},
    .attrs = (const rk_attr_spec[]){RK_LIST("shape"),
                                    RK_LIST("extents"),
                                    RK_LIST("strides"),
                                    RK_LIST("over"),
                                    RK_LIST("steps"),
                                    RK_NUMBER("offset", 0),
                                    RK_WORD("kind", "sum"),
                                    RK_NUMBER("last", 0),
                                    RK_WORD("dtype", ""),
                                    {0}},
    .infer = reduce_infer,
    .cost = reduce_cost,
    .eval = reduce_eval,
    .plan = reduce_plan,
};

/** Reals where an operand is one; else integers, signed where one of them is. */
static rk_domain domain_of_pair(const rk_op_call *call)
{
    const rk_domain a = rk_domain_of(call->in[0]->dtype);
    const rk_domain b = rk_domain_of(call->in[1]->dtype);
    if (a == RK_DOMAIN_F64 || b == RK_DOMAIN_F64)
        return RK_DOMAIN_F64;
    return a < b ? a : b;
}

static bool contract_infer(const rk_op_call *call, rk_diag *diag)
{
    nest n;
    rk_dtype dtype;
    return rk_op_dtype(&dtype, call, call->in[0]->dtype, diag) &&
           rk_op_nest(&n.extents, &n.loops, call, dtype, diag) &&
           rk_op_extents(&n.over, &n.inner, call, "over", diag) &&
           operand_of(&n, call, 0, names_of_a, diag) && operand_of(&n, call, 1, names_of_b, diag);
}

static bool contract_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    const nest n = nest_of(call, true);
    const rk_domain domain = domain_of_pair(call);
    rk_loops o = {n.loops, n.extents, {0}};
    int64_t to = 0;
    do {
        const int64_t a = n.offset[0] + rk_loops_at(&o, n.strides[0]);
        const int64_t b = n.offset[1] + rk_loops_at(&o, n.strides[1]);
        rk_loops k = {n.inner, n.over, {0}};
        rk_scalar sum = rk_scalar_of(0, domain);
        do {
            const rk_scalar x =
                rk_scalar_load(in[0], call->in[0]->dtype, a + rk_loops_at(&k, n.steps[0]), domain);
            const rk_scalar y =
                rk_scalar_load(in[1], call->in[1]->dtype, b + rk_loops_at(&k, n.steps[1]), domain);
            if (rk_domain_is_real(domain))
                sum.d += x.d * y.d;
            else
                sum.u += x.u * y.u;
        } while (rk_loops_next(&k));
        rk_scalar_store(out[0], call->out[0]->dtype, to++, sum, domain);
    } while (rk_loops_next(&o));
    return true;
}

static void contract_plan(rk_plan_lists *plan, const rk_op_call *call)
{
    const nest n = nest_of(call, true);
    int64_t *scalars = RK_NEW_ARRAY(plan->arena, int64_t, 2);
    scalars[0] = n.offset[0];
    scalars[1] = n.offset[1];
    rk_plan_types(plan, call, domain_of_pair(call));
    rk_plan_add(plan, scalars, 2);
    plan_nest(plan, &n, 2);
}

const rk_op rk_op_contract = {
    .name = "Contract",
    .summary = "the sum of products of two operands over loops, by strides, of any type; ours",
    .inputs = (const char *const[]){"a", "b", "plan?", NULL},
    .outputs = (const char *const[]){"y", NULL},
    .attrs = (const rk_attr_spec[]){RK_LIST("shape"),
                                    RK_LIST("extents"),
                                    RK_LIST("over"),
                                    RK_LIST("a_strides"),
                                    RK_LIST("a_steps"),
                                    RK_NUMBER("a_offset", 0),
                                    RK_LIST("b_strides"),
                                    RK_LIST("b_steps"),
                                    RK_NUMBER("b_offset", 0),
                                    RK_WORD("dtype", ""),
                                    {0}},
    .infer = contract_infer,
    .cost = contract_cost,
    .eval = contract_eval,
    .plan = contract_plan,
};
