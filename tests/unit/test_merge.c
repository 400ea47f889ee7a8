#include "graph_fixture.h"

#include "sched/model/model.h"
#include "sched/ops/op.h"
#include "sched/passes/merge.h"

#include <math.h>

TestSuite(merge, .init = fixture_setup, .fini = fixture_teardown);

static rk_graph *graph;

static uint64_t drawn;

static float next_float(void)
{
    drawn = drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (float)(drawn >> 40) / (float)(1 << 23) - 1.0F;
}

static float *values(int64_t count)
{
    float *out = RK_NEW_ARRAY(arena, float, (size_t)count);
    for (int64_t i = 0; i < count; i++)
        out[i] = next_float();
    return out;
}

static rk_id constant(const char *name, int rank, const int64_t *shape)
{
    int64_t count = 1;
    for (int d = 0; d < rank; d++)
        count *= shape[d];
    return rk_graph_constant(graph, name, RK_F32, rank, shape, values(count));
}

static rk_id given(const char *name, int rank, const int64_t *shape)
{
    rk_id id = rk_graph_tensor(graph, name, RK_F32, rank, shape);
    rk_graph_input(graph, id);
    return id;
}

static const char *text(const char *name, const char *what)
{
    return rk_arena_printf(arena, "%s.%s", name, what);
}

/** A convolution to be: lists of as many entries as the data has spatial dimensions. */
typedef struct {
    int64_t filters;
    int64_t kernel[3], strides[3], pads[6], dilations[3];
    const char *activation;
    int64_t group;
    bool bias, named_kernel;
} spec;

/** Adds a convolution of `x`, whose output is named as it and is the graph's. */
static rk_id convolve(const char *name, rk_id x, spec s)
{
    const rk_tensor *data = &graph->tensors[x];
    int n = data->rank - 2;
    int64_t shape[5] = {s.filters, data->shape[1] / (s.group ? s.group : 1)};
    for (int d = 0; d < n; d++)
        shape[2 + d] = s.kernel[d] ? s.kernel[d] : 1;
    rk_id w = constant(text(name, "w"), n + 2, shape);
    rk_id b = s.bias ? constant(text(name, "b"), 1, &s.filters) : RK_NO_ID;
    rk_id y = rk_graph_tensor_inferred(graph, name, RK_F32);
    rk_id node = rk_graph_node(graph, name, "Conv", IDS(x, w, b), &y, 1);
    for (int d = 0; d < n; d++) {
        s.strides[d] += s.strides[d] == 0;
        s.dilations[d] += s.dilations[d] == 0;
    }
    rk_graph_attr_ints(graph, node, "strides", s.strides, (size_t)n);
    rk_graph_attr_ints(graph, node, "dilations", s.dilations, (size_t)n);
    rk_graph_attr_ints(graph, node, "pads", s.pads, 2 * (size_t)n);
    if (s.named_kernel)
        rk_graph_attr_ints(graph, node, "kernel_shape", shape + 2, (size_t)n);
    if (s.activation)
        rk_graph_attr_string(graph, node, "activation", s.activation);
    if (s.group)
        rk_graph_attr_int(graph, node, "group", s.group);
    rk_graph_output(graph, y);
    return y;
}

static rk_id multiply(const char *name, const char *op, const rk_id *in, size_t count)
{
    rk_id y = rk_graph_tensor_inferred(graph, name, RK_F32);
    rk_graph_node(graph, name, op, in, count, &y, 1);
    rk_graph_output(graph, y);
    return y;
}

static void begin(void)
{
    graph = rk_graph_new(arena, "test");
    drawn = 1;
}

static void validate(void)
{
    cr_assert(rk_graph_validate(graph, diag), "%s", said(0));
}

static rk_merge_groups found(void)
{
    rk_merge_groups groups = {0};
    rk_merge_find(&groups, graph, arena);
    return groups;
}

static void **evaluate(const rk_graph *g)
{
    void **buffers = RK_NEW_ARRAY(arena, void *, g->tensor_count);
    drawn = 99;
    for (size_t i = 0; i < g->input_count; i++)
        buffers[g->inputs[i]] = values(rk_tensor_elements(&g->tensors[g->inputs[i]]));
    cr_assert(rk_graph_eval(buffers, g, arena, diag), "%s", said(0));
    return buffers;
}

/** All outputs of both graphs are the same but for the order of sums. */
static void expect_same(const rk_graph *merged)
{
    cr_assert(merged, "%s", said(0));
    cr_assert_eq(merged->output_count, graph->output_count);
    void **want = evaluate(graph);
    void **got = evaluate(merged);
    for (size_t i = 0; i < graph->output_count; i++) {
        const rk_tensor *t = &graph->tensors[graph->outputs[i]];
        const rk_tensor *u = &merged->tensors[merged->outputs[i]];
        cr_assert_str_eq(u->name, t->name);
        cr_assert_eq(u->rank, t->rank);
        const float *a = want[graph->outputs[i]];
        const float *b = got[merged->outputs[i]];
        for (int64_t k = 0; k < rk_tensor_elements(t); k++)
            cr_assert(fabsf(a[k] - b[k]) <= 1e-5F * fmaxf(1, fabsf(a[k])),
                      "%s[%lld]: %g instead of %g", t->name, (long long)k, (double)b[k],
                      (double)a[k]);
    }
}

/** Merges all that can be, which is one group of `parts`; the nodes that are left number `nodes`. */
static const rk_graph *expect_merged(size_t parts, size_t nodes)
{
    validate();
    rk_merge_groups groups = found();
    cr_assert_eq(groups.count, 1, "%zu groups", groups.count);
    cr_assert_eq(groups.items[0].count, parts, "%zu parts", groups.items[0].count);
    const rk_graph *merged = rk_merge_apply(graph, &groups, arena, diag);
    expect_same(merged);
    cr_assert_eq(merged->node_count, nodes, "%zu nodes", merged->node_count);
    cr_assert_eq(merged->merged_count, 1);
    cr_assert_eq(merged->merged[0].count, parts);
    return merged;
}

static void expect_apart(void)
{
    validate();
    cr_expect_eq(found().count, 0);
}

Test(merge, windows_of_one_three_and_five)
{
    begin();
    rk_id x = given("x", SHAPE(1, 3, 7, 6));
    convolve("a", x, (spec){.filters = 2, .kernel = {1, 1}, .bias = true, .activation = "relu"});
    convolve("b", x,
             (spec){.filters = 5, .kernel = {3, 3}, .pads = {1, 1, 1, 1}, .activation = "relu"});
    convolve("c", x,
             (spec){.filters = 1,
                    .kernel = {5, 3},
                    .pads = {2, 1, 2, 1},
                    .activation = "relu",
                    .bias = true,
                    .named_kernel = true});
    const rk_graph *merged = expect_merged(3, 1);
    const rk_tensor *w = &merged->tensors[merged->nodes[0].inputs[1]];
    cr_expect_eq(w->shape[0], 8);
    cr_expect_eq(w->shape[2], 5);
    cr_expect_eq(w->shape[3], 3);
    cr_expect_str_eq(merged->nodes[0].name, "a+b+c");
    cr_expect_eq(rk_graph_find_tensor(merged, "a.w"), RK_NO_ID, "kept what nothing reads");
    for (size_t i = 0; i < merged->output_count; i++)
        cr_expect_neq(merged->tensors[merged->outputs[i]].base, merged->outputs[i], "copied");
}

Test(merge, uneven_padding_and_strides)
{
    begin();
    rk_id x = given("x", SHAPE(1, 2, 9, 9));
    convolve("a", x,
             (spec){.filters = 3, .kernel = {2, 2}, .strides = {2, 2}, .pads = {0, 1, 1, 0}});
    convolve("b", x,
             (spec){.filters = 2, .kernel = {3, 4}, .strides = {2, 2}, .pads = {1, 1, 1, 2}});
    convolve("c", x, (spec){.filters = 2, .kernel = {1, 1}, .strides = {2, 2}});
    expect_merged(3, 1);
}

Test(merge, last_row_that_no_window_reaches)
{
    begin();
    rk_id x = given("x", SHAPE(1, 1, 8, 8));
    convolve("a", x,
             (spec){.filters = 1, .kernel = {3, 3}, .strides = {3, 3}, .pads = {0, 0, 1, 1}});
    convolve("b", x, (spec){.filters = 1, .kernel = {1, 2}, .strides = {3, 3}});
    convolve("c", x,
             (spec){.filters = 1, .kernel = {2, 1}, .strides = {3, 3}, .pads = {0, 0, 0, 1}});
    expect_merged(3, 1);
}

Test(merge, dilated_windows)
{
    begin();
    rk_id x = given("x", SHAPE(1, 2, 11, 11));
    convolve("a", x,
             (spec){.filters = 2, .kernel = {3, 3}, .dilations = {2, 2}, .pads = {2, 2, 2, 2}});
    convolve("b", x, (spec){.filters = 2, .kernel = {1, 1}, .dilations = {2, 2}});
    convolve("c", x,
             (spec){.filters = 2, .kernel = {5, 1}, .dilations = {2, 2}, .pads = {4, 0, 4, 0}});
    expect_merged(3, 1);
}

Test(merge, dilated_windows_that_do_not_meet)
{
    begin();
    rk_id x = given("x", SHAPE(1, 1, 9, 9));
    convolve("a", x,
             (spec){.filters = 1, .kernel = {2, 2}, .dilations = {2, 2}, .pads = {1, 1, 1, 1}});
    convolve("b", x, (spec){.filters = 1, .kernel = {1, 1}, .dilations = {2, 2}});
    expect_apart();
}

Test(merge, one_and_three_spatial_dimensions)
{
    begin();
    rk_id x = given("x", SHAPE(1, 3, 10));
    convolve("a", x, (spec){.filters = 2, .kernel = {4}, .pads = {2, 1}});
    convolve("b", x, (spec){.filters = 3, .kernel = {1}});
    expect_merged(2, 1);
    begin();
    x = given("x", SHAPE(1, 2, 3, 4, 5));
    convolve("a", x, (spec){.filters = 2, .kernel = {1, 3, 1}, .pads = {0, 1, 0, 0, 1, 0}});
    convolve("b", x, (spec){.filters = 3, .kernel = {3, 1, 5}, .pads = {1, 0, 2, 1, 0, 2}});
    expect_merged(2, 1);
}

Test(merge, batches_are_cut_out)
{
    begin();
    rk_id x = given("x", SHAPE(3, 2, 4, 4));
    convolve("a", x, (spec){.filters = 2, .kernel = {1, 1}});
    convolve("b", x, (spec){.filters = 3, .kernel = {3, 3}, .pads = {1, 1, 1, 1}, .bias = true});
    const rk_graph *merged = expect_merged(2, 3);
    cr_expect_str_eq(merged->nodes[1].op_name, "Pad");
}

Test(merge, views_of_outputs)
{
    begin();
    rk_id x = given("x", SHAPE(1, 2, 4, 4));
    rk_id a = convolve("a", x, (spec){.filters = 3, .kernel = {1, 1}});
    rk_id b = convolve("b", x, (spec){.filters = 3, .kernel = {1, 1}});
    rk_tensor *shaped = &graph->tensors[b]; /* a view needs to know */
    memcpy(shaped->shape, (const int64_t[]){1, 3, 4, 4}, 4 * sizeof *shaped->shape);
    shaped->rank = 4;
    shaped->shape_known = true;
    rk_id part = rk_graph_view(graph, "part", b, SHAPE(32), 16);
    rk_id sum = rk_graph_tensor_inferred(graph, "sum", RK_F32);
    rk_id relu = rk_graph_tensor_inferred(graph, "relu", RK_F32);
    rk_graph_node(graph, "sum", "Add", IDS(a, b), &sum, 1);
    rk_graph_node(graph, "relu", "Relu", &part, 1, &relu, 1);
    rk_graph_output(graph, sum);
    rk_graph_output(graph, relu);
    expect_merged(2, 3);
}

Test(merge, products)
{
    begin();
    rk_id x = given("x", SHAPE(5));
    rk_id w = constant("w", SHAPE(3, 5));
    rk_id v = constant("v", SHAPE(7, 5));
    multiply("a", "MatMul", IDS(w, x));
    multiply("b", "MatMul", IDS(v, x));
    expect_merged(2, 1);
    begin();
    x = given("x", SHAPE(4, 5));
    w = constant("w", SHAPE(5, 3));
    v = constant("v", SHAPE(5, 1));
    multiply("a", "MatMul", IDS(x, w));
    multiply("b", "MatMul", IDS(x, v));
    expect_merged(2, 3);
    begin();
    x = given("x", SHAPE(5));
    w = constant("w", SHAPE(5, 3));
    v = constant("v", SHAPE(5, 2));
    multiply("a", "MatMul", IDS(x, w));
    multiply("b", "MatMul", IDS(x, v));
    expect_merged(2, 1);
    begin();
    x = given("x", SHAPE(2, 5, 4));
    w = constant("w", SHAPE(3, 5));
    v = constant("v", SHAPE(2, 5));
    multiply("a", "MatMul", IDS(w, x));
    multiply("b", "MatMul", IDS(v, x));
    expect_merged(2, 3);
}

/** Steps of a recurrent net: two groups read the same weights, a third one like them others. */
Test(merge, equal_operands_are_one_constant)
{
    begin();
    rk_id w = constant("w", SHAPE(3, 5)), v = constant("v", SHAPE(7, 5)),
          u = constant("u", SHAPE(7, 5));
    const rk_id second[] = {v, v, u};
    const char *const names[][2] = {{"a", "b"}, {"c", "d"}, {"e", "f"}};
    for (size_t i = 0; i < 3; i++) {
        rk_id x = given(text("x", names[i][0]), SHAPE(5));
        multiply(names[i][0], "MatMul", IDS(w, x));
        multiply(names[i][1], "MatMul", IDS(second[i], x));
    }
    validate();
    rk_merge_groups groups = found();
    cr_assert_eq(groups.count, 3);
    const rk_graph *merged = rk_merge_apply(graph, &groups, arena, diag);
    expect_same(merged);
    cr_assert_eq(merged->node_count, 3);
    cr_expect_eq(merged->nodes[0].inputs[0], merged->nodes[1].inputs[0]);
    cr_expect_neq(merged->nodes[0].inputs[0], merged->nodes[2].inputs[0]);
}

Test(merge, products_of_two_sides_are_no_group)
{
    begin();
    rk_id x = given("x", SHAPE(4, 4));
    rk_id w = constant("w", SHAPE(4, 4));
    rk_id v = constant("v", SHAPE(4, 4));
    multiply("a", "MatMul", IDS(x, w));
    multiply("b", "MatMul", IDS(v, x));
    expect_apart();
}

Test(merge, gemm_with_and_without_a_bias)
{
    for (int transposed = 0; transposed < 2; transposed++) {
        begin();
        rk_id x = given("x", SHAPE(1, 5));
        rk_id w = constant("w", 2, transposed ? (const int64_t[]){3, 5} : (const int64_t[]){5, 3});
        rk_id v = constant("v", 2, transposed ? (const int64_t[]){2, 5} : (const int64_t[]){5, 2});
        rk_id c = constant("c", SHAPE(2));
        multiply("a", "Gemm", IDS(x, w));
        multiply("b", "Gemm", IDS(x, v, c));
        for (rk_id n = 0; n < 2; n++) {
            rk_graph_attr_int(graph, n, "transB", transposed);
            rk_graph_attr_real(graph, n, "alpha", 0.5);
        }
        expect_merged(2, 1);
    }
}

Test(merge, bias_of_all_columns_at_once)
{
    begin();
    rk_id x = given("x", SHAPE(2, 5));
    rk_id w = constant("w", SHAPE(5, 3));
    rk_id v = constant("v", SHAPE(5, 3));
    rk_id c = constant("c", SHAPE(1));
    multiply("a", "Gemm", IDS(x, w, c));
    multiply("b", "Gemm", IDS(x, v));
    expect_apart();
}

Test(merge, what_differs)
{
    static const spec others[] = {
        {.filters = 2, .kernel = {3, 3}, .pads = {1, 1, 1, 1}, .strides = {2, 2}},
        {.filters = 2, .kernel = {3, 3}},
        {.filters = 2, .kernel = {3, 3}, .pads = {1, 1, 1, 1}, .activation = "relu"},
        {.filters = 2, .kernel = {3, 3}, .pads = {1, 1, 1, 1}, .group = 2},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        begin();
        rk_id x = given("x", SHAPE(1, 2, 7, 7));
        convolve("a", x, (spec){.filters = 2, .kernel = {3, 3}, .pads = {1, 1, 1, 1}});
        convolve("b", x, others[i]);
        expect_apart();
    }
    begin();
    rk_id x = given("x", SHAPE(1, 2, 7, 7));
    rk_id y = given("y", SHAPE(1, 2, 7, 7));
    convolve("a", x, (spec){.filters = 2});
    convolve("b", y, (spec){.filters = 2});
    expect_apart();
}

Test(merge, weights_that_are_given_each_run)
{
    begin();
    rk_id x = given("x", SHAPE(5));
    rk_id w = constant("w", SHAPE(3, 5));
    rk_id v = given("v", SHAPE(3, 5));
    multiply("a", "MatMul", IDS(w, x));
    multiply("b", "MatMul", IDS(v, x));
    expect_apart();
}

Test(merge, data_that_changes_in_between)
{
    begin();
    rk_id x = given("x", SHAPE(5));
    rk_id y = rk_graph_tensor(graph, "y", RK_F32, SHAPE(5));
    rk_id w = constant("w", SHAPE(3, 5));
    rk_id v = constant("v", SHAPE(3, 5));
    rk_graph_node(graph, "copy", "Identity", &x, 1, &y, 1);
    multiply("a", "MatMul", IDS(w, y));
    rk_graph_node(graph, "relu", "Relu", &y, 1, &y, 1);
    multiply("b", "MatMul", IDS(v, y));
    expect_apart();
}

Test(merge, outputs_that_are_updated_stay_apart)
{
    begin();
    rk_id x = given("x", SHAPE(5));
    rk_id w = constant("w", SHAPE(3, 5));
    rk_id v = constant("v", SHAPE(3, 5));
    rk_id a = multiply("a", "MatMul", IDS(w, x));
    multiply("b", "MatMul", IDS(v, x));
    rk_graph_node(graph, "relu", "Relu", &a, 1, &a, 1);
    expect_apart();
}

Test(merge, no_more_than_eight)
{
    begin();
    rk_id x = given("x", SHAPE(1, 2, 3, 3));
    for (int i = 0; i < RK_MERGE_MOST + 1; i++)
        convolve(rk_arena_printf(arena, "c%d", i), x, (spec){.filters = 1 + i % 3});
    expect_merged(RK_MERGE_MOST, 2);
}

Test(merge, weights_that_others_read_are_kept)
{
    begin();
    rk_id x = given("x", SHAPE(5));
    rk_id w = constant("w", SHAPE(3, 5));
    rk_id v = constant("v", SHAPE(3, 5));
    multiply("a", "MatMul", IDS(w, x));
    multiply("b", "MatMul", IDS(v, x));
    multiply("sum", "Add", IDS(w, w));
    expect_merged(2, 2);
}

Test(merge, names_that_are_taken)
{
    begin();
    rk_id x = given("a+b", SHAPE(5));
    rk_id w = constant("w", SHAPE(3, 5));
    rk_id v = constant("v", SHAPE(3, 5));
    multiply("a", "MatMul", IDS(w, x));
    multiply("b", "MatMul", IDS(v, x));
    const rk_graph *merged = expect_merged(2, 1);
    cr_expect_str_eq(merged->nodes[0].name, "a+b'");
}

Test(merge, zeros_stay_zeros)
{
    begin();
    rk_id x = given("x", SHAPE(1, 2, 3, 3));
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "b" : "a";
        rk_id w = rk_graph_constant_zeros(graph, text(name, "w"), RK_F32, SHAPE(4, 2, 1, 1));
        rk_id y = rk_graph_tensor_inferred(graph, name, RK_F32);
        rk_graph_node(graph, name, "Conv", IDS(x, w), &y, 1);
        rk_graph_output(graph, y);
    }
    const rk_graph *merged = expect_merged(2, 1);
    cr_expect(merged->tensors[merged->nodes[0].inputs[1]].zeros);
}

Test(merge, groups_that_cannot_be)
{
    begin();
    rk_id x = given("x", SHAPE(5));
    rk_id w = constant("w", SHAPE(3, 5));
    rk_id v = constant("v", SHAPE(5, 3));
    multiply("a", "MatMul", IDS(w, x));
    multiply("b", "MatMul", IDS(x, v));
    multiply("c", "Relu", IDS(x));
    validate();
    static const rk_merge_group wrong[] = {
        {{0, 1}, 2}, {{0, 2}, 2}, {{0, 0}, 2}, {{0}, 1}, {{0}, 0}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        rk_merge_group group = wrong[i];
        rk_merge_groups groups = {.items = &group, .count = 1};
        diag = rk_diag_new(arena);
        cr_expect_null(rk_merge_apply(graph, &groups, arena, diag));
        expect_only("RK-G017");
    }
    diag = rk_diag_new(arena);
    rk_merge_groups groups = {0};
    cr_expect_not(rk_merge_named(
        &groups, graph, &(rk_merged){.parts = {"a", "nothing"}, .count = 2}, 1, arena, diag));
    expect_only("RK-G017");
}

Test(merge, samples_lie_behind_the_graph)
{
    begin();
    rk_id x = given("x", SHAPE(1, 2, 4, 4));
    convolve("a", x, (spec){.filters = 2, .kernel = {1, 1}});
    convolve("b", x, (spec){.filters = 3, .kernel = {3, 3}, .pads = {1, 1, 1, 1}});
    convolve("c", x, (spec){.filters = 4, .kernel = {1, 1}});
    validate();
    rk_merge_group pairs[] = {{{0, 1}, 2}, {{0, 2}, 2}, {{0, 1, 2}, 3}};
    static const int64_t filters[] = {5, 6, 9};
    static const int64_t extent[] = {3, 1, 3};
    rk_merge_groups groups = {.items = pairs, .count = 3};
    const rk_graph *sample = rk_merge_sample(graph, &groups, arena, diag);
    cr_assert(sample, "%s", said(0));
    cr_assert_eq(sample->node_count, 6);
    for (size_t i = 0; i < 3; i++) {
        const rk_tensor *w = &sample->tensors[sample->nodes[3 + i].inputs[1]];
        cr_expect_eq(w->shape[0], filters[i]);
        cr_expect_eq(w->shape[2], extent[i]);
    }
}
