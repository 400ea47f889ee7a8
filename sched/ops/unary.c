#include "sched/ops/op_operands.h"

#include <math.h>
#include <string.h>

static bool unary_infer(const rk_op_call *call, rk_diag *diag)
{
    const rk_tensor *x = call->in[0];
    return rk_op_check_float(call, diag) && rk_op_set_like(call, 0, x, diag);
}

static void cheap_cost(rk_cost *out, const rk_op_call *call)
{
    rk_op_cost_streaming(out, call, (double)rk_tensor_elements(call->in[0]));
}

/** Functions that take about ten operations an element. */
static void function_cost(rk_cost *out, const rk_op_call *call)
{
    rk_op_cost_streaming(out, call, 10.0 * (double)rk_tensor_elements(call->in[0]));
}

static bool map(const rk_op_call *call, const void *const *in, void *const *out,
                double (*function)(double x, double alpha), double alpha)
{
    if (!rk_op_is_f32(call))
        return false;
    const float *x = in[0];
    float *y = out[0];
    int64_t n = rk_tensor_elements(call->in[0]);
    for (int64_t i = 0; i < n; i++)
        y[i] = (float)function((double)x[i], alpha);
    return true;
}

static double relu(double x, double alpha)
{
    (void)alpha;
    return rk_activate(RK_ACTIVATE_RELU, x);
}

static double sigmoid(double x, double alpha)
{
    (void)alpha;
    return rk_activate_sigmoid(x);
}

static double hyperbolic_tangent(double x, double alpha)
{
    (void)alpha;
    return tanh(x);
}

static double exponential(double x, double alpha)
{
    (void)alpha;
    return exp(x);
}

static double square_root(double x, double alpha)
{
    (void)alpha;
    return sqrt(x);
}

static double leaky_relu(double x, double alpha)
{
    return x < 0 ? alpha * x : x;
}

static double elu(double x, double alpha)
{
    return x < 0 ? alpha * expm1(x) : x;
}

static double gelu(double x, double alpha)
{
    (void)alpha;
    return rk_activate_gelu(x);
}

static double gelu_by_tanh(double x, double alpha)
{
    (void)alpha;
    const double pi = 3.14159265358979323846;
    return 0.5 * x * (1.0 + tanh(sqrt(2.0 / pi) * (x + 0.044715 * x * x * x)));
}

static bool relu_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    return map(call, in, out, relu, 0);
}

static bool sigmoid_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    return map(call, in, out, sigmoid, 0);
}

static bool tanh_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    return map(call, in, out, hyperbolic_tangent, 0);
}

static bool exp_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    return map(call, in, out, exponential, 0);
}

static bool sqrt_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    return map(call, in, out, square_root, 0);
}

static bool leaky_relu_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    return map(call, in, out, leaky_relu, rk_op_real(call, "alpha"));
}

static bool elu_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    return map(call, in, out, elu, rk_op_real(call, "alpha"));
}

static bool gelu_infer(const rk_op_call *call, rk_diag *diag)
{
    const char *approximate = rk_op_string(call, "approximate");
    if (strcmp(approximate, "none") != 0 && strcmp(approximate, "tanh") != 0)
        return rk_op_fail(call, diag, "RK-G007", "approximate is '%s', and must be none or tanh",
                          approximate);
    return unary_infer(call, diag);
}

static bool gelu_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    bool approximate = strcmp(rk_op_string(call, "approximate"), "tanh") == 0;
    return map(call, in, out, approximate ? gelu_by_tanh : gelu, 0);
}

#define X_TO_Y                                                                                     \
    .inputs = (const char *const[]){"X", NULL}, .outputs = (const char *const[]){"Y", NULL},       \
    .in_place = 1

const rk_op rk_op_relu = {
    .name = "Relu",
    .summary = "max(x, 0)",
    X_TO_Y,
    .infer = unary_infer,
    .cost = cheap_cost,
    .eval = relu_eval,
};

const rk_op rk_op_sigmoid = {
    .name = "Sigmoid",
    .summary = "1 / (1 + exp(-x))",
    X_TO_Y,
    .infer = unary_infer,
    .cost = function_cost,
    .eval = sigmoid_eval,
};

const rk_op rk_op_tanh = {
    .name = "Tanh",
    .summary = "hyperbolic tangent",
    X_TO_Y,
    .infer = unary_infer,
    .cost = function_cost,
    .eval = tanh_eval,
};

const rk_op rk_op_exp = {
    .name = "Exp",
    .summary = "e^x",
    X_TO_Y,
    .infer = unary_infer,
    .cost = function_cost,
    .eval = exp_eval,
};

const rk_op rk_op_sqrt = {
    .name = "Sqrt",
    .summary = "square root; not a number below 0",
    X_TO_Y,
    .infer = unary_infer,
    .cost = cheap_cost,
    .eval = sqrt_eval,
};

const rk_op rk_op_leaky_relu = {
    .name = "LeakyRelu",
    .summary = "x, or alpha * x where x < 0",
    X_TO_Y,
    .attrs = (const rk_attr_spec[]){{.name = "alpha", .type = RK_ATTR_REAL, .d = 0.01}, {0}},
    .infer = unary_infer,
    .cost = cheap_cost,
    .eval = leaky_relu_eval,
};

const rk_op rk_op_elu = {
    .name = "Elu",
    .summary = "x, or alpha * (exp(x) - 1) where x < 0",
    X_TO_Y,
    .attrs = (const rk_attr_spec[]){{.name = "alpha", .type = RK_ATTR_REAL, .d = 1}, {0}},
    .infer = unary_infer,
    .cost = function_cost,
    .eval = elu_eval,
};

const rk_op rk_op_gelu = {
    .name = "Gelu",
    .summary = "x * Phi(x), or its approximation by tanh",
    X_TO_Y,
    .attrs =
        (const rk_attr_spec[]){
            {.name = "approximate", .type = RK_ATTR_STRING, .s = "none"},
            {0},
        },
    .infer = gelu_infer,
    .cost = function_cost,
    .eval = gelu_eval,
};
