#include "sched/ops/op_operands.h"

#include <string.h>

/** The first `rank` entries of `pads` come before, the others after; negative ones take away. */
static const int64_t *pads_of(const rk_op_call *call, rk_diag *diag)
{
    size_t count;
    const int64_t *pads = rk_op_ints(call, "pads", &count);
    size_t rank = (size_t)call->in[0]->rank;
    if (count == 2 * rank)
        return pads;
    rk_op_fail(call, diag, "RK-G008", "pads has %zu entries, not %zu", count, 2 * rank);
    return NULL;
}

static bool pad_infer(const rk_op_call *call, rk_diag *diag)
{
    const rk_tensor *x = call->in[0];
    const int64_t *pads = pads_of(call, diag);
    int64_t shape[RK_MAX_RANK];
    if (!pads)
        return false;
    for (int d = 0; d < x->rank; d++) {
        int64_t before = pads[d];
        int64_t after = pads[d + x->rank];
        if (before < -x->shape[d] || after < -x->shape[d] || before > RK_MAX_ELEMENTS ||
            after > RK_MAX_ELEMENTS || x->shape[d] + before + after < 1)
            return rk_op_fail(call, diag, "RK-G008",
                              "pads of %lld and %lld leave nothing of dimension %d, or too much",
                              (long long)before, (long long)after, d);
        shape[d] = x->shape[d] + before + after;
    }
    return rk_op_set(call, 0, x->dtype, x->rank, shape, diag);
}

static void pad_cost(rk_cost *out, const rk_op_call *call)
{
    rk_op_cost_streaming(out, call, 0);
}

/** Offset in `x` of the element that goes to `index` of the output, -1 for one of padding. */
static int64_t source(const rk_tensor *x, const int64_t *pads, const int64_t *index)
{
    int64_t at = 0;
    for (int d = 0; d < x->rank; d++) {
        int64_t i = index[d] - pads[d];
        if (i < 0 || i >= x->shape[d])
            return -1;
        at = at * x->shape[d] + i;
    }
    return at;
}

static bool pad_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    const rk_tensor *x = call->in[0];
    const rk_tensor *y = call->out[0];
    const int64_t *pads = pads_of(call, NULL);
    float value = (float)rk_op_real(call, "value");
    int64_t index[RK_MAX_RANK] = {0};
    float *to = out[0];
    if (!rk_op_is_f32(call))
        return false;
    do {
        int64_t at = source(x, pads, index);
        *to++ = at < 0 ? value : ((const float *)in[0])[at];
    } while (rk_op_next(index, y->rank, y->shape));
    return true;
}

const rk_op rk_op_pad = {
    .name = "Pad",
    .summary = "a value around the data; negative pads take away, as a slice",
    .inputs = (const char *const[]){"data", NULL},
    .outputs = (const char *const[]){"output", NULL},
    .attrs =
        (const rk_attr_spec[]){
            {.name = "pads", .type = RK_ATTR_INTS, .required = true},
            {.name = "value", .type = RK_ATTR_REAL},
            {0},
        },
    .infer = pad_infer,
    .cost = pad_cost,
    .eval = pad_eval,
};
