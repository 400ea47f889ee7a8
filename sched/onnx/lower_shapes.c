#include "sched/onnx/import_internal.h"

#include "sched/ops/plan.h"

#include <stdlib.h>
#include <string.h>

/* Shapes and movement: constants, views, and Move. */

static bool lower_constant(rk_onnx_call *c)
{
    const rk_onnx_attr *attr;
    if ((attr = rk_onnx_attr_of(c, "value")) && attr->t) {
        rk_onnx_given value;
        if (!rk_onnx_take_tensor(&value, attr->t, c->im->file, c->im->arena, c->im->diag))
            return c->im->good = false;
        return rk_onnx_done(c,
                            rk_onnx_constant(c, value.dtype, value.rank, value.shape, value.data));
    }
    if ((attr = rk_onnx_attr_of(c, "value_float")))
        return rk_onnx_done(c, rk_onnx_constant(c, RK_F32, 0, NULL, &attr->f));
    if ((attr = rk_onnx_attr_of(c, "value_int")))
        return rk_onnx_done(c, rk_onnx_constant(c, RK_I64, 0, NULL, &attr->i));
    if ((attr = rk_onnx_attr_of(c, "value_ints")) && attr->ints.count)
        return rk_onnx_done(c, rk_onnx_integers(c, attr->ints.items, attr->ints.count));
    if ((attr = rk_onnx_attr_of(c, "value_floats")) && attr->floats.count) {
        const int64_t n = (int64_t)attr->floats.count;
        return rk_onnx_done(c, rk_onnx_constant(c, RK_F32, 1, &n, attr->floats.items));
    }
    return rk_onnx_refuse(c, "dense tensors of numbers are", "the kind of its value");
}

static bool lower_constant_of_shape(rk_onnx_call *c)
{
    int64_t *shape;
    size_t rank;
    if (!rk_onnx_needs(c, 1) || !rk_onnx_known(&shape, &rank, c, 0, "shape"))
        return false;
    const rk_onnx_attr *attr = rk_onnx_attr_of(c, "value");
    rk_id value;
    if (attr && attr->t) {
        rk_onnx_given given;
        if (!rk_onnx_take_tensor(&given, attr->t, c->im->file, c->im->arena, c->im->diag))
            return c->im->good = false;
        if (rk_onnx_given_elements(&given) != 1)
            return rk_onnx_wrong(c, "its value is not one element");
        value = rk_onnx_constant(c, given.dtype, 0, NULL, given.data);
    } else {
        value = rk_onnx_scalar(c, RK_F32, 0);
    }
    if (rank > RK_MAX_RANK)
        return rk_onnx_refuse(c, "at most 8 are", "more dimensions");
    return rk_onnx_done(c, rk_onnx_broadcast(c, value, (int)rank, shape));
}

static bool lower_shape(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    int64_t start = rk_onnx_int(c, "start", 0);
    int64_t end = rk_onnx_int(c, "end", t.rank);
    start = start < 0 ? start + t.rank : start;
    end = end < 0 ? end + t.rank : end;
    start = start < 0 ? 0 : start > t.rank ? t.rank : start;
    end = end > t.rank ? t.rank : end;
    if (end < start)
        end = start;
    return rk_onnx_done(c, rk_onnx_integers(c, t.shape + start, (size_t)(end - start)));
}

static bool lower_size(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 1))
        return false;
    const int64_t n = rk_tensor_elements(rk_onnx_in(c, 0));
    return rk_onnx_done(c, rk_onnx_constant(c, RK_I64, 0, NULL, &n));
}

static bool lower_reshape(rk_onnx_call *c)
{
    int64_t *shape;
    size_t rank;
    if (!rk_onnx_needs(c, 2) || !rk_onnx_known(&shape, &rank, c, 1, "shape"))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    int64_t known = 1;
    int64_t open = -1;
    if (rank > RK_MAX_RANK)
        return rk_onnx_refuse(c, "at most 8 are", "more dimensions");
    for (size_t d = 0; d < rank; d++) {
        if (shape[d] == 0 && !rk_onnx_int(c, "allowzero", 0))
            shape[d] = (int)d < t.rank ? t.shape[d] : 0;
        if (shape[d] == -1)
            open = (int64_t)d;
        else if (__builtin_mul_overflow(known, shape[d], &known))
            return rk_onnx_wrong(c, "its shape is too large");
    }
    if (open >= 0)
        shape[open] = known ? rk_tensor_elements(&t) / known : 0;
    return rk_onnx_done(c, rk_onnx_reshape(c, c->in[0], (int)rank, shape));
}

static bool lower_flatten(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    int64_t axis = rk_onnx_int(c, "axis", 1);
    axis = axis < 0 ? axis + t.rank : axis;
    if (axis < 0 || axis > t.rank)
        return rk_onnx_wrong(c, "its axis is outside of its dimensions");
    const int64_t shape[2] = {rk_op_span(t.shape, 0, (int)axis),
                              rk_op_span(t.shape, (int)axis, t.rank)};
    return rk_onnx_done(c, rk_onnx_reshape(c, c->in[0], 2, shape));
}

static bool lower_squeeze(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    int64_t shape[RK_MAX_RANK];
    int rank = 0;
    uint32_t axes;
    bool given;
    if (!rk_onnx_axes(&axes, &given, c, t.rank))
        return false;
    for (int d = 0; d < t.rank; d++)
        if (given ? !(axes >> d & 1) : t.shape[d] != 1)
            shape[rank++] = t.shape[d];
        else if (t.shape[d] != 1)
            return rk_onnx_wrong(c, "dimension %d is not 1", d);
    return rk_onnx_done(c, rk_onnx_reshape(c, c->in[0], rank, shape));
}

static bool lower_unsqueeze(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    int64_t shape[RK_MAX_RANK];
    size_t added = 0;
    uint32_t axes;
    bool given;
    if (rk_onnx_has(c, 1))
        added = (size_t)rk_tensor_elements(rk_onnx_in(c, 1));
    else
        rk_onnx_ints(c, "axes", &added);
    const int rank = t.rank + (int)added;
    if (rank > RK_MAX_RANK)
        return rk_onnx_refuse(c, "at most 8 are", "more dimensions");
    if (!rk_onnx_axes(&axes, &given, c, rank))
        return false;
    for (int d = 0, from = 0; d < rank; d++)
        shape[d] = axes >> d & 1 ? 1 : from < t.rank ? t.shape[from++] : 1;
    return rk_onnx_done(c, rk_onnx_reshape(c, c->in[0], rank, shape));
}

static bool lower_transpose(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    size_t count;
    const int64_t *perm = rk_onnx_ints(c, "perm", &count);
    int64_t order[RK_MAX_RANK];
    uint32_t seen = 0;
    for (int d = 0; d < t.rank; d++) {
        order[d] = perm && count == (size_t)t.rank ? perm[d] : t.rank - 1 - d;
        if (order[d] < 0 || order[d] >= t.rank || (seen >> order[d] & 1))
            return rk_onnx_wrong(c, "perm is no order of its %d dimensions", t.rank);
        seen |= 1U << order[d];
    }
    return rk_onnx_done(c, rk_onnx_transpose(c, c->in[0], order));
}

static bool lower_concat(rk_onnx_call *c)
{
    int axis;
    return rk_onnx_needs(c, c->in_count) && c->in_count &&
           rk_onnx_axis(&axis, c, rk_onnx_int(c, "axis", 0), rk_onnx_in(c, 0)->rank) &&
           rk_onnx_done(c, rk_onnx_concat(c, c->in, c->in_count, axis));
}

static bool lower_split(rk_onnx_call *c)
{
    int axis;
    int64_t *parts = NULL;
    size_t count = 0;
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    if (!rk_onnx_axis(&axis, c, rk_onnx_int(c, "axis", 0), t.rank))
        return false;
    if (rk_onnx_has(c, 1) && !rk_onnx_known(&parts, &count, c, 1, "split"))
        return false;
    if (!parts)
        parts = (int64_t *)rk_onnx_ints(c, "split", &count);
    const int64_t n = (int64_t)c->out_count;
    const int64_t each = (t.shape[axis] + n - 1) / n;
    int64_t begin = 0;
    for (int64_t o = 0; o < n; o++) {
        const int64_t left = t.shape[axis] - begin;
        const int64_t size = parts && count == (size_t)n ? parts[o] : each < left ? each : left;
        if (size < 0 || size > left)
            return rk_onnx_wrong(c, "its parts are more than dimension %d", axis);
        c->out[o] = rk_onnx_slice(c, c->in[0], axis, begin, size);
        begin += size;
    }
    return true;
}

/** A slice of each dimension: first element, how many, and how far apart. */
typedef struct {
    int64_t begin[RK_MAX_RANK], count[RK_MAX_RANK], step[RK_MAX_RANK];
} slices;

static bool slice_axis(slices *s, rk_onnx_call *c, const rk_tensor *t, int axis, int64_t start,
                       int64_t end, int64_t step)
{
    const int64_t n = t->shape[axis];
    if (step == 0)
        return rk_onnx_wrong(c, "a step is 0");
    const int64_t lowest = step > 0 ? 0 : -1;
    const int64_t highest = step > 0 ? n : n - 1;
    start = start < 0 ? (start < -n ? -1 : start + n) : start;
    end = end < 0 ? (end < -n ? -1 : end + n) : end;
    start = start < 0 ? (step > 0 ? 0 : lowest) : start > highest ? highest : start;
    end = end < lowest ? lowest : end > highest ? highest : end;
    if (step > 0 && end < 0)
        end = 0;
    const int64_t span = step > 0 ? end - start : start - end;
    const int64_t size = step == INT64_MIN ? INT64_MAX : step > 0 ? step : -step;
    s->begin[axis] = start;
    s->step[axis] = span > size ? step : 1;
    s->count[axis] = span > 0 ? (span - 1) / size + 1 : 0;
    return true;
}

static bool lower_slice(rk_onnx_call *c)
{
    int64_t *lists[4] = {0}; /* starts, ends, axes, steps */
    size_t counts[4] = {0};
    static const char *const names[] = {"starts", "ends", "axes", "steps"};
    if (!rk_onnx_needs(c, 1))
        return false;
    for (size_t i = 0; i < 4; i++) {
        if (rk_onnx_has(c, i + 1) && !rk_onnx_known(&lists[i], &counts[i], c, i + 1, names[i]))
            return false;
        if (!lists[i])
            lists[i] = (int64_t *)rk_onnx_ints(c, names[i], &counts[i]);
    }
    const rk_tensor t = *rk_onnx_in(c, 0);
    slices s;
    for (int d = 0; d < t.rank; d++) {
        s.begin[d] = 0;
        s.count[d] = t.shape[d];
        s.step[d] = 1;
    }
    if (counts[0] != counts[1] || (lists[2] && counts[2] != counts[0]) ||
        (lists[3] && counts[3] != counts[0]))
        return rk_onnx_wrong(c, "its lists differ in length");
    for (size_t i = 0; i < counts[0]; i++) {
        int axis;
        if (!rk_onnx_axis(&axis, c, lists[2] ? lists[2][i] : (int64_t)i, t.rank) ||
            !slice_axis(&s, c, &t, axis, lists[0][i], lists[1][i], lists[3] ? lists[3][i] : 1))
            return false;
    }
    int64_t strides[RK_MAX_RANK];
    int64_t offset = 0;
    bool all = true;
    rk_onnx_row_major(strides, t.rank, t.shape);
    for (int d = 0; d < t.rank; d++) {
        offset += s.begin[d] * strides[d];
        strides[d] *= s.step[d];
        all = all && s.count[d] == t.shape[d] && s.step[d] == 1;
    }
    return rk_onnx_done(c, all ? c->in[0]
                               : rk_onnx_strided(c, c->in[0], t.rank, s.count, strides, offset));
}

static bool lower_pad(rk_onnx_call *c)
{
    int64_t *given = NULL;
    size_t count = 0;
    int64_t *axes = NULL;
    size_t axis_count = 0;
    if (!rk_onnx_needs(c, 1) ||
        (rk_onnx_has(c, 1) && !rk_onnx_known(&given, &count, c, 1, "pads")) ||
        (rk_onnx_has(c, 3) && !rk_onnx_known(&axes, &axis_count, c, 3, "axes")))
        return false;
    if (!given)
        given = (int64_t *)rk_onnx_ints(c, "pads", &count);
    const rk_tensor t = *rk_onnx_in(c, 0);
    int64_t pads[2 * RK_MAX_RANK] = {0};
    const size_t n = axes ? axis_count : (size_t)t.rank;
    if (count != 2 * n)
        return rk_onnx_wrong(c, "it has %zu pads for %zu dimensions", count, n);
    for (size_t i = 0; i < n; i++) {
        int axis;
        if (!rk_onnx_axis(&axis, c, axes ? axes[i] : (int64_t)i, t.rank))
            return false;
        pads[axis] = given[i];
        pads[t.rank + axis] = given[n + i];
    }
    rk_id fill = RK_NO_ID;
    if (rk_onnx_has(c, 2))
        fill = c->in[2];
    else if (rk_onnx_attr_of(c, "value"))
        fill = rk_onnx_scalar(c, t.dtype, rk_onnx_real(c, "value", 0));
    return rk_onnx_done(c,
                        rk_onnx_pad(c, c->in[0], pads, rk_onnx_text(c, "mode", "constant"), fill));
}

static bool lower_expand(rk_onnx_call *c)
{
    int64_t *wanted;
    size_t count;
    int rank;
    int64_t shape[RK_MAX_RANK];
    if (!rk_onnx_needs(c, 2) || !rk_onnx_known(&wanted, &count, c, 1, "shape"))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    if (count > RK_MAX_RANK || !rk_op_broadcast(&rank, shape, t.rank, t.shape, (int)count, wanted))
        return rk_onnx_wrong(c, "it does not broadcast to its shape");
    return rk_onnx_done(c, rk_onnx_broadcast(c, c->in[0], rank, shape));
}

static bool lower_tile(rk_onnx_call *c)
{
    int64_t *repeats;
    size_t count;
    if (!rk_onnx_needs(c, 2) || !rk_onnx_known(&repeats, &count, c, 1, "repeats"))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    int64_t pads[2 * RK_MAX_RANK] = {0};
    if (count != (size_t)t.rank)
        return rk_onnx_wrong(c, "it has %zu repeats for %d dimensions", count, t.rank);
    for (int d = 0; d < t.rank; d++)
        pads[t.rank + d] = (repeats[d] - 1) * t.shape[d];
    return rk_onnx_done(c, rk_onnx_pad(c, c->in[0], pads, "wrap", RK_NO_ID));
}

/** [n, c, h, w] by blocks: a view of six dimensions, transposed, and a view again. */
static bool lower_depth_to_space(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    const int64_t b = rk_onnx_int(c, "blocksize", 1);
    const bool crd = strcmp(rk_onnx_text(c, "mode", "DCR"), "CRD") == 0;
    if (t.rank != 4 || b < 1 || t.shape[1] % (b * b))
        return rk_onnx_wrong(c, "its operand is not [n, c * b * b, h, w]");
    const int64_t n = t.shape[0];
    const int64_t d = t.shape[1] / b / b;
    const int64_t h = t.shape[2];
    const int64_t w = t.shape[3];
    const int64_t wide[] = {n, crd ? d : b, b, crd ? b : d, h, w};
    static const int64_t orders[2][6] = {{0, 3, 4, 1, 5, 2}, {0, 1, 4, 2, 5, 3}};
    const int64_t out[] = {n, d, h * b, w * b};
    const rk_id view = rk_onnx_reshape(c, c->in[0], 6, wide);
    return rk_onnx_done(c, rk_onnx_reshape(c, rk_onnx_transpose(c, view, orders[crd]), 4, out));
}

static bool lower_space_to_depth(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    const int64_t b = rk_onnx_int(c, "blocksize", 1);
    if (t.rank != 4 || b < 1 || t.shape[2] % b || t.shape[3] % b)
        return rk_onnx_wrong(c, "its operand is not [n, c, h * b, w * b]");
    const int64_t wide[] = {t.shape[0], t.shape[1], t.shape[2] / b, b, t.shape[3] / b, b};
    static const int64_t orders[][6] = {{0, 3, 5, 1, 2, 4}, {0, 1, 3, 5, 2, 4}};
    const int64_t *order = orders[strcmp(rk_onnx_text(c, "mode", "DCR"), "CRD") == 0];
    const int64_t out[] = {t.shape[0], t.shape[1] * b * b, t.shape[2] / b, t.shape[3] / b};
    const rk_id view = rk_onnx_reshape(c, c->in[0], 6, wide);
    return rk_onnx_done(c, rk_onnx_reshape(c, rk_onnx_transpose(c, view, order), 4, out));
}

static bool lower_range(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 3))
        return false;
    const rk_dtype dtype = rk_onnx_in(c, 0)->dtype;
    double v[3];
    for (size_t i = 0; i < 3; i++) {
        const void *data = rk_onnx_data(c, c->in[i]);
        int64_t *unused;
        size_t count;
        if (!data)
            return rk_onnx_known(&unused, &count, c, i, "range");
        if (rk_tensor_elements(rk_onnx_in(c, i)) != 1 || rk_onnx_in(c, i)->dtype != dtype)
            return rk_onnx_wrong(c, "its operands are not one element each, of one type");
        v[i] = rk_scalar_load(data, dtype, 0, RK_DOMAIN_F64).d;
    }
    double n = v[2] == 0 ? 0 : (v[1] - v[0]) / v[2];
    if (!(n >= 0) || n > (double)RK_MAX_ELEMENTS)
        n = 0;
    const int64_t count = (int64_t)n + ((double)(int64_t)n < n);
    rk_onnx_with_ints(c, "shape", &count, 1);
    return rk_onnx_done(c, rk_onnx_map(c, "a i0 b mul add", RK_DTYPE_NONE, NULL, c->in[0], c->in[2],
                                       RK_NO_ID, RK_NO_ID));
}

static bool lower_eye_like(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    const rk_dtype dtype =
        rk_onnx_attr_of(c, "dtype") ? rk_onnx_dtype(rk_onnx_int(c, "dtype", 0)) : t.dtype;
    if (t.rank != 2 || dtype == RK_DTYPE_NONE)
        return rk_onnx_wrong(c, "its operand has no 2 dimensions, or there is no such type");
    const rk_id zero = rk_onnx_scalar(c, RK_I64, 0);
    rk_onnx_with_ints(c, "shape", t.shape, 2);
    const char *expr =
        rk_arena_printf(c->im->arena, "i1 i0 sub %lld eq a add", (long long)rk_onnx_int(c, "k", 0));
    return rk_onnx_done(c, rk_onnx_map(c, expr, dtype, "i64", zero, RK_NO_ID, RK_NO_ID, RK_NO_ID));
}

static bool lower_trilu(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    const bool upper = rk_onnx_int(c, "upper", 1) != 0;
    const rk_id k = rk_onnx_has(c, 1) ? c->in[1] : rk_onnx_scalar(c, RK_I64, 0);
    if (t.rank < 2)
        return rk_onnx_wrong(c, "its operand has less than 2 dimensions");
    const char *expr = rk_arena_printf(
        c->im->arena, upper ? "b i%d i%d sub le a 0 where" : "i%d i%d sub b le a 0 where",
        t.rank - 1, t.rank - 2);
    const bool exact = !rk_dtype_is_float(t.dtype);
    return rk_onnx_done(
        c, rk_onnx_map(c, expr, t.dtype, exact ? "i64" : NULL, c->in[0], k, RK_NO_ID, RK_NO_ID));
}

static const rk_onnx_rule rules[] = {
    {"Constant", lower_constant, NULL, NULL},
    {"ConstantOfShape", lower_constant_of_shape, NULL, NULL},
    {"Shape", lower_shape, NULL, NULL},
    {"Size", lower_size, NULL, NULL},
    {"Reshape", lower_reshape, NULL, NULL},
    {"Flatten", lower_flatten, NULL, NULL},
    {"Squeeze", lower_squeeze, NULL, NULL},
    {"Unsqueeze", lower_unsqueeze, NULL, NULL},
    {"Transpose", lower_transpose, NULL, NULL},
    {"Concat", lower_concat, NULL, NULL},
    {"Split", lower_split, NULL, NULL},
    {"Slice", lower_slice, NULL, NULL},
    {"Pad", lower_pad, NULL, NULL},
    {"Expand", lower_expand, NULL, NULL},
    {"Tile", lower_tile, NULL, NULL},
    {"DepthToSpace", lower_depth_to_space, NULL, NULL},
    {"SpaceToDepth", lower_space_to_depth, NULL, NULL},
    {"Range", lower_range, NULL, NULL},
    {"EyeLike", lower_eye_like, NULL, NULL},
    {"Trilu", lower_trilu, NULL, NULL},
    {0},
};

const rk_onnx_family rk_onnx_family_shapes = {
    .rules = rules,
};
