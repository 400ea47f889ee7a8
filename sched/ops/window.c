#include "sched/ops/window.h"


/** Bounds on attributes, so that no sum or product of them overflows. */
#define LARGEST_STEP (INT64_C(1) << 20)

/** One entry for each spatial dimension; the default where the attribute is left out. */
static bool read_list(int64_t *out, const rk_op_call *call, const char *attr, int count,
                      int64_t least, int64_t otherwise, rk_diag *diag)
{
    size_t given;
    const int64_t *values = rk_op_ints(call, attr, &given);
    if (given && given != (size_t)count)
        return rk_op_fail(call, diag, "RK-G008", "%s has %zu entries, not %d", attr, given, count);
    for (int i = 0; i < count; i++) {
        out[i] = given ? values[i] : otherwise;
        if (out[i] < least || out[i] > LARGEST_STEP)
            return rk_op_fail(call, diag, "RK-G008", "%s has the entry %lld, outside %lld to 2^20",
                              attr, (long long)out[i], (long long)least);
    }
    return true;
}

static bool fit(rk_window *w, int d, int64_t pad_end, const rk_op_call *call, rk_diag *diag)
{
    int64_t reach = w->dilation[d] * (w->kernel[d] - 1) + 1;
    int64_t room = w->in[d] + w->pad[d] + pad_end;
    if (reach > room)
        return rk_op_fail(call, diag, "RK-G008",
                          "a window of %lld does not fit a padded extent of %lld", (long long)reach,
                          (long long)room);
    w->out[d] = (room - reach) / w->stride[d] + 1;
    return true;
}

bool rk_window_of(rk_window *out, const rk_op_call *call, const int64_t *kernel, bool dilated,
                  rk_diag *diag)
{
    const rk_tensor *x = call->in[0];
    int n = x->rank - 2;
    if (n < 1 || n > RK_WINDOW_DIMS)
        return rk_op_fail(call, diag, "RK-G008", "'%s' has %d dimensions, not 3, 4 or 5", x->name,
                          x->rank);
    int64_t strides[RK_WINDOW_DIMS] = {1, 1, 1};
    int64_t dilations[RK_WINDOW_DIMS] = {1, 1, 1};
    int64_t pads[2 * RK_WINDOW_DIMS] = {0};
    if (!read_list(strides, call, "strides", n, 1, 1, diag) ||
        !read_list(pads, call, "pads", 2 * n, 0, 0, diag) ||
        (dilated && !read_list(dilations, call, "dilations", n, 1, 1, diag)))
        return false;
    const char *problem;
    if (!rk_shape_valid(&problem, n, kernel))
        return rk_op_fail(call, diag, "RK-G008", "its window %s", problem);
    *out = (rk_window){0};
    for (int d = 0; d < RK_WINDOW_DIMS; d++) {
        int from = d - (RK_WINDOW_DIMS - n);
        bool used = from >= 0;
        out->in[d] = used ? x->shape[2 + from] : 1;
        out->kernel[d] = used ? kernel[from] : 1;
        out->stride[d] = used ? strides[from] : 1;
        out->dilation[d] = used ? dilations[from] : 1;
        out->pad[d] = used ? pads[from] : 0;
        if (!fit(out, d, used ? pads[n + from] : 0, call, diag))
            return false;
    }
    if (!rk_shape_valid(&problem, RK_WINDOW_DIMS, out->out))
        return rk_op_fail(call, diag, "RK-G008", "its output %s", problem);
    out->in_size = rk_op_span(out->in, 0, RK_WINDOW_DIMS);
    out->out_size = rk_op_span(out->out, 0, RK_WINDOW_DIMS);
    out->kernel_size = rk_op_span(out->kernel, 0, RK_WINDOW_DIMS);
    return true;
}

int64_t rk_window_at(const rk_window *window, int64_t o, int64_t k)
{
    int64_t at = 0;
    int64_t step = 1;
    for (int d = RK_WINDOW_DIMS - 1; d >= 0; d--) {
        int64_t position = o % window->out[d] * window->stride[d] - window->pad[d] +
                           k % window->kernel[d] * window->dilation[d];
        if (position < 0 || position >= window->in[d])
            return -1;
        at += position * step;
        step *= window->in[d];
        o /= window->out[d];
        k /= window->kernel[d];
    }
    return at;
}
