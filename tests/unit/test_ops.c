#include "graph_fixture.h"

#include <math.h>

TestSuite(ops, .init = fixture_setup, .fini = fixture_teardown);

static rk_graph *graph;
static rk_id last_node;

static rk_graph *the_graph(void)
{
    if (!graph)
        graph = rk_graph_new(arena, "test");
    return graph;
}

static const char *next_name(void)
{
    return rk_arena_printf(arena, "t%zu", the_graph()->tensor_count);
}

/** A constant operand. */
static rk_id f32(const float *data, int rank, const int64_t *shape)
{
    return rk_graph_constant(the_graph(), next_name(), RK_F32, rank, shape, data);
}

static rk_id typed(rk_dtype dtype, const void *data, int rank, const int64_t *shape)
{
    return rk_graph_constant(the_graph(), next_name(), dtype, rank, shape, data);
}

/** A constant with values that follow no pattern, in [-2, 2). */
static rk_id noise(int rank, const int64_t *shape)
{
    static uint32_t state = 12345;
    size_t n = 1;
    for (int i = 0; i < rank; i++)
        n *= (size_t)shape[i];
    float *data = RK_NEW_ARRAY(arena, float, n);
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525 + 1013904223;
        data[i] = (float)((double)state / 4294967296.0 * 4.0 - 2.0);
    }
    return f32(data, rank, shape);
}

static const float *data_of(rk_id id)
{
    return the_graph()->tensors[id].data;
}

/** Adds a node with one output. */
static rk_id apply(const char *op, const rk_id *inputs, size_t count)
{
    rk_id out = rk_graph_tensor_inferred(the_graph(), next_name(), RK_DTYPE_NONE);
    last_node = rk_graph_node(graph, "node", op, inputs, count, &out, 1);
    return out;
}

static void attr_int(const char *name, int64_t value)
{
    rk_graph_attr_int(graph, last_node, name, value);
}

static void attr_real(const char *name, double value)
{
    rk_graph_attr_real(graph, last_node, name, value);
}

static void attr_string(const char *name, const char *value)
{
    rk_graph_attr_string(graph, last_node, name, value);
}

static void attr_ints(const char *name, int rank, const int64_t *values)
{
    rk_graph_attr_ints(graph, last_node, name, values, (size_t)rank);
}

/** A cost counts no operand twice, and every output. */
static void check_cost(const rk_node *node)
{
    rk_op_call call = rk_op_call_of(graph, node, arena);
    rk_cost cost = {-1, -1, -1};
    rk_cost all;
    node->op->cost(&cost, &call);
    rk_op_cost_streaming(&all, &call, 0);
    cr_expect(cost.flops >= 0 && isfinite(cost.flops), "%s", node->op->name);
    cr_expect(cost.bytes_read > 0, "%s", node->op->name);
    cr_expect(cost.bytes_read <= all.bytes_read || node->op == rk_op_find("Gather"), "%s",
              node->op->name);
    cr_expect_eq(cost.bytes_written, all.bytes_written, "%s", node->op->name);
}

/** Validates and runs the graph; the values of all tensors. */
static void **run(void)
{
    bool good = rk_graph_validate(graph, diag);
    cr_assert(good, "%s", said(0));
    for (size_t i = 0; i < graph->node_count; i++)
        check_cost(&graph->nodes[i]);
    void **buffers = RK_NEW_ARRAY(arena, void *, graph->tensor_count);
    good = rk_graph_eval(buffers, graph, arena, diag);
    cr_assert(good, "%s", said(0));
    return buffers;
}

/** Runs the graph, and checks the shape of `out`. */
static const float *result(rk_id out, int rank, const int64_t *shape)
{
    void **buffers = run();
    const rk_tensor *tensor = &graph->tensors[out];
    cr_assert_eq(tensor->rank, rank, "rank %d", tensor->rank);
    for (int i = 0; i < rank; i++)
        cr_assert_eq(tensor->shape[i], shape[i], "dimension %d is %lld", i,
                     (long long)tensor->shape[i]);
    return buffers[out];
}

static void near(double found, double expected)
{
    cr_expect(fabs(found - expected) <= 1e-6 * (1 + fabs(expected)), "%.9g, not %.9g", found,
              expected);
}

static void all_near(const float *found, const float *expected, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cr_expect(fabs((double)found[i] - (double)expected[i]) <= 1e-6, "[%zu] is %.9g, not %.9g",
                  i, (double)found[i], (double)expected[i]);
}

#define EXPECT(found, ...)                                                                         \
    all_near(found, (const float[]){__VA_ARGS__}, sizeof((const float[]){__VA_ARGS__}) / 4)

Test(ops, every_op_is_complete)
{
    static const char *const names[] = {"MatMul",
                                        "Gemm",
                                        "Conv",
                                        "MaxPool",
                                        "AveragePool",
                                        "GlobalAveragePool",
                                        "Softmax",
                                        "LayerNormalization",
                                        "BatchNormalization",
                                        "ReduceSum",
                                        "ReduceMean",
                                        "ReduceMax",
                                        "Transpose",
                                        "Gather",
                                        "Add",
                                        "Sub",
                                        "Mul",
                                        "Div",
                                        "Relu",
                                        "Sigmoid",
                                        "Tanh",
                                        "Gelu",
                                        "LeakyRelu",
                                        "Elu",
                                        "Exp",
                                        "Sqrt",
                                        "BiasAdd",
                                        "LSTMCell",
                                        "GRUCell",
                                        "Concat",
                                        "Identity"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cr_expect_not_null(rk_op_find(names[i]), "%s", names[i]);
    for (size_t i = 0; i < rk_op_count; i++) {
        const rk_op *op = rk_ops[i];
        cr_expect(op->infer && op->cost && op->eval && op->summary && op->inputs[0] &&
                      op->outputs[0],
                  "%s", op->name);
        cr_expect_eq(rk_op_find(op->name), op, "%s is there twice", op->name);
    }
    cr_expect_null(rk_op_find("matmul"));
}

Test(ops, matmul_of_matrices)
{
    rk_id a = f32((const float[]){1, 2, 3, 4, 5, 6}, SHAPE(2, 3));
    rk_id b = f32((const float[]){1, 0, 2, 1, 0, 3}, SHAPE(3, 2));
    const float *y = result(apply("MatMul", IDS(a, b)), SHAPE(2, 2));
    EXPECT(y, 5, 11, 14, 23);
}

Test(ops, matmul_of_matrix_and_vector)
{
    rk_id w = f32((const float[]){1, 2, 3, 4, 5, 6}, SHAPE(2, 3));
    rk_id x = f32((const float[]){1, -1, 2}, SHAPE(3));
    EXPECT(result(apply("MatMul", IDS(w, x)), SHAPE(2)), 5, 11);
}

Test(ops, matmul_of_vector_and_matrix)
{
    rk_id x = f32((const float[]){1, -1}, SHAPE(2));
    rk_id w = f32((const float[]){1, 2, 3, 4, 5, 6}, SHAPE(2, 3));
    EXPECT(result(apply("MatMul", IDS(x, w)), SHAPE(3)), -3, -3, -3);
}

Test(ops, matmul_of_vectors_is_a_scalar)
{
    rk_id x = f32((const float[]){1, 2, 3}, SHAPE(3));
    rk_id y = f32((const float[]){4, 5, 6}, SHAPE(3));
    EXPECT(result(apply("MatMul", IDS(x, y)), SCALAR), 32);
}

Test(ops, matmul_broadcasts_batches)
{
    rk_id a = noise(SHAPE(2, 1, 3, 7));
    rk_id b = noise(SHAPE(5, 7, 4));
    const float *y = result(apply("MatMul", IDS(a, b)), SHAPE(2, 5, 3, 4));
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 5; q++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 4; j++) {
                    double sum = 0;
                    for (int k = 0; k < 7; k++)
                        sum += (double)data_of(a)[p * 21 + i * 7 + k] *
                               (double)data_of(b)[q * 28 + k * 4 + j];
                    near((double)y[((p * 5 + q) * 3 + i) * 4 + j], sum);
                }
}

Test(ops, matmul_batch_of_matrices_by_a_vector)
{
    rk_id a = noise(SHAPE(3, 2, 5));
    rk_id x = noise(SHAPE(5));
    const float *y = result(apply("MatMul", IDS(a, x)), SHAPE(3, 2));
    for (int r = 0; r < 6; r++) {
        double sum = 0;
        for (int k = 0; k < 5; k++)
            sum += (double)data_of(a)[r * 5 + k] * (double)data_of(x)[k];
        near((double)y[r], sum);
    }
}

Test(ops, gemm_transposes_scales_and_adds)
{
    rk_id a = noise(SHAPE(5, 3));
    rk_id b = noise(SHAPE(4, 5));
    rk_id c = noise(SHAPE(4));
    rk_id out = apply("Gemm", IDS(a, b, c));
    attr_int("transA", 1);
    attr_int("transB", 1);
    attr_real("alpha", 0.5);
    attr_int("beta", 2);
    const float *y = result(out, SHAPE(3, 4));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            double sum = 0;
            for (int k = 0; k < 5; k++)
                sum += (double)data_of(a)[k * 3 + i] * (double)data_of(b)[j * 5 + k];
            near((double)y[i * 4 + j], 0.5 * sum + 2 * (double)data_of(c)[j]);
        }
}

Test(ops, gemm_without_c_and_with_a_column)
{
    rk_id a = f32((const float[]){1, 2, 3, 4}, SHAPE(2, 2));
    rk_id b = f32((const float[]){1, 1, 0, 1}, SHAPE(2, 2));
    EXPECT(result(apply("Gemm", IDS(a, b)), SHAPE(2, 2)), 1, 3, 3, 7);
    graph = NULL;
    a = f32((const float[]){1, 2, 3, 4}, SHAPE(2, 2));
    b = f32((const float[]){1, 1, 0, 1}, SHAPE(2, 2));
    rk_id c = f32((const float[]){10, 20}, SHAPE(2, 1));
    EXPECT(result(apply("Gemm", IDS(a, b, c)), SHAPE(2, 2)), 11, 13, 23, 27);
}

/** The definition of a two-dimensional convolution, every index written out. */
static double convolution_at(rk_id x, rk_id w, int n, int m, int oy, int ox)
{
    enum { C = 4, H = 7, W = 6, KH = 3, KW = 2, GROUPS = 2, PER = C / GROUPS, M = 6 };
    int group = m / (M / GROUPS);
    double sum = 0;
    for (int c = 0; c < PER; c++)
        for (int ky = 0; ky < KH; ky++)
            for (int kx = 0; kx < KW; kx++) {
                int y = oy * 2 - 1 + ky * 1;
                int z = ox * 1 - 0 + kx * 2;
                if (y < 0 || y >= H || z < 0 || z >= W)
                    continue;
                sum += (double)data_of(x)[((n * C + group * PER + c) * H + y) * W + z] *
                       (double)data_of(w)[((m * PER + c) * KH + ky) * KW + kx];
            }
    return sum;
}

Test(ops, conv_with_groups_strides_pads_and_dilations)
{
    rk_id x = noise(SHAPE(2, 4, 7, 6));
    rk_id w = noise(SHAPE(6, 2, 3, 2));
    rk_id b = noise(SHAPE(6));
    rk_id out = apply("Conv", IDS(x, w, b));
    attr_ints("strides", SHAPE(2, 1));
    attr_ints("pads", SHAPE(1, 0, 0, 3));
    attr_ints("dilations", SHAPE(1, 2));
    attr_ints("kernel_shape", SHAPE(3, 2));
    attr_int("group", 2);
    attr_string("activation", "relu");
    const float *y = result(out, SHAPE(2, 6, 3, 7));
    for (int n = 0; n < 2; n++)
        for (int m = 0; m < 6; m++)
            for (int oy = 0; oy < 3; oy++)
                for (int ox = 0; ox < 7; ox++) {
                    double sum = convolution_at(x, w, n, m, oy, ox) + (double)data_of(b)[m];
                    near((double)y[((n * 6 + m) * 3 + oy) * 7 + ox], sum > 0 ? sum : 0);
                }
}

Test(ops, conv_in_one_and_three_dimensions)
{
    rk_id x = f32((const float[]){1, 2, 3, 4, 5}, SHAPE(1, 1, 5));
    rk_id w = f32((const float[]){1, 0, -1}, SHAPE(1, 1, 3));
    rk_id out = apply("Conv", IDS(x, w));
    attr_ints("pads", SHAPE(1, 1));
    EXPECT(result(out, SHAPE(1, 1, 5)), -2, -2, -2, -2, 4);
    graph = NULL;
    x = f32((const float[]){1, 2, 3, 4, 5, 6, 7, 8}, SHAPE(1, 1, 2, 2, 2));
    w = f32((const float[]){1, 0, 0, 0, 0, 0, 0, 1}, SHAPE(1, 1, 2, 2, 2));
    EXPECT(result(apply("Conv", IDS(x, w)), SHAPE(1, 1, 1, 1, 1)), 9);
}

Test(ops, max_pool_ignores_padding)
{
    rk_id x = f32((const float[]){-1, -2, -3, -4, -5, -6, -7, -8, -9}, SHAPE(1, 1, 3, 3));
    rk_id out = apply("MaxPool", IDS(x));
    attr_ints("kernel_shape", SHAPE(2, 2));
    attr_ints("strides", SHAPE(2, 2));
    attr_ints("pads", SHAPE(1, 1, 0, 0));
    EXPECT(result(out, SHAPE(1, 1, 2, 2)), -1, -2, -4, -5);
}

Test(ops, average_pool_counts_padding_when_told)
{
    const float data[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    for (int counts = 0; counts < 2; counts++) {
        graph = NULL;
        rk_id x = f32(data, SHAPE(1, 1, 3, 3));
        rk_id out = apply("AveragePool", IDS(x));
        attr_ints("kernel_shape", SHAPE(2, 2));
        attr_ints("strides", SHAPE(2, 2));
        attr_ints("pads", SHAPE(1, 1, 0, 0));
        attr_int("count_include_pad", counts);
        const float *y = result(out, SHAPE(1, 1, 2, 2));
        if (counts)
            EXPECT(y, 0.25F, 1.25F, 2.75F, 7);
        else
            EXPECT(y, 1, 2.5F, 5.5F, 7);
    }
}

Test(ops, global_average_pool)
{
    rk_id x = f32((const float[]){1, 2, 3, 4, 5, 6, -1, -1, -1, -1, -1, 5}, SHAPE(1, 2, 3, 2));
    EXPECT(result(apply("GlobalAveragePool", IDS(x)), SHAPE(1, 2, 1, 1)), 3.5F, 0);
}

Test(ops, softmax_over_each_axis)
{
    for (int axis = -3; axis < 3; axis++) {
        static const int shape[] = {3, 5, 7};
        graph = NULL;
        rk_id x = noise(SHAPE(3, 5, 7));
        rk_id out = apply("Softmax", IDS(x));
        attr_int("axis", axis);
        const float *y = result(out, SHAPE(3, 5, 7));
        int d = axis < 0 ? axis + 3 : axis;
        int step = d == 0 ? 35 : d == 1 ? 7 : 1;
        for (int i = 0; i < 105; i++) {
            int start = i - i / step % shape[d] * step;
            double sum = 0;
            for (int k = 0; k < shape[d]; k++)
                sum += exp((double)data_of(x)[start + k * step]);
            near((double)y[i], exp((double)data_of(x)[i]) / sum);
        }
    }
}

Test(ops, softmax_of_large_values_is_finite)
{
    rk_id x = f32((const float[]){1e30F, 1e30F, -1e30F}, SHAPE(3));
    EXPECT(result(apply("Softmax", IDS(x)), SHAPE(3)), 0.5F, 0.5F, 0);
}

Test(ops, layer_normalization)
{
    rk_id x = f32((const float[]){1, 3, 5, 7, -2, 2, -2, 2}, SHAPE(2, 4));
    rk_id gain = f32((const float[]){1, 2, 3, 4}, SHAPE(4));
    rk_id bias = f32((const float[]){0, 0, 1, 1}, SHAPE(4));
    rk_id out = apply("LayerNormalization", IDS(x, gain, bias));
    attr_real("epsilon", 0);
    const float *y = result(out, SHAPE(2, 4));
    double s = sqrt(5.0);
    near((double)y[0], -3 / s);
    near((double)y[1], -2 / s);
    near((double)y[2], 3 / s + 1);
    near((double)y[3], 12 / s + 1);
    EXPECT(y + 4, -1, 2, -2, 5);
}

Test(ops, layer_normalization_over_two_dimensions_without_bias)
{
    rk_id x = noise(SHAPE(3, 2, 5));
    rk_id gain = noise(SHAPE(2, 1));
    rk_id out = apply("LayerNormalization", IDS(x, gain));
    attr_int("axis", 1);
    const float *y = result(out, SHAPE(3, 2, 5));
    for (int r = 0; r < 3; r++) {
        double mean = 0, var = 0;
        for (int i = 0; i < 10; i++)
            mean += (double)data_of(x)[r * 10 + i] / 10;
        for (int i = 0; i < 10; i++)
            var += pow((double)data_of(x)[r * 10 + i] - mean, 2) / 10;
        for (int i = 0; i < 10; i++)
            near((double)y[r * 10 + i], ((double)data_of(x)[r * 10 + i] - mean) / sqrt(var + 1e-5) *
                                            (double)data_of(gain)[i / 5]);
    }
}

Test(ops, batch_normalization)
{
    rk_id x = f32((const float[]){1, 2, 3, 4, 5, 6}, SHAPE(1, 2, 3));
    rk_id scale = f32((const float[]){2, 1}, SHAPE(2));
    rk_id shift = f32((const float[]){1, -1}, SHAPE(2));
    rk_id mean = f32((const float[]){2, 5}, SHAPE(2));
    rk_id var = f32((const float[]){4, 0.25F}, SHAPE(2));
    rk_id out = apply("BatchNormalization", IDS(x, scale, shift, mean, var));
    attr_int("epsilon", 0);
    EXPECT(result(out, SHAPE(1, 2, 3)), 0, 1, 2, -3, -1, 1);
}

Test(ops, reductions)
{
    static const char *const names[] = {"ReduceSum", "ReduceMean", "ReduceMax"};
    static const float both[3][3] = {{22, 26, 30}, {5.5F, 6.5F, 7.5F}, {10, 11, 12}};
    static const float all[3] = {78, 6.5F, 12};
    for (int i = 0; i < 3; i++) {
        const float data[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
        graph = NULL;
        rk_id out = apply(names[i], IDS(f32(data, SHAPE(2, 2, 3))));
        attr_ints("axes", SHAPE(0, -2));
        attr_int("keepdims", 0);
        all_near(result(out, SHAPE(3)), both[i], 3);
        graph = NULL;
        out = apply(names[i], IDS(f32(data, SHAPE(2, 2, 3))));
        all_near(result(out, SHAPE(1, 1, 1)), &all[i], 1);
    }
}

Test(ops, reduce_of_a_middle_axis)
{
    rk_id x = noise(SHAPE(3, 5, 2));
    rk_id out = apply("ReduceSum", IDS(x));
    attr_ints("axes", SHAPE(1));
    const float *y = result(out, SHAPE(3, 1, 2));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++) {
            double sum = 0;
            for (int k = 0; k < 5; k++)
                sum += (double)data_of(x)[i * 10 + k * 2 + j];
            near((double)y[i * 2 + j], sum);
        }
}

Test(ops, reduce_of_a_scalar)
{
    rk_id x = f32((const float[]){4}, SCALAR);
    EXPECT(result(apply("ReduceMax", IDS(x)), SCALAR), 4);
}

Test(ops, transpose)
{
    rk_id x = f32((const float[]){1, 2, 3, 4, 5, 6}, SHAPE(2, 3));
    EXPECT(result(apply("Transpose", IDS(x)), SHAPE(3, 2)), 1, 4, 2, 5, 3, 6);
    graph = NULL;
    static const int64_t data[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    x = typed(RK_I64, data, SHAPE(2, 2, 3));
    rk_id out = apply("Transpose", IDS(x));
    attr_ints("perm", SHAPE(2, 0, 1));
    const int64_t *y = run()[out];
    static const int64_t expected[] = {1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12};
    cr_expect_arr_eq(y, expected, sizeof expected);
    cr_expect_eq(graph->tensors[out].dtype, RK_I64);
    cr_expect_eq(graph->tensors[out].shape[0], 3);
}

Test(ops, gather)
{
    const float data[] = {1, 2, 3, 4, 5, 6};
    rk_id rows = typed(RK_I64, (const int64_t[]){2, -3, 2}, SHAPE(3));
    rk_id x = f32(data, SHAPE(3, 2));
    EXPECT(result(apply("Gather", IDS(x, rows)), SHAPE(3, 2)), 5, 6, 1, 2, 5, 6);
    graph = NULL;
    rk_id columns = typed(RK_I32, (const int32_t[]){1, 0}, SHAPE(1, 2));
    x = f32(data, SHAPE(3, 2));
    rk_id out = apply("Gather", IDS(x, columns));
    attr_int("axis", -1);
    EXPECT(result(out, SHAPE(3, 1, 2)), 2, 1, 4, 3, 6, 5);
}

Test(ops, gather_by_a_scalar_drops_the_axis)
{
    rk_id x = f32((const float[]){1, 2, 3, 4}, SHAPE(2, 2));
    rk_id at = typed(RK_I32, (const int32_t[]){1}, SCALAR);
    EXPECT(result(apply("Gather", IDS(x, at)), SHAPE(2)), 3, 4);
}

Test(ops, gather_of_an_index_out_of_range_fails)
{
    rk_id x = f32((const float[]){1, 2}, SHAPE(2));
    rk_id at = typed(RK_I32, (const int32_t[]){2}, SHAPE(1));
    apply("Gather", IDS(x, at));
    cr_assert(rk_graph_validate(graph, diag));
    void **buffers = RK_NEW_ARRAY(arena, void *, graph->tensor_count);
    cr_expect_not(rk_graph_eval(buffers, graph, arena, diag));
    expect_only("RK-G014");
}

Test(ops, eval_of_other_dtypes_fails)
{
    rk_id x = typed(RK_F64, (const double[]){1}, SHAPE(1));
    apply("Relu", IDS(x));
    cr_assert(rk_graph_validate(graph, diag));
    void **buffers = RK_NEW_ARRAY(arena, void *, graph->tensor_count);
    cr_expect_not(rk_graph_eval(buffers, graph, arena, diag));
    expect_only("RK-G014");
}

Test(ops, arithmetic_of_one_shape)
{
    static const char *const names[] = {"Add", "Sub", "Mul", "Div"};
    static const float expected[4][3] = {{5, 0, 9}, {-3, 4, 3}, {4, -4, 18}, {0.25F, -1, 2}};
    for (int i = 0; i < 4; i++) {
        graph = NULL;
        rk_id a = f32((const float[]){1, 2, 6}, SHAPE(3));
        rk_id b = f32((const float[]){4, -2, 3}, SHAPE(3));
        all_near(result(apply(names[i], IDS(a, b)), SHAPE(3)), expected[i], 3);
    }
}

Test(ops, arithmetic_broadcasts_both_ways)
{
    rk_id a = f32((const float[]){10, 20}, SHAPE(2, 1));
    rk_id b = f32((const float[]){1, 2, 3}, SHAPE(3));
    EXPECT(result(apply("Add", IDS(a, b)), SHAPE(2, 3)), 11, 12, 13, 21, 22, 23);
    graph = NULL;
    a = f32((const float[]){2}, SCALAR);
    b = f32((const float[]){1, 2, 3, 4}, SHAPE(2, 1, 2));
    EXPECT(result(apply("Mul", IDS(a, b)), SHAPE(2, 1, 2)), 2, 4, 6, 8);
}

/** One unary op on -1.5, 0 and 2. */
static const float *unary(const char *op)
{
    graph = NULL;
    return result(apply(op, IDS(f32((const float[]){-1.5F, 0, 2}, SHAPE(3)))), SHAPE(3));
}

Test(ops, unary_functions)
{
    EXPECT(unary("Relu"), 0, 0, 2);
    EXPECT(unary("Sigmoid"), 0.182425524F, 0.5F, 0.880797078F);
    EXPECT(unary("Tanh"), -0.905148254F, 0, 0.964027580F);
    EXPECT(unary("Exp"), 0.223130160F, 1, 7.389056099F);
    EXPECT(unary("LeakyRelu"), -0.015F, 0, 2);
    EXPECT(unary("Elu"), -0.776869840F, 0, 2);
    EXPECT(unary("Gelu"), -0.100210801F, 0, 1.954499736F);
    EXPECT(unary("Identity"), -1.5F, 0, 2);
    const float *roots = unary("Sqrt");
    cr_expect(isnan((double)roots[0]));
    EXPECT(roots + 1, 0, 1.414213562F);
}

Test(ops, unary_functions_with_attributes)
{
    rk_id out = apply("LeakyRelu", IDS(f32((const float[]){-2, 2}, SHAPE(2))));
    attr_real("alpha", 0.25);
    EXPECT(result(out, SHAPE(2)), -0.5F, 2);
    graph = NULL;
    out = apply("Elu", IDS(f32((const float[]){-2, 2}, SHAPE(2))));
    attr_int("alpha", 3);
    EXPECT(result(out, SHAPE(2)), -2.593994150F, 2);
    graph = NULL;
    out = apply("Gelu", IDS(f32((const float[]){-1.5F, 2}, SHAPE(2))));
    attr_string("approximate", "tanh");
    EXPECT(result(out, SHAPE(2)), -0.100428423F, 1.954597694F);
}

Test(ops, bias_add_along_an_axis_with_activation)
{
    rk_id x = f32((const float[]){1, 2, 3, 4, 5, 6, 7, 8}, SHAPE(2, 2, 2));
    rk_id b = f32((const float[]){-3, 10}, SHAPE(2));
    rk_id out = apply("BiasAdd", IDS(x, b));
    attr_int("axis", 1);
    attr_string("activation", "relu");
    EXPECT(result(out, SHAPE(2, 2, 2)), 0, 0, 13, 14, 2, 3, 17, 18);
}

Test(ops, bias_add_activations)
{
    static const char *const names[] = {"none", "relu", "tanh", "sigmoid", "gelu"};
    static const float expected[] = {-1.5F, 0, -0.905148254F, 0.182425524F, -0.100210801F};
    for (int i = 0; i < 5; i++) {
        graph = NULL;
        rk_id x = f32((const float[]){-1}, SHAPE(1));
        rk_id b = f32((const float[]){-0.5F}, SHAPE(1));
        rk_id out = apply("BiasAdd", IDS(x, b));
        attr_string("activation", names[i]);
        all_near(result(out, SHAPE(1)), &expected[i], 1);
    }
}

static double sigma(double v)
{
    return 1 / (1 + exp(-v));
}

Test(ops, lstm_cell)
{
    enum { N = 3, H = 5 };
    rk_id gx = noise(SHAPE(N, 4 * H));
    rk_id gh = noise(SHAPE(N, 4 * H));
    rk_id b = noise(SHAPE(4 * H));
    rk_id c0 = noise(SHAPE(N, H));
    rk_id out[2] = {rk_graph_tensor_inferred(graph, "h1", RK_F32),
                    rk_graph_tensor_inferred(graph, "c1", RK_F32)};
    rk_graph_node(graph, "cell", "LSTMCell", IDS(gx, gh, b, c0), out, 2);
    void **buffers = run();
    for (int n = 0; n < N; n++)
        for (int j = 0; j < H; j++) {
            double g[4];
            for (int k = 0; k < 4; k++)
                g[k] = (double)data_of(gx)[n * 4 * H + k * H + j] +
                       (double)data_of(gh)[n * 4 * H + k * H + j] + (double)data_of(b)[k * H + j];
            double c = sigma(g[2]) * (double)data_of(c0)[n * H + j] + sigma(g[0]) * tanh(g[3]);
            near((double)((float *)buffers[out[1]])[n * H + j], c);
            near((double)((float *)buffers[out[0]])[n * H + j], sigma(g[1]) * tanh(c));
        }
}

Test(ops, gru_cell)
{
    enum { N = 2, H = 3 };
    rk_id gx = noise(SHAPE(N, 3 * H));
    rk_id gh = noise(SHAPE(N, 3 * H));
    rk_id bx = noise(SHAPE(3 * H));
    rk_id bh = noise(SHAPE(3 * H));
    rk_id h0 = noise(SHAPE(N, H));
    const float *h1 = result(apply("GRUCell", IDS(gx, gh, bx, bh, h0)), SHAPE(N, H));
    for (int n = 0; n < N; n++)
        for (int j = 0; j < H; j++) {
            double x[3], h[3];
            for (int k = 0; k < 3; k++) {
                x[k] = (double)data_of(gx)[n * 3 * H + k * H + j] + (double)data_of(bx)[k * H + j];
                h[k] = (double)data_of(gh)[n * 3 * H + k * H + j] + (double)data_of(bh)[k * H + j];
            }
            double z = sigma(x[0] + h[0]);
            double r = sigma(x[1] + h[1]);
            near((double)h1[n * H + j],
                 (1 - z) * tanh(x[2] + r * h[2]) + z * (double)data_of(h0)[n * H + j]);
        }
}

Test(ops, cells_take_vectors)
{
    rk_id gx = noise(SHAPE(12));
    rk_id gh = noise(SHAPE(12));
    rk_id b = noise(SHAPE(12));
    rk_id h0 = noise(SHAPE(4));
    result(apply("GRUCell", IDS(gx, gh, b, b, h0)), SHAPE(4));
}

Test(ops, concat)
{
    rk_id a = f32((const float[]){1, 2, 3, 4}, SHAPE(2, 2));
    rk_id b = f32((const float[]){5, 6}, SHAPE(2, 1));
    rk_id out = apply("Concat", IDS(a, b, a));
    attr_int("axis", -1);
    EXPECT(result(out, SHAPE(2, 5)), 1, 2, 5, 1, 2, 3, 4, 6, 3, 4);
}

Test(ops, costs_count_operands_once)
{
    rk_id a = noise(SHAPE(3, 5));
    rk_id b = noise(SHAPE(5, 7));
    apply("MatMul", IDS(a, b));
    cr_assert(rk_graph_validate(graph, diag));
    rk_op_call call = rk_op_call_of(graph, &graph->nodes[0], arena);
    rk_cost cost;
    call.node->op->cost(&cost, &call);
    cr_expect_eq(cost.flops, 2.0 * 3 * 5 * 7);
    cr_expect_eq(cost.bytes_read, 4.0 * (15 + 35));
    cr_expect_eq(cost.bytes_written, 4.0 * 21);
}

Test(ops, gather_costs_the_rows_it_reads)
{
    rk_id table = noise(SHAPE(1000, 8));
    rk_id at = typed(RK_I32, (const int32_t[]){1, 2}, SHAPE(2));
    apply("Gather", IDS(table, at));
    cr_assert(rk_graph_validate(graph, diag));
    rk_op_call call = rk_op_call_of(graph, &graph->nodes[0], arena);
    rk_cost cost;
    call.node->op->cost(&cost, &call);
    cr_expect_eq(cost.bytes_read, 4.0 * 16 + 8);
}

/* What inference refuses. */

static void refused(const char *code)
{
    cr_expect_not(rk_graph_validate(graph, diag));
    expect_only(code);
    graph = NULL;
    diag = rk_diag_new(arena);
}

Test(ops, matmul_refuses)
{
    apply("MatMul", IDS(noise(SHAPE(2, 3)), noise(SHAPE(2, 3))));
    refused("RK-G008");
    apply("MatMul", IDS(noise(SHAPE(2, 2, 3)), noise(SHAPE(3, 3, 4))));
    refused("RK-G008");
    apply("MatMul", IDS(noise(SCALAR), noise(SHAPE(3))));
    refused("RK-G008");
    apply("MatMul", IDS(noise(SHAPE(2)), typed(RK_F64, (double[2]){0}, SHAPE(2))));
    refused("RK-G009");
    apply("MatMul", IDS(typed(RK_I32, (int32_t[2]){0}, SHAPE(2)), noise(SHAPE(2))));
    refused("RK-G009");
}

Test(ops, gemm_refuses)
{
    apply("Gemm", IDS(noise(SHAPE(2, 3)), noise(SHAPE(4, 3))));
    refused("RK-G008");
    apply("Gemm", IDS(noise(SHAPE(2, 3)), noise(SHAPE(3))));
    refused("RK-G008");
    apply("Gemm", IDS(noise(SHAPE(2, 3)), noise(SHAPE(3, 4)), noise(SHAPE(3))));
    refused("RK-G008");
    apply("Gemm", IDS(noise(SHAPE(1, 3)), noise(SHAPE(3, 4)), noise(SHAPE(2, 4))));
    refused("RK-G008");
}

Test(ops, conv_refuses)
{
    apply("Conv", IDS(noise(SHAPE(1, 3, 5, 5)), noise(SHAPE(4, 2, 3, 3))));
    refused("RK-G008");
    apply("Conv", IDS(noise(SHAPE(1, 3, 2, 2)), noise(SHAPE(4, 3, 3, 3))));
    refused("RK-G008");
    apply("Conv", IDS(noise(SHAPE(1, 3)), noise(SHAPE(4, 3))));
    refused("RK-G008");
    apply("Conv", IDS(noise(SHAPE(1, 1, 5, 5)), noise(SHAPE(2, 1, 3, 3)), noise(SHAPE(3))));
    refused("RK-G008");
    for (int which = 0; which < 5; which++) {
        apply("Conv", IDS(noise(SHAPE(1, 2, 5, 5)), noise(SHAPE(2, 2, 3, 3))));
        if (which == 0)
            attr_ints("strides", SHAPE(0, 1));
        else if (which == 1)
            attr_ints("pads", SHAPE(1, 1));
        else if (which == 2)
            attr_ints("dilations", SHAPE(1 << 20, 1 << 20));
        else if (which == 3)
            attr_int("group", 0);
        else
            attr_ints("kernel_shape", SHAPE(3, 1));
        refused("RK-G008");
    }
    apply("Conv", IDS(noise(SHAPE(1, 2, 5, 5)), noise(SHAPE(2, 2, 3, 3))));
    attr_string("activation", "swish");
    refused("RK-G007");
}

Test(ops, pools_refuse)
{
    apply("MaxPool", IDS(noise(SHAPE(1, 1, 5, 5))));
    attr_ints("kernel_shape", SHAPE(3));
    refused("RK-G008");
    apply("MaxPool", IDS(noise(SHAPE(1, 1, 5, 5))));
    attr_ints("kernel_shape", SHAPE(6, 1));
    refused("RK-G008");
    apply("AveragePool", IDS(noise(SHAPE(1, 1, 5, 5))));
    attr_ints("kernel_shape", SHAPE(2, 2));
    attr_ints("pads", SHAPE(0, 0, 0, 2));
    refused("RK-G008");
    apply("MaxPool", IDS(noise(SHAPE(1, 1, 5, 5))));
    attr_ints("kernel_shape", SHAPE(0, 1));
    refused("RK-G008");
    apply("MaxPool", IDS(noise(SHAPE(1, 1, 5, 5))));
    refused("RK-G007");
    apply("GlobalAveragePool", IDS(noise(SHAPE(2, 2))));
    refused("RK-G008");
}

Test(ops, windows_that_would_overflow_are_refused)
{
    rk_id x = rk_graph_tensor(the_graph(), "x", RK_F32, SHAPE(1, 1, 1, 1, INT64_C(1) << 40));
    rk_graph_input(graph, x);
    apply("MaxPool", &x, 1);
    int64_t most = INT64_C(1) << 20;
    attr_ints("kernel_shape", SHAPE(most, most, INT64_C(1) << 40));
    attr_ints("pads", SHAPE(most, most, most, most, most, most));
    refused("RK-G008");
}

Test(ops, outputs_that_would_overflow_are_refused)
{
    int64_t large = INT64_C(1) << 39;
    rk_id a = rk_graph_tensor(the_graph(), "a", RK_F32, SHAPE(large, 1));
    rk_id b = rk_graph_tensor(graph, "b", RK_F32, SHAPE(1, large));
    rk_graph_input(graph, a);
    rk_graph_input(graph, b);
    apply("MatMul", IDS(a, b));
    refused("RK-G008");
}

Test(ops, others_refuse)
{
    apply("Softmax", IDS(noise(SHAPE(2, 2))));
    attr_int("axis", 2);
    refused("RK-G008");
    apply("LayerNormalization", IDS(noise(SHAPE(2, 4)), noise(SHAPE(3))));
    refused("RK-G008");
    apply("LayerNormalization", IDS(noise(SHAPE(2, 4)), noise(SHAPE(4))));
    attr_real("epsilon", -1);
    refused("RK-G007");
    rk_id v = noise(SHAPE(2));
    apply("BatchNormalization", IDS(noise(SHAPE(1, 3, 2)), v, v, v, v));
    refused("RK-G008");
    apply("ReduceSum", IDS(noise(SHAPE(2, 2))));
    attr_ints("axes", SHAPE(0, -2));
    refused("RK-G008");
    apply("Transpose", IDS(noise(SHAPE(2, 2))));
    attr_ints("perm", SHAPE(0, 0));
    refused("RK-G008");
    apply("Gather", IDS(noise(SHAPE(2)), noise(SHAPE(1))));
    refused("RK-G009");
    apply("Add", IDS(noise(SHAPE(2)), noise(SHAPE(3))));
    refused("RK-G008");
    apply("BiasAdd", IDS(noise(SHAPE(2, 3)), noise(SHAPE(2))));
    refused("RK-G008");
    apply("Gelu", IDS(noise(SHAPE(2))));
    attr_string("approximate", "fast");
    refused("RK-G007");
    apply("Concat", IDS(noise(SHAPE(2, 3)), noise(SHAPE(3, 3))));
    attr_int("axis", 1);
    refused("RK-G008");
    v = noise(SHAPE(8));
    apply("GRUCell", IDS(v, v, v, v, noise(SHAPE(2))));
    refused("RK-G008");
}

Test(ops, lstm_cell_refuses)
{
    rk_id g = noise(SHAPE(12));
    rk_id out[2] = {rk_graph_tensor_inferred(graph, "h1", RK_F32),
                    rk_graph_tensor_inferred(graph, "c1", RK_F32)};
    rk_graph_node(graph, "cell", "LSTMCell", IDS(g, g, g, noise(SHAPE(4))), out, 2);
    refused("RK-G008");
}

Test(ops, a_given_shape_or_dtype_is_checked)
{
    rk_id x = noise(SHAPE(2));
    rk_id y = rk_graph_tensor(graph, "y", RK_F32, SHAPE(3));
    rk_graph_node(graph, "relu", "Relu", &x, 1, &y, 1);
    refused("RK-G008");
    x = noise(SHAPE(2));
    y = rk_graph_tensor(graph, "y", RK_F64, SHAPE(2));
    rk_graph_node(graph, "relu", "Relu", &x, 1, &y, 1);
    refused("RK-G009");
}
