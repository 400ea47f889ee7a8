#include "ops_fixture.h"
#include "sched/model/model.h"
#include "sched/ops/op.h"

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
