#include "ops_fixture.h"
#include "sched/model/model.h"

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
