#include "sched/onnx/import_internal.h"

#include "sched/ops/op_operands.h"

#include <string.h>

/* Operators that go by indices: Pick, Put, Order, and Map where an index is compared with a coordinate. */

static int64_t span(const int64_t *shape, int from, int to)
{
    return rk_op_span(shape, from, to);
}

/** x picked along `axis` by all of the indices, which take its place. */
static rk_id take(rk_onnx_call *c, rk_id x, rk_id indices, int axis)
{
    if (x == RK_ONNX_LOST || indices == RK_ONNX_LOST)
        return RK_ONNX_LOST;
    const rk_tensor t = *rk_onnx_tensor_of(c, x);
    const rk_tensor k = *rk_onnx_tensor_of(c, indices);
    const int64_t inner = span(t.shape, axis + 1, t.rank);
    int64_t shape[2 * RK_MAX_RANK];
    int rank = 0;
    for (int d = 0; d < axis; d++)
        shape[rank++] = t.shape[d];
    for (int d = 0; d < k.rank; d++)
        shape[rank++] = k.shape[d];
    for (int d = axis + 1; d < t.rank; d++)
        shape[rank++] = t.shape[d];
    const int64_t extents[] = {span(t.shape, 0, axis), rk_tensor_elements(&k), inner};
    const int64_t x_strides[] = {t.shape[axis] * inner, 0, 1};
    const int64_t index_strides[] = {0, 1, 0};
    rk_onnx_with_ints(c, "shape", shape, (size_t)rank);
    rk_onnx_with_ints(c, "extents", extents, 3);
    rk_onnx_with_ints(c, "x_strides", x_strides, 3);
    rk_onnx_with_ints(c, "index_strides", index_strides, 3);
    rk_onnx_with_ints(c, "limits", &t.shape[axis], 1);
    rk_onnx_with_ints(c, "part_strides", &inner, 1);
    const rk_id in[] = {x, indices};
    return rk_onnx_emit_one(c, "Pick", in, 2);
}

static bool lower_gather(rk_onnx_call *c)
{
    int axis;
    if (!rk_onnx_needs(c, 2) ||
        !rk_onnx_axis(&axis, c, rk_onnx_int(c, "axis", 0), rk_onnx_in(c, 0)->rank))
        return false;
    const bool constant = rk_onnx_in(c, 0)->data && rk_onnx_in(c, 1)->data;
    if (rk_onnx_in(c, 0)->dtype == RK_F32 && !constant && axis == 0) {
        rk_onnx_with_int(c, "axis", axis);
        return rk_onnx_done(c, rk_onnx_emit_one(c, "Gather", c->in, 2));
    }
    return rk_onnx_done(c, take(c, c->in[0], c->in[1], axis));
}

static bool lower_gather_elements(rk_onnx_call *c)
{
    int axis;
    if (!rk_onnx_needs(c, 2))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    const rk_tensor k = *rk_onnx_in(c, 1);
    if (!rk_onnx_axis(&axis, c, rk_onnx_int(c, "axis", 0), t.rank))
        return false;
    if (k.rank != t.rank)
        return rk_onnx_wrong(c, "its operands differ in dimensions");
    int64_t row[RK_MAX_RANK];
    int64_t x_strides[RK_MAX_RANK];
    int64_t index_strides[RK_MAX_RANK];
    rk_onnx_row_major(row, t.rank, t.shape);
    rk_onnx_row_major(index_strides, k.rank, k.shape);
    memcpy(x_strides, row, sizeof row);
    x_strides[axis] = 0;
    rk_onnx_with_ints(c, "shape", k.shape, (size_t)k.rank);
    rk_onnx_with_ints(c, "x_strides", x_strides, (size_t)k.rank);
    rk_onnx_with_ints(c, "index_strides", index_strides, (size_t)k.rank);
    rk_onnx_with_ints(c, "limits", &t.shape[axis], 1);
    rk_onnx_with_ints(c, "part_strides", &row[axis], 1);
    return rk_onnx_done(c, rk_onnx_emit_one(c, "Pick", c->in, 2));
}

static bool lower_gather_nd(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 2))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    const rk_tensor k = *rk_onnx_in(c, 1);
    const int b = (int)rk_onnx_int(c, "batch_dims", 0);
    const int parts = k.rank ? (int)k.shape[k.rank - 1] : 0;
    if (b < 0 || b >= k.rank || parts < 1 || b + parts > t.rank)
        return rk_onnx_wrong(c, "its indices do not fit its operand");
    int64_t shape[2 * RK_MAX_RANK];
    int64_t row[RK_MAX_RANK];
    int rank = 0;
    for (int d = 0; d < k.rank - 1; d++)
        shape[rank++] = k.shape[d];
    for (int d = b + parts; d < t.rank; d++)
        shape[rank++] = t.shape[d];
    if (rank > RK_MAX_RANK)
        return rk_onnx_refuse(c, "at most 8 are", "more dimensions");
    rk_onnx_row_major(row, t.rank, t.shape);
    const int64_t tuples = span(k.shape, b, k.rank - 1);
    const int64_t extents[] = {span(t.shape, 0, b), tuples, span(t.shape, b + parts, t.rank)};
    const int64_t x_strides[] = {span(t.shape, b, t.rank), 0, 1};
    const int64_t index_strides[] = {tuples * parts, parts, 0};
    rk_onnx_with_ints(c, "shape", shape, (size_t)rank);
    rk_onnx_with_ints(c, "extents", extents, 3);
    rk_onnx_with_ints(c, "x_strides", x_strides, 3);
    rk_onnx_with_ints(c, "index_strides", index_strides, 3);
    rk_onnx_with_ints(c, "limits", t.shape + b, (size_t)parts);
    rk_onnx_with_ints(c, "part_strides", row + b, (size_t)parts);
    rk_onnx_with_int(c, "part_step", 1);
    return rk_onnx_done(c, rk_onnx_emit_one(c, "Pick", c->in, 2));
}

static bool with_reduction(rk_onnx_call *c)
{
    rk_onnx_with_text(c, "kind", rk_onnx_text(c, "reduction", "none"));
    return true;
}

static bool lower_scatter_elements(rk_onnx_call *c)
{
    int axis;
    if (!rk_onnx_needs(c, 3))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    const rk_tensor k = *rk_onnx_in(c, 1);
    if (!rk_onnx_axis(&axis, c, rk_onnx_int(c, "axis", 0), t.rank))
        return false;
    if (k.rank != t.rank)
        return rk_onnx_wrong(c, "its operands differ in dimensions");
    const size_t n = (size_t)t.rank;
    int64_t strides[RK_MAX_RANK];
    int64_t within[RK_MAX_RANK];
    const int64_t part = axis;
    rk_onnx_row_major(strides, k.rank, k.shape);
    memcpy(within, k.shape, sizeof within);
    const int64_t step = strides[axis];
    strides[axis] = 0;
    within[axis] = RK_MAX_ELEMENTS;
    rk_onnx_with_ints(c, "over", &k.shape[axis], 1);
    rk_onnx_with_ints(c, "within", within, n);
    rk_onnx_with_ints(c, "parts", &part, 1);
    rk_onnx_with_ints(c, "index_strides", strides, n);
    rk_onnx_with_ints(c, "index_steps", &step, 1);
    rk_onnx_with_ints(c, "update_strides", strides, n);
    rk_onnx_with_ints(c, "update_steps", &step, 1);
    with_reduction(c);
    return rk_onnx_done(c, rk_onnx_emit_one(c, "Put", c->in, 3));
}

static bool lower_scatter_nd(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 3))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    const rk_tensor k = *rk_onnx_in(c, 1);
    const int64_t parts = k.rank ? k.shape[k.rank - 1] : 0;
    if (parts < 1 || parts > t.rank)
        return rk_onnx_wrong(c, "its indices do not fit its operand");
    const int64_t tuples = rk_tensor_elements(&k) / parts;
    int64_t dims[RK_MAX_RANK];
    int64_t strides[RK_MAX_RANK];
    rk_onnx_row_major(strides, t.rank, t.shape);
    const int64_t slice = span(t.shape, (int)parts, t.rank);
    for (int d = 0; d < (int)parts; d++) {
        dims[d] = d;
        strides[d] = 0;
    }
    rk_onnx_with_ints(c, "over", &tuples, 1);
    rk_onnx_with_ints(c, "parts", dims, (size_t)parts);
    rk_onnx_with_ints(c, "index_steps", &parts, 1);
    rk_onnx_with_ints(c, "update_strides", strides, (size_t)t.rank);
    rk_onnx_with_ints(c, "update_steps", &slice, 1);
    rk_onnx_with_int(c, "part_step", 1);
    with_reduction(c);
    return rk_onnx_done(c, rk_onnx_emit_one(c, "Put", c->in, 3));
}

static bool lower_top_k(rk_onnx_call *c)
{
    int axis;
    int64_t *k = NULL;
    size_t count = 1;
    if (!rk_onnx_needs(c, 1) || (rk_onnx_has(c, 1) && !rk_onnx_known(&k, &count, c, 1, "k")) ||
        !rk_onnx_axis(&axis, c, rk_onnx_int(c, "axis", -1), rk_onnx_in(c, 0)->rank))
        return false;
    if (count != 1)
        return rk_onnx_wrong(c, "k is not one number");
    rk_onnx_with_int(c, "k", k ? *k : rk_onnx_int(c, "k", 1));
    rk_onnx_with_int(c, "axis", axis);
    rk_onnx_with_int(c, "largest", rk_onnx_int(c, "largest", 1));
    rk_id outs[2];
    const bool good = rk_onnx_emit(outs, 2, c, "Order", c->in, 1);
    for (size_t o = 0; o < 2 && o < c->out_count; o++)
        c->out[o] = outs[o];
    return good;
}

static bool lower_one_hot(rk_onnx_call *c)
{
    int64_t depth = 0;
    int axis;
    if (!rk_onnx_needs(c, 3))
        return false;
    const void *data = rk_onnx_data(c, c->in[1]);
    const rk_tensor k = *rk_onnx_in(c, 0);
    if (!data) {
        int64_t *unused;
        size_t count;
        return rk_onnx_known(&unused, &count, c, 1, "depth");
    }
    if (rk_tensor_elements(rk_onnx_in(c, 1)) != 1)
        return rk_onnx_wrong(c, "its depth is not one element");
    rk_onnx_call inner = *c; /* the depth may be of any type */
    inner.attr_count = 0;
    const rk_id as_integer = rk_onnx_cast(&inner, c->in[1], RK_I64);
    depth = *(const int64_t *)rk_onnx_data(c, as_integer);
    if (!rk_onnx_axis(&axis, c, rk_onnx_int(c, "axis", -1), k.rank + 1))
        return false;
    int64_t shape[RK_MAX_RANK + 1];
    int64_t view[RK_MAX_RANK + 1];
    for (int d = 0, from = 0; d <= k.rank; d++) {
        view[d] = d == axis ? 1 : k.shape[from++];
        shape[d] = d == axis ? depth : view[d];
    }
    const rk_dtype dtype = rk_onnx_in(c, 2)->dtype;
    const rk_id off = rk_onnx_slice(c, c->in[2], 0, 0, 1);
    const rk_id on = rk_onnx_slice(c, c->in[2], 0, 1, 1);
    const rk_id indices = rk_onnx_reshape(c, c->in[0], k.rank + 1, view);
    const char *expr = rk_arena_printf(c->im->arena, "a 0 lt a %lld add a where i%d eq b c where",
                                       (long long)depth, axis);
    rk_onnx_with_ints(c, "shape", shape, (size_t)k.rank + 1);
    return rk_onnx_done(c, rk_onnx_map(c, expr, dtype, NULL, indices, on, off, RK_NO_ID));
}

/** The first elements of each line by its length are turned round. */
static bool lower_reverse_sequence(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 2))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    const int batch = (int)rk_onnx_int(c, "batch_axis", 1);
    const int time = (int)rk_onnx_int(c, "time_axis", 0);
    if (t.rank < 2 || batch + time != 1 || batch * time != 0)
        return rk_onnx_wrong(c, "batch_axis and time_axis are not 0 and 1");
    int64_t of_batch[2] = {1, 1};
    of_batch[batch] = t.shape[batch];
    const rk_id lengths = rk_onnx_reshape(c, c->in[1], 2, of_batch);
    rk_onnx_with_ints(c, "shape", t.shape, 2);
    const rk_id places = rk_onnx_map(
        c, rk_arena_printf(c->im->arena, "i%d a lt a 1 sub i%d sub i%d where", time, time, time),
        RK_I64, "i64", lengths, RK_NO_ID, RK_NO_ID, RK_NO_ID);
    int64_t row[RK_MAX_RANK];
    int64_t x_strides[RK_MAX_RANK];
    int64_t index_strides[RK_MAX_RANK] = {t.shape[1], 1};
    rk_onnx_row_major(row, t.rank, t.shape);
    memcpy(x_strides, row, sizeof row);
    x_strides[time] = 0;
    rk_onnx_with_ints(c, "shape", t.shape, (size_t)t.rank);
    rk_onnx_with_ints(c, "x_strides", x_strides, (size_t)t.rank);
    rk_onnx_with_ints(c, "index_strides", index_strides, (size_t)t.rank);
    rk_onnx_with_ints(c, "limits", &t.shape[time], 1);
    rk_onnx_with_ints(c, "part_strides", &row[time], 1);
    const rk_id in[] = {c->in[0], places};
    return rk_onnx_done(c, rk_onnx_emit_one(c, "Pick", in, 2));
}

/** The condition is known: its true places are indices. */
static bool lower_compress(rk_onnx_call *c)
{
    int64_t *condition;
    size_t count;
    int axis = 0;
    if (!rk_onnx_needs(c, 2) || !rk_onnx_known(&condition, &count, c, 1, "condition"))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    rk_id x = c->in[0];
    if (!rk_onnx_attr_of(c, "axis")) {
        const int64_t all = rk_tensor_elements(&t);
        x = rk_onnx_reshape(c, x, 1, &all);
    } else if (!rk_onnx_axis(&axis, c, rk_onnx_int(c, "axis", 0), t.rank)) {
        return false;
    }
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (condition[i])
            condition[n++] = (int64_t)i;
    if (n == 0)
        return rk_onnx_refuse(c, "tensors have at least one element", "a result of no elements");
    return rk_onnx_done(c, take(c, x, rk_onnx_integers(c, condition, n), axis));
}

/** Places of what is not zero in an operand that is known. */
static bool lower_non_zero(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    if (!rk_onnx_data(c, c->in[0])) {
        int64_t *unused;
        size_t count;
        return rk_onnx_known(&unused, &count, c, 0, "operand");
    }
    const rk_id truth =
        rk_onnx_map(c, "a 0 eq not", RK_BOOL, NULL, c->in[0], RK_NO_ID, RK_NO_ID, RK_NO_ID);
    const uint8_t *data = rk_onnx_data(c, truth);
    const int64_t n = rk_tensor_elements(&t);
    int64_t found = 0;
    for (int64_t i = 0; i < n; i++)
        found += data[i];
    const int64_t shape[2] = {t.rank, found};
    int64_t *places = RK_NEW_ARRAY(c->im->arena, int64_t, (size_t)(t.rank * found) + 1);
    int64_t row[RK_MAX_RANK];
    rk_onnx_row_major(row, t.rank, t.shape);
    for (int64_t i = 0, k = 0; i < n; i++)
        if (data[i]) {
            for (int d = 0; d < t.rank; d++)
                places[d * found + k] = i / row[d] % t.shape[d];
            k++;
        }
    if (found == 0 || t.rank == 0)
        return rk_onnx_refuse(c, "tensors have at least one element", "a result of no elements");
    return rk_onnx_done(c, rk_onnx_constant(c, RK_I64, 2, shape, places));
}

/** Updates of a vector of zeros at flat indices. */
static bool lower_max_unpool(rk_onnx_call *c)
{
    int64_t shape[RK_MAX_RANK];
    if (!rk_onnx_needs(c, 2))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    size_t kernels, strides, pads;
    const int64_t *kernel = rk_onnx_ints(c, "kernel_shape", &kernels);
    const int64_t *stride = rk_onnx_ints(c, "strides", &strides);
    const int64_t *pad = rk_onnx_ints(c, "pads", &pads);
    const size_t dims = (size_t)t.rank - 2;
    if (t.rank < 3 || kernels != dims)
        return rk_onnx_wrong(c, "its kernel_shape does not fit its operand");
    memcpy(shape, t.shape, sizeof shape);
    for (size_t d = 0; d < dims; d++)
        shape[d + 2] = (t.shape[d + 2] - 1) * (strides == dims ? stride[d] : 1) + kernel[d] -
                       (pads == 2 * dims ? pad[d] + pad[dims + d] : 0);
    int64_t grow[2 * RK_MAX_RANK] = {
        0}; /* indices are of the shape without the one that is given */
    if (rk_onnx_has(c, 2)) {
        int64_t *given;
        size_t count;
        if (!rk_onnx_known(&given, &count, c, 2, "output_shape"))
            return false;
        if (count != (size_t)t.rank)
            return rk_onnx_wrong(c, "its output_shape has %zu dimensions", count);
        for (size_t d = 0; d < count; d++)
            grow[count + d] = given[d] - shape[d];
    }
    const int64_t total = span(shape, 0, t.rank);
    const int64_t n = rk_tensor_elements(&t);
    const int64_t one = 1;
    const int64_t zero = 0;
    const rk_id zeros = rk_onnx_broadcast(c, rk_onnx_scalar(c, t.dtype, 0), 1, &total);
    const rk_id in[] = {zeros, rk_onnx_reshape(c, c->in[1], 1, &n),
                        rk_onnx_reshape(c, c->in[0], 1, &n)};
    rk_onnx_with_ints(c, "over", &n, 1);
    rk_onnx_with_ints(c, "parts", &zero, 1);
    rk_onnx_with_ints(c, "index_steps", &one, 1);
    rk_onnx_with_ints(c, "update_steps", &one, 1);
    const rk_id full = rk_onnx_reshape(c, rk_onnx_emit_one(c, "Put", in, 3), t.rank, shape);
    return rk_onnx_done(c, rk_onnx_pad(c, full, grow, "constant", RK_NO_ID));
}

static const rk_onnx_rule rules[] = {
    {"Gather", lower_gather, NULL, NULL},
    {"GatherElements", lower_gather_elements, NULL, NULL},
    {"GatherND", lower_gather_nd, NULL, NULL},
    {"ScatterElements", lower_scatter_elements, NULL, NULL},
    {"Scatter", lower_scatter_elements, NULL, NULL},
    {"ScatterND", lower_scatter_nd, NULL, NULL},
    {"TopK", lower_top_k, NULL, NULL},
    {"OneHot", lower_one_hot, NULL, NULL},
    {"ReverseSequence", lower_reverse_sequence, NULL, NULL},
    {"Compress", lower_compress, NULL, NULL},
    {"NonZero", lower_non_zero, NULL, NULL},
    {"MaxUnpool", lower_max_unpool, NULL, NULL},
    {0},
};

const rk_onnx_family rk_onnx_family_index = {
    .rules = rules,
};
