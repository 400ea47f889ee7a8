#include "sched/ops/op_operands.h"

#include <math.h>

/** Marks the reduced dimensions: all when the node names none. */
static bool reduced_dims(bool *reduced, const rk_op_call *call, rk_diag *diag)
{
    int rank = call->in[0]->rank;
    size_t count;
    const int64_t *axes = rk_op_ints(call, "axes", &count);
    for (int d = 0; d < rank; d++)
        reduced[d] = count == 0;
    for (size_t i = 0; i < count; i++) {
        int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
        if (axis < 0 || axis >= rank)
            return rk_op_fail(call, diag, "RK-G008",
                              "the axis %lld is outside the %d dimensions of '%s'",
                              (long long)axes[i], rank, call->in[0]->name);
        if (reduced[axis])
            return rk_op_fail(call, diag, "RK-G008", "the axis %lld is named twice",
                              (long long)axes[i]);
        reduced[axis] = true;
    }
    return true;
}

static bool reduce_infer(const rk_op_call *call, rk_diag *diag)
{
    const rk_tensor *x = call->in[0];
    bool reduced[RK_MAX_RANK];
    if (!rk_op_check_float(call, diag) || !reduced_dims(reduced, call, diag))
        return false;
    bool keep = rk_op_int(call, "keepdims") != 0;
    int rank = 0;
    rk_sym extents[RK_MAX_RANK];
    for (int d = 0; d < x->rank; d++)
        if (!reduced[d] || keep)
            extents[rank++] = reduced[d] ? rk_op_number(call, 1) : rk_op_extent(call, 0, d);
    return rk_op_set_extents(call, 0, x->dtype, rank, extents, diag);
}

static void reduce_cost(rk_cost *out, const rk_op_call *call)
{
    rk_op_cost_streaming(out, call, (double)rk_tensor_elements(call->in[0]));
}

typedef enum { SUM, MEAN, MAX } reduction;

/** The dimensions of X that are kept, and those that are reduced, with X's steps along each. */
typedef struct {
    int kept, gone;
    int64_t kept_shape[RK_MAX_RANK], kept_step[RK_MAX_RANK];
    int64_t gone_shape[RK_MAX_RANK], gone_step[RK_MAX_RANK];
} split;

static split split_of(const rk_op_call *call)
{
    const rk_tensor *x = call->in[0];
    bool reduced[RK_MAX_RANK];
    split s = {0};
    reduced_dims(reduced, call, NULL);
    for (int d = 0; d < x->rank; d++) {
        int64_t step = rk_op_span(x->shape, d + 1, x->rank);
        if (reduced[d]) {
            s.gone_shape[s.gone] = x->shape[d];
            s.gone_step[s.gone++] = step;
        } else {
            s.kept_shape[s.kept] = x->shape[d];
            s.kept_step[s.kept++] = step;
        }
    }
    return s;
}

static double reduce_one(const float *x, const split *s, reduction how)
{
    int64_t index[RK_MAX_RANK] = {0};
    double sum = 0;
    double most = -INFINITY;
    do {
        double value = (double)x[rk_op_at(index, s->gone_step, s->gone)];
        sum += value;
        most = value <= most ? most : value;
    } while (rk_op_next(index, s->gone, s->gone_shape));
    if (how == MAX)
        return most;
    return how == SUM ? sum : sum / (double)rk_op_span(s->gone_shape, 0, s->gone);
}

static bool reduce(const rk_op_call *call, const void *const *in, void *const *out, reduction how)
{
    if (!rk_op_is_f32(call))
        return false;
    split s = split_of(call);
    int64_t index[RK_MAX_RANK] = {0};
    const float *x = in[0];
    float *y = out[0];
    do {
        *y++ = (float)reduce_one(x + rk_op_at(index, s.kept_step, s.kept), &s, how);
    } while (rk_op_next(index, s.kept, s.kept_shape));
    return true;
}

static bool sum_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    return reduce(call, in, out, SUM);
}

static bool mean_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    return reduce(call, in, out, MEAN);
}

static bool max_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    return reduce(call, in, out, MAX);
}

static const rk_attr_spec attrs[] = {
    {.name = "axes", .type = RK_ATTR_INTS},
    {.name = "keepdims", .type = RK_ATTR_INT, .i = 1},
    {0},
};

#define DATA_TO_REDUCED                                                                            \
    .inputs = (const char *const[]){"data", NULL},                                                 \
    .outputs = (const char *const[]){"reduced", NULL}, .attrs = attrs, .infer = reduce_infer,      \
    .cost = reduce_cost

const rk_op rk_op_reduce_sum = {
    .name = "ReduceSum",
    .summary = "sum over axes, all of them when none is named",
    DATA_TO_REDUCED,
    .eval = sum_eval,
};

const rk_op rk_op_reduce_mean = {
    .name = "ReduceMean",
    .summary = "mean over axes, all of them when none is named",
    DATA_TO_REDUCED,
    .eval = mean_eval,
};

const rk_op rk_op_reduce_max = {
    .name = "ReduceMax",
    .summary = "largest element over axes, all of them when none is named",
    DATA_TO_REDUCED,
    .eval = max_eval,
};
