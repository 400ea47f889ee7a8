#include "ops_fixture.h"
#include "sched/model/model.h"
#include "sched/ops/op.h"

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
