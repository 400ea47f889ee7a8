#include "sched/onnx/import_internal.h"

#include "sched/ops/narrow.h"

#include "sched/ops/op_operands.h"

#include <string.h>

/* Losses and numbers that are quantised. */

/** Elements of x [n, c, ...], or of a vector of c, by the class that each target names. */
static rk_id by_class(rk_onnx_call *c, rk_id x, rk_id target, bool vector)
{
    if (x == RK_ONNX_LOST || target == RK_ONNX_LOST)
        return RK_ONNX_LOST;
    const rk_tensor t = *rk_onnx_tensor_of(c, x);
    const rk_tensor k = *rk_onnx_tensor_of(c, target);
    const int64_t rest = rk_op_span(k.shape, 1, k.rank);
    const int64_t classes = vector ? t.shape[0] : t.shape[1];
    const int64_t extents[] = {k.shape[0], rest};
    const int64_t x_strides[] = {vector ? 0 : classes * rest, vector ? 0 : 1};
    const int64_t index_strides[] = {rest, 1};
    const int64_t step = vector ? 1 : rest;
    rk_onnx_with_ints(c, "shape", k.shape, (size_t)k.rank);
    rk_onnx_with_ints(c, "extents", extents, 2);
    rk_onnx_with_ints(c, "x_strides", x_strides, 2);
    rk_onnx_with_ints(c, "index_strides", index_strides, 2);
    rk_onnx_with_ints(c, "limits", &classes, 1);
    rk_onnx_with_ints(c, "part_strides", &step, 1);
    const rk_id in[] = {x, target};
    return rk_onnx_emit_one(c, "Pick", in, 2);
}

/** Minus the weighted element of each target, reduced. x holds logarithms. */
static rk_id likelihood(rk_onnx_call *c, rk_id x, rk_id target, rk_id weights)
{
    if (x == RK_ONNX_LOST)
        return x;
    const rk_tensor t = *rk_onnx_tensor_of(c, x);
    const rk_tensor k = *rk_onnx_tensor_of(c, target);
    const char *reduction = rk_onnx_text(c, "reduction", "mean");
    const bool ignores = rk_onnx_attr_of(c, "ignore_index") != NULL;
    const long long ignored = (long long)rk_onnx_int(c, "ignore_index", 0);
    const uint32_t all = (UINT32_C(1) << k.rank) - 1;
    if (t.rank < 2 || k.rank != t.rank - 1) {
        rk_onnx_wrong(c, "its target does not fit its operand");
        return RK_ONNX_LOST;
    }
    const rk_id safe =
        ignores
            ? rk_onnx_map1(c, rk_arena_printf(c->im->arena, "a %lld eq 0 a where", ignored), target)
            : target;
    rk_id weight =
        weights == RK_NO_ID ? rk_onnx_scalar(c, t.dtype, 1) : by_class(c, weights, safe, true);
    if (ignores)
        weight = rk_onnx_map(c, rk_arena_printf(c->im->arena, "a %lld eq 0 b where", ignored),
                             t.dtype, NULL, target, weight, RK_NO_ID, RK_NO_ID);
    else if (weights == RK_NO_ID)
        weight = rk_onnx_broadcast(c, weight, k.rank, k.shape);
    const rk_id loss = rk_onnx_map2(c, "a neg b mul", by_class(c, x, safe, false), weight);
    if (strcmp(reduction, "none") == 0)
        return loss;
    const rk_id sum = rk_onnx_reduce(c, loss, "sum", all, false);
    if (strcmp(reduction, "sum") == 0)
        return sum;
    return rk_onnx_map2(c, "a b div", sum, rk_onnx_reduce(c, weight, "sum", all, false));
}

static bool lower_nll(rk_onnx_call *c)
{
    return rk_onnx_needs(c, 2) &&
           rk_onnx_done(c,
                        likelihood(c, c->in[0], c->in[1], rk_onnx_has(c, 2) ? c->in[2] : RK_NO_ID));
}

static bool lower_cross_entropy(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 2))
        return false;
    const rk_id top = rk_onnx_reduce(c, c->in[0], "max", 2, true);
    const rk_id less = rk_onnx_map2(c, "a b sub", c->in[0], top);
    const rk_id sum = rk_onnx_reduce(c, rk_onnx_map1(c, "a exp", less), "sum", 2, true);
    const rk_id logarithms = rk_onnx_map2(c, "a b log sub", less, sum);
    if (c->out_count > 1)
        c->out[1] = logarithms;
    return rk_onnx_done(
        c, likelihood(c, logarithms, c->in[1], rk_onnx_has(c, 2) ? c->in[2] : RK_NO_ID));
}

/** A scale or zero point of blocks of an axis, repeated for each element of a block. */
static bool of_blocks(rk_id *out, rk_onnx_call *c, size_t i, const rk_tensor *x)
{
    int axis;
    const rk_tensor s = *rk_onnx_in(c, i);
    const int64_t size = rk_onnx_int(c, "block_size", 0);
    if (!rk_onnx_axis(&axis, c, rk_onnx_int(c, "axis", 1), x->rank))
        return false;
    bool fits = s.rank == x->rank && s.rank < RK_MAX_RANK && size > 0;
    for (int d = 0; d < x->rank && fits; d++)
        fits = s.shape[d] == (d == axis ? (x->shape[d] + size - 1) / size : x->shape[d]);
    if (!fits)
        return rk_onnx_wrong(c, "its scales are not one of each block of %lld", (long long)size);
    int64_t row[RK_MAX_RANK], shape[RK_MAX_RANK + 1], strides[RK_MAX_RANK + 1];
    rk_onnx_row_major(row, s.rank, s.shape);
    for (int d = 0, to = 0; d < s.rank; d++) {
        shape[to] = s.shape[d];
        strides[to++] = row[d];
        if (d == axis) {
            shape[to] = size;
            strides[to++] = 0;
        }
    }
    rk_id all = rk_onnx_strided(c, c->in[i], s.rank + 1, shape, strides, 0);
    int64_t whole[RK_MAX_RANK];
    memcpy(whole, x->shape, sizeof whole);
    whole[axis] = s.shape[axis] * size;
    all = rk_onnx_reshape(c, all, x->rank, whole);
    *out = rk_onnx_slice(c, all, axis, 0, x->shape[axis]);
    return *out != RK_ONNX_LOST;
}

/** A scale or zero point of an axis, as it broadcasts. */
static bool along_axis(rk_id *out, rk_onnx_call *c, size_t i, const rk_tensor *x)
{
    int axis;
    int64_t shape[RK_MAX_RANK];
    *out = c->in[i];
    const int64_t n = rk_tensor_elements(rk_onnx_in(c, i));
    if (rk_onnx_in(c, i)->rank == 0 || n == 1)
        return true;
    if (rk_onnx_in(c, i)->rank > 1)
        return of_blocks(out, c, i, x);
    if (!rk_onnx_axis(&axis, c, rk_onnx_int(c, "axis", 1), x->rank))
        return false;
    for (int d = 0; d < x->rank; d++)
        shape[d] = d == axis ? n : 1;
    *out = rk_onnx_reshape(c, c->in[i], x->rank, shape);
    return true;
}

/** The words of an expression that keep a value in the range of the type. */
static const char *range_of(rk_onnx_call *c, rk_dtype dtype)
{
    switch (dtype) {
    case RK_I4:
        return "-8 max 7 min";
    case RK_U4:
        return "0 max 15 min";
    case RK_I2:
        return "-2 max 1 min";
    case RK_U2:
        return "0 max 3 min";
    case RK_F8E4M3:
    case RK_F8E4M3UZ:
    case RK_F8E5M2:
    case RK_F8E5M2UZ:
    case RK_F4E2M1:
        return rk_arena_printf(c->im->arena, "-%.9g max %.9g min", (double)rk_narrow_most(dtype),
                               (double)rk_narrow_most(dtype));
    case RK_I8:
        return "-128 max 127 min";
    case RK_U16:
        return "0 max 65535 min";
    case RK_I16:
        return "-32768 max 32767 min";
    case RK_I32:
        return "-2147483648 max 2147483520 min";
    default:
        return "0 max 255 min";
    }
}

static bool lower_quantize(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 2))
        return false;
    const rk_tensor x = *rk_onnx_in(c, 0);
    rk_id scale;
    rk_id zero = RK_NO_ID;
    rk_dtype dtype = RK_U8;
    if (!along_axis(&scale, c, 1, &x) || (rk_onnx_has(c, 2) && !along_axis(&zero, c, 2, &x)))
        return false;
    if (rk_onnx_has(c, 2))
        dtype = rk_onnx_in(c, 2)->dtype;
    else if (rk_onnx_int(c, "output_dtype", 0))
        dtype = rk_onnx_dtype(rk_onnx_int(c, "output_dtype", 0));
    const bool real = dtype >= RK_F8E4M3 && dtype <= RK_F4E2M1;
    if (dtype == RK_DTYPE_NONE || dtype == RK_F8E8M0 || (rk_dtype_is_float(dtype) && !real))
        return rk_onnx_refuse(c, "integers and real numbers of 8 and 4 bits are",
                              "the type that it quantises to");
    if (real && !rk_onnx_int(c, "saturate", 1))
        return rk_onnx_refuse(c, "with saturation it is", "overflow");
    const char *expr = rk_arena_printf(c->im->arena, "a b div %s%s%s", real ? "" : "round ",
                                       zero == RK_NO_ID ? "" : "c add ", range_of(c, dtype));
    return rk_onnx_done(c, rk_onnx_map(c, expr, dtype, "f32", c->in[0], scale, zero, RK_NO_ID));
}

static bool lower_dequantize(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 2))
        return false;
    const rk_tensor x = *rk_onnx_in(c, 0);
    rk_id scale;
    rk_id zero = RK_NO_ID;
    if (!along_axis(&scale, c, 1, &x) || (rk_onnx_has(c, 2) && !along_axis(&zero, c, 2, &x)))
        return false;
    const int64_t asked = rk_onnx_int(c, "output_dtype", 0);
    const rk_dtype dtype = asked ? rk_onnx_dtype(asked) : rk_onnx_in(c, 1)->dtype;
    return rk_onnx_done(c, rk_onnx_map(c, zero == RK_NO_ID ? "a b mul" : "a c sub b mul", dtype,
                                       "f32", c->in[0], scale, zero, RK_NO_ID));
}

static bool lower_dynamic_quantize(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 1))
        return false;
    const uint32_t all = (UINT32_C(1) << rk_onnx_in(c, 0)->rank) - 1;
    const rk_id low = rk_onnx_map1(c, "a 0 min", rk_onnx_reduce(c, c->in[0], "min", all, false));
    const rk_id high = rk_onnx_map1(c, "a 0 max", rk_onnx_reduce(c, c->in[0], "max", all, false));
    const rk_id scale = rk_onnx_map2(c, "b a sub 255 div", low, high);
    const rk_id zero = rk_onnx_map(c, "0 a b div sub 0 max 255 min round", RK_U8, "f32", low, scale,
                                   RK_NO_ID, RK_NO_ID);
    const rk_id outs[] = {rk_onnx_map(c, "a b div round c add 0 max 255 min", RK_U8, "f32",
                                      c->in[0], scale, zero, RK_NO_ID),
                          scale, zero};
    for (size_t o = 0; o < 3 && o < c->out_count; o++)
        c->out[o] = outs[o];
    return outs[0] != RK_ONNX_LOST;
}

static const rk_onnx_rule rules[] = {
    {"NegativeLogLikelihoodLoss", lower_nll, NULL, NULL},
    {"SoftmaxCrossEntropyLoss", lower_cross_entropy, NULL, NULL},
    {"QuantizeLinear", lower_quantize, NULL, NULL},
    {"DequantizeLinear", lower_dequantize, NULL, NULL},
    {"DynamicQuantizeLinear", lower_dynamic_quantize, NULL, NULL},
    {0},
};

const rk_onnx_family rk_onnx_family_loss = {
    .rules = rules,
};
