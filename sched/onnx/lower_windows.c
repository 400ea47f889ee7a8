#include "sched/onnx/import_internal.h"

#include "base/str.h"

#include "sched/ops/plan.h"

#include <string.h>

/* Convolutions and pools of any rank, and matrix products: a padded Move, then Contract or Reduce by strides. */

/** A window over the spatial dimensions of [n, c, ...]. */
typedef struct {
    int dims;
    int64_t in[RK_MAX_RANK], out[RK_MAX_RANK], kernel[RK_MAX_RANK];
    int64_t stride[RK_MAX_RANK], dilation[RK_MAX_RANK];
    int64_t pad[2 * RK_MAX_RANK]; /**< begins, then ends */
    int64_t more[RK_MAX_RANK];    /**< beyond the pads, for ceil_mode */
} window;

static bool list_of(int64_t *to, rk_onnx_call *c, const char *name, size_t count, int64_t otherwise)
{
    size_t given;
    const int64_t *list = rk_onnx_ints(c, name, &given);
    for (size_t i = 0; i < count; i++)
        to[i] = given == count ? list[i] : otherwise;
    return given == 0 || given == count ||
           rk_onnx_wrong(c, "%s has %zu numbers, not %zu", name, given, count);
}

static bool read_window(window *w, rk_onnx_call *c, const rk_tensor *x, const int64_t *kernel)
{
    *w = (window){.dims = x->rank - 2};
    if (x->rank < 3)
        return rk_onnx_wrong(c, "its operand has no dimensions to slide over");
    const size_t n = (size_t)w->dims;
    for (int d = 0; d < w->dims; d++) {
        w->in[d] = x->shape[d + 2];
        w->kernel[d] = kernel ? kernel[d] : 0;
    }
    if ((!kernel && !list_of(w->kernel, c, "kernel_shape", n, 0)) ||
        !list_of(w->stride, c, "strides", n, 1) || !list_of(w->dilation, c, "dilations", n, 1) ||
        !list_of(w->pad, c, "pads", 2 * n, 0))
        return false;
    for (int d = 0; d < w->dims; d++)
        if (w->kernel[d] < 1 || w->stride[d] < 1 || w->dilation[d] < 1 ||
            w->kernel[d] > RK_MAX_ELEMENTS || w->dilation[d] > RK_MAX_ELEMENTS / w->kernel[d])
            return rk_onnx_wrong(c, "its window, strides or dilations are below 1, or too large");
    return true;
}

/** How far a window reaches in dimension d. */
static int64_t reach(const window *w, int d)
{
    return (w->kernel[d] - 1) * w->dilation[d] + 1;
}

static bool auto_pads(window *w, rk_onnx_call *c)
{
    const char *mode = rk_onnx_text(c, "auto_pad", "NOTSET");
    const bool lower = strcmp(mode, "SAME_LOWER") == 0;
    if (strcmp(mode, "VALID") == 0)
        memset(w->pad, 0, sizeof w->pad);
    if (!lower && strcmp(mode, "SAME_UPPER") != 0)
        return true;
    for (int d = 0; d < w->dims; d++) {
        const int64_t out = (w->in[d] + w->stride[d] - 1) / w->stride[d];
        int64_t total = (out - 1) * w->stride[d] + reach(w, d) - w->in[d];
        total = total < 0 ? 0 : total;
        w->pad[d] = lower ? total - total / 2 : total / 2;
        w->pad[w->dims + d] = total - w->pad[d];
    }
    return true;
}

/** Pads and what comes out of the window. */
static bool fit_window(window *w, rk_onnx_call *c)
{
    const bool ceil_mode = rk_onnx_int(c, "ceil_mode", 0) != 0;
    if (!auto_pads(w, c))
        return false;
    for (int d = 0; d < w->dims; d++) {
        const int64_t padded = w->in[d] + w->pad[d] + w->pad[w->dims + d];
        const int64_t room = padded - reach(w, d);
        if (room < 0)
            return rk_onnx_wrong(c, "its window does not fit dimension %d", d + 2);
        w->out[d] = room / w->stride[d] + 1;
        if (ceil_mode && room % w->stride[d] && w->out[d] * w->stride[d] < w->in[d] + w->pad[d])
            w->out[d]++;
        const int64_t end = (w->out[d] - 1) * w->stride[d] + reach(w, d);
        w->more[d] = end > padded ? end - padded : 0;
    }
    return true;
}

static rk_id pad_spatial(rk_onnx_call *c, rk_id x, const window *w, bool more, rk_id fill)
{
    int64_t pads[2 * RK_MAX_RANK] = {0};
    const int rank = w->dims + 2;
    for (int d = 0; d < w->dims; d++) {
        pads[d + 2] = w->pad[d];
        pads[rank + d + 2] = w->pad[w->dims + d] + (more ? w->more[d] : 0);
    }
    return rk_onnx_pad(c, x, pads, "constant", fill);
}

/** y[n, g, m, o] = sum over c, k of x[n, g, c, o * stride + k * dilation] * w, by the weights' strides. */
typedef struct {
    int64_t groups, inner; /**< inner: channels of a group that are summed over */
    int64_t outputs;       /**< of a group */
    int64_t w_group, w_output, w_inner;
    int64_t w_kernel[RK_MAX_RANK], w_offset;
} weights;

static rk_id convolve(rk_onnx_call *c, rk_id x, rk_id weight, const window *w, const weights *f,
                      rk_dtype dtype)
{
    if (x == RK_ONNX_LOST)
        return x;
    const rk_tensor t = *rk_onnx_tensor_of(c, x);
    int64_t row[RK_MAX_RANK];
    int64_t shape[RK_MAX_RANK] = {t.shape[0], f->groups * f->outputs};
    int64_t lists[6][RK_MAX_RANK + 2] = {
        {t.shape[0], f->groups, f->outputs}, /* extents */
        {0},
        {0},
        {0, f->w_group, f->w_output}, /* strides of b */
        {f->inner},                   /* over */
    };
    int64_t b_steps[RK_MAX_RANK] = {f->w_inner};
    rk_onnx_row_major(row, t.rank, t.shape);
    lists[1][0] = row[0];
    lists[1][1] = f->inner * row[1];
    lists[2][0] = row[1];
    for (int d = 0; d < w->dims; d++) {
        shape[d + 2] = w->out[d];
        lists[0][d + 3] = w->out[d];
        lists[1][d + 3] = w->stride[d] * row[d + 2];
        lists[4][d + 1] = w->kernel[d];
        lists[2][d + 1] = w->dilation[d] * row[d + 2];
        b_steps[d + 1] = f->w_kernel[d];
    }
    const size_t loops = (size_t)w->dims + 3;
    const size_t inner = (size_t)w->dims + 1;
    rk_onnx_with_ints(c, "shape", shape, (size_t)t.rank);
    rk_onnx_with_ints(c, "extents", lists[0], loops);
    rk_onnx_with_ints(c, "over", lists[4], inner);
    rk_onnx_with_ints(c, "a_strides", lists[1], loops);
    rk_onnx_with_ints(c, "a_steps", lists[2], inner);
    rk_onnx_with_ints(c, "b_strides", lists[3], loops);
    rk_onnx_with_ints(c, "b_steps", b_steps, inner);
    rk_onnx_with_int(c, "b_offset", f->w_offset);
    if (dtype != RK_DTYPE_NONE)
        rk_onnx_with_text(c, "dtype", rk_dtype_name(dtype));
    const rk_id in[] = {x, weight};
    return rk_onnx_emit_one(c, "Contract", in, 2);
}

static rk_id add_bias(rk_onnx_call *c, rk_id y, size_t operand)
{
    if (!rk_onnx_has(c, operand) || y == RK_ONNX_LOST)
        return y;
    int64_t shape[RK_MAX_RANK];
    const int rank = rk_onnx_tensor_of(c, y)->rank;
    for (int d = 0; d < rank; d++)
        shape[d] = d == 1 ? rk_tensor_elements(rk_onnx_in(c, operand)) : 1;
    return rk_onnx_map2(c, "a b add", y, rk_onnx_reshape(c, c->in[operand], rank, shape));
}

/** Weights [m, c / groups, ...]. */
static bool conv_weights(weights *f, rk_onnx_call *c, const rk_tensor *x, const rk_tensor *w)
{
    int64_t row[RK_MAX_RANK];
    *f = (weights){.groups = rk_onnx_int(c, "group", 1)};
    if (w->rank != x->rank || f->groups < 1 || w->shape[0] % f->groups ||
        x->shape[1] != w->shape[1] * f->groups)
        return rk_onnx_wrong(c, "its weights do not fit its operand and groups");
    rk_onnx_row_major(row, w->rank, w->shape);
    f->inner = w->shape[1];
    f->outputs = w->shape[0] / f->groups;
    f->w_group = f->outputs * row[0];
    f->w_output = row[0];
    f->w_inner = row[1];
    for (int d = 2; d < w->rank; d++)
        f->w_kernel[d - 2] = row[d];
    return true;
}

/** The rOperator Conv has kernels for images of f32. */
static rk_id named_conv(rk_onnx_call *c, const window *w)
{
    const size_t n = (size_t)w->dims;
    rk_onnx_with_ints(c, "strides", w->stride, n);
    rk_onnx_with_ints(c, "pads", w->pad, 2 * n);
    rk_onnx_with_ints(c, "dilations", w->dilation, n);
    rk_onnx_with_int(c, "group", rk_onnx_int(c, "group", 1));
    return rk_onnx_emit_one(c, "Conv", c->in, c->in_count);
}

static bool lower_conv(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 2))
        return false;
    const rk_tensor x = *rk_onnx_in(c, 0);
    const rk_tensor k = *rk_onnx_in(c, 1);
    window w;
    weights f;
    if (!conv_weights(&f, c, &x, &k) || !read_window(&w, c, &x, k.shape + 2) || !fit_window(&w, c))
        return false;
    if (x.rank == 4 && x.dtype == RK_F32)
        return rk_onnx_done(c, named_conv(c, &w));
    const rk_id padded = pad_spatial(c, c->in[0], &w, false, RK_NO_ID);
    return rk_onnx_done(c, add_bias(c, convolve(c, padded, c->in[1], &w, &f, RK_DTYPE_NONE), 2));
}

/** x less its zero point, in i32. */
static rk_id less_zero_point(rk_onnx_call *c, rk_id x, size_t operand, int channel_axis)
{
    rk_id zero = rk_onnx_has(c, operand) ? c->in[operand] : RK_NO_ID;
    if (zero != RK_NO_ID && channel_axis >= 0 &&
        rk_tensor_elements(rk_onnx_tensor_of(c, zero)) > 1) {
        int64_t shape[RK_MAX_RANK];
        const int rank = rk_onnx_tensor_of(c, x)->rank;
        for (int d = 0; d < rank; d++)
            shape[d] = d == channel_axis ? rk_tensor_elements(rk_onnx_tensor_of(c, zero)) : 1;
        zero = rk_onnx_reshape(c, zero, rank, shape);
    }
    return rk_onnx_map(c, zero == RK_NO_ID ? "a" : "a b sub", RK_I32, "i64", x, zero, RK_NO_ID,
                       RK_NO_ID);
}

static rk_id convolve_integers(rk_onnx_call *c, size_t x_at, size_t x_zero, size_t w_at,
                               size_t w_zero)
{
    const rk_tensor x = *rk_onnx_in(c, x_at);
    const rk_tensor k = *rk_onnx_in(c, w_at);
    window w;
    weights f;
    if (!conv_weights(&f, c, &x, &k) || !read_window(&w, c, &x, k.shape + 2) || !fit_window(&w, c))
        return RK_ONNX_LOST;
    const rk_id data = less_zero_point(c, c->in[x_at], x_zero, -1);
    const rk_id weight = less_zero_point(c, c->in[w_at], w_zero, 0);
    return convolve(c, pad_spatial(c, data, &w, false, RK_NO_ID), weight, &w, &f, RK_I32);
}

static bool lower_conv_integer(rk_onnx_call *c)
{
    return rk_onnx_needs(c, 2) && rk_onnx_done(c, convolve_integers(c, 0, 2, 1, 3));
}

/** An i32 sum times scales, as a quantised number: round(sum * a_scale * b_scale / y_scale) + y_zero. */
static rk_id requantise(rk_onnx_call *c, rk_id sum, rk_id a_scale, rk_id b_scale, size_t y_scale,
                        size_t y_zero)
{
    if (sum == RK_ONNX_LOST)
        return sum;
    const rk_dtype dtype = rk_onnx_in(c, y_zero)->dtype;
    const char *range = dtype == RK_I8 ? "-128 max 127 min" : "0 max 255 min";
    const rk_id scale =
        rk_onnx_map(c, "a b mul c div", RK_F32, NULL, a_scale, b_scale, c->in[y_scale], RK_NO_ID);
    const char *expr = rk_arena_printf(c->im->arena, "a b mul round c add %s", range);
    return rk_onnx_map(c, expr, dtype, "f32", sum, scale, c->in[y_zero], RK_NO_ID);
}

static bool lower_qlinear_conv(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 8))
        return false;
    rk_id sum = convolve_integers(c, 0, 2, 3, 5);
    if (sum == RK_ONNX_LOST)
        return false;
    sum = add_bias(c, sum, 8);
    rk_id w_scale = c->in[4];
    const int rank = rk_onnx_in(c, 0)->rank;
    int64_t shape[RK_MAX_RANK];
    for (int d = 0; d < rank; d++)
        shape[d] = d == 1 ? rk_tensor_elements(rk_onnx_in(c, 4)) : 1;
    if (rk_tensor_elements(rk_onnx_in(c, 4)) > 1)
        w_scale = rk_onnx_reshape(c, w_scale, rank, shape);
    return rk_onnx_done(c, requantise(c, sum, c->in[1], w_scale, 6, 7));
}

/** A zero point or scale of rows stands before the columns. */
static rk_id of_rows(rk_onnx_call *c, rk_id v)
{
    const rk_tensor t = *rk_onnx_tensor_of(c, v);
    if (t.rank != 1 || t.shape[0] == 1)
        return v;
    const int64_t shape[2] = {t.shape[0], 1};
    return rk_onnx_reshape(c, v, 2, shape);
}

static rk_id multiply_integers(rk_onnx_call *c, size_t a, size_t a_zero, size_t b, size_t b_zero)
{
    const rk_id za = rk_onnx_has(c, a_zero) ? of_rows(c, c->in[a_zero]) : RK_NO_ID;
    const rk_id zb = rk_onnx_has(c, b_zero) ? c->in[b_zero] : RK_NO_ID;
    const rk_id x = rk_onnx_map(c, za == RK_NO_ID ? "a" : "a b sub", RK_I32, "i64", c->in[a], za,
                                RK_NO_ID, RK_NO_ID);
    const rk_id y = rk_onnx_map(c, zb == RK_NO_ID ? "a" : "a b sub", RK_I32, "i64", c->in[b], zb,
                                RK_NO_ID, RK_NO_ID);
    return rk_onnx_matmul(c, x, y, RK_I32);
}

static bool lower_matmul_integer(rk_onnx_call *c)
{
    return rk_onnx_needs(c, 2) && rk_onnx_done(c, multiply_integers(c, 0, 2, 1, 3));
}

static bool lower_qlinear_matmul(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 8))
        return false;
    const rk_id sum = multiply_integers(c, 0, 2, 3, 5);
    return rk_onnx_done(c, requantise(c, sum, of_rows(c, c->in[1]), c->in[4], 6, 7));
}

/** Sizes and pads of a transposed convolution, by "output_shape" where that is given. */
static bool transposed_window(window *w, rk_onnx_call *c)
{
    int64_t extra[RK_MAX_RANK];
    int64_t wanted[RK_MAX_RANK];
    size_t shaped;
    const char *mode = rk_onnx_text(c, "auto_pad", "NOTSET");
    const bool upper = strcmp(mode, "SAME_UPPER") == 0;
    const bool same = upper || strcmp(mode, "SAME_LOWER") == 0;
    rk_onnx_ints(c, "output_shape", &shaped);
    if (!list_of(extra, c, "output_padding", (size_t)w->dims, 0) ||
        !list_of(wanted, c, "output_shape", (size_t)w->dims, 0))
        return false;
    for (int d = 0; d < w->dims; d++) {
        const int64_t full = (w->in[d] - 1) * w->stride[d] + extra[d] + reach(w, d);
        if (same && !shaped)
            wanted[d] = w->in[d] * w->stride[d];
        if (same || shaped) {
            const int64_t total = full > wanted[d] ? full - wanted[d] : 0;
            w->pad[d] = upper ? total / 2 : total - total / 2;
            w->pad[w->dims + d] = total - w->pad[d];
            w->out[d] = wanted[d];
        } else {
            w->out[d] = full - w->pad[d] - w->pad[w->dims + d];
        }
        if (w->out[d] < 1)
            return rk_onnx_wrong(c, "nothing comes out of dimension %d", d + 2);
    }
    return true;
}

/** The operand with stride - 1 zeros between its elements, and as many around as a plain convolution needs. */
static rk_id spread(rk_onnx_call *c, rk_id x, const window *w)
{
    const rk_tensor t = *rk_onnx_tensor_of(c, x);
    int64_t strides[RK_MAX_RANK];
    int64_t shape[RK_MAX_RANK] = {t.shape[0], t.shape[1]};
    int64_t begin[RK_MAX_RANK] = {0};
    int64_t every[RK_MAX_RANK] = {1, 1};
    rk_onnx_row_major(strides, t.rank, t.shape);
    for (int d = 0; d < w->dims; d++) {
        shape[d + 2] = w->out[d] + reach(w, d) - 1;
        begin[d + 2] = w->pad[d] - (reach(w, d) - 1);
        every[d + 2] = w->stride[d];
    }
    const size_t n = (size_t)t.rank;
    rk_onnx_with_ints(c, "shape", shape, n);
    rk_onnx_with_ints(c, "strides", strides, n);
    rk_onnx_with_ints(c, "begin", begin, n);
    rk_onnx_with_ints(c, "every", every, n);
    rk_onnx_with_ints(c, "limit", t.shape, n);
    return rk_onnx_emit_one(c, "Move", &x, 1);
}

static bool lower_conv_transpose(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 2))
        return false;
    const rk_tensor x = *rk_onnx_in(c, 0);
    const rk_tensor k = *rk_onnx_in(c, 1);
    window w;
    weights f = {.groups = rk_onnx_int(c, "group", 1)};
    int64_t row[RK_MAX_RANK];
    if (k.rank != x.rank || f.groups < 1 || k.shape[0] != x.shape[1] || x.shape[1] % f.groups)
        return rk_onnx_wrong(c, "its weights do not fit its operand and groups");
    if (!read_window(&w, c, &x, k.shape + 2) || !transposed_window(&w, c))
        return false;
    rk_onnx_row_major(row, k.rank, k.shape);
    f.inner = x.shape[1] / f.groups;
    f.outputs = k.shape[1];
    f.w_group = f.inner * row[0];
    f.w_output = row[1];
    f.w_inner = row[0];
    const rk_id data = spread(c, c->in[0], &w);
    for (int d = 0; d < w.dims; d++) {
        f.w_kernel[d] = -row[d + 2]; /* the window is turned round */
        f.w_offset += (w.kernel[d] - 1) * row[d + 2];
        w.stride[d] = 1;
    }
    return rk_onnx_done(c, add_bias(c, convolve(c, data, c->in[1], &w, &f, RK_DTYPE_NONE), 2));
}

/** Reduces each window of a padded operand. */
static rk_id reduce_windows(rk_onnx_call *c, rk_id x, const window *w, const char *kind)
{
    if (x == RK_ONNX_LOST)
        return x;
    const rk_tensor t = *rk_onnx_tensor_of(c, x);
    int64_t row[RK_MAX_RANK];
    int64_t shape[RK_MAX_RANK] = {t.shape[0], t.shape[1]};
    int64_t strides[RK_MAX_RANK];
    int64_t steps[RK_MAX_RANK];
    rk_onnx_row_major(row, t.rank, t.shape);
    memcpy(strides, row, sizeof strides);
    for (int d = 0; d < w->dims; d++) {
        shape[d + 2] = w->out[d];
        strides[d + 2] = w->stride[d] * row[d + 2];
        steps[d] = w->dilation[d] * row[d + 2];
    }
    rk_onnx_with_ints(c, "shape", shape, (size_t)t.rank);
    rk_onnx_with_ints(c, "strides", strides, (size_t)t.rank);
    rk_onnx_with_ints(c, "over", w->kernel, (size_t)w->dims);
    rk_onnx_with_ints(c, "steps", steps, (size_t)w->dims);
    rk_onnx_with_text(c, "kind", kind);
    return rk_onnx_emit_one(c, "Reduce", &x, 1);
}

/** From the place in the window to the place in the operand, counted over all of it. */
static rk_id flat_places(rk_onnx_call *c, rk_id places, const window *w, const rk_tensor *x)
{
    rk_str expr = {.arena = c->im->arena};
    const bool by_columns = rk_onnx_int(c, "storage_order", 0) != 0;
    int64_t plane = 1;
    int64_t inner = 1;
    for (int d = 0; d < w->dims; d++)
        plane *= w->in[d];
    rk_str_addf(&expr, "i0 %lld mul i1 add %lld mul", (long long)x->shape[1], (long long)plane);
    int64_t stride = by_columns ? 1 : plane;
    for (int d = 0; d < w->dims; d++)
        inner *= w->kernel[d];
    for (int d = 0; d < w->dims; d++) {
        inner /= w->kernel[d];
        if (!by_columns)
            stride /= w->in[d];
        rk_str_addf(&expr, " a %lld div %lld mod %lld mul i%d %lld mul add %lld sub %lld mul add",
                    (long long)inner, (long long)w->kernel[d], (long long)w->dilation[d], d + 2,
                    (long long)w->stride[d], (long long)w->pad[d], (long long)stride);
        if (by_columns)
            stride *= w->in[d];
    }
    return rk_onnx_map1(c, rk_str_text(&expr), places);
}

static double lowest_of(rk_dtype dtype)
{
    switch (dtype) {
    case RK_I8:
        return INT8_MIN;
    case RK_U8:
    case RK_U16:
    case RK_U32:
    case RK_U64:
        return 0;
    default:
        return -(double)__builtin_inf();
    }
}

static rk_id named_pool(rk_onnx_call *c, const window *w, const char *op)
{
    const size_t n = (size_t)w->dims;
    rk_onnx_with_ints(c, "kernel_shape", w->kernel, n);
    rk_onnx_with_ints(c, "strides", w->stride, n);
    rk_onnx_with_ints(c, "pads", w->pad, 2 * n);
    if (strcmp(op, "AveragePool") == 0)
        rk_onnx_with_int(c, "count_include_pad", rk_onnx_int(c, "count_include_pad", 0));
    return rk_onnx_emit_one(c, op, c->in, 1);
}

/** Whether the rOperators of images have kernels for it. */
static bool is_plain(const rk_tensor *x, const window *w)
{
    bool plain = x->dtype == RK_F32 && x->rank == 4;
    for (int d = 0; d < w->dims; d++)
        plain = plain && w->dilation[d] == 1 && w->more[d] == 0 && w->pad[d] < w->kernel[d] &&
                w->pad[w->dims + d] < w->kernel[d];
    return plain;
}

static bool lower_max_pool(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_tensor x = *rk_onnx_in(c, 0);
    window w;
    if (!read_window(&w, c, &x, NULL) || !fit_window(&w, c))
        return false;
    const bool places = c->out_count > 1 && *c->node->output.items[1];
    if (!places && is_plain(&x, &w))
        return rk_onnx_done(c, named_pool(c, &w, "MaxPool"));
    const rk_id fill = rk_onnx_scalar(c, x.dtype, lowest_of(x.dtype));
    const rk_id padded = pad_spatial(c, c->in[0], &w, true, fill);
    if (places)
        c->out[1] = flat_places(c, reduce_windows(c, padded, &w, "argmax"), &w, &x);
    return rk_onnx_done(c, reduce_windows(c, padded, &w, "max"));
}

/** How many elements each window counts: those of the operand, and of its pads if asked for. */
static rk_id counts_of(rk_onnx_call *c, const window *w, rk_dtype dtype)
{
    int64_t shape[RK_MAX_RANK] = {1, 1};
    const bool pads = rk_onnx_int(c, "count_include_pad", 0) != 0;
    window outside = *w;
    for (int d = 0; d < w->dims; d++) {
        shape[d + 2] = w->in[d] + (pads ? w->pad[d] + w->pad[w->dims + d] : 0);
        if (pads)
            outside.pad[d] = outside.pad[w->dims + d] = 0;
    }
    const rk_id ones = rk_onnx_broadcast(c, rk_onnx_scalar(c, dtype, 1), w->dims + 2, shape);
    return reduce_windows(c, pad_spatial(c, ones, &outside, true, RK_NO_ID), w, "sum");
}

static bool lower_average_pool(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_tensor x = *rk_onnx_in(c, 0);
    window w;
    if (!read_window(&w, c, &x, NULL) || !fit_window(&w, c))
        return false;
    if (is_plain(&x, &w))
        return rk_onnx_done(c, named_pool(c, &w, "AveragePool"));
    const rk_id padded = pad_spatial(c, c->in[0], &w, true, RK_NO_ID);
    const rk_id counts = counts_of(c, &w, x.dtype == RK_F64 ? RK_F64 : RK_F32);
    return rk_onnx_done(c, rk_onnx_map(c, "a b div", x.dtype, NULL,
                                       reduce_windows(c, padded, &w, "sum"), counts, RK_NO_ID,
                                       RK_NO_ID));
}

static bool lower_lp_pool(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_tensor x = *rk_onnx_in(c, 0);
    const int64_t p = rk_onnx_int(c, "p", 2);
    window w;
    if (!read_window(&w, c, &x, NULL) || !fit_window(&w, c))
        return false;
    const rk_id powers =
        rk_onnx_map1(c, rk_arena_printf(c->im->arena, "a abs %lld pow", (long long)p), c->in[0]);
    const rk_id sums = reduce_windows(c, pad_spatial(c, powers, &w, true, RK_NO_ID), &w, "sum");
    return rk_onnx_done(
        c, rk_onnx_map1(c, rk_arena_printf(c->im->arena, "a 1 %lld div pow", (long long)p), sums));
}

/** a: the kind of what is done over all that is spatial. */
static bool lower_global_pool(rk_onnx_call *c)
{
    const char *kind = rk_onnx_rule_find(c->node->op_type)->a;
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_tensor x = *rk_onnx_in(c, 0);
    const uint32_t axes = ((UINT32_C(1) << x.rank) - 1) & ~3U;
    int64_t plane = 1;
    for (int d = 2; d < x.rank; d++)
        plane *= x.shape[d];
    if (strcmp(kind, "max") == 0)
        return rk_onnx_done(c, rk_onnx_reduce(c, c->in[0], "max", axes, true));
    if (strcmp(kind, "mean") == 0)
        return rk_onnx_done(
            c, rk_onnx_map(
                   c, rk_arena_printf(c->im->arena, "a %lld div", (long long)plane), x.dtype, NULL,
                   rk_onnx_reduce(c, rk_onnx_cast(c, c->in[0], x.dtype == RK_F64 ? RK_F64 : RK_F32),
                                  "sum", axes, true),
                   RK_NO_ID, RK_NO_ID, RK_NO_ID));
    const int64_t p = rk_onnx_int(c, "p", 2);
    const rk_id powers =
        rk_onnx_map1(c, rk_arena_printf(c->im->arena, "a abs %lld pow", (long long)p), c->in[0]);
    return rk_onnx_done(
        c, rk_onnx_map1(c, rk_arena_printf(c->im->arena, "a 1 %lld div pow", (long long)p),
                        rk_onnx_reduce(c, powers, "sum", axes, true)));
}

static bool lower_matmul(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 2))
        return false;
    return rk_onnx_done(c, rk_onnx_matmul(c, c->in[0], c->in[1], RK_DTYPE_NONE));
}

static bool lower_gemm(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 2))
        return false;
    const rk_tensor a = *rk_onnx_in(c, 0);
    const rk_tensor b = *rk_onnx_in(c, 1);
    const double alpha = rk_onnx_real(c, "alpha", 1);
    const double beta = rk_onnx_real(c, "beta", 1);
    static const int64_t turned[] = {1, 0};
    if (a.rank != 2 || b.rank != 2)
        return rk_onnx_wrong(c, "its operands are no matrices");
    if (a.dtype == RK_F32) {
        rk_onnx_with_real(c, "alpha", alpha);
        rk_onnx_with_real(c, "beta", beta);
        rk_onnx_with_int(c, "transA", rk_onnx_int(c, "transA", 0));
        rk_onnx_with_int(c, "transB", rk_onnx_int(c, "transB", 0));
        return rk_onnx_done(c, rk_onnx_emit_one(c, "Gemm", c->in, c->in_count));
    }
    const rk_id x = rk_onnx_int(c, "transA", 0) ? rk_onnx_transpose(c, c->in[0], turned) : c->in[0];
    const rk_id y = rk_onnx_int(c, "transB", 0) ? rk_onnx_transpose(c, c->in[1], turned) : c->in[1];
    const rk_id product = rk_onnx_matmul(c, x, y, RK_DTYPE_NONE);
    const bool real = rk_dtype_is_float(a.dtype);
    if (!real && (alpha != 1 || beta != 1))
        return rk_onnx_refuse(c, "1 is", "alpha or beta with integers");
    if (!rk_onnx_has(c, 2))
        return rk_onnx_done(
            c, alpha == 1
                   ? product
                   : rk_onnx_map1(c, rk_arena_printf(c->im->arena, "a %.17g mul", alpha), product));
    const char *expr =
        real ? rk_arena_printf(c->im->arena, "a %.17g mul b %.17g mul add", alpha, beta)
             : "a b add";
    return rk_onnx_done(c, rk_onnx_map2(c, expr, product, c->in[2]));
}

static const rk_onnx_rule rules[] = {
    {"Conv", lower_conv, NULL, NULL},
    {"ConvInteger", lower_conv_integer, NULL, NULL},
    {"QLinearConv", lower_qlinear_conv, NULL, NULL},
    {"ConvTranspose", lower_conv_transpose, NULL, NULL},
    {"MaxPool", lower_max_pool, NULL, NULL},
    {"AveragePool", lower_average_pool, NULL, NULL},
    {"LpPool", lower_lp_pool, NULL, NULL},
    {"GlobalAveragePool", lower_global_pool, "mean", NULL},
    {"GlobalMaxPool", lower_global_pool, "max", NULL},
    {"GlobalLpPool", lower_global_pool, "lp", NULL},
    {"MatMul", lower_matmul, NULL, NULL},
    {"MatMulInteger", lower_matmul_integer, NULL, NULL},
    {"QLinearMatMul", lower_qlinear_matmul, NULL, NULL},
    {"Gemm", lower_gemm, NULL, NULL},
    {0},
};

const rk_onnx_family rk_onnx_family_windows = {
    .rules = rules,
};
