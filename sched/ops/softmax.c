#include "sched/ops/op_operands.h"

#include <math.h>

static bool softmax_infer(const rk_op_call *call, rk_diag *diag)
{
    const rk_tensor *x = call->in[0];
    int axis;
    return rk_op_check_float(call, diag) && rk_op_axis(&axis, call, "axis", x->rank, diag) &&
           rk_op_set_like(call, 0, x, diag);
}

/** Largest, difference, exponential, sum and quotient. */
static void softmax_cost(rk_cost *out, const rk_op_call *call)
{
    rk_op_cost_streaming(out, call, 14.0 * (double)rk_tensor_elements(call->in[0]));
}

/** `n` elements, `step` apart. */
static void softmax(float *y, const float *x, int64_t n, int64_t step)
{
    double most = (double)x[0];
    double sum = 0;
    for (int64_t i = 1; i < n; i++)
        most = fmax(most, (double)x[i * step]);
    for (int64_t i = 0; i < n; i++)
        sum += exp((double)x[i * step] - most);
    for (int64_t i = 0; i < n; i++)
        y[i * step] = (float)(exp((double)x[i * step] - most) / sum);
}

static bool softmax_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    if (!rk_op_is_f32(call))
        return false;
    const rk_tensor *x = call->in[0];
    int axis = rk_op_axis_of(call, "axis", x->rank);
    int64_t n = x->shape[axis];
    int64_t outer = rk_op_span(x->shape, 0, axis);
    int64_t inner = rk_op_span(x->shape, axis + 1, x->rank);
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++)
            softmax((float *)out[0] + o * n * inner + i, (const float *)in[0] + o * n * inner + i,
                    n, inner);
    return true;
}

const rk_op rk_op_softmax = {
    .name = "Softmax",
    .summary = "exp(x) over its sum along an axis",
    .inputs = (const char *const[]){"input", NULL},
    .outputs = (const char *const[]){"output", NULL},
    .attrs = (const rk_attr_spec[]){{.name = "axis", .type = RK_ATTR_INT, .i = -1}, {0}},
    .infer = softmax_infer,
    .cost = softmax_cost,
    .eval = softmax_eval,
};
