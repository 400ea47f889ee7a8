#include "sched/onnx/import_internal.h"

#include "sched/ops/op_operands.h"

#include <string.h>

/* Reductions, softmaxes and normalisations: Reduce and Map. Halves are summed in f32. */

static bool is_half(rk_dtype dtype)
{
    return dtype == RK_F16 || dtype == RK_BF16;
}

/** The operand, in f32 where it is of halves. */
static rk_id wide(rk_onnx_call *c, rk_id x)
{
    return x != RK_ONNX_LOST && is_half(rk_onnx_tensor_of(c, x)->dtype) ? rk_onnx_cast(c, x, RK_F32)
                                                                        : x;
}

static int64_t count_over(const rk_tensor *t, uint32_t axes)
{
    int64_t n = 1;
    for (int d = 0; d < t->rank; d++)
        n *= axes >> d & 1 ? t->shape[d] : 1;
    return n;
}

static rk_id mean_over(rk_onnx_call *c, rk_id x, uint32_t axes, bool keep)
{
    if (x == RK_ONNX_LOST)
        return x;
    const int64_t n = count_over(rk_onnx_tensor_of(c, x), axes);
    const rk_id sum = rk_onnx_reduce(c, x, "sum", axes, keep);
    return rk_onnx_map1(c, rk_arena_printf(c->im->arena, "a %lld div", (long long)n), sum);
}

/** The axes that are reduced: all of them where none is given. */
static bool axes_of(uint32_t *axes, bool *none, rk_onnx_call *c, int rank)
{
    bool given;
    if (!rk_onnx_axes(axes, &given, c, rank))
        return false;
    *none = !given;
    if (!given)
        *axes = (UINT32_C(1) << rank) - 1;
    return true;
}

/** a: what is summed (or "max", "min", "prod"); b: what becomes of the sum. */
static bool lower_reduction(rk_onnx_call *c)
{
    const rk_onnx_rule *rule = rk_onnx_rule_find(c->node->op_type);
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    const bool keep = rk_onnx_int(c, "keepdims", 1) != 0;
    uint32_t axes;
    bool none;
    if (!axes_of(&axes, &none, c, t.rank))
        return false;
    if (none && rk_onnx_int(c, "noop_with_empty_axes", 0))
        return rk_onnx_done(c, c->in[0]);
    rk_id x = wide(c, c->in[0]);
    if (strcmp(rule->a, "max") == 0 || strcmp(rule->a, "min") == 0 || strcmp(rule->a, "prod") == 0)
        return rk_onnx_done(c, rk_onnx_cast(c, rk_onnx_reduce(c, x, rule->a, axes, keep), t.dtype));
    if (strcmp(rule->a, "a") != 0)
        x = rk_onnx_map1(c, rule->a, x);
    x = rule->b && strcmp(rule->b, "mean") == 0 ? mean_over(c, x, axes, keep)
                                                : rk_onnx_reduce(c, x, "sum", axes, keep);
    if (rule->b && strcmp(rule->b, "mean") != 0)
        x = rk_onnx_map1(c, rule->b, x);
    return rk_onnx_done(c, rk_onnx_cast(c, x, t.dtype));
}

/** The largest is taken away first, so that nothing overflows. */
static bool lower_log_sum_exp(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    const bool keep = rk_onnx_int(c, "keepdims", 1) != 0;
    uint32_t axes;
    bool none;
    if (!axes_of(&axes, &none, c, t.rank))
        return false;
    const rk_id x = wide(c, c->in[0]);
    const rk_id top = rk_onnx_map1(c, "a isinf 0 a where", rk_onnx_reduce(c, x, "max", axes, true));
    const rk_id sum = rk_onnx_reduce(c, rk_onnx_map2(c, "a b sub exp", x, top), "sum", axes, keep);
    rk_id flat = top;
    if (!keep && sum != RK_ONNX_LOST) {
        const rk_tensor s = *rk_onnx_tensor_of(c, sum);
        flat = rk_onnx_reshape(c, top, s.rank, s.shape);
    }
    return rk_onnx_done(c, rk_onnx_cast(c, rk_onnx_map2(c, "a log b add", sum, flat), t.dtype));
}

/** a: the kind. */
static bool lower_arg(rk_onnx_call *c)
{
    const rk_onnx_rule *rule = rk_onnx_rule_find(c->node->op_type);
    int axis;
    if (!rk_onnx_needs(c, 1) ||
        !rk_onnx_axis(&axis, c, rk_onnx_int(c, "axis", 0), rk_onnx_in(c, 0)->rank))
        return false;
    rk_onnx_with_int(c, "last", rk_onnx_int(c, "select_last_index", 0));
    return rk_onnx_done(
        c, rk_onnx_reduce(c, c->in[0], rule->a, 1U << axis, rk_onnx_int(c, "keepdims", 1) != 0));
}

/** exp(x - largest) / their sum, or its logarithm. */
static rk_id softmax_over(rk_onnx_call *c, rk_id x, uint32_t axes, bool logarithm)
{
    const rk_id top = rk_onnx_reduce(c, x, "max", axes, true);
    const rk_id less = rk_onnx_map2(c, "a b sub", x, top);
    const rk_id powers = rk_onnx_map1(c, "a exp", less);
    const rk_id sum = rk_onnx_reduce(c, powers, "sum", axes, true);
    return logarithm ? rk_onnx_map2(c, "a b log sub", less, sum)
                     : rk_onnx_map2(c, "a b div", powers, sum);
}

/** 1 where the first largest of the axis is. */
static rk_id hardmax_over(rk_onnx_call *c, rk_id x, int axis)
{
    const rk_dtype dtype = rk_onnx_tensor_of(c, x)->dtype;
    const rk_tensor t = *rk_onnx_tensor_of(c, x);
    const rk_id place = rk_onnx_reduce(c, x, "argmax", 1U << axis, true);
    rk_onnx_with_ints(c, "shape", t.shape, (size_t)t.rank);
    return rk_onnx_map(c, rk_arena_printf(c->im->arena, "a i%d eq", axis), dtype, "i64", place,
                       RK_NO_ID, RK_NO_ID, RK_NO_ID);
}

/** a: soft, log or hard. Before opset 13 the operand is a matrix: what is before the axis, and the rest. */
static bool lower_softmax(rk_onnx_call *c)
{
    const char *kind = rk_onnx_rule_find(c->node->op_type)->a;
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    const bool matrix = c->im->opset < 13;
    int axis;
    if (!rk_onnx_axis(&axis, c, rk_onnx_int(c, "axis", matrix ? 1 : -1), t.rank))
        return false;
    rk_id x = c->in[0];
    if (matrix) {
        const int64_t shape[2] = {rk_op_span(t.shape, 0, axis), rk_op_span(t.shape, axis, t.rank)};
        x = rk_onnx_reshape(c, x, 2, shape);
    }
    const int over = matrix ? 1 : axis;
    if (*kind == 'h') {
        x = hardmax_over(c, x, over);
    } else if (*kind == 's' && t.dtype == RK_F32) {
        rk_onnx_with_int(c, "axis", over);
        x = rk_onnx_emit_one(c, "Softmax", &x, 1);
    } else {
        x = rk_onnx_cast(c, softmax_over(c, wide(c, x), 1U << over, *kind == 'l'), t.dtype);
    }
    return rk_onnx_done(c, rk_onnx_reshape(c, x, t.rank, t.shape));
}

/** A vector as the channels of an operand of `rank` dimensions, in f32 where it is of halves. */
static rk_id as_channels(rk_onnx_call *c, rk_id v, int rank)
{
    const int64_t n = rk_tensor_elements(rk_onnx_tensor_of(c, v));
    int64_t shape[RK_MAX_RANK];
    for (int d = 0; d < rank; d++)
        shape[d] = d == (rank > 1) ? n : 1;
    return wide(c, rk_onnx_reshape(c, v, rank, shape));
}

/** x taken to mean 0 and variance 1 over the axes; *mean and *scale are what it took for that. */
static rk_id normalise(rk_onnx_call *c, rk_id x, uint32_t axes, double epsilon, rk_id *mean,
                       rk_id *scale)
{
    *mean = mean_over(c, x, axes, true);
    const rk_id less = rk_onnx_map2(c, "a b sub", x, *mean);
    const rk_id variance = mean_over(c, rk_onnx_map1(c, "a a mul", less), axes, true);
    *scale =
        rk_onnx_map1(c, rk_arena_printf(c->im->arena, "1 a %.17g add sqrt div", epsilon), variance);
    return rk_onnx_map2(c, "a b mul", less, *scale);
}

static rk_id scale_and_shift(rk_onnx_call *c, rk_id x, rk_id scale, rk_id shift, rk_dtype dtype)
{
    if (shift == RK_NO_ID)
        return rk_onnx_map(c, "a b mul", dtype, NULL, x, scale, RK_NO_ID, RK_NO_ID);
    return rk_onnx_map(c, "a b mul c add", dtype, NULL, x, scale, shift, RK_NO_ID);
}

/** With the mean and variance of the batch, which change the running ones. */
static bool train_batch_norm(rk_onnx_call *c, const rk_tensor *t, uint32_t axes, double epsilon)
{
    rk_id mean, inverse;
    const rk_id x = wide(c, c->in[0]);
    const rk_id unit = normalise(c, x, axes, epsilon, &mean, &inverse);
    const rk_id scale = as_channels(c, c->in[1], t->rank);
    const rk_id shift = as_channels(c, c->in[2], t->rank);
    const rk_id variance =
        rk_onnx_map1(c, rk_arena_printf(c->im->arena, "1 a a mul div %.17g sub", epsilon), inverse);
    const char *mix =
        rk_arena_printf(c->im->arena, "a %.17g mul b %.17g mul add",
                        rk_onnx_real(c, "momentum", 0.9), 1 - rk_onnx_real(c, "momentum", 0.9));
    c->out[0] = scale_and_shift(c, unit, scale, shift, t->dtype);
    for (size_t i = 0; i < 2 && i + 1 < c->out_count; i++) {
        const rk_tensor running = *rk_onnx_in(c, 3 + i);
        const rk_id now = rk_onnx_reshape(c, i ? variance : mean, running.rank, running.shape);
        c->out[1 + i] =
            rk_onnx_map(c, mix, running.dtype, NULL, c->in[3 + i], now, RK_NO_ID, RK_NO_ID);
    }
    return c->out[0] != RK_ONNX_LOST;
}

static bool lower_batch_norm(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 5))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    const double epsilon = rk_onnx_real(c, "epsilon", 1e-5);
    const uint32_t all = (UINT32_C(1) << t.rank) - 1;
    if (rk_onnx_int(c, "training_mode", 0))
        return train_batch_norm(c, &t, all & ~2U, epsilon);
    bool f32 = t.rank >= 2;
    for (size_t i = 0; i < 5; i++)
        f32 = f32 && rk_onnx_in(c, i)->dtype == RK_F32;
    if (f32) {
        rk_onnx_with_real(c, "epsilon", epsilon);
        return rk_onnx_done(c, rk_onnx_emit_one(c, "BatchNormalization", c->in, 5));
    }
    rk_id v[4];
    for (size_t i = 0; i < 4; i++)
        v[i] = as_channels(c, c->in[i + 1], t.rank);
    const rk_id scale = rk_onnx_map2(
        c, rk_arena_printf(c->im->arena, "a b %.17g add sqrt div", epsilon), v[0], v[3]);
    const rk_id shift =
        rk_onnx_map(c, "a b c mul sub", RK_DTYPE_NONE, NULL, v[1], v[2], scale, RK_NO_ID);
    return rk_onnx_done(c, scale_and_shift(c, c->in[0], scale, shift, t.dtype));
}

static bool lower_instance_norm(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 3))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    const uint32_t axes = ((UINT32_C(1) << t.rank) - 1) & ~3U;
    rk_id mean, inverse;
    const rk_id unit =
        normalise(c, wide(c, c->in[0]), axes, rk_onnx_real(c, "epsilon", 1e-5), &mean, &inverse);
    return rk_onnx_done(c, scale_and_shift(c, unit, as_channels(c, c->in[1], t.rank),
                                           as_channels(c, c->in[2], t.rank), t.dtype));
}

/** Channels in groups: a view [n, groups, rest]. */
static bool lower_group_norm(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 3))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    const int64_t groups = rk_onnx_int(c, "num_groups", 1);
    if (t.rank < 2 || groups < 1 || t.shape[1] % groups)
        return rk_onnx_wrong(c, "its channels are not num_groups groups");
    const int64_t shape[3] = {t.shape[0], groups, rk_tensor_elements(&t) / t.shape[0] / groups};
    const bool each = rk_tensor_elements(rk_onnx_in(c, 1)) == groups && groups != t.shape[1];
    rk_id mean, inverse;
    const rk_id x = wide(c, rk_onnx_reshape(c, c->in[0], 3, shape));
    rk_id unit = normalise(c, x, 4, rk_onnx_real(c, "epsilon", 1e-5), &mean, &inverse);
    if (each) {
        unit = scale_and_shift(c, unit, as_channels(c, c->in[1], 3), as_channels(c, c->in[2], 3),
                               t.dtype);
        return rk_onnx_done(c, rk_onnx_reshape(c, unit, t.rank, t.shape));
    }
    unit = rk_onnx_reshape(c, unit, t.rank, t.shape);
    return rk_onnx_done(c, scale_and_shift(c, unit, as_channels(c, c->in[1], t.rank),
                                           as_channels(c, c->in[2], t.rank), t.dtype));
}

static bool lower_layer_norm(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 2))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    int axis;
    if (!rk_onnx_axis(&axis, c, rk_onnx_int(c, "axis", -1), t.rank))
        return false;
    const uint32_t axes = ((UINT32_C(1) << t.rank) - 1) & ~((UINT32_C(1) << axis) - 1);
    rk_id mean, inverse;
    const rk_id unit =
        normalise(c, wide(c, c->in[0]), axes, rk_onnx_real(c, "epsilon", 1e-5), &mean, &inverse);
    if (c->out_count > 1)
        c->out[1] = mean;
    if (c->out_count > 2)
        c->out[2] = inverse;
    return rk_onnx_done(
        c, scale_and_shift(c, unit, c->in[1], rk_onnx_has(c, 2) ? c->in[2] : RK_NO_ID, t.dtype));
}

static bool lower_rms_norm(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 2))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    int axis;
    if (!rk_onnx_axis(&axis, c, rk_onnx_int(c, "axis", -1), t.rank))
        return false;
    const uint32_t axes = ((UINT32_C(1) << t.rank) - 1) & ~((UINT32_C(1) << axis) - 1);
    const rk_id x = wide(c, c->in[0]);
    const rk_id mean = mean_over(c, rk_onnx_map1(c, "a a mul", x), axes, true);
    const rk_id scale = rk_onnx_map1(
        c,
        rk_arena_printf(c->im->arena, "1 a %.17g add sqrt div", rk_onnx_real(c, "epsilon", 1e-5)),
        mean);
    return rk_onnx_done(
        c, scale_and_shift(c, rk_onnx_map2(c, "a b mul", x, scale), c->in[1], RK_NO_ID, t.dtype));
}

static bool lower_mvn(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    size_t count;
    const int64_t *list = rk_onnx_ints(c, "axes", &count);
    uint32_t axes = count ? 0 : 1U | 4U | 8U;
    for (size_t i = 0; i < count; i++) {
        int axis;
        if (!rk_onnx_axis(&axis, c, list[i], t.rank))
            return false;
        axes |= 1U << axis;
    }
    const rk_id x = wide(c, c->in[0]);
    const rk_id less = rk_onnx_map2(c, "a b sub", x, mean_over(c, x, axes, true));
    const rk_id variance = mean_over(c, rk_onnx_map1(c, "a a mul", less), axes, true);
    return rk_onnx_done(c, rk_onnx_map(c, "a b sqrt 1e-9 add div", t.dtype, NULL, less, variance,
                                       RK_NO_ID, RK_NO_ID));
}

static bool lower_lp_norm(rk_onnx_call *c)
{
    int axis;
    if (!rk_onnx_needs(c, 1) ||
        !rk_onnx_axis(&axis, c, rk_onnx_int(c, "axis", -1), rk_onnx_in(c, 0)->rank))
        return false;
    const bool square = rk_onnx_int(c, "p", 2) == 2;
    const rk_dtype dtype = rk_onnx_in(c, 0)->dtype;
    const rk_id x = wide(c, c->in[0]);
    const rk_id sum = rk_onnx_reduce(c, rk_onnx_map1(c, square ? "a a mul" : "a abs", x), "sum",
                                     1U << axis, true);
    /* Zeros stay zeros. */
    return rk_onnx_done(
        c, rk_onnx_map(c, square ? "b 0 eq 0 a b sqrt div where" : "b 0 eq 0 a b div where", dtype,
                       NULL, x, sum, RK_NO_ID, RK_NO_ID));
}

/** Squares of the channels around each, as sums of a padded operand over its channels. */
static bool lower_lrn(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    const int64_t size = rk_onnx_int(c, "size", 1);
    int64_t pads[2 * RK_MAX_RANK] = {0};
    if (t.rank < 2 || size < 1)
        return rk_onnx_wrong(c, "its operand has no channels, or size is below 1");
    pads[1] = (size - 1) / 2;
    pads[t.rank + 1] = size - 1 - pads[1];
    const rk_id squares = rk_onnx_map1(c, "a a mul", wide(c, c->in[0]));
    const rk_id padded = rk_onnx_pad(c, squares, pads, "constant", RK_NO_ID);
    if (padded == RK_ONNX_LOST)
        return false;
    int64_t strides[RK_MAX_RANK];
    rk_onnx_row_major(strides, t.rank, rk_onnx_tensor_of(c, padded)->shape);
    rk_onnx_with_ints(c, "shape", t.shape, (size_t)t.rank);
    rk_onnx_with_ints(c, "strides", strides, (size_t)t.rank);
    rk_onnx_with_ints(c, "over", &size, 1);
    rk_onnx_with_ints(c, "steps", &strides[1], 1);
    const rk_id sums = rk_onnx_emit_one(c, "Reduce", &padded, 1);
    const char *expr = rk_arena_printf(c->im->arena, "a b %.17g mul %.17g add %.17g pow div",
                                       rk_onnx_real(c, "alpha", 1e-4) / (double)size,
                                       rk_onnx_real(c, "bias", 1), rk_onnx_real(c, "beta", 0.75));
    return rk_onnx_done(c, rk_onnx_map(c, expr, t.dtype, NULL, c->in[0], sums, RK_NO_ID, RK_NO_ID));
}

/** a: the kind. */
static bool lower_cumulative(rk_onnx_call *c)
{
    const rk_onnx_rule *rule = rk_onnx_rule_find(c->node->op_type);
    int64_t *value;
    size_t count;
    int axis;
    if (!rk_onnx_needs(c, 2) || !rk_onnx_known(&value, &count, c, 1, "axis"))
        return false;
    if (count != 1 || !rk_onnx_axis(&axis, c, value[0], rk_onnx_in(c, 0)->rank))
        return rk_onnx_wrong(c, "its axis is not one number of its dimensions");
    rk_onnx_with_int(c, "axis", axis);
    rk_onnx_with_int(c, "exclusive", rk_onnx_int(c, "exclusive", 0));
    rk_onnx_with_int(c, "reverse", rk_onnx_int(c, "reverse", 0));
    rk_onnx_with_text(c, "kind", rule->a);
    return rk_onnx_done(c, rk_onnx_emit_one(c, "Accumulate", c->in, 1));
}

static const rk_onnx_rule rules[] = {
    {"ReduceSum", lower_reduction, "a", NULL},
    {"ReduceMean", lower_reduction, "a", "mean"},
    {"ReduceMax", lower_reduction, "max", NULL},
    {"ReduceMin", lower_reduction, "min", NULL},
    {"ReduceProd", lower_reduction, "prod", NULL},
    {"ReduceL1", lower_reduction, "a abs", NULL},
    {"ReduceL2", lower_reduction, "a a mul", "a sqrt"},
    {"ReduceLogSum", lower_reduction, "a", "a log"},
    {"ReduceSumSquare", lower_reduction, "a a mul", NULL},
    {"ReduceLogSumExp", lower_log_sum_exp, NULL, NULL},
    {"ArgMax", lower_arg, "argmax", NULL},
    {"ArgMin", lower_arg, "argmin", NULL},
    {"Softmax", lower_softmax, "soft", NULL},
    {"LogSoftmax", lower_softmax, "log", NULL},
    {"Hardmax", lower_softmax, "hard", NULL},
    {"BatchNormalization", lower_batch_norm, NULL, NULL},
    {"InstanceNormalization", lower_instance_norm, NULL, NULL},
    {"GroupNormalization", lower_group_norm, NULL, NULL},
    {"LayerNormalization", lower_layer_norm, NULL, NULL},
    {"RMSNormalization", lower_rms_norm, NULL, NULL},
    {"MeanVarianceNormalization", lower_mvn, NULL, NULL},
    {"LpNormalization", lower_lp_norm, NULL, NULL},
    {"LRN", lower_lrn, NULL, NULL},
    {"CumSum", lower_cumulative, "sum", NULL},
    {"CumProd", lower_cumulative, "prod", NULL},
    {0},
};

const rk_onnx_family rk_onnx_family_reduce = {
    .rules = rules,
};
