#include "sched/onnx/import_internal.h"

#include "sched/ops/plan.h"

#include <stdarg.h>
#include <string.h>

/* rOperators of the general kind, from the pieces that the families of rules are made of. */

/** Constants of more elements are not folded: what computes them runs with the rest. */
enum { FOLD_MOST = 1 << 24 };

bool rk_onnx_done(rk_onnx_call *c, rk_id out)
{
    c->out[0] = out;
    return out != RK_ONNX_LOST;
}

static rk_attr *with(rk_onnx_call *c, const char *name, rk_attr_type type)
{
    rk_attr *attr = &c->attrs[c->attr_count++];
    *attr = (rk_attr){.name = name, .type = type};
    return attr;
}

void rk_onnx_with_ints(rk_onnx_call *c, const char *name, const int64_t *values, size_t count)
{
    rk_attr *attr = with(c, name, RK_ATTR_INTS);
    attr->ints = rk_arena_copy(c->im->arena, values, count * sizeof *values);
    attr->int_count = count;
}

void rk_onnx_with_int(rk_onnx_call *c, const char *name, int64_t value)
{
    with(c, name, RK_ATTR_INT)->i = value;
}

void rk_onnx_with_real(rk_onnx_call *c, const char *name, double value)
{
    with(c, name, RK_ATTR_REAL)->d = value;
}

void rk_onnx_with_text(rk_onnx_call *c, const char *name, const char *value)
{
    with(c, name, RK_ATTR_STRING)->s = rk_arena_strdup(c->im->arena, value);
}

/** Whether all operands are constants, and few enough for the results to become constants too. */
static bool can_fold(const rk_op_call *call)
{
    for (size_t i = 0; i < call->in_count; i++)
        if (call->in[i] && !call->in[i]->data)
            return false;
    for (size_t o = 0; o < call->out_count; o++)
        if (rk_tensor_elements(call->out[o]) > FOLD_MOST)
            return false;
    return call->node->op->eval != NULL;
}

bool rk_onnx_fold(const rk_op_call *call, rk_arena *arena)
{
    const void **in = RK_NEW_ARRAY(arena, const void *, call->in_count + 1);
    void **out = RK_NEW_ARRAY(arena, void *, call->out_count + 1);
    for (size_t i = 0; i < call->in_count; i++)
        in[i] = call->in[i] ? call->in[i]->data : NULL;
    for (size_t o = 0; o < call->out_count; o++)
        out[o] = rk_arena_alloc(arena, (size_t)rk_tensor_bytes(call->out[o]) + 1);
    if (!call->node->op->eval(call, in, out))
        return false;
    for (size_t o = 0; o < call->out_count; o++)
        call->out[o]->data = out[o];
    return true;
}

bool rk_onnx_emit(rk_id *outs, size_t out_count, rk_onnx_call *c, const char *op, const rk_id *in,
                  size_t in_count)
{
    rk_onnx_importer *im = c->im;
    rk_graph *graph = im->graph;
    const size_t attr_count = c->attr_count;
    c->attr_count = 0;
    for (size_t o = 0; o < out_count; o++)
        outs[o] = RK_ONNX_LOST;
    while (in_count && in[in_count - 1] == RK_NO_ID)
        in_count--;
    for (size_t i = 0; i < in_count; i++)
        if (in[i] == RK_ONNX_LOST)
            return false;
        else if (in[i] != RK_NO_ID && rk_tensor_elements(rk_onnx_tensor_of(c, in[i])) == 0)
            return rk_onnx_refuse(c, "tensors have at least one element",
                                  "an operand of no elements");
    rk_id *made = RK_NEW_ARRAY(im->arena, rk_id, out_count);
    const size_t number = im->made++;
    for (size_t o = 0; o < out_count; o++)
        made[o] = rk_graph_tensor_inferred(
            graph,
            rk_arena_printf(im->arena, out_count > 1 ? "%s#%zu.%zu" : "%s#%zu", c->name, number, o),
            RK_DTYPE_NONE);
    rk_node node = {.name = rk_arena_printf(im->arena, "%s#%zu", c->name, number),
                    .op_name = op,
                    .op = rk_op_find(op),
                    .inputs = rk_arena_copy(im->arena, in, in_count * sizeof *in),
                    .input_count = in_count,
                    .outputs = made,
                    .output_count = out_count,
                    .attrs = rk_arena_copy(im->arena, c->attrs, attr_count * sizeof *c->attrs),
                    .attr_count = attr_count};
    const rk_op_call call = rk_op_call_of(graph, &node, im->arena);
    if (!node.op->infer(&call, im->diag))
        return im->good = false;
    if (!can_fold(&call) || !rk_onnx_fold(&call, im->arena)) {
        rk_id id = rk_graph_node(graph, node.name, op, NULL, 0, NULL, 0);
        graph->nodes[id] = node;
    }
    memcpy(outs, made, out_count * sizeof *outs);
    return true;
}

rk_id rk_onnx_emit_one(rk_onnx_call *c, const char *op, const rk_id *in, size_t in_count)
{
    rk_id out;
    rk_onnx_emit(&out, 1, c, op, in, in_count);
    return out;
}

static rk_id add_constant(rk_onnx_call *c, rk_dtype dtype, int rank, const int64_t *shape,
                          const void *data)
{
    const size_t number = c->im->made++;
    return rk_graph_constant(c->im->graph, rk_arena_printf(c->im->arena, "%s#%zu", c->name, number),
                             dtype, rank, shape, data);
}

/** The empty result of an expression one of whose operands is empty; RK_NO_ID where none is. */
static rk_id empty_result(rk_onnx_call *c, rk_dtype dtype, const rk_id *in)
{
    int rank = 0;
    int64_t shape[RK_MAX_RANK];
    bool empty = false;
    for (int i = 0; i < 4; i++) {
        if (in[i] == RK_NO_ID)
            continue;
        if (in[i] == RK_ONNX_LOST)
            return RK_NO_ID;
        const rk_tensor *t = rk_onnx_tensor_of(c, in[i]);
        empty = empty || rk_tensor_elements(t) == 0;
        if (!rk_op_broadcast(&rank, shape, rank, shape, t->rank, t->shape))
            return RK_NO_ID;
    }
    if (!empty)
        return RK_NO_ID;
    c->attr_count = 0;
    return add_constant(c, dtype == RK_DTYPE_NONE ? rk_onnx_tensor_of(c, in[0])->dtype : dtype,
                        rank, shape, "");
}

rk_id rk_onnx_map(rk_onnx_call *c, const char *expr, rk_dtype dtype, const char *compute, rk_id a,
                  rk_id b, rk_id d, rk_id e)
{
    const rk_id in[] = {a, b, d, e};
    const rk_id empty = empty_result(c, dtype, in);
    if (empty != RK_NO_ID)
        return empty;
    rk_onnx_with_text(c, "expr", expr);
    if (dtype != RK_DTYPE_NONE)
        rk_onnx_with_text(c, "dtype", rk_dtype_name(dtype));
    if (compute)
        rk_onnx_with_text(c, "compute", compute);
    return rk_onnx_emit_one(c, "Map", in, 4);
}

rk_id rk_onnx_map1(rk_onnx_call *c, const char *expr, rk_id a)
{
    return rk_onnx_map(c, expr, RK_DTYPE_NONE, NULL, a, RK_NO_ID, RK_NO_ID, RK_NO_ID);
}

rk_id rk_onnx_map2(rk_onnx_call *c, const char *expr, rk_id a, rk_id b)
{
    return rk_onnx_map(c, expr, RK_DTYPE_NONE, NULL, a, b, RK_NO_ID, RK_NO_ID);
}

rk_id rk_onnx_cast(rk_onnx_call *c, rk_id x, rk_dtype dtype)
{
    if (x == RK_ONNX_LOST || rk_onnx_tensor_of(c, x)->dtype == dtype)
        return x;
    return rk_onnx_map(c, "a", dtype, NULL, x, RK_NO_ID, RK_NO_ID, RK_NO_ID);
}

rk_id rk_onnx_constant(rk_onnx_call *c, rk_dtype dtype, int rank, const int64_t *shape,
                       const void *data)
{
    size_t bytes = rk_dtype_size(dtype);
    for (int d = 0; d < rank; d++)
        bytes *= (size_t)shape[d];
    return add_constant(c, dtype, rank, shape, rk_arena_copy(c->im->arena, data, bytes));
}

rk_id rk_onnx_integers(rk_onnx_call *c, const int64_t *values, size_t count)
{
    const int64_t n = (int64_t)count;
    return rk_onnx_constant(c, RK_I64, 1, &n, values);
}

rk_id rk_onnx_scalar(rk_onnx_call *c, rk_dtype dtype, double value)
{
    int64_t bits = 0;
    rk_scalar_store(&bits, dtype, 0, (rk_scalar){.d = value}, RK_DOMAIN_F64);
    return rk_onnx_constant(c, dtype, 0, NULL, &bits);
}

rk_id rk_onnx_reshape(rk_onnx_call *c, rk_id x, int rank, const int64_t *shape)
{
    if (x == RK_ONNX_LOST)
        return x;
    const rk_tensor *t = rk_onnx_tensor_of(c, x);
    int64_t n = 1;
    for (int d = 0; d < rank; d++)
        n *= shape[d];
    if (rank > RK_MAX_RANK || n != rk_tensor_elements(t)) {
        rk_onnx_wrong(c, "%lld elements do not fit the shape that they are given",
                      (long long)rk_tensor_elements(t));
        return RK_ONNX_LOST;
    }
    if (t->rank == rank && memcmp(t->shape, shape, (size_t)rank * sizeof *shape) == 0)
        return x;
    if (t->data)
        return add_constant(c, t->dtype, rank, shape, t->data);
    const size_t number = c->im->made++;
    return rk_graph_view(c->im->graph, rk_arena_printf(c->im->arena, "%s#%zu", c->name, number), x,
                         rank, shape, 0);
}

void rk_onnx_row_major(int64_t *strides, int rank, const int64_t *shape)
{
    int64_t step = 1;
    for (int d = rank; d-- > 0; step *= shape[d])
        strides[d] = step;
}

rk_id rk_onnx_strided(rk_onnx_call *c, rk_id x, int rank, const int64_t *shape,
                      const int64_t *strides, int64_t offset)
{
    if (x == RK_ONNX_LOST)
        return x;
    for (int d = 0; d < rank; d++)
        if (shape[d] == 0)
            return add_constant(c, rk_onnx_tensor_of(c, x)->dtype, rank, shape, "");
    rk_onnx_with_ints(c, "shape", shape, (size_t)rank);
    rk_onnx_with_ints(c, "strides", strides, (size_t)rank);
    rk_onnx_with_int(c, "offset", offset);
    return rk_onnx_emit_one(c, "Move", &x, 1);
}

rk_id rk_onnx_transpose(rk_onnx_call *c, rk_id x, const int64_t *perm)
{
    if (x == RK_ONNX_LOST)
        return x;
    const rk_tensor t = *rk_onnx_tensor_of(c, x);
    int64_t row[RK_MAX_RANK];
    int64_t shape[RK_MAX_RANK];
    int64_t strides[RK_MAX_RANK];
    rk_onnx_row_major(row, t.rank, t.shape);
    for (int d = 0; d < t.rank; d++) {
        shape[d] = t.shape[perm[d]];
        strides[d] = row[perm[d]];
    }
    return rk_onnx_strided(c, x, t.rank, shape, strides, 0);
}

rk_id rk_onnx_slice(rk_onnx_call *c, rk_id x, int axis, int64_t begin, int64_t count)
{
    if (x == RK_ONNX_LOST)
        return x;
    rk_tensor t = *rk_onnx_tensor_of(c, x);
    int64_t row[RK_MAX_RANK];
    rk_onnx_row_major(row, t.rank, t.shape);
    const bool varies = c->im->options->varies;
    if (begin == 0 && count == t.shape[axis] && !varies)
        return x;
    t.shape[axis] = count;
    bool whole = !t.data && !varies; /* what lies before the axis is one: the range is contiguous */
    for (int d = 0; d < axis; d++)
        whole = whole && t.shape[d] == 1;
    if (!whole)
        return rk_onnx_strided(c, x, t.rank, t.shape, row, begin * row[axis]);
    const size_t number = c->im->made++;
    return rk_graph_view(c->im->graph, rk_arena_printf(c->im->arena, "%s#%zu", c->name, number), x,
                         t.rank, t.shape, begin * row[axis]);
}

rk_id rk_onnx_broadcast(rk_onnx_call *c, rk_id x, int rank, const int64_t *shape)
{
    if (x == RK_ONNX_LOST)
        return x;
    const rk_tensor *t = rk_onnx_tensor_of(c, x);
    int64_t strides[RK_MAX_RANK];
    if (t->rank == rank && memcmp(t->shape, shape, (size_t)rank * sizeof *shape) == 0 &&
        !c->im->options->varies)
        return x;
    rk_op_strides(strides, rank, t->rank, t->shape);
    return rk_onnx_strided(c, x, rank, shape, strides, 0);
}

rk_id rk_onnx_pad(rk_onnx_call *c, rk_id x, const int64_t *pads, const char *mode, rk_id fill)
{
    if (x == RK_ONNX_LOST)
        return x;
    const rk_tensor t = *rk_onnx_tensor_of(c, x);
    int64_t strides[RK_MAX_RANK];
    int64_t shape[RK_MAX_RANK];
    int64_t begin[RK_MAX_RANK];
    bool any = false;
    rk_onnx_row_major(strides, t.rank, t.shape);
    for (int d = 0; d < t.rank; d++) {
        begin[d] = -pads[d];
        shape[d] = t.shape[d] + pads[d] + pads[t.rank + d];
        any = any || pads[d] || pads[t.rank + d];
    }
    if (!any)
        return x;
    rk_onnx_with_ints(c, "shape", shape, (size_t)t.rank);
    rk_onnx_with_ints(c, "strides", strides, (size_t)t.rank);
    rk_onnx_with_ints(c, "begin", begin, (size_t)t.rank);
    rk_onnx_with_ints(c, "limit", t.shape, (size_t)t.rank);
    rk_onnx_with_text(c, "mode", mode);
    const rk_id in[] = {x, fill};
    return rk_onnx_emit_one(c, "Move", in, 2);
}

rk_id rk_onnx_concat(rk_onnx_call *c, const rk_id *parts, size_t count, int axis)
{
    enum { MOST = 8 };
    rk_id *full = RK_NEW_ARRAY(c->im->arena, rk_id, count + 1);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (parts[i] == RK_ONNX_LOST)
            return RK_ONNX_LOST;
        else if (rk_tensor_elements(rk_onnx_tensor_of(c, parts[i])) > 0)
            full[kept++] = parts[i];
    if (kept == 0)
        return parts[0];
    parts = full;
    count = kept;
    if (count == 1)
        return parts[0];
    if (count <= MOST) {
        rk_onnx_with_int(c, "axis", axis);
        return rk_onnx_emit_one(c, "Join", parts, count);
    }
    rk_id *joined = RK_NEW_ARRAY(c->im->arena, rk_id, count);
    size_t n = 0;
    for (size_t i = 0; i < count; i += MOST)
        joined[n++] = rk_onnx_concat(c, parts + i, count - i < MOST ? count - i : MOST, axis);
    return rk_onnx_concat(c, joined, n, axis);
}

/** What nothing at all adds up to, or is the largest of, of that shape. */
static rk_id reduce_nothing(rk_onnx_call *c, const rk_tensor *t, const char *kind, uint32_t axes,
                            bool keep)
{
    int64_t shape[RK_MAX_RANK], elements = 1;
    int rank = 0;
    for (int d = 0; d < t->rank; d++)
        if (!(axes >> d & 1) || keep) {
            shape[rank] = axes >> d & 1 ? 1 : t->shape[d];
            elements *= shape[rank++];
        }
    if (elements == 0)
        return add_constant(c, t->dtype, rank, shape, "");
    const bool largest = strcmp(kind, "max") == 0;
    int64_t value = 0;
    if (strcmp(kind, "sum") == 0 || strcmp(kind, "prod") == 0)
        rk_scalar_store(&value, t->dtype, 0, (rk_scalar){.d = *kind == 'p'}, RK_DOMAIN_F64);
    else if (largest || strcmp(kind, "min") == 0)
        rk_scalar_extreme(&value, t->dtype, !largest);
    else {
        rk_onnx_refuse(c, "sums, products and extremes are", "a %s of no elements", kind);
        return RK_ONNX_LOST;
    }
    return rk_onnx_broadcast(c, rk_onnx_constant(c, t->dtype, 0, NULL, &value), rank, shape);
}

rk_id rk_onnx_reduce(rk_onnx_call *c, rk_id x, const char *kind, uint32_t axes, bool keep)
{
    if (x == RK_ONNX_LOST)
        return x;
    const rk_tensor t = *rk_onnx_tensor_of(c, x);
    if (rk_tensor_elements(&t) == 0)
        return reduce_nothing(c, &t, kind, axes, keep);
    int64_t row[RK_MAX_RANK];
    int64_t shape[RK_MAX_RANK];
    int64_t lists[4][RK_MAX_RANK]; /* extents, strides, over, steps */
    int rank = 0;
    size_t outer = 0;
    size_t inner = 0;
    rk_onnx_row_major(row, t.rank, t.shape);
    for (int d = 0; d < t.rank; d++) {
        const bool reduced = axes >> d & 1;
        if (reduced) {
            lists[2][inner] = t.shape[d];
            lists[3][inner++] = row[d];
        } else {
            lists[0][outer] = t.shape[d];
            lists[1][outer++] = row[d];
        }
        if (!reduced || keep)
            shape[rank++] = reduced ? 1 : t.shape[d];
    }
    if (outer == 0) {
        lists[0][0] = 1;
        lists[1][0] = 0;
        outer = 1;
    }
    rk_onnx_with_ints(c, "shape", shape, (size_t)rank);
    rk_onnx_with_ints(c, "extents", lists[0], outer);
    rk_onnx_with_ints(c, "strides", lists[1], outer);
    rk_onnx_with_ints(c, "over", lists[2], inner);
    rk_onnx_with_ints(c, "steps", lists[3], inner);
    rk_onnx_with_text(c, "kind", kind);
    return rk_onnx_emit_one(c, "Reduce", &x, 1);
}

/** Strides of the batch dimensions of an operand, broadcast to `rank` of them. */
static void batch_strides(int64_t *strides, int rank, const rk_tensor *t)
{
    int64_t row[RK_MAX_RANK];
    rk_onnx_row_major(row, t->rank, t->shape);
    for (int d = 0; d < rank; d++) {
        const int at = t->rank - 2 - rank + d;
        strides[d] = at >= 0 && t->shape[at] != 1 ? row[at] : 0;
    }
}

/** Elements of the batch dimensions. */
static int64_t batch_size(const rk_tensor *t)
{
    int64_t n = 1;
    for (int d = 0; d < t->rank - 2; d++)
        n *= t->shape[d];
    return n;
}

/**
 * The product of matrices x and y as a MatMul of rank 2 or 3, for which there are tuned kernels: dimensions of a batch that
 * only one operand has are rows of one matrix, or a batch of the other. *made is false where neither is so, or the kernels
 * count no further.
 */
static rk_id plain_product(bool *made, rk_onnx_call *c, rk_id a, const rk_tensor *x, rk_id b,
                           const rk_tensor *y, int64_t batch)
{
    enum { MOST_ROWS = 1000000, MOST_BATCH = 65535 };
    const int64_t m = x->shape[x->rank - 2], k = x->shape[x->rank - 1], n = y->shape[y->rank - 1];
    const int64_t of_a = batch_size(x), of_b = batch_size(y);
    const bool one_b = of_b == 1, one_a = of_a == 1 && !one_b;
    const int64_t left[] = {of_a, m, k}, right[] = {of_b, k, n}, rows[] = {of_a * m, k};
    *made = x->dtype == RK_F32 && y->dtype == RK_F32 && of_a * m <= MOST_ROWS &&
            of_b <= MOST_BATCH && (one_b || one_a || (of_a == batch && of_b == batch));
    if (!*made)
        return RK_ONNX_LOST;
    const bool as_given = rk_onnx_tensor_of(c, a)->rank == rk_onnx_tensor_of(c, b)->rank &&
                          x->rank <= 4 && of_a == of_b && rk_onnx_tensor_of(c, a)->rank == x->rank;
    if (as_given)
        return rk_onnx_emit_one(c, "MatMul", (const rk_id[]){a, b}, 2);
    const rk_id in[] = {
        one_b || one_a ? rk_onnx_reshape(c, a, 2, rows) : rk_onnx_reshape(c, a, 3, left),
        one_b ? rk_onnx_reshape(c, b, 2, right + 1) : rk_onnx_reshape(c, b, 3, right)};
    return rk_onnx_emit_one(c, "MatMul", in, 2);
}

rk_id rk_onnx_matmul(rk_onnx_call *c, rk_id a, rk_id b, rk_dtype dtype)
{
    if (a == RK_ONNX_LOST || b == RK_ONNX_LOST)
        return RK_ONNX_LOST;
    rk_tensor x = *rk_onnx_tensor_of(c, a);
    rk_tensor y = *rk_onnx_tensor_of(c, b);
    const bool vector_a = x.rank == 1;
    const bool vector_b = y.rank == 1;
    if (vector_a) {
        x.rank = 2;
        x.shape[1] = x.shape[0];
        x.shape[0] = 1;
    }
    if (vector_b) {
        y.rank = 2;
        y.shape[1] = 1;
    }
    int batch;
    int64_t extents[RK_MAX_RANK + 2];
    if (x.rank < 2 || y.rank < 2 || x.shape[x.rank - 1] != y.shape[y.rank - 2] ||
        !rk_op_broadcast(&batch, extents, x.rank - 2, x.shape, y.rank - 2, y.shape)) {
        rk_onnx_wrong(c, "the shapes of its operands do not fit");
        return RK_ONNX_LOST;
    }
    int64_t a_strides[RK_MAX_RANK + 2];
    int64_t b_strides[RK_MAX_RANK + 2];
    const int64_t k = x.shape[x.rank - 1];
    const int64_t n = y.shape[y.rank - 1];
    const int64_t one = 1;
    batch_strides(a_strides, batch, &x);
    batch_strides(b_strides, batch, &y);
    extents[batch] = x.shape[x.rank - 2];
    extents[batch + 1] = n;
    a_strides[batch] = k;
    a_strides[batch + 1] = 0;
    b_strides[batch] = 0;
    b_strides[batch + 1] = 1;
    int64_t shape[RK_MAX_RANK];
    size_t rank = 0;
    for (int d = 0; d < batch + 2; d++)
        if (!(d == batch && vector_a) && !(d == batch + 1 && vector_b))
            shape[rank++] = extents[d];
    int64_t batches = 1;
    for (int d = 0; d < batch; d++)
        batches *= extents[d];
    bool made = false;
    const rk_id plain = dtype == RK_DTYPE_NONE || dtype == RK_F32
                            ? plain_product(&made, c, a, &x, b, &y, batches)
                            : RK_ONNX_LOST;
    if (made)
        return rk_onnx_reshape(c, plain, (int)rank, shape);
    const size_t loops = (size_t)batch + 2;
    rk_onnx_with_ints(c, "shape", shape, rank);
    rk_onnx_with_ints(c, "extents", extents, loops);
    rk_onnx_with_ints(c, "over", &k, 1);
    rk_onnx_with_ints(c, "a_strides", a_strides, loops);
    rk_onnx_with_ints(c, "a_steps", &one, 1);
    rk_onnx_with_ints(c, "b_strides", b_strides, loops);
    rk_onnx_with_ints(c, "b_steps", &n, 1);
    if (dtype != RK_DTYPE_NONE)
        rk_onnx_with_text(c, "dtype", rk_dtype_name(dtype));
    const rk_id in[] = {a, b};
    return rk_onnx_emit_one(c, "Contract", in, 2);
}
