#include "sched/ops/op_operands.h"

static bool clip_infer(const rk_op_call *call, rk_diag *diag)
{
    const rk_tensor *x = call->in[0];
    if (!rk_op_check_float(call, diag))
        return false;
    if (!(rk_op_real(call, "min") <= rk_op_real(call, "max")))
        return rk_op_fail(call, diag, "RK-G007", "min is above max");
    return rk_op_set_like(call, 0, x, diag);
}

static void clip_cost(rk_cost *out, const rk_op_call *call)
{
    rk_op_cost_streaming(out, call, 2.0 * (double)rk_tensor_elements(call->in[0]));
}

static bool clip_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    if (!rk_op_is_f32(call))
        return false;
    const float *x = in[0];
    float *y = out[0];
    float least = (float)rk_op_real(call, "min");
    float most = (float)rk_op_real(call, "max");
    int64_t n = rk_tensor_elements(call->in[0]);
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] < least ? least : x[i] > most ? most : x[i];
    return true;
}

const rk_op rk_op_clip = {
    .name = "Clip",
    .summary = "x, or min or max where it is beyond",
    .inputs = (const char *const[]){"X", NULL},
    .outputs = (const char *const[]){"Y", NULL},
    .attrs =
        (const rk_attr_spec[]){
            {.name = "min", .type = RK_ATTR_REAL, .d = -3.4028234663852886e38},
            {.name = "max", .type = RK_ATTR_REAL, .d = 3.4028234663852886e38},
            {0},
        },
    .in_place = 1,
    .infer = clip_infer,
    .cost = clip_cost,
    .eval = clip_eval,
};
