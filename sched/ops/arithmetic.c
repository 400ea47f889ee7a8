#include "sched/ops/op_operands.h"

static bool binary_infer(const rk_op_call *call, rk_diag *diag)
{
    const rk_tensor *a = call->in[0];
    const rk_tensor *b = call->in[1];
    int rank;
    rk_sym extents[RK_MAX_RANK];
    rk_sym of_a[RK_MAX_RANK];
    rk_sym of_b[RK_MAX_RANK];
    if (!rk_op_check_same(call, diag))
        return false;
    if (a->dtype == RK_BOOL)
        return rk_op_fail(call, diag, "RK-G009", "'%s' is bool, and a number is needed", a->name);
    rk_op_extents_of(of_a, call, 0);
    rk_op_extents_of(of_b, call, 1);
    if (!rk_op_broadcast_extents(call, &rank, extents, a->rank, of_a, b->rank, of_b))
        return rk_op_fail(call, diag, "RK-G008", "the shapes of '%s' and '%s' do not broadcast",
                          a->name, b->name);
    return rk_op_set_extents(call, 0, a->dtype, rank, extents, diag);
}

static void binary_cost(rk_cost *out, const rk_op_call *call)
{
    rk_op_cost_streaming(out, call, (double)rk_tensor_elements(call->out[0]));
}

static bool apply(const rk_op_call *call, const void *const *in, void *const *out,
                  double (*function)(double a, double b))
{
    if (!rk_op_is_f32(call))
        return false;
    const rk_tensor *y = call->out[0];
    const float *a = in[0];
    const float *b = in[1];
    float *result = out[0];
    int64_t a_strides[RK_MAX_RANK] = {0};
    int64_t b_strides[RK_MAX_RANK] = {0};
    int64_t index[RK_MAX_RANK] = {0};
    rk_op_strides(a_strides, y->rank, call->in[0]->rank, call->in[0]->shape);
    rk_op_strides(b_strides, y->rank, call->in[1]->rank, call->in[1]->shape);
    do {
        *result++ = (float)function((double)a[rk_op_at(index, a_strides, y->rank)],
                                    (double)b[rk_op_at(index, b_strides, y->rank)]);
    } while (rk_op_next(index, y->rank, y->shape));
    return true;
}

static double add(double a, double b)
{
    return a + b;
}

static double subtract(double a, double b)
{
    return a - b;
}

static double multiply(double a, double b)
{
    return a * b;
}

static double divide(double a, double b)
{
    return a / b;
}

static bool add_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    return apply(call, in, out, add);
}

static bool sub_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    return apply(call, in, out, subtract);
}

static bool mul_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    return apply(call, in, out, multiply);
}

static bool div_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    return apply(call, in, out, divide);
}

#define A_B_TO_C                                                                                   \
    .inputs = (const char *const[]){"A", "B", NULL}, .outputs = (const char *const[]){"C", NULL},  \
    .in_place = 1 | 1 << 1, .infer = binary_infer, .cost = binary_cost

const rk_op rk_op_add = {
    .name = "Add",
    .summary = "a + b, broadcast as numpy does",
    A_B_TO_C,
    .eval = add_eval,
};

const rk_op rk_op_sub = {
    .name = "Sub",
    .summary = "a - b, broadcast as numpy does",
    A_B_TO_C,
    .eval = sub_eval,
};

const rk_op rk_op_mul = {
    .name = "Mul",
    .summary = "a * b, broadcast as numpy does",
    A_B_TO_C,
    .eval = mul_eval,
};

const rk_op rk_op_div = {
    .name = "Div",
    .summary = "a / b, broadcast as numpy does",
    A_B_TO_C,
    .eval = div_eval,
};

static bool bias_infer(const rk_op_call *call, rk_diag *diag)
{
    const rk_tensor *x = call->in[0];
    rk_activation activation;
    int axis;
    if (!rk_op_check_float(call, diag) || !rk_op_activation(&activation, call, diag) ||
        !rk_op_axis(&axis, call, "axis", x->rank, diag))
        return false;
    const rk_sym extent = rk_op_extent(call, 0, axis);
    if (!rk_op_check_shape(call, 1, 1, &extent, diag))
        return false;
    return rk_op_set_like(call, 0, x, diag);
}

static void bias_cost(rk_cost *out, const rk_op_call *call)
{
    double each = rk_op_activation_of(call) > RK_ACTIVATE_RELU ? 11.0 : 2.0;
    rk_op_cost_streaming(out, call, each * (double)rk_tensor_elements(call->out[0]));
}

static bool bias_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    if (!rk_op_is_f32(call))
        return false;
    const rk_tensor *tensor = call->in[0];
    const float *x = in[0];
    const float *bias = in[1];
    float *y = out[0];
    int axis = rk_op_axis_of(call, "axis", tensor->rank);
    int64_t inner = rk_op_span(tensor->shape, axis + 1, tensor->rank);
    int64_t n = rk_tensor_elements(tensor);
    rk_activation activation = rk_op_activation_of(call);
    for (int64_t i = 0; i < n; i++)
        y[i] = (float)rk_activate(activation,
                                  (double)x[i] + (double)bias[i / inner % tensor->shape[axis]]);
    return true;
}

const rk_op rk_op_bias_add = {
    .name = "BiasAdd",
    .summary = "X plus B [n] along an axis, then an activation; ours",
    .inputs = (const char *const[]){"X", "B", NULL},
    .outputs = (const char *const[]){"Y", NULL},
    .attrs =
        (const rk_attr_spec[]){
            {.name = "axis", .type = RK_ATTR_INT, .i = -1},
            {.name = "activation", .type = RK_ATTR_STRING, .s = "none"},
            {0},
        },
    .in_place = 1,
    .infer = bias_infer,
    .cost = bias_cost,
    .eval = bias_eval,
};
