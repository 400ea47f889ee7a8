#include "sched/ops/op_operands.h"

#include <string.h>

/* Ops that move elements and compute nothing: any dtype. */

static void movement_cost(rk_cost *out, const rk_op_call *call)
{
    rk_op_cost_streaming(out, call, 0);
}

/** The input dimension that each output dimension is: reversed when the node gives no perm. */
static bool permutation(int *perm, const rk_op_call *call, rk_diag *diag)
{
    int rank = call->in[0]->rank;
    size_t count;
    const int64_t *given = rk_op_ints(call, "perm", &count);
    bool seen[RK_MAX_RANK] = {false};
    if (count && count != (size_t)rank)
        return rk_op_fail(call, diag, "RK-G008", "perm has %zu entries, and '%s' %d dimensions",
                          count, call->in[0]->name, rank);
    for (int d = 0; d < rank; d++) {
        int64_t from = count ? given[d] : rank - 1 - d;
        if (from < 0 || from >= rank || seen[from])
            return rk_op_fail(call, diag, "RK-G008", "perm is no permutation of 0 to %d", rank - 1);
        seen[from] = true;
        perm[d] = (int)from;
    }
    return true;
}

static bool transpose_infer(const rk_op_call *call, rk_diag *diag)
{
    const rk_tensor *x = call->in[0];
    int perm[RK_MAX_RANK] = {0};
    rk_sym extents[RK_MAX_RANK];
    if (!permutation(perm, call, diag))
        return false;
    for (int d = 0; d < x->rank; d++)
        extents[d] = rk_op_extent(call, 0, perm[d]);
    return rk_op_set_extents(call, 0, x->dtype, x->rank, extents, diag);
}

static bool transpose_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    const rk_tensor *x = call->in[0];
    const rk_tensor *y = call->out[0];
    size_t size = rk_dtype_size(x->dtype);
    int perm[RK_MAX_RANK] = {0};
    int64_t steps[RK_MAX_RANK] = {0};
    int64_t index[RK_MAX_RANK] = {0};
    permutation(perm, call, NULL);
    for (int d = 0; d < x->rank; d++)
        steps[d] = rk_op_span(x->shape, perm[d] + 1, x->rank);
    char *to = out[0];
    do {
        int64_t at = rk_op_at(index, steps, y->rank);
        memcpy(to, (const char *)in[0] + (size_t)at * size, size);
        to += size;
    } while (rk_op_next(index, y->rank, y->shape));
    return true;
}

const rk_op rk_op_transpose = {
    .name = "Transpose",
    .summary = "dimensions in the order of perm, reversed when there is none",
    .inputs = (const char *const[]){"data", NULL},
    .outputs = (const char *const[]){"transposed", NULL},
    .attrs = (const rk_attr_spec[]){{.name = "perm", .type = RK_ATTR_INTS}, {0}},
    .infer = transpose_infer,
    .cost = movement_cost,
    .eval = transpose_eval,
};

static bool gather_infer(const rk_op_call *call, rk_diag *diag)
{
    const rk_tensor *x = call->in[0];
    const rk_tensor *indices = call->in[1];
    int axis;
    if (indices->dtype != RK_I32 && indices->dtype != RK_I64)
        return rk_op_fail(call, diag, "RK-G009", "'%s' is %s, and indices are i32 or i64",
                          indices->name, rk_dtype_name(indices->dtype));
    if (!rk_op_axis(&axis, call, "axis", x->rank, diag))
        return false;
    rk_sym extents[2 * RK_MAX_RANK];
    int rank = 0;
    for (int d = 0; d < axis; d++)
        extents[rank++] = rk_op_extent(call, 0, d);
    for (int d = 0; d < indices->rank; d++)
        extents[rank++] = rk_op_extent(call, 1, d);
    for (int d = axis + 1; d < x->rank; d++)
        extents[rank++] = rk_op_extent(call, 0, d);
    return rk_op_set_extents(call, 0, x->dtype, rank, extents, diag);
}

/** Of the data, only the rows that are gathered are read. */
static void gather_cost(rk_cost *out, const rk_op_call *call)
{
    double bytes = (double)rk_tensor_bytes(call->out[0]);
    *out = (rk_cost){.bytes_read = bytes + (double)rk_tensor_bytes(call->in[1]),
                     .bytes_written = bytes};
}

static int64_t index_at(const void *indices, rk_dtype dtype, int64_t i)
{
    return dtype == RK_I32 ? ((const int32_t *)indices)[i] : ((const int64_t *)indices)[i];
}

static bool gather_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    const rk_tensor *x = call->in[0];
    int axis = rk_op_axis_of(call, "axis", x->rank);
    int64_t extent = x->shape[axis];
    int64_t outer = rk_op_span(x->shape, 0, axis);
    size_t row = (size_t)rk_op_span(x->shape, axis + 1, x->rank) * rk_dtype_size(x->dtype);
    int64_t count = rk_tensor_elements(call->in[1]);
    char *to = out[0];
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < count; i++) {
            int64_t at = index_at(in[1], call->in[1]->dtype, i);
            at = at < 0 ? at + extent : at;
            if (at < 0 || at >= extent)
                return false;
            memcpy(to, (const char *)in[0] + (size_t)(o * extent + at) * row, row);
            to += row;
        }
    return true;
}

const rk_op rk_op_gather = {
    .name = "Gather",
    .summary =
        "rows of data along an axis by their indices, as an embedding; negative from the end",
    .inputs = (const char *const[]){"data", "indices", NULL},
    .outputs = (const char *const[]){"output", NULL},
    .attrs = (const rk_attr_spec[]){{.name = "axis", .type = RK_ATTR_INT}, {0}},
    .infer = gather_infer,
    .cost = gather_cost,
    .eval = gather_eval,
};

static bool concat_infer(const rk_op_call *call, rk_diag *diag)
{
    const rk_tensor *first = call->in[0];
    int axis;
    if (!rk_op_check_same(call, diag) || !rk_op_axis(&axis, call, "axis", first->rank, diag))
        return false;
    rk_sym extents[RK_MAX_RANK];
    rk_op_extents_of(extents, call, 0);
    for (size_t i = 1; i < call->in_count; i++) {
        const rk_tensor *x = call->in[i];
        if (!rk_op_check_rank(call, i, first->rank, diag))
            return false;
        for (int d = 0; d < first->rank; d++)
            if (d != axis && !rk_op_agree(call, rk_op_extent(call, i, d), extents[d]))
                return rk_op_fail(call, diag, "RK-G008",
                                  "dimension %d of '%s' is %s, and that of '%s' is %s", d, x->name,
                                  rk_sym_text(rk_op_extent(call, i, d), call->graph->arena),
                                  first->name, rk_sym_text(extents[d], call->graph->arena));
        extents[axis] = rk_sym_add(call->graph->syms, extents[axis], rk_op_extent(call, i, axis));
    }
    return rk_op_set_extents(call, 0, first->dtype, first->rank, extents, diag);
}

static bool concat_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    const rk_tensor *y = call->out[0];
    int axis = rk_op_axis_of(call, "axis", y->rank);
    size_t size = rk_dtype_size(y->dtype);
    int64_t outer = rk_op_span(y->shape, 0, axis);
    char *to = out[0];
    for (int64_t o = 0; o < outer; o++)
        for (size_t i = 0; i < call->in_count; i++) {
            const rk_tensor *x = call->in[i];
            size_t bytes = (size_t)rk_op_span(x->shape, axis, x->rank) * size;
            memcpy(to, (const char *)in[i] + (size_t)o * bytes, bytes);
            to += bytes;
        }
    return true;
}

const rk_op rk_op_concat = {
    .name = "Concat",
    .summary = "inputs one after another along an axis",
    .inputs = (const char *const[]){"inputs...", NULL},
    .outputs = (const char *const[]){"concat_result", NULL},
    .attrs = (const rk_attr_spec[]){{.name = "axis", .type = RK_ATTR_INT, .required = true}, {0}},
    .infer = concat_infer,
    .cost = movement_cost,
    .eval = concat_eval,
};

static bool identity_infer(const rk_op_call *call, rk_diag *diag)
{
    const rk_tensor *x = call->in[0];
    return rk_op_set_like(call, 0, x, diag);
}

static bool identity_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    memcpy(out[0], in[0], (size_t)rk_tensor_bytes(call->in[0]));
    return true;
}

const rk_op rk_op_identity = {
    .name = "Identity",
    .summary = "a copy",
    .inputs = (const char *const[]){"X", NULL},
    .outputs = (const char *const[]){"Y", NULL},
    .in_place = 1,
    .infer = identity_infer,
    .cost = movement_cost,
    .eval = identity_eval,
};
