#include "graph_fixture.h"
#include "sched/model/model.h"
#include "sched/ops/op.h"

TestSuite(graph, .init = fixture_setup, .fini = fixture_teardown);

static rk_graph *graph;

static rk_id tensor(const char *name)
{
    return rk_graph_tensor(graph, name, RK_F32, SHAPE(4));
}

static rk_id inferred(const char *name)
{
    return rk_graph_tensor_inferred(graph, name, RK_DTYPE_NONE);
}

static rk_id relu(const char *name, rk_id in, rk_id out)
{
    return rk_graph_node(graph, name, "Relu", &in, 1, &out, 1);
}

static rk_id add(const char *name, rk_id a, rk_id b, rk_id out)
{
    return rk_graph_node(graph, name, "Add", IDS(a, b), &out, 1);
}

static void start(void)
{
    graph = rk_graph_new(arena, "test");
}

/** A new graph with one input, "x". */
static rk_id start_with_x(void)
{
    start();
    rk_id x = tensor("x");
    rk_graph_input(graph, x);
    return x;
}

static void expect_valid(void)
{
    cr_assert(rk_graph_validate(graph, diag), "%s", said(0));
    cr_assert_eq(rk_diag_count(diag), 0, "%s", said(0));
}

static void expect_refused(const char *code)
{
    cr_expect_not(rk_graph_validate(graph, diag));
    expect_only(code);
    diag = rk_diag_new(arena);
}

static const char *order(void)
{
    char *text = rk_arena_strdup(arena, "");
    for (size_t i = 0; i < graph->node_count; i++)
        text = rk_arena_printf(arena, "%s%s%s", text, i ? " " : "", graph->nodes[i].name);
    return text;
}

/** The edges as "from>to:hazard", by name. */
static const char *edges(void)
{
    static const char *const hazards[] = {[RK_RAW] = "raw", [RK_WAR] = "war", [RK_WAW] = "waw"};
    rk_edge *list;
    size_t count;
    rk_graph_edges(&list, &count, graph, arena);
    char *text = rk_arena_strdup(arena, "");
    for (size_t i = 0; i < count; i++)
        text = rk_arena_printf(arena, "%s%s%s>%s:%s", text, i ? " " : "",
                               graph->nodes[list[i].from].name, graph->nodes[list[i].to].name,
                               hazards[list[i].hazard]);
    return text;
}

Test(graph, a_chain_gets_shapes_and_ops)
{
    rk_id x = start_with_x();
    rk_id y = inferred("y");
    relu("n", x, y);
    rk_graph_output(graph, y);
    expect_valid();
    cr_expect(graph->tensors[y].shape_known);
    cr_expect_eq(graph->tensors[y].shape[0], 4);
    cr_expect_eq(graph->tensors[y].dtype, RK_F32);
    cr_expect_eq(rk_tensor_bytes(&graph->tensors[y]), 16);
    cr_expect_str_eq(graph->nodes[0].op->name, "Relu");
    cr_expect_eq(rk_graph_find_tensor(graph, "y"), y);
    cr_expect_eq(rk_graph_find_tensor(graph, "z"), RK_NO_ID);
}

Test(graph, an_empty_graph_is_valid)
{
    start();
    expect_valid();
    cr_expect_str_eq(edges(), "");
}

Test(graph, nodes_are_ordered_by_dependency_and_else_as_listed)
{
    rk_id x = start_with_x();
    rk_id a = inferred("a"), b = inferred("b"), c = inferred("c"), d = inferred("d");
    add("last", c, b, d);
    relu("second", a, c);
    relu("other", x, b);
    relu("first", x, a);
    expect_valid();
    cr_expect_str_eq(order(), "other first second last");
    cr_expect_str_eq(edges(), "first>second:raw other>last:raw second>last:raw");
}

Test(graph, an_ordered_graph_keeps_its_order)
{
    rk_id x = start_with_x();
    relu("c", x, inferred("1"));
    relu("b", x, inferred("2"));
    relu("a", x, inferred("3"));
    expect_valid();
    cr_expect_str_eq(order(), "c b a");
    cr_expect_str_eq(edges(), "");
}

Test(graph, views_depend_by_their_ranges)
{
    rk_id x = start_with_x();
    rk_id all = rk_graph_tensor(graph, "all", RK_F32, SHAPE(12));
    rk_id v0 = rk_graph_view(graph, "v0", all, SHAPE(4), 0);
    rk_id v1 = rk_graph_view(graph, "v1", all, SHAPE(4), 4);
    rk_id v2 = rk_graph_view(graph, "v2", v1, SHAPE(4), 4);
    rk_id middle = rk_graph_view(graph, "middle", all, SHAPE(4), 2);
    cr_expect_eq(graph->tensors[v2].base, all);
    cr_expect_eq(graph->tensors[v2].offset, 8);
    relu("w0", x, v0);
    relu("w1", v0, v1);
    relu("w2", x, v2);
    relu("r_middle", middle, inferred("1"));
    relu("r_all", all, inferred("2"));
    rk_graph_output(graph, all);
    expect_valid();
    cr_expect_str_eq(edges(), "w0>w1:raw w0>r_middle:raw w1>r_middle:raw "
                              "w0>r_all:raw w1>r_all:raw w2>r_all:raw");
}

Test(graph, an_update_in_place_is_ordered_as_listed)
{
    rk_id x = start_with_x();
    rk_id s = tensor("s");
    relu("write", x, s);
    relu("before", s, inferred("1"));
    add("update", s, x, s);
    relu("after", s, inferred("2"));
    add("again", s, x, s);
    expect_valid();
    cr_expect_str_eq(order(), "write before update after again");
    cr_expect_str_eq(edges(), "write>before:raw write>update:raw before>update:war "
                              "update>after:raw update>again:raw after>again:war");
}

Test(graph, only_elementwise_ops_update_in_place)
{
    start();
    rk_id x = rk_graph_tensor(graph, "x", RK_F32, SHAPE(4, 4));
    rk_id y = rk_graph_tensor(graph, "y", RK_F32, SHAPE(4, 4));
    rk_id again = rk_graph_view(graph, "again", y, SHAPE(4, 4), 0);
    rk_graph_input(graph, x);
    relu("write", x, y);
    rk_graph_node(graph, "turn", "Transpose", &y, 1, &again, 1);
    expect_refused("RK-G016");
}

Test(graph, an_update_is_of_the_same_elements)
{
    start();
    rk_id x = rk_graph_tensor(graph, "x", RK_F32, SHAPE(4, 4));
    rk_id y = rk_graph_tensor(graph, "y", RK_F32, SHAPE(4, 4));
    rk_id row = rk_graph_view(graph, "row", y, SHAPE(4), 4);
    rk_graph_input(graph, x);
    relu("write", x, y);
    add("spread", y, row, y);
    expect_refused("RK-G016");
}

Test(graph, outputs_do_not_overlap)
{
    start();
    rk_id gates = rk_graph_tensor(graph, "gates", RK_F32, SHAPE(16));
    rk_id state = tensor("state");
    rk_graph_input(graph, gates);
    rk_graph_input(graph, state);
    rk_graph_node(graph, "cell", "LSTMCell", IDS(gates, gates, gates, state), IDS(state, state));
    expect_refused("RK-G016");
}

Test(graph, a_write_hides_what_it_covers)
{
    rk_id x = start_with_x();
    rk_id s = rk_graph_tensor(graph, "s", RK_F32, SHAPE(4));
    rk_id left = rk_graph_view(graph, "left", s, SHAPE(2), 0);
    rk_id right = rk_graph_view(graph, "right", s, SHAPE(2), 2);
    relu("write", x, s);
    relu("update_left", left, left);
    relu("read_left", left, inferred("1"));
    relu("read_right", right, inferred("2"));
    relu("read", s, inferred("3"));
    expect_valid();
    cr_expect_str_eq(edges(), "write>update_left:raw update_left>read_left:raw "
                              "write>read_right:raw write>read:raw update_left>read:raw");
}

Test(graph, an_input_may_be_updated)
{
    rk_id x = start_with_x();
    relu("update", x, x);
    rk_graph_output(graph, x);
    expect_valid();
    float value[4] = {-1, 2, -3, 4};
    void *buffers[1] = {value};
    cr_assert(rk_graph_eval(buffers, graph, arena, diag));
    cr_expect_float_eq(((float *)buffers[0])[0], 0, 0);
    cr_expect_float_eq(((float *)buffers[0])[1], 2, 0);
    cr_expect_float_eq(value[0], -1, 0, "the caller's value is only read");
}

Test(graph, eval_of_views_and_updates)
{
    start();
    rk_id all = rk_graph_tensor(graph, "all", RK_F32, SHAPE(4));
    rk_id left = rk_graph_view(graph, "left", all, SHAPE(2), 0);
    rk_id right = rk_graph_view(graph, "right", all, SHAPE(2), 2);
    rk_id one = rk_graph_constant(graph, "one", RK_F32, SHAPE(1), (const float[]){1});
    rk_id swapped = inferred("swapped");
    rk_graph_input(graph, left);
    add("more", left, one, right);
    add("update", right, one, right);
    rk_graph_node(graph, "concat", "Concat", IDS(right, left), &swapped, 1);
    rk_graph_attr_int(graph, 2, "axis", 0);
    rk_graph_output(graph, swapped);
    expect_valid();
    void **buffers = RK_NEW_ARRAY(arena, void *, graph->tensor_count);
    buffers[left] = (float[]){10, 20};
    cr_assert(rk_graph_eval(buffers, graph, arena, diag), "%s", said(0));
    const float *y = buffers[swapped];
    cr_expect(y[0] == 12 && y[1] == 22 && y[2] == 10 && y[3] == 20);
    cr_expect_eq(buffers[right], (float *)buffers[all] + 2);
}

Test(graph, edges_of_many_readers_and_writers_are_fast)
{
    enum { PARTS = 1000, READERS = 1000 };
    rk_id x = start_with_x();
    rk_id all = rk_graph_tensor(graph, "all", RK_F32, SHAPE(4 * PARTS));
    for (int i = 0; i < PARTS; i++) {
        char *name = rk_arena_printf(arena, "w%d", i);
        relu(name, x, rk_graph_view(graph, name, all, SHAPE(4), 4 * i));
    }
    for (int i = 0; i < READERS; i++) {
        char *name = rk_arena_printf(arena, "r%d", i);
        relu(name, all, inferred(name));
    }
    expect_valid();
    rk_edge *list;
    size_t count;
    rk_graph_edges(&list, &count, graph, arena);
    cr_assert_eq(count, (size_t)PARTS * READERS);
    for (size_t i = 0; i < count; i++)
        cr_assert(list[i].from == i % PARTS && list[i].to == PARTS + i / PARTS &&
                  list[i].hazard == RK_RAW);
}

/* Every code. */

Test(graph, names_are_distinct)
{
    rk_id x = start_with_x();
    tensor("x");
    relu("n", x, inferred("y"));
    relu("n", x, inferred("z"));
    cr_expect_not(rk_graph_validate(graph, diag));
    cr_expect_eq(count_code("RK-G001"), 2);
    cr_expect_eq(rk_diag_count(diag), 2);
}

Test(graph, names_are_not_empty)
{
    rk_id x = start_with_x();
    relu("", x, inferred("y"));
    expect_refused("RK-G001");
}

Test(graph, an_input_is_listed_once)
{
    rk_id x = start_with_x();
    rk_graph_output(graph, x);
    rk_graph_output(graph, x);
    expect_refused("RK-G001");
}

Test(graph, dangling_tensors)
{
    rk_id x = start_with_x();
    relu("a", 77, inferred("y"));
    relu("b", x, 78);
    rk_graph_output(graph, 79);
    rk_graph_view(graph, "v", 80, SHAPE(1), 0);
    cr_expect_not(rk_graph_validate(graph, diag));
    cr_expect_eq(count_code("RK-G002"), 4);
    cr_expect_eq(rk_diag_count(diag), 4, "%s", said(4));
}

Test(graph, a_cycle_is_named)
{
    rk_id x = start_with_x();
    rk_id a = inferred("a"), b = inferred("b"), c = inferred("c");
    add("first", x, c, a);
    relu("second", a, b);
    relu("third", b, c);
    relu("apart", x, inferred("d"));
    relu("behind", c, inferred("e"));
    cr_expect_not(rk_graph_validate(graph, diag));
    expect_only("RK-G003");
    cr_expect_not_null(strstr(said(0), "'first' -> 'second' -> 'third' -> 'first'"), "%s", said(0));
}

Test(graph, a_node_that_waits_for_itself)
{
    rk_id x = start_with_x();
    rk_id a = tensor("a");
    add("n", x, a, a);
    expect_refused("RK-G013");
}

Test(graph, two_producers)
{
    rk_id x = start_with_x();
    rk_id y = inferred("y");
    relu("a", x, y);
    relu("b", x, y);
    expect_refused("RK-G004");
}

Test(graph, producers_of_overlapping_views)
{
    rk_id x = start_with_x();
    rk_id all = rk_graph_tensor(graph, "all", RK_F32, SHAPE(8));
    relu("a", x, rk_graph_view(graph, "v0", all, SHAPE(4), 0));
    relu("b", x, rk_graph_view(graph, "v1", all, SHAPE(4), 3));
    expect_refused("RK-G004");
}

Test(graph, inputs_and_constants_have_no_producer)
{
    rk_id x = start_with_x();
    rk_id y = tensor("y");
    rk_graph_input(graph, y);
    relu("a", x, y);
    expect_refused("RK-G004");

    x = start_with_x();
    y = rk_graph_constant(graph, "y", RK_F32, SHAPE(4), (float[4]){0});
    relu("a", x, y);
    expect_refused("RK-G004");

    start();
    y = rk_graph_constant(graph, "y", RK_F32, SHAPE(4), (float[4]){0});
    relu("update", y, y);
    expect_refused("RK-G004");

    start();
    y = rk_graph_constant(graph, "y", RK_F32, SHAPE(4), (float[4]){0});
    rk_graph_input(graph, y);
    expect_refused("RK-G004");
}

Test(graph, an_overwrite_that_is_no_update)
{
    rk_id x = start_with_x();
    rk_id s = tensor("s");
    relu("write", x, s);
    add("update", s, x, s);
    relu("overwrite", x, s);
    expect_refused("RK-G004");
}

Test(graph, an_unknown_op_and_the_nearest)
{
    rk_id x = start_with_x();
    rk_id y = inferred("y"), z = inferred("z");
    rk_graph_node(graph, "a", "Sofmax", &x, 1, &y, 1);
    relu("b", y, z);
    cr_expect_not(rk_graph_validate(graph, diag));
    expect_only("RK-G005");
    cr_expect_str_eq(rk_diag_at(diag, 0)->hint, "did you mean 'Softmax'?");
    cr_expect_str_eq(rk_diag_at(diag, 0)->place.object, "node 'a'");
}

Test(graph, operand_counts)
{
    rk_id x = start_with_x();
    rk_id out[2] = {inferred("y"), inferred("z")};
    rk_graph_node(graph, "few", "Add", &x, 1, out, 1);
    expect_refused("RK-G006");
    x = start_with_x();
    out[0] = inferred("y"), out[1] = inferred("z");
    rk_graph_node(graph, "many", "Relu", IDS(x, x), out, 1);
    expect_refused("RK-G006");
    x = start_with_x();
    out[0] = inferred("y"), out[1] = inferred("z");
    rk_graph_node(graph, "outputs", "Relu", &x, 1, out, 2);
    expect_refused("RK-G006");
    x = start_with_x();
    out[0] = inferred("y");
    rk_graph_node(graph, "left out", "Add", IDS(x, RK_NO_ID), out, 1);
    expect_refused("RK-G006");
    start_with_x();
    out[0] = inferred("y");
    rk_graph_node(graph, "none", "Concat", NULL, 0, out, 1);
    rk_graph_attr_int(graph, 0, "axis", 0);
    expect_refused("RK-G006");
}

Test(graph, an_optional_operand_may_be_left_out)
{
    start();
    rk_id a = rk_graph_tensor(graph, "a", RK_F32, SHAPE(2, 3));
    rk_id b = rk_graph_tensor(graph, "b", RK_F32, SHAPE(3, 2));
    rk_graph_input(graph, a);
    rk_graph_input(graph, b);
    rk_id y = inferred("y");
    rk_graph_node(graph, "n", "Gemm", IDS(a, b, RK_NO_ID), &y, 1);
    expect_valid();
    rk_op_call call = rk_op_call_of(graph, &graph->nodes[0], arena);
    cr_expect_eq(call.in_count, 3);
    cr_expect_null(call.in[2]);
}

Test(graph, attributes)
{
    rk_id x = start_with_x();
    rk_graph_node(graph, "n", "Softmax", &x, 1, IDS(inferred("y")));
    rk_graph_attr_int(graph, 0, "axes", 0);
    expect_refused("RK-G007");

    x = start_with_x();
    rk_graph_node(graph, "n", "Softmax", &x, 1, IDS(inferred("y")));
    rk_graph_attr_real(graph, 0, "axis", 0.5);
    expect_refused("RK-G007");

    x = start_with_x();
    rk_graph_node(graph, "n", "Concat", &x, 1, IDS(inferred("y")));
    expect_refused("RK-G007");

    x = start_with_x();
    rk_graph_node(graph, "n", "Softmax", &x, 1, IDS(inferred("y")));
    rk_graph_attr_int(graph, 0, "axis", 0);
    rk_graph_attr_int(graph, 0, "axis", -1);
    expect_refused("RK-G007");

    x = start_with_x();
    rk_graph_node(graph, "n", "Elu", &x, 1, IDS(inferred("y")));
    rk_graph_attr_real(graph, 0, "alpha", 1.0 / 0.0);
    expect_refused("RK-G007");

    x = start_with_x();
    rk_graph_node(graph, "n", "Softmax", &x, 1, IDS(inferred("y")));
    rk_graph_attr_int(graph, 0, "axis", INT64_MIN);
    expect_refused("RK-G007");
}

Test(graph, an_integer_stands_for_a_real)
{
    rk_id x = start_with_x();
    rk_graph_node(graph, "n", "Elu", &x, 1, IDS(inferred("y")));
    rk_graph_attr_int(graph, 0, "alpha", 2);
    expect_valid();
    cr_expect_eq(graph->nodes[0].attrs[0].type, RK_ATTR_REAL);
    cr_expect_eq(graph->nodes[0].attrs[0].d, 2.0);
}

Test(graph, impossible_shapes)
{
    static const int64_t zero[] = {3, 0};
    static const int64_t negative[] = {-1, 4};
    static const int64_t huge[] = {INT64_MAX, INT64_MAX};
    static const int64_t wraps[] = {INT64_C(1) << 32, INT64_C(1) << 32};
    static const int64_t nine[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const struct {
        int rank;
        const int64_t *shape;
    } bad[] = {{2, zero}, {2, negative}, {2, huge}, {2, wraps}, {9, nine}, {-1, zero}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        start();
        rk_id x = rk_graph_tensor(graph, "x", RK_F32, bad[i].rank, bad[i].shape);
        rk_graph_input(graph, x);
        relu("n", x, inferred("y"));
        expect_refused("RK-G008");
    }
}

Test(graph, shapes_that_nobody_gives)
{
    start();
    rk_graph_input(graph, inferred("x"));
    expect_refused("RK-G008");
    start_with_x();
    inferred("unused");
    expect_refused("RK-G008");
}

Test(graph, an_input_needs_a_dtype)
{
    start();
    rk_graph_input(graph, rk_graph_tensor(graph, "x", RK_DTYPE_NONE, SHAPE(1)));
    expect_refused("RK-G009");
}

Test(graph, views_outside_their_buffer)
{
    static const int64_t offsets[] = {-1, 1, 5, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        rk_id x = start_with_x();
        rk_id v = rk_graph_view(graph, "v", x, SHAPE(4), offsets[i]);
        relu("n", v, inferred("y"));
        expect_refused("RK-G010");
    }
    start();
    rk_id y = inferred("y");
    rk_graph_view(graph, "v", y, SHAPE(1), 0);
    cr_expect_not(rk_graph_validate(graph, diag));
    cr_expect_eq(count_code("RK-G010"), 1);
}

Test(graph, a_view_has_its_buffers_dtype)
{
    rk_id x = start_with_x();
    rk_id v = rk_graph_view(graph, "v", x, SHAPE(4), 0);
    graph->tensors[v].dtype = RK_I32;
    expect_refused("RK-G009");
}

Test(graph, a_view_has_no_data)
{
    rk_id x = start_with_x();
    rk_id v = rk_graph_view(graph, "v", x, SHAPE(4), 0);
    graph->tensors[v].data = "0123456789abcdef";
    cr_expect_not(rk_graph_validate(graph, diag));
    cr_expect_eq(count_code("RK-G011"), 1);
}

Test(graph, reads_before_writes)
{
    start();
    relu("n", tensor("never"), inferred("y"));
    expect_refused("RK-G013");
    start_with_x();
    rk_graph_output(graph, tensor("y"));
    expect_refused("RK-G013");
    rk_id x = start_with_x();
    rk_id all = rk_graph_tensor(graph, "all", RK_F32, SHAPE(8));
    relu("half", x, rk_graph_view(graph, "v", all, SHAPE(4), 0));
    relu("whole", all, inferred("y"));
    expect_refused("RK-G013");
}

Test(graph, kernel_nodes)
{
    rk_id x = start_with_x();
    rk_id y = tensor("y");
    rk_node node = {.name = "k",
                    .kernel = "scale<4>",
                    .launcher = "scale",
                    .inputs = &x,
                    .input_count = 1,
                    .outputs = &y,
                    .output_count = 1,
                    .input_names = (const char *const[]){"in"},
                    .output_names = (const char *const[]){"out"}};
    rk_graph_kernel_node(graph, &node);
    rk_graph_attr_int(graph, 0, "n", 4);
    rk_graph_attr_real(graph, 0, "factor", 0.5);
    rk_graph_output(graph, y);
    expect_valid();
    cr_expect_str_eq(graph->nodes[0].output_names[0], "out");
    void *buffers[2] = {(float[4]){0}, NULL};
    cr_expect_not(rk_graph_eval(buffers, graph, arena, diag));
    expect_only("RK-G014");
    diag = rk_diag_new(arena);
    rk_graph_attr_string(graph, 0, "mode", "fast");
    expect_refused("RK-G007");
}

Test(graph, a_kernels_outputs_have_shapes)
{
    rk_id x = start_with_x();
    rk_id y = inferred("y");
    rk_node node = {.name = "k",
                    .kernel = "scale<4>",
                    .inputs = &x,
                    .input_count = 1,
                    .outputs = &y,
                    .output_count = 1,
                    .input_names = (const char *const[]){"in"},
                    .output_names = (const char *const[]){"out"}};
    rk_graph_kernel_node(graph, &node);
    expect_refused("RK-G008");
}

Test(graph, all_problems_come_at_once)
{
    rk_id x = start_with_x();
    rk_id a = inferred("a");
    rk_graph_node(graph, "unknown", "Frobnicate", &x, 1, &a, 1);
    rk_graph_node(graph, "count", "Add", &x, 1, IDS(inferred("b")));
    rk_graph_node(graph, "attr", "Softmax", &x, 1, IDS(inferred("c")));
    rk_graph_attr_string(graph, 2, "axis", "last");
    relu("cycle", inferred("e"), inferred("d"));
    relu("back", rk_graph_find_tensor(graph, "d"), rk_graph_find_tensor(graph, "e"));
    relu("unwritten", tensor("f"), inferred("g"));
    relu("excused", a, inferred("h"));
    cr_expect_not(rk_graph_validate(graph, diag));
    static const char *const codes[] = {"RK-G005", "RK-G006", "RK-G007", "RK-G003", "RK-G013"};
    for (size_t i = 0; i < 5; i++)
        cr_expect_eq(count_code(codes[i]), 1, "%s", codes[i]);
    cr_expect_eq(rk_diag_count(diag), 5);
}
