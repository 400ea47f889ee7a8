#include "sched/onnx/import_internal.h"

#include "sched/ops/op_operands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Resize and Upsample, axis by axis: which elements each result is made of and how much of each are numbers, known when
 * the model is built. Pick brings the elements together and Contract adds them up.
 */

enum { MOST_PLACES = 1 << 24 };

typedef struct {
    const char *mode, *coordinates, *nearest;
    double cubic, outside;
    bool exclude_outside, antialias;
    double start, end; /**< of the axis, for crops */
} resizing;

/** Where element o of the result lies in the operand. */
static double place_of(const resizing *r, int64_t o, int64_t in, int64_t out, double scale)
{
    const double x = (double)o;
    const double n = (double)in;
    const double reach = n * scale; /* not rounded, as ONNX has it */
    const char *how = r->coordinates;
    if (strcmp(how, "align_corners") == 0)
        return out == 1 ? 0 : x * (n - 1) / (reach - 1);
    if (strcmp(how, "asymmetric") == 0)
        return x / scale;
    if (strcmp(how, "tf_half_pixel_for_nn") == 0)
        return (x + 0.5) / scale;
    if (strcmp(how, "pytorch_half_pixel") == 0 && out == 1)
        return 0;
    if (strcmp(how, "tf_crop_and_resize") == 0)
        return out > 1 ? r->start * (n - 1) + x * (r->end - r->start) * (n - 1) / (reach - 1)
                       : 0.5 * (r->start + r->end) * (n - 1);
    if (strcmp(how, "half_pixel_symmetric") == 0) {
        const double adjust = (double)out / (scale * n);
        return n / 2 * (1 - adjust) + (x + 0.5) / scale - 0.5;
    }
    return (x + 0.5) / scale - 0.5;
}

static double round_by(const resizing *r, double x)
{
    if (strcmp(r->nearest, "floor") == 0)
        return floor(x);
    if (strcmp(r->nearest, "ceil") == 0)
        return ceil(x);
    if (strcmp(r->nearest, "round_prefer_ceil") == 0)
        return floor(x + 0.5);
    return ceil(x - 0.5);
}

/** How much of an element at that distance a cubic takes, or a line. */
static double weight_at(const resizing *r, double d)
{
    const double a = r->cubic;
    if (strcmp(r->mode, "cubic") != 0)
        return d < 1 ? 1 - d : 0;
    if (d >= 2)
        return 0;
    return d <= 1 ? ((a + 2) * d - (a + 3)) * d * d + 1 : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
}

/** How far apart elements count: with antialias as far as those of a smaller result are. */
static double closeness(const resizing *r, double scale)
{
    return r->antialias && scale < 1 ? scale : 1;
}

/** Of a place x the first element, from floor(x) on, that counts; and how many do. */
static int64_t reach_of(int64_t *first, const resizing *r, double scale)
{
    *first = 0;
    if (strcmp(r->mode, "nearest") == 0)
        return 1;
    const double size = strcmp(r->mode, "cubic") == 0 ? 2 : 1;
    *first = (int64_t)floor(-size / closeness(r, scale)) + 1;
    return 2 - 2 * *first;
}

/** The elements of a place, as many as reach_of says, and their weights. */
static void taps_of(const resizing *r, double x, int64_t in, double scale, int64_t *places,
                    double *weights)
{
    int64_t first;
    const bool nearest = strcmp(r->mode, "nearest") == 0;
    const int64_t count = reach_of(&first, r, scale);
    const double whole = nearest ? round_by(r, x) : floor(x);
    const double close = closeness(r, scale);
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        double at = whole + (double)(first + i);
        const bool inside = at >= 0 && at <= (double)in - 1;
        weights[i] = nearest ? 1 : weight_at(r, fabs(at - x) * close);
        if (!inside && r->exclude_outside)
            weights[i] = 0;
        at = at < 0 ? 0 : inside ? at : (double)in - 1;
        places[i] = (int64_t)at;
        sum += weights[i];
    }
    for (int64_t i = 0; i < count && (r->exclude_outside || close < 1) && sum != 0; i++)
        weights[i] /= sum;
}

/** x with `taps` elements for each of the results along the axis, summed up by their weights. */
static rk_id weigh(rk_onnx_call *c, rk_id x, int axis, int64_t taps, const double *weights,
                   bool real)
{
    const rk_tensor t = *rk_onnx_tensor_of(c, x);
    const rk_dtype dtype = t.dtype == RK_F64 ? RK_F64 : RK_F32;
    const int64_t out = t.shape[axis] / taps;
    const int64_t outer = rk_op_span(t.shape, 0, axis);
    const int64_t inner = rk_op_span(t.shape, axis + 1, t.rank);
    const int64_t count = out * taps;
    char *typed = RK_NEW_ARRAY(c->im->arena, char, (size_t)count * 8 + 1);
    for (int64_t i = 0; i < count; i++)
        if (dtype == RK_F64)
            ((double *)(void *)typed)[i] = weights[i];
        else
            ((float *)(void *)typed)[i] = (float)weights[i];
    const rk_id w = rk_onnx_constant(c, dtype, 1, &count, typed);
    int64_t shape[RK_MAX_RANK];
    memcpy(shape, t.shape, sizeof shape);
    shape[axis] = out;
    const int64_t extents[] = {outer, out, inner};
    const int64_t a_strides[] = {count * inner, taps * inner, 1};
    const int64_t b_strides[] = {0, taps, 0};
    const int64_t one = 1;
    rk_onnx_with_ints(c, "shape", shape, (size_t)t.rank);
    rk_onnx_with_ints(c, "extents", extents, 3);
    rk_onnx_with_ints(c, "over", &taps, 1);
    rk_onnx_with_ints(c, "a_strides", a_strides, 3);
    rk_onnx_with_ints(c, "a_steps", &inner, 1);
    rk_onnx_with_ints(c, "b_strides", b_strides, 3);
    rk_onnx_with_ints(c, "b_steps", &one, 1);
    if (!real)
        rk_onnx_with_text(c, "dtype", "f32");
    const rk_id in[] = {x, w};
    return rk_onnx_emit_one(c, "Contract", in, 2);
}

static rk_id pick_places(rk_onnx_call *c, rk_id x, int axis, const int64_t *places, int64_t count)
{
    const rk_tensor t = *rk_onnx_tensor_of(c, x);
    const int64_t inner = rk_op_span(t.shape, axis + 1, t.rank);
    int64_t shape[RK_MAX_RANK];
    memcpy(shape, t.shape, sizeof shape);
    shape[axis] = count;
    const int64_t extents[] = {rk_op_span(t.shape, 0, axis), count, inner};
    const int64_t x_strides[] = {t.shape[axis] * inner, 0, 1};
    const int64_t index_strides[] = {0, 1, 0};
    rk_onnx_with_ints(c, "shape", shape, (size_t)t.rank);
    rk_onnx_with_ints(c, "extents", extents, 3);
    rk_onnx_with_ints(c, "x_strides", x_strides, 3);
    rk_onnx_with_ints(c, "index_strides", index_strides, 3);
    rk_onnx_with_ints(c, "limits", &t.shape[axis], 1);
    rk_onnx_with_ints(c, "part_strides", &inner, 1);
    const rk_id in[] = {x, rk_onnx_integers(c, places, (size_t)count)};
    return rk_onnx_emit_one(c, "Pick", in, 2);
}

static rk_id resize_axis(rk_onnx_call *c, rk_id x, int axis, int64_t out, double scale,
                         const resizing *r)
{
    const rk_tensor t = *rk_onnx_tensor_of(c, x);
    const int64_t in = t.shape[axis];
    const bool crops = strcmp(r->coordinates, "tf_crop_and_resize") == 0;
    int64_t first;
    const int64_t taps = reach_of(&first, r, scale);
    if (taps > MOST_PLACES / out) {
        rk_onnx_wrong(c, "a scale of %g makes too much of dimension %d", scale, axis);
        return RK_ONNX_LOST;
    }
    int64_t *places = RK_NEW_ARRAY(c->im->arena, int64_t, (size_t)(out * taps));
    double *weights = RK_NEW_ARRAY(c->im->arena, double, (size_t)(out * taps));
    uint8_t *outside = RK_NEW_ARRAY(c->im->arena, uint8_t, (size_t)out);
    for (int64_t o = 0; o < out; o++) {
        const double place = place_of(r, o, in, out, scale);
        taps_of(r, place, in, scale, places + o * taps, weights + o * taps);
        outside[o] = crops && (place < 0 || place > (double)in - 1);
    }
    x = pick_places(c, x, axis, places, out * taps);
    if (taps > 1 && x != RK_ONNX_LOST)
        x = rk_onnx_cast(c, weigh(c, x, axis, taps, weights, rk_dtype_is_float(t.dtype)), t.dtype);
    if (!crops || x == RK_ONNX_LOST)
        return x;
    int64_t shape[RK_MAX_RANK];
    for (int d = 0; d < t.rank; d++)
        shape[d] = d == axis ? out : 1;
    const rk_id mask = rk_onnx_constant(c, RK_BOOL, t.rank, shape, outside);
    return rk_onnx_map(c, rk_arena_printf(c->im->arena, "a %.17g b where", r->outside), t.dtype,
                       NULL, mask, x, RK_NO_ID, RK_NO_ID);
}

/** Reals that are known: of the scales or the region. */
static bool known_reals(double *out, size_t count, rk_onnx_call *c, size_t i, const char *what)
{
    const void *data = rk_onnx_data(c, c->in[i]);
    const rk_tensor *t = rk_onnx_in(c, i);
    int64_t *unused;
    size_t n;
    if (!data)
        return rk_onnx_known(&unused, &n, c, i, what);
    if (rk_tensor_elements(t) != (int64_t)count || (t->dtype != RK_F32 && t->dtype != RK_F64))
        return rk_onnx_wrong(c, "its %s does not fit its dimensions", what);
    for (size_t k = 0; k < count; k++)
        out[k] = t->dtype == RK_F32 ? (double)((const float *)data)[k] : ((const double *)data)[k];
    return true;
}

static bool given_operand(const rk_onnx_call *c, size_t i)
{
    return rk_onnx_has(c, i) && rk_tensor_elements(rk_onnx_in(c, i)) > 0;
}

/** The dimensions that are resized: all, or those of "axes". */
static bool axes_of(int *axes, size_t *count, rk_onnx_call *c, int rank)
{
    const int64_t *list = rk_onnx_ints(c, "axes", count);
    if (!list) {
        *count = (size_t)rank;
        for (int d = 0; d < rank; d++)
            axes[d] = d;
        return true;
    }
    if (*count > (size_t)rank)
        return rk_onnx_wrong(c, "it has more axes than dimensions");
    for (size_t i = 0; i < *count; i++)
        if (!rk_onnx_axis(&axes[i], c, list[i], rank))
            return false;
    return true;
}

/** Sizes that keep the ratio of the axes are those of one scale: the least, or the largest, that is asked for. */
static bool keep_ratio(int64_t *out, double *scales, rk_onnx_call *c, const rk_tensor *t,
                       const int *axes, size_t count)
{
    const char *policy = rk_onnx_text(c, "keep_aspect_ratio_policy", "stretch");
    if (strcmp(policy, "stretch") == 0 || count == 0)
        return true;
    const bool larger = strcmp(policy, "not_smaller") == 0;
    if (!larger && strcmp(policy, "not_larger") != 0)
        return rk_onnx_refuse(c, "stretch, not_larger and not_smaller are", "the policy '%s'",
                              policy);
    double scale = scales[axes[0]];
    for (size_t i = 1; i < count; i++)
        if (larger ? scales[axes[i]] > scale : scales[axes[i]] < scale)
            scale = scales[axes[i]];
    for (size_t i = 0; i < count; i++) {
        out[axes[i]] = (int64_t)floor((double)t->shape[axes[i]] * scale + 0.5);
        scales[axes[i]] = scale;
    }
    return true;
}

/** Sizes and scales of each dimension; those that are not among the axes stay as they are. */
static bool sizes_of(int64_t *out, double *scales, rk_onnx_call *c, const rk_tensor *t,
                     const int *axes, size_t n)
{
    const bool old = c->im->opset < 11 || strcmp(c->node->op_type, "Upsample") == 0;
    const size_t at = old ? 1 : 2;
    double given[RK_MAX_RANK];
    int64_t *sizes;
    size_t count;
    for (int d = 0; d < t->rank; d++) {
        out[d] = t->shape[d];
        scales[d] = 1;
    }
    if (!old && given_operand(c, 3)) {
        if (!rk_onnx_known(&sizes, &count, c, 3, "sizes"))
            return false;
        if (count != n)
            return rk_onnx_wrong(c, "its sizes do not fit its dimensions");
        for (size_t i = 0; i < n; i++) {
            out[axes[i]] = sizes[i];
            scales[axes[i]] = (double)sizes[i] / (double)t->shape[axes[i]];
        }
        return keep_ratio(out, scales, c, t, axes, n);
    }
    if (rk_onnx_has(c, at)) {
        if (!known_reals(given, n, c, at, "scales"))
            return false;
    } else {
        const rk_onnx_attr *list = rk_onnx_attr_of(c, "scales");
        if (!list || list->floats.count != n)
            return rk_onnx_wrong(c, "it has neither scales nor sizes");
        for (size_t i = 0; i < n; i++)
            given[i] = (double)list->floats.items[i];
    }
    for (size_t i = 0; i < n; i++) {
        scales[axes[i]] = given[i];
        out[axes[i]] = (int64_t)floor((double)t->shape[axes[i]] * given[i]);
    }
    return true;
}

static bool lower_resize(rk_onnx_call *c)
{
    int64_t out[RK_MAX_RANK];
    double scales[RK_MAX_RANK];
    double region[2 * RK_MAX_RANK] = {0}, begin[RK_MAX_RANK] = {0}, end[RK_MAX_RANK];
    int axes[RK_MAX_RANK];
    size_t count;
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    const bool old = c->im->opset < 11 || strcmp(c->node->op_type, "Upsample") == 0;
    resizing r = {
        .mode = rk_onnx_text(c, "mode", "nearest"),
        .coordinates =
            rk_onnx_text(c, "coordinate_transformation_mode", old ? "asymmetric" : "half_pixel"),
        .nearest = rk_onnx_text(c, "nearest_mode", old ? "floor" : "round_prefer_floor"),
        .cubic = rk_onnx_real(c, "cubic_coeff_a", -0.75),
        .outside = rk_onnx_real(c, "extrapolation_value", 0),
        .exclude_outside = rk_onnx_int(c, "exclude_outside", 0) != 0,
        .antialias = rk_onnx_int(c, "antialias", 0) != 0,
    };
    const bool crops = strcmp(r.coordinates, "tf_crop_and_resize") == 0;
    if (!axes_of(axes, &count, c, t.rank) || !sizes_of(out, scales, c, &t, axes, count) ||
        (crops && !known_reals(region, 2 * count, c, 1, "roi")))
        return false;
    for (int d = 0; d < t.rank; d++)
        end[d] = 1;
    for (size_t i = 0; i < count && crops; i++) {
        begin[axes[i]] = region[i];
        end[axes[i]] = region[count + i];
    }
    if (strcmp(r.mode, "bilinear") == 0)
        r.mode = "linear";
    rk_id x = c->in[0];
    for (int d = 0; d < t.rank && x != RK_ONNX_LOST; d++) {
        if (out[d] < 1 || out[d] > MOST_PLACES)
            return rk_onnx_wrong(c, "dimension %d would have %lld elements", d, (long long)out[d]);
        r.start = begin[d];
        r.end = end[d];
        if (out[d] != t.shape[d] || scales[d] != 1 || (crops && (r.start != 0 || r.end != 1)))
            x = resize_axis(c, x, d, out[d], scales[d], &r);
    }
    return rk_onnx_done(c, x);
}

static const rk_onnx_rule rules[] = {
    {"Resize", lower_resize, NULL, NULL},
    {"Upsample", lower_resize, NULL, NULL},
    {0},
};

const rk_onnx_family rk_onnx_family_resize = {
    .rules = rules,
};
