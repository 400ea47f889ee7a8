#include "sched/ops/op_operands.h"

/** A MatMul as numpy reads it: matrices [m, k] and [k, n], over a batch that both broadcast to. */
typedef struct {
    int a_rank, b_rank; /**< of the operands as matrices, at least 2 */
    int64_t a[RK_MAX_RANK], b[RK_MAX_RANK];
    int batch_rank;
    int64_t batch[RK_MAX_RANK];
    int64_t m, k, n;
} product;

/** A vector is a matrix of one row on the left and of one column on the right. */
static int as_matrix(int64_t *shape, const rk_tensor *tensor, bool left)
{
    if (tensor->rank == 1) {
        shape[0] = left ? 1 : tensor->shape[0];
        shape[1] = left ? tensor->shape[0] : 1;
        return 2;
    }
    for (int d = 0; d < tensor->rank; d++)
        shape[d] = tensor->shape[d];
    return tensor->rank;
}

/** False when the batch dimensions do not broadcast. */
static bool product_of(product *p, const rk_op_call *call)
{
    p->a_rank = as_matrix(p->a, call->in[0], true);
    p->b_rank = as_matrix(p->b, call->in[1], false);
    p->m = p->a[p->a_rank - 2];
    p->k = p->a[p->a_rank - 1];
    p->n = p->b[p->b_rank - 1];
    return rk_op_broadcast(&p->batch_rank, p->batch, p->a_rank - 2, p->a, p->b_rank - 2, p->b);
}

/** As as_matrix. */
static int matrix_extents(rk_sym *extents, const rk_op_call *call, size_t i)
{
    const int rank = call->in[i]->rank;
    rk_op_extents_of(extents, call, i);
    if (rank > 1)
        return rank;
    extents[i == 0] = extents[0];
    extents[i == 1] = rk_op_number(call, 1);
    return 2;
}

static bool matmul_infer(const rk_op_call *call, rk_diag *diag)
{
    rk_sym a[RK_MAX_RANK] = {NULL};
    rk_sym b[RK_MAX_RANK] = {NULL};
    rk_sym extents[RK_MAX_RANK + 2];
    int rank;
    if (!rk_op_check_float(call, diag))
        return false;
    if (call->in[0]->rank == 0 || call->in[1]->rank == 0)
        return rk_op_fail(call, diag, "RK-G008", "an operand is a scalar");
    const int a_rank = matrix_extents(a, call, 0);
    const int b_rank = matrix_extents(b, call, 1);
    if (!rk_op_broadcast_extents(call, &rank, extents, a_rank - 2, a, b_rank - 2, b))
        return rk_op_fail(call, diag, "RK-G008", "the batches of '%s' and '%s' do not broadcast",
                          call->in[0]->name, call->in[1]->name);
    if (!rk_op_agree(call, a[a_rank - 1], b[b_rank - 2]))
        return rk_op_fail(call, diag, "RK-G008",
                          "'%s' has %s columns and '%s' has %s rows: they must agree",
                          call->in[0]->name, rk_sym_text(a[a_rank - 1], call->graph->arena),
                          call->in[1]->name, rk_sym_text(b[b_rank - 2], call->graph->arena));
    if (call->in[0]->rank > 1)
        extents[rank++] = a[a_rank - 2];
    if (call->in[1]->rank > 1)
        extents[rank++] = b[b_rank - 1];
    return rk_op_set_extents(call, 0, call->in[0]->dtype, rank, extents, diag);
}

static void matmul_cost(rk_cost *out, const rk_op_call *call)
{
    product p = {0};
    product_of(&p, call);
    double batch = (double)rk_op_span(p.batch, 0, p.batch_rank);
    rk_op_cost_streaming(out, call, 2.0 * batch * (double)p.m * (double)p.k * (double)p.n);
}

static void multiply(float *y, const float *a, const float *b, const product *p)
{
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++) {
            double sum = 0;
            for (int64_t l = 0; l < p->k; l++)
                sum += (double)a[i * p->k + l] * (double)b[l * p->n + j];
            y[i * p->n + j] = (float)sum;
        }
}

static bool matmul_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    product p = {0};
    if (!rk_op_is_f32(call))
        return false;
    product_of(&p, call);
    int64_t a_strides[RK_MAX_RANK] = {0};
    int64_t b_strides[RK_MAX_RANK] = {0};
    int64_t index[RK_MAX_RANK] = {0};
    rk_op_strides(a_strides, p.batch_rank, p.a_rank - 2, p.a);
    rk_op_strides(b_strides, p.batch_rank, p.b_rank - 2, p.b);
    float *y = out[0];
    do {
        const float *a = in[0];
        const float *b = in[1];
        multiply(y, a + rk_op_at(index, a_strides, p.batch_rank) * p.m * p.k,
                 b + rk_op_at(index, b_strides, p.batch_rank) * p.k * p.n, &p);
        y += p.m * p.n;
    } while (rk_op_next(index, p.batch_rank, p.batch));
    return true;
}

/** Columns of a constant B one after another, or rows of a constant A. */
static bool matmul_part(rk_op_part *out, const rk_op_call *call)
{
    bool right = rk_op_is_constant(call, 1);
    int rank = call->out[0]->rank;
    *out = (rk_op_part){.data = !right, .weight = right, .weight_axis = right};
    out->out_axis = right || call->in[1]->rank == 1 ? rank - 1 : rank - 2;
    return call->in[right]->rank == 2;
}

const rk_op rk_op_matmul = {
    .name = "MatMul",
    .summary = "matrix product as numpy's matmul: vectors, matrices, broadcast batches of them",
    .inputs = (const char *const[]){"A", "B", NULL},
    .outputs = (const char *const[]){"Y", NULL},
    .infer = matmul_infer,
    .cost = matmul_cost,
    .eval = matmul_eval,
    .part = matmul_part,
};

/** Rows, columns and inner size of a Gemm after transposition. */
typedef struct {
    bool trans_a, trans_b;
    int64_t m, k, n, b_rows;
} gemm;

static gemm gemm_of(const rk_op_call *call)
{
    gemm g = {.trans_a = rk_op_int(call, "transA") != 0, .trans_b = rk_op_int(call, "transB") != 0};
    const int64_t *a = call->in[0]->shape;
    const int64_t *b = call->in[1]->shape;
    g.m = g.trans_a ? a[1] : a[0];
    g.k = g.trans_a ? a[0] : a[1];
    g.n = g.trans_b ? b[0] : b[1];
    g.b_rows = g.trans_b ? b[1] : b[0];
    return g;
}

static bool gemm_infer(const rk_op_call *call, rk_diag *diag)
{
    if (!rk_op_check_float(call, diag) || !rk_op_check_rank(call, 0, 2, diag) ||
        !rk_op_check_rank(call, 1, 2, diag))
        return false;
    const bool trans_a = rk_op_int(call, "transA") != 0;
    const bool trans_b = rk_op_int(call, "transB") != 0;
    const rk_sym k = rk_op_extent(call, 0, !trans_a);
    const rk_sym rows = rk_op_extent(call, 1, trans_b);
    const rk_sym extents[2] = {rk_op_extent(call, 0, trans_a), rk_op_extent(call, 1, !trans_b)};
    if (!rk_op_agree(call, k, rows))
        return rk_op_fail(call, diag, "RK-G008",
                          "'%s' gives an inner size of %s and '%s' of %s: they must agree",
                          call->in[0]->name, rk_sym_text(k, call->graph->arena), call->in[1]->name,
                          rk_sym_text(rows, call->graph->arena));
    if (rk_op_has(call, 2)) {
        int rank;
        rk_sym c[RK_MAX_RANK];
        rk_sym both[RK_MAX_RANK];
        rk_op_extents_of(c, call, 2);
        if (!rk_op_broadcast_extents(call, &rank, both, 2, extents, call->in[2]->rank, c) ||
            rank != 2 || !rk_op_agree(call, both[0], extents[0]) ||
            !rk_op_agree(call, both[1], extents[1]))
            return rk_op_fail(call, diag, "RK-G008", "'%s' does not broadcast to [%s, %s]",
                              call->in[2]->name, rk_sym_text(extents[0], call->graph->arena),
                              rk_sym_text(extents[1], call->graph->arena));
    }
    return rk_op_set_extents(call, 0, call->in[0]->dtype, 2, extents, diag);
}

static void gemm_cost(rk_cost *out, const rk_op_call *call)
{
    gemm g = gemm_of(call);
    rk_op_cost_streaming(out, call, 2.0 * (double)g.m * (double)g.k * (double)g.n);
}

static bool gemm_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    if (!rk_op_is_f32(call))
        return false;
    gemm g = gemm_of(call);
    const float *a = in[0];
    const float *b = in[1];
    const float *c = in[2];
    float *y = out[0];
    double alpha = rk_op_real(call, "alpha");
    double beta = rk_op_real(call, "beta");
    int64_t c_strides[2] = {0, 0};
    if (c)
        rk_op_strides(c_strides, 2, call->in[2]->rank, call->in[2]->shape);
    for (int64_t i = 0; i < g.m; i++)
        for (int64_t j = 0; j < g.n; j++) {
            double sum = 0;
            for (int64_t l = 0; l < g.k; l++)
                sum += (double)a[g.trans_a ? l * g.m + i : i * g.k + l] *
                       (double)b[g.trans_b ? j * g.k + l : l * g.n + j];
            double bias = c ? (double)c[i * c_strides[0] + j * c_strides[1]] : 0;
            y[i * g.n + j] = (float)(alpha * sum + beta * bias);
        }
    return true;
}

static bool gemm_part(rk_op_part *out, const rk_op_call *call)
{
    bool transposed = rk_op_int(call, "transB") != 0;
    *out = (rk_op_part){.weight = 1, .bias = 2, .weight_axis = !transposed, .out_axis = 1};
    return true;
}

const rk_op rk_op_gemm = {
    .name = "Gemm",
    .summary = "alpha * A B + beta * C, with A or B transposed",
    .inputs = (const char *const[]){"A", "B", "C?", NULL},
    .outputs = (const char *const[]){"Y", NULL},
    .attrs =
        (const rk_attr_spec[]){
            {.name = "alpha", .type = RK_ATTR_REAL, .d = 1},
            {.name = "beta", .type = RK_ATTR_REAL, .d = 1},
            {.name = "transA", .type = RK_ATTR_INT},
            {.name = "transB", .type = RK_ATTR_INT},
            {0},
        },
    .infer = gemm_infer,
    .cost = gemm_cost,
    .eval = gemm_eval,
    .part = gemm_part,
};
