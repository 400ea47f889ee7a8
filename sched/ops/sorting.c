#include "sched/ops/plan.h"

#include <math.h>

/*
 * Order: the k largest or smallest elements along an axis, in order, and where they are; equal ones as they lie.
 * Accumulate: sums or products of the elements before, along an axis.
 */

static bool order_infer(const rk_op_call *call, rk_diag *diag)
{
    const rk_tensor *x = call->in[0];
    const int64_t k = rk_op_int(call, "k");
    rk_sym extents[RK_MAX_RANK];
    int axis;
    if (!rk_op_axis(&axis, call, "axis", x->rank, diag))
        return false;
    if (k < 1 || k > x->shape[axis])
        return rk_op_fail(call, diag, "RK-G008", "k is %lld of %lld elements", (long long)k,
                          (long long)x->shape[axis]);
    rk_op_extents_of(extents, call, 0);
    extents[axis] = rk_op_number(call, k);
    return rk_op_set_extents(call, 0, x->dtype, x->rank, extents, diag) &&
           rk_op_set_extents(call, 1, RK_I64, x->rank, extents, diag);
}

static void order_cost(rk_cost *out, const rk_op_call *call)
{
    rk_op_cost_streaming(out, call,
                         (double)rk_op_int(call, "k") * (double)rk_tensor_elements(call->in[0]));
}

/** Whether (a, i) comes before (b, j); what is no number is larger than all. */
static bool before(rk_scalar a, int64_t i, rk_scalar b, int64_t j, bool largest, rk_domain domain)
{
    bool more = domain == RK_DOMAIN_I64 ? a.i > b.i : a.u > b.u;
    bool less = domain == RK_DOMAIN_I64 ? a.i < b.i : a.u < b.u;
    if (rk_domain_is_real(domain)) {
        more = a.d > b.d || (isnan(a.d) && !isnan(b.d));
        less = a.d < b.d || (isnan(b.d) && !isnan(a.d));
    }
    return (largest ? more : less) || (!more && !less && i < j);
}

static bool order_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    const rk_tensor *x = call->in[0];
    const rk_domain domain = rk_domain_of(x->dtype);
    const int axis = rk_op_axis_of(call, "axis", x->rank);
    const bool largest = rk_op_int(call, "largest") != 0;
    const int64_t extent = x->shape[axis];
    const int64_t k = rk_op_int(call, "k");
    const int64_t inner = rk_op_span(x->shape, axis + 1, x->rank);
    const int64_t lines = rk_tensor_elements(x) / extent;
    for (int64_t line = 0; line < lines; line++) {
        const int64_t from = line / inner * extent * inner + line % inner;
        const int64_t to = line / inner * k * inner + line % inner;
        rk_scalar last = {0};
        int64_t last_at = -1;
        for (int64_t j = 0; j < k; j++) {
            rk_scalar best = {0};
            int64_t best_at = -1;
            for (int64_t i = 0; i < extent; i++) {
                const rk_scalar v = rk_scalar_load(in[0], x->dtype, from + i * inner, domain);
                if ((last_at < 0 || before(last, last_at, v, i, largest, domain)) &&
                    (best_at < 0 || before(v, i, best, best_at, largest, domain))) {
                    best = v;
                    best_at = i;
                }
            }
            rk_scalar_store(out[0], x->dtype, to + j * inner, best, domain);
            ((int64_t *)out[1])[to + j * inner] = best_at;
            last = best;
            last_at = best_at;
        }
    }
    return true;
}

/** {lines, extent, inner, k, largest} */
static void order_plan(rk_plan_lists *plan, const rk_op_call *call)
{
    const rk_tensor *x = call->in[0];
    const int axis = rk_op_axis_of(call, "axis", x->rank);
    int64_t *scalars = RK_NEW_ARRAY(plan->arena, int64_t, 5);
    scalars[0] = rk_tensor_elements(x) / x->shape[axis];
    scalars[1] = x->shape[axis];
    scalars[2] = rk_op_span(x->shape, axis + 1, x->rank);
    scalars[3] = rk_op_int(call, "k");
    scalars[4] = rk_op_int(call, "largest") != 0;
    rk_plan_types(plan, call, rk_domain_of(x->dtype));
    rk_plan_add(plan, scalars, 5);
}

const rk_op rk_op_order = {
    .name = "Order",
    .summary = "the k largest or smallest along an axis, in order, and their places; ours",
    .inputs = (const char *const[]){"x", "plan?", NULL},
    .outputs = (const char *const[]){"values", "places", NULL},
    .attrs = (const rk_attr_spec[]){RK_NUMBER("axis", -1),
                                    RK_NUMBER("largest", 1),
                                    {.name = "k", .type = RK_ATTR_INT, .required = true},
                                    {0}},
    .infer = order_infer,
    .cost = order_cost,
    .eval = order_eval,
    .plan = order_plan,
};

static const char *const kinds[] = {"sum", "prod", NULL};
enum { SUM, PROD };

static bool accumulate_infer(const rk_op_call *call, rk_diag *diag)
{
    const rk_tensor *x = call->in[0];
    int axis;
    return rk_op_word(call, "kind", kinds, diag) >= 0 &&
           rk_op_axis(&axis, call, "axis", x->rank, diag) &&
           rk_op_set_like(call, 0, x, diag);
}

static void accumulate_cost(rk_cost *out, const rk_op_call *call)
{
    rk_op_cost_streaming(out, call, (double)rk_tensor_elements(call->in[0]));
}

static bool accumulate_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    const rk_tensor *x = call->in[0];
    const rk_domain domain = rk_domain_of(x->dtype);
    const bool real = rk_domain_is_real(domain);
    const int axis = rk_op_axis_of(call, "axis", x->rank);
    const bool exclusive = rk_op_int(call, "exclusive") != 0;
    const bool reverse = rk_op_int(call, "reverse") != 0;
    const bool product = rk_op_word_of(call, "kind", kinds) == PROD;
    const int64_t extent = x->shape[axis];
    const int64_t inner = rk_op_span(x->shape, axis + 1, x->rank);
    for (int64_t line = 0; line < rk_tensor_elements(x) / extent; line++) {
        const int64_t base = line / inner * extent * inner + line % inner;
        rk_scalar total = rk_scalar_of(product ? 1 : 0, domain);
        for (int64_t i = 0; i < extent; i++) {
            const int64_t at = base + (reverse ? extent - 1 - i : i) * inner;
            const rk_scalar v = rk_scalar_load(in[0], x->dtype, at, domain);
            const rk_scalar earlier = total;
            if (real)
                total.d = product ? total.d * v.d : total.d + v.d;
            else
                total.u = product ? total.u * v.u : total.u + v.u;
            rk_scalar_store(out[0], x->dtype, at, exclusive ? earlier : total, domain);
        }
    }
    return true;
}

/** {lines, extent, inner, kind, exclusive, reverse} */
static void accumulate_plan(rk_plan_lists *plan, const rk_op_call *call)
{
    const rk_tensor *x = call->in[0];
    const int axis = rk_op_axis_of(call, "axis", x->rank);
    int64_t *scalars = RK_NEW_ARRAY(plan->arena, int64_t, 6);
    scalars[0] = rk_tensor_elements(x) / x->shape[axis];
    scalars[1] = x->shape[axis];
    scalars[2] = rk_op_span(x->shape, axis + 1, x->rank);
    scalars[3] = rk_op_word_of(call, "kind", kinds);
    scalars[4] = rk_op_int(call, "exclusive") != 0;
    scalars[5] = rk_op_int(call, "reverse") != 0;
    rk_plan_types(plan, call, rk_domain_of(x->dtype));
    rk_plan_add(plan, scalars, 6);
}

const rk_op rk_op_accumulate = {
    .name = "Accumulate",
    .summary = "sums or products of what comes before along an axis, of any type; ours",
    .inputs = (const char *const[]){"x", "plan?", NULL},
    .outputs = (const char *const[]){"y", NULL},
    .attrs = (const rk_attr_spec[]){RK_NUMBER("axis", 0),
                                    RK_NUMBER("exclusive", 0),
                                    RK_NUMBER("reverse", 0),
                                    RK_WORD("kind", "sum"),
                                    {0}},
    .infer = accumulate_infer,
    .cost = accumulate_cost,
    .eval = accumulate_eval,
    .plan = accumulate_plan,
};
