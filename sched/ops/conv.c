#include "sched/ops/window.h"

/** A Conv of X [N, C, ...] with W [M, C / group, ...]. */
typedef struct {
    rk_window window;
    int64_t batch, channels, filters, groups;
} conv;

static bool conv_of(conv *c, const rk_op_call *call, rk_diag *diag)
{
    const rk_tensor *x = call->in[0];
    const rk_tensor *w = call->in[1];
    if (!rk_window_of(&c->window, call, w->shape + 2, true, diag))
        return false;
    c->batch = x->shape[0];
    c->channels = x->shape[1];
    c->filters = w->shape[0];
    c->groups = rk_op_int(call, "group");
    return true;
}

static bool check_kernel_shape(const rk_op_call *call, rk_diag *diag)
{
    size_t count;
    const int64_t *shape = rk_op_ints(call, "kernel_shape", &count);
    const rk_tensor *w = call->in[1];
    bool same = count == 0 || count == (size_t)(w->rank - 2);
    for (size_t i = 0; same && i < count; i++)
        same = shape[i] == w->shape[2 + i];
    return same || rk_op_fail(call, diag, "RK-G008", "kernel_shape is not that of '%s'", w->name);
}

static bool conv_infer(const rk_op_call *call, rk_diag *diag)
{
    const rk_tensor *x = call->in[0];
    const rk_tensor *w = call->in[1];
    rk_activation activation;
    conv c;
    if (!rk_op_check_float(call, diag) || !rk_op_activation(&activation, call, diag))
        return false;
    if (x->rank < 3)
        return rk_op_fail(call, diag, "RK-G008", "'%s' has %d dimensions, not 3, 4 or 5", x->name,
                          x->rank);
    if (!rk_op_check_rank(call, 1, x->rank, diag) || !check_kernel_shape(call, diag) ||
        !conv_of(&c, call, diag))
        return false;
    if (c.groups < 1 || c.channels % c.groups || c.filters % c.groups ||
        w->shape[1] != c.channels / c.groups)
        return rk_op_fail(call, diag, "RK-G008",
                          "%lld groups of '%s', which has %lld channels, do not fit the %lld "
                          "filters of %lld channels of '%s'",
                          (long long)c.groups, x->name, (long long)c.channels, (long long)c.filters,
                          (long long)w->shape[1], w->name);
    const rk_sym filters = rk_op_number(call, c.filters);
    if (!rk_op_check_shape(call, 2, 1, &filters, diag))
        return false;
    int64_t shape[RK_MAX_RANK] = {c.batch, c.filters};
    for (int d = 2; d < x->rank; d++)
        shape[d] = c.window.out[d - 2 + RK_WINDOW_DIMS - (x->rank - 2)];
    return rk_op_set(call, 0, x->dtype, x->rank, shape, diag);
}

static void conv_cost(rk_cost *out, const rk_op_call *call)
{
    double window = (double)rk_op_span(call->in[1]->shape, 1, call->in[1]->rank);
    rk_op_cost_streaming(out, call, 2.0 * window * (double)rk_tensor_elements(call->out[0]));
}

/** One filter on one image: a plane of the output. `x` is the first channel of its group. */
static void convolve(float *y, const float *x, const float *w, double bias, int64_t channels,
                     const rk_window *window, rk_activation activation)
{
    for (int64_t o = 0; o < window->out_size; o++) {
        double sum = bias;
        for (int64_t k = 0; k < window->kernel_size; k++) {
            int64_t at = rk_window_at(window, o, k);
            for (int64_t c = 0; at >= 0 && c < channels; c++)
                sum += (double)x[c * window->in_size + at] * (double)w[c * window->kernel_size + k];
        }
        y[o] = (float)rk_activate(activation, sum);
    }
}

static bool conv_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    conv c;
    if (!rk_op_is_f32(call) || !conv_of(&c, call, NULL))
        return false;
    const float *bias = in[2];
    float *y = out[0];
    rk_activation activation = rk_op_activation_of(call);
    int64_t channels = c.channels / c.groups;
    for (int64_t n = 0; n < c.batch; n++)
        for (int64_t m = 0; m < c.filters; m++) {
            int64_t group = m / (c.filters / c.groups);
            const float *x =
                (const float *)in[0] + (n * c.channels + group * channels) * c.window.in_size;
            const float *w = (const float *)in[1] + m * channels * c.window.kernel_size;
            convolve(y, x, w, bias ? (double)bias[m] : 0, channels, &c.window, activation);
            y += c.window.out_size;
        }
    return true;
}

/** Filters one after another; those of groups would have to be sorted in between. */
static bool conv_part(rk_op_part *out, const rk_op_call *call)
{
    *out = (rk_op_part){.weight = 1, .bias = 2, .out_axis = 1, .slides = true};
    return rk_op_int(call, "group") == 1;
}

const rk_op rk_op_conv = {
    .name = "Conv",
    .summary = "convolution of NC... data with W [M, C / group, ...], then an activation (ours)",
    .inputs = (const char *const[]){"X", "W", "B?", NULL},
    .outputs = (const char *const[]){"Y", NULL},
    .attrs =
        (const rk_attr_spec[]){
            {.name = "kernel_shape", .type = RK_ATTR_INTS},
            {.name = "strides", .type = RK_ATTR_INTS},
            {.name = "pads", .type = RK_ATTR_INTS},
            {.name = "dilations", .type = RK_ATTR_INTS},
            {.name = "group", .type = RK_ATTR_INT, .i = 1},
            {.name = "activation", .type = RK_ATTR_STRING, .s = "none"},
            {0},
        },
    .infer = conv_infer,
    .cost = conv_cost,
    .eval = conv_eval,
    .part = conv_part,
};
