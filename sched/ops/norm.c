#include "sched/ops/op_operands.h"

#include <math.h>

static bool check_epsilon(const rk_op_call *call, rk_diag *diag)
{
    double epsilon = rk_op_real(call, "epsilon");
    return epsilon >= 0 ||
           rk_op_fail(call, diag, "RK-G007", "epsilon is %g, and must not be negative", epsilon);
}

/** Whether operand `i` broadcasts to the dimensions of X from `axis` on. */
static bool check_scale(const rk_op_call *call, size_t i, int axis, rk_diag *diag)
{
    const rk_tensor *x = call->in[0];
    if (!rk_op_has(call, i))
        return true;
    const rk_tensor *scale = call->in[i];
    int rank;
    rk_sym of_x[RK_MAX_RANK];
    rk_sym of_scale[RK_MAX_RANK];
    rk_sym both[RK_MAX_RANK];
    rk_op_extents_of(of_x, call, 0);
    rk_op_extents_of(of_scale, call, i);
    bool fits = rk_op_broadcast_extents(call, &rank, both, x->rank - axis, of_x + axis, scale->rank,
                                        of_scale) &&
                rank == x->rank - axis;
    for (int d = 0; fits && d < rank; d++)
        fits = rk_op_agree(call, both[d], of_x[axis + d]);
    return fits || rk_op_fail(call, diag, "RK-G008",
                              "'%s' does not broadcast to the last %d dimensions of '%s'",
                              scale->name, x->rank - axis, x->name);
}

static bool layer_infer(const rk_op_call *call, rk_diag *diag)
{
    const rk_tensor *x = call->in[0];
    int axis;
    return rk_op_check_float(call, diag) && rk_op_axis(&axis, call, "axis", x->rank, diag) &&
           check_scale(call, 1, axis, diag) && check_scale(call, 2, axis, diag) &&
           check_epsilon(call, diag) && rk_op_set_like(call, 0, x, diag);
}

static void norm_cost(rk_cost *out, const rk_op_call *call)
{
    rk_op_cost_streaming(out, call, 8.0 * (double)rk_tensor_elements(call->in[0]));
}

/** Mean of n elements, and 1 / sqrt(variance + epsilon). */
static void moments(double *mean, double *scale, const float *x, int64_t n, double epsilon)
{
    double sum = 0;
    double squares = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)x[i];
    *mean = sum / (double)n;
    for (int64_t i = 0; i < n; i++)
        squares += ((double)x[i] - *mean) * ((double)x[i] - *mean);
    *scale = 1.0 / sqrt(squares / (double)n + epsilon);
}

static bool layer_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    if (!rk_op_is_f32(call))
        return false;
    const rk_tensor *tensor = call->in[0];
    const float *x = in[0];
    const float *gain = in[1];
    const float *bias = in[2];
    float *y = out[0];
    int axis = rk_op_axis_of(call, "axis", tensor->rank);
    int rank = tensor->rank - axis;
    const int64_t *shape = tensor->shape + axis;
    int64_t n = rk_op_span(shape, 0, rank);
    int64_t rows = rk_op_span(tensor->shape, 0, axis);
    int64_t gain_strides[RK_MAX_RANK];
    int64_t bias_strides[RK_MAX_RANK] = {0};
    rk_op_strides(gain_strides, rank, call->in[1]->rank, call->in[1]->shape);
    if (bias)
        rk_op_strides(bias_strides, rank, call->in[2]->rank, call->in[2]->shape);
    for (int64_t r = 0; r < rows; r++) {
        double mean, scale;
        int64_t index[RK_MAX_RANK] = {0};
        moments(&mean, &scale, x, n, rk_op_real(call, "epsilon"));
        do {
            double g = (double)gain[rk_op_at(index, gain_strides, rank)];
            double b = bias ? (double)bias[rk_op_at(index, bias_strides, rank)] : 0;
            *y++ = (float)(((double)*x++ - mean) * scale * g + b);
        } while (rk_op_next(index, rank, shape));
    }
    return true;
}

const rk_op rk_op_layer_normalization = {
    .name = "LayerNormalization",
    .summary = "mean 0 and variance 1 over the dimensions from axis on, times Scale plus B",
    .inputs = (const char *const[]){"X", "Scale", "B?", NULL},
    .outputs = (const char *const[]){"Y", NULL},
    .attrs =
        (const rk_attr_spec[]){
            {.name = "axis", .type = RK_ATTR_INT, .i = -1},
            {.name = "epsilon", .type = RK_ATTR_REAL, .d = 1e-5},
            {0},
        },
    .infer = layer_infer,
    .cost = norm_cost,
    .eval = layer_eval,
};

static bool batch_infer(const rk_op_call *call, rk_diag *diag)
{
    const rk_tensor *x = call->in[0];
    if (!rk_op_check_float(call, diag) || !check_epsilon(call, diag))
        return false;
    if (x->rank < 2)
        return rk_op_fail(call, diag, "RK-G008", "'%s' has %d dimensions: at least 2 are needed",
                          x->name, x->rank);
    const rk_sym channels = rk_op_extent(call, 0, 1);
    for (size_t i = 1; i < 5; i++)
        if (!rk_op_check_shape(call, i, 1, &channels, diag))
            return false;
    return rk_op_set_like(call, 0, x, diag);
}

static bool batch_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    if (!rk_op_is_f32(call))
        return false;
    const rk_tensor *tensor = call->in[0];
    const float *x = in[0];
    const float *gain = in[1];
    const float *bias = in[2];
    const float *mean = in[3];
    const float *variance = in[4];
    float *y = out[0];
    double epsilon = rk_op_real(call, "epsilon");
    int64_t channels = tensor->shape[1];
    int64_t inner = rk_op_span(tensor->shape, 2, tensor->rank);
    int64_t n = rk_tensor_elements(tensor);
    for (int64_t i = 0; i < n; i++) {
        int64_t c = i / inner % channels;
        double centred = (double)x[i] - (double)mean[c];
        y[i] = (float)(centred / sqrt((double)variance[c] + epsilon) * (double)gain[c] +
                       (double)bias[c]);
    }
    return true;
}

const rk_op rk_op_batch_normalization = {
    .name = "BatchNormalization",
    .summary = "(X - mean) / sqrt(var + epsilon) * scale + B for each channel of NC... data",
    .inputs = (const char *const[]){"X", "scale", "B", "input_mean", "input_var", NULL},
    .outputs = (const char *const[]){"Y", NULL},
    .attrs = (const rk_attr_spec[]){{.name = "epsilon", .type = RK_ATTR_REAL, .d = 1e-5}, {0}},
    .in_place = 1,
    .infer = batch_infer,
    .cost = norm_cost,
    .eval = batch_eval,
};
