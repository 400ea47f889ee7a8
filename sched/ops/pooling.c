#include "sched/ops/window.h"

#include <math.h>

static bool pool_window(rk_window *window, const rk_op_call *call, rk_diag *diag)
{
    size_t count;
    const int64_t *kernel = rk_op_ints(call, "kernel_shape", &count);
    int spatial = call->in[0]->rank - 2;
    if (spatial < 1 || count != (size_t)spatial)
        return rk_op_fail(call, diag, "RK-G008",
                          "kernel_shape has %zu entries for '%s', which has %d dimensions", count,
                          call->in[0]->name, call->in[0]->rank);
    return rk_window_of(window, call, kernel, false, diag);
}

/** A window that lies in the padding only has no largest element and no mean. */
static bool check_padding(const rk_window *window, const rk_op_call *call, rk_diag *diag)
{
    size_t count;
    const int64_t *pads = rk_op_ints(call, "pads", &count);
    for (size_t i = 0; i < count; i++) {
        size_t spatial = count / 2;
        if (pads[i] >= window->kernel[RK_WINDOW_DIMS - spatial + i % spatial])
            return rk_op_fail(call, diag, "RK-G008", "a pad of %lld is no smaller than the window",
                              (long long)pads[i]);
    }
    return true;
}

static bool pool_infer(const rk_op_call *call, rk_diag *diag)
{
    const rk_tensor *x = call->in[0];
    rk_window window = {0};
    if (!rk_op_check_float(call, diag) || !pool_window(&window, call, diag) ||
        !check_padding(&window, call, diag))
        return false;
    int64_t shape[RK_MAX_RANK] = {x->shape[0], x->shape[1]};
    for (int d = 2; d < x->rank; d++)
        shape[d] = window.out[d - 2 + RK_WINDOW_DIMS - (x->rank - 2)];
    return rk_op_set(call, 0, x->dtype, x->rank, shape, diag);
}

static void pool_cost(rk_cost *out, const rk_op_call *call)
{
    rk_window window = {0};
    pool_window(&window, call, NULL);
    rk_op_cost_streaming(out, call,
                         (double)window.kernel_size * (double)rk_tensor_elements(call->out[0]));
}

/** The result of one window over a plane. */
typedef double reduce_window(const float *x, const rk_window *window, int64_t o, bool pad_counts);

static double largest(const float *x, const rk_window *window, int64_t o, bool pad_counts)
{
    (void)pad_counts;
    double most = -INFINITY;
    for (int64_t k = 0; k < window->kernel_size; k++) {
        int64_t at = rk_window_at(window, o, k);
        if (at >= 0 && !((double)x[at] <= most))
            most = (double)x[at];
    }
    return most;
}

static double mean(const float *x, const rk_window *window, int64_t o, bool pad_counts)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t k = 0; k < window->kernel_size; k++) {
        int64_t at = rk_window_at(window, o, k);
        sum += at >= 0 ? (double)x[at] : 0;
        count += at >= 0 || pad_counts;
    }
    return sum / (double)count;
}

static bool pool(const rk_op_call *call, const void *const *in, void *const *out,
                 reduce_window *reduce, bool pad_counts)
{
    rk_window window = {0};
    if (!rk_op_is_f32(call) || !pool_window(&window, call, NULL))
        return false;
    const float *x = in[0];
    float *y = out[0];
    int64_t planes = call->in[0]->shape[0] * call->in[0]->shape[1];
    for (int64_t p = 0; p < planes; p++)
        for (int64_t o = 0; o < window.out_size; o++)
            *y++ = (float)reduce(x + p * window.in_size, &window, o, pad_counts);
    return true;
}

static bool max_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    return pool(call, in, out, largest, false);
}

static bool average_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    return pool(call, in, out, mean, rk_op_int(call, "count_include_pad") != 0);
}

#define POOL_ATTRS                                                                                 \
    {.name = "kernel_shape", .type = RK_ATTR_INTS, .required = true},                              \
        {.name = "strides", .type = RK_ATTR_INTS},                                                 \
    {                                                                                              \
        .name = "pads", .type = RK_ATTR_INTS                                                       \
    }

const rk_op rk_op_max_pool = {
    .name = "MaxPool",
    .summary = "largest element of each window of NC... data; padding does not count",
    .inputs = (const char *const[]){"X", NULL},
    .outputs = (const char *const[]){"Y", NULL},
    .attrs = (const rk_attr_spec[]){POOL_ATTRS, {0}},
    .infer = pool_infer,
    .cost = pool_cost,
    .eval = max_eval,
};

const rk_op rk_op_average_pool = {
    .name = "AveragePool",
    .summary = "mean of each window of NC... data; padding counts with count_include_pad only",
    .inputs = (const char *const[]){"X", NULL},
    .outputs = (const char *const[]){"Y", NULL},
    .attrs =
        (const rk_attr_spec[]){
            POOL_ATTRS,
            {.name = "count_include_pad", .type = RK_ATTR_INT},
            {0},
        },
    .infer = pool_infer,
    .cost = pool_cost,
    .eval = average_eval,
};

static bool global_infer(const rk_op_call *call, rk_diag *diag)
{
    const rk_tensor *x = call->in[0];
    if (!rk_op_check_float(call, diag))
        return false;
    if (x->rank < 3)
        return rk_op_fail(call, diag, "RK-G008", "'%s' has %d dimensions: at least 3 are needed",
                          x->name, x->rank);
    int64_t shape[RK_MAX_RANK] = {x->shape[0], x->shape[1], 1, 1, 1, 1, 1, 1};
    return rk_op_set(call, 0, x->dtype, x->rank, shape, diag);
}

static void global_cost(rk_cost *out, const rk_op_call *call)
{
    rk_op_cost_streaming(out, call, (double)rk_tensor_elements(call->in[0]));
}

static bool global_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    if (!rk_op_is_f32(call))
        return false;
    const float *x = in[0];
    float *y = out[0];
    int64_t size = rk_op_span(call->in[0]->shape, 2, call->in[0]->rank);
    int64_t planes = rk_tensor_elements(call->out[0]);
    for (int64_t p = 0; p < planes; p++) {
        double sum = 0;
        for (int64_t i = 0; i < size; i++)
            sum += (double)*x++;
        *y++ = (float)(sum / (double)size);
    }
    return true;
}

const rk_op rk_op_global_average_pool = {
    .name = "GlobalAveragePool",
    .summary = "mean over all spatial dimensions of NC... data",
    .inputs = (const char *const[]){"X", NULL},
    .outputs = (const char *const[]){"Y", NULL},
    .infer = global_infer,
    .cost = global_cost,
    .eval = global_eval,
};
