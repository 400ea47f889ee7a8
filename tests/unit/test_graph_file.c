#include "graph_fixture.h"

#include "sched/model/model.h"
#include "sched/model/safetensors.h"

TestSuite(graph_file, .init = fixture_setup, .fini = fixture_teardown);

/** Writes a graph file of that text and reads it. */
static rk_graph *read_with(const char *text, const rk_binding_dim *dims, size_t count)
{
    char *path = in_folder("graph.json");
    cr_assert(rk_file_write(path, text, strlen(text), diag));
    return rk_graph_read(path, dims, count, arena, diag);
}

static rk_graph *read_text(const char *text)
{
    return read_with(text, NULL, 0);
}

/** A graph of one tensor "x", an input, with these members; a node writes y from it. */
static const char *with_x(const char *x)
{
    return rk_arena_printf(arena,
                           "{\"schema\": \"rammer.graph/1\", \"tensors\": {\"x\": %s, \"y\": {}},"
                           "\"nodes\": [{\"name\": \"n\", \"op\": \"Relu\", \"inputs\": [\"x\"],"
                           "\"outputs\": [\"y\"]}], \"inputs\": [\"x\"], \"outputs\": [\"y\"]}",
                           x);
}

/** A graph of an input x [4] and a value y, with these nodes. */
static const char *with_nodes(const char *nodes)
{
    return rk_arena_printf(arena,
                           "{\"schema\": \"rammer.graph/1\", \"tensors\": {\"x\": {\"dtype\": "
                           "\"f32\", \"shape\": [4]}, \"y\": {}}, \"nodes\": [%s], \"inputs\": "
                           "[\"x\"], \"outputs\": [\"y\"]}",
                           nodes);
}

static void refused(const char *code, const char *text)
{
    cr_expect_null(read_text(text), "%s", text);
    expect_only(code);
    diag = rk_diag_new(arena);
}

static const char *hint(void)
{
    const char *text = rk_diag_count(diag) ? rk_diag_at(diag, 0)->hint : NULL;
    return text ? text : "(none)";
}

static void write_weights(void)
{
    static const float w[6] = {1, 2, 3, 4, 5, 6};
    rk_safetensor item = {
        .name = "w#1", .dtype = RK_F32, .rank = 2, .shape = {2, 3}, .data = w, .bytes = 24};
    cr_assert(rk_safetensors_write(in_folder("w.safetensors"), &item, 1, diag));
}

Test(graph_file, a_graph_with_everything)
{
    write_weights();
    rk_binding_dim bind = {"n", 3, 3};
    rk_graph *graph = read_with(
        "{\"schema\": \"rammer.graph/1\", \"name\": \"all\", \"dims\": {\"n\": null, \"k\": 2},"
        " \"tensors\": ["
        "  {\"name\": \"w\", \"data\": \"w.safetensors#w#1\"},"
        "  {\"name\": \"v\", \"of\": \"row\", \"shape\": [1], \"offset\": 1},"
        "  {\"name\": \"row\", \"of\": \"x\", \"shape\": [\"n\"], \"offset\": 3},"
        "  {\"name\": \"x\", \"dtype\": \"f32\", \"shape\": [\"k\", \"n\"]},"
        "  {\"name\": \"y\", \"dtype\": \"f32\"},"
        "  {\"name\": \"z\", \"shape\": [1], \"dtype\": \"f32\"}],"
        " \"nodes\": ["
        "  {\"name\": \"scale\", \"kernel\": \"scale<4>\", \"launcher\": \"scale\","
        "   \"inputs\": {\"in\": \"v\", \"skip\": null}, \"outputs\": {\"out\": \"z\"},"
        "   \"attrs\": {\"factor\": 0.5, \"n\": 1}},"
        "  {\"name\": \"g\", \"op\": \"Gemm\", \"inputs\": [\"w\", \"x\", null],"
        "   \"outputs\": [\"y\"], \"attrs\": {\"transA\": true, \"alpha\": 2}}],"
        " \"inputs\": [\"x\"], \"outputs\": [\"y\", \"z\"]}",
        &bind, 1);
    cr_assert_not_null(graph, "%s", said(0));
    cr_expect_str_eq(graph->name, "all");
    const rk_tensor *w = &graph->tensors[0];
    cr_expect(w->dtype == RK_F32 && w->rank == 2 && w->shape[1] == 3);
    cr_expect(((const float *)w->data)[5] == 6);
    cr_expect_str_eq(w->data_ref, "w.safetensors#w#1");
    const rk_tensor *v = &graph->tensors[1];
    cr_expect_eq(v->base, 3);
    cr_expect_eq(v->offset, 4);
    cr_expect_eq(v->dtype, RK_F32);
    const rk_node *kernel = &graph->nodes[0];
    cr_expect_str_eq(kernel->kernel, "scale<4>");
    cr_expect_str_eq(kernel->launcher, "scale");
    cr_expect_str_eq(kernel->input_names[0], "in");
    cr_expect_eq(kernel->inputs[1], RK_NO_ID);
    cr_expect_eq(rk_node_attr(kernel, "factor")->d, 0.5);
    const rk_node *gemm = &graph->nodes[1];
    cr_expect_eq(gemm->input_count, 3);
    cr_expect_eq(rk_node_attr(gemm, "transA")->i, 1);
    cr_expect_eq(rk_node_attr(gemm, "alpha")->type, RK_ATTR_REAL);
    cr_expect(graph->tensors[4].shape_known && graph->tensors[4].shape[0] == 3);
}

static void same_graph(const rk_graph *a, const rk_graph *b)
{
    cr_expect_str_eq(a->name, b->name);
    cr_assert_eq(a->tensor_count, b->tensor_count);
    for (size_t i = 0; i < a->tensor_count; i++) {
        const rk_tensor *x = &a->tensors[i];
        const rk_tensor *y = &b->tensors[i];
        cr_expect_str_eq(x->name, y->name);
        cr_expect(x->dtype == y->dtype && x->rank == y->rank && x->base == y->base &&
                  x->offset == y->offset && x->shape_known == y->shape_known);
        if (x->rank)
            cr_expect_arr_eq(x->shape, y->shape, (size_t)x->rank * sizeof(int64_t));
        cr_assert_eq(!x->data, !y->data);
        if (x->data)
            cr_expect_arr_eq(x->data, y->data, (size_t)rk_tensor_bytes(x));
    }
    cr_assert_eq(a->node_count, b->node_count);
    for (size_t i = 0; i < a->node_count; i++) {
        const rk_node *m = &a->nodes[i];
        const rk_node *n = &b->nodes[i];
        cr_expect_str_eq(m->name, n->name);
        cr_expect_eq(m->op, n->op);
        cr_assert(m->input_count == n->input_count && m->output_count == n->output_count &&
                  m->attr_count == n->attr_count);
        cr_expect_arr_eq(m->inputs, n->inputs, m->input_count * sizeof(rk_id));
        cr_expect_arr_eq(m->outputs, n->outputs, m->output_count * sizeof(rk_id));
        for (size_t k = 0; k < m->attr_count; k++) {
            const rk_attr *p = &m->attrs[k];
            const rk_attr *q = &n->attrs[k];
            cr_expect_str_eq(p->name, q->name);
            cr_expect(p->type == q->type && p->i == q->i && p->d == q->d &&
                      p->int_count == q->int_count);
            if (p->int_count)
                cr_expect_arr_eq(p->ints, q->ints, p->int_count * sizeof(int64_t));
            if (p->type == RK_ATTR_STRING)
                cr_expect_str_eq(p->s, q->s);
        }
    }
}

/** A graph of every kind of tensor and attribute. */
static rk_graph *sample(void)
{
    rk_graph *graph = rk_graph_new(arena, "sample");
    static const float w[16] = {0.5F, -1};
    static const int8_t bytes[3] = {1, 2, 3};
    static const int64_t rows[2] = {1, -1};
    rk_id x = rk_graph_tensor(graph, "x \"quoted\"", RK_F32, SHAPE(1, 1, 4, 4));
    rk_graph_constant(graph, "bytes", RK_I8, SHAPE(3), bytes);
    rk_id filter = rk_graph_constant(graph, "filter", RK_F32, SHAPE(1, 1, 4, 4), w);
    rk_id index = rk_graph_constant(graph, "rows", RK_I64, SHAPE(2), rows);
    rk_id y = rk_graph_tensor_inferred(graph, "y", RK_DTYPE_NONE);
    rk_id flat = rk_graph_tensor(graph, "flat", RK_F32, SHAPE(2, 4));
    rk_id z = rk_graph_tensor_inferred(graph, "z", RK_DTYPE_NONE);
    rk_id matrix = rk_graph_view(graph, "matrix", x, SHAPE(2, 4), 8);
    rk_graph_input(graph, x);
    rk_graph_node(graph, "conv", "Conv", IDS(x, filter, RK_NO_ID), &y, 1);
    rk_graph_attr_ints(graph, 0, "pads", (const int64_t[]){0, 1, 0, 1}, 4);
    rk_graph_attr_string(graph, 0, "activation", "tanh");
    rk_graph_attr_int(graph, 0, "group", 1);
    rk_graph_node(graph, "elu", "Elu", &matrix, 1, &flat, 1);
    rk_graph_attr_real(graph, 1, "alpha", 0.1);
    rk_graph_node(graph, "gather", "Gather", IDS(flat, index), &z, 1);
    rk_graph_output(graph, y);
    rk_graph_output(graph, z);
    cr_assert(rk_graph_validate(graph, diag), "%s", said(0));
    return graph;
}

Test(graph_file, what_is_written_is_read_back)
{
    rk_graph *graph = sample();
    cr_assert(rk_graph_write(graph, folder, diag), "%s", said(0));
    rk_graph *again = rk_graph_read(in_folder("graph.json"), NULL, 0, arena, diag);
    cr_assert_not_null(again, "%s", said(0));
    same_graph(graph, again);
    rk_bytes first, second;
    cr_assert(rk_file_read(&first, in_folder("graph.json"), arena, diag));
    cr_assert(rk_graph_write(again, folder, diag));
    cr_assert(rk_file_read(&second, in_folder("graph.json"), arena, diag));
    cr_expect_eq(first.size, second.size);
    cr_expect_str_eq(first.data, second.data);
}

Test(graph_file, writing_to_no_folder_fails)
{
    cr_expect_not(rk_graph_write(sample(), in_folder("none"), diag));
    expect_only("RK-F003");
}

Test(graph_file, files_that_are_no_graph)
{
    cr_expect_null(rk_graph_read(in_folder("none.json"), NULL, 0, arena, diag));
    expect_only("RK-F001");
    diag = rk_diag_new(arena);
    refused("RK-J001", "{");
    refused("RK-J002", "{\"schema\": \"rammer.graph/2\"}");
    refused("RK-J002", "[]");
}

Test(graph_file, members_that_are_missing)
{
    cr_expect_null(read_text("{\"schema\": \"rammer.graph/1\"}"));
    cr_expect_eq(count_code("RK-J003"), 4);
    cr_expect_eq(rk_diag_count(diag), 4);
    diag = rk_diag_new(arena);
    refused("RK-J003", with_nodes("{\"op\": \"Relu\", \"inputs\": [\"x\"], \"outputs\": [\"y\"]}"));
}

Test(graph_file, members_of_the_wrong_type)
{
    static const char *const tensors[] = {"3",
                                          "{\"dtype\": 3, \"shape\": [4]}",
                                          "{\"dtype\": \"f32\", \"shape\": 4}",
                                          "{\"dtype\": \"f32\", \"shape\": [1.5]}",
                                          "{\"dtype\": \"f32\", \"shape\": [null]}",
                                          "{\"dtype\": \"f32\", \"shape\": [1e300]}",
                                          "{\"dtype\": \"f32\", \"shape\": [4], \"data\": 4}",
                                          "{\"dtype\": \"f32\", \"shape\": [4], \"of\": 4}",
                                          "{\"dtype\": \"f32\", \"shape\": [4], \"offset\": 0.5}"};
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++)
        refused("RK-J004", with_x(tensors[i]));
    static const char *const nodes[] = {
        "{\"name\": 1, \"op\": \"Relu\", \"inputs\": [\"x\"], \"outputs\": [\"y\"]}",
        "{\"name\": \"n\", \"op\": 1, \"inputs\": [\"x\"], \"outputs\": [\"y\"]}",
        "{\"name\": \"n\", \"op\": \"Relu\", \"inputs\": [1], \"outputs\": [\"y\"]}",
        "{\"name\": \"n\", \"op\": \"Relu\", \"inputs\": \"x\", \"outputs\": [\"y\"]}",
        "{\"name\": \"n\", \"op\": \"Relu\", \"inputs\": [\"x\"], \"outputs\": [\"y\"], "
        "\"attrs\": []}"};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        refused("RK-J004", with_nodes(nodes[i]));
}

Test(graph_file, entries_of_the_wrong_type)
{
    cr_expect_null(read_text("{\"schema\": \"rammer.graph/1\", \"tensors\": [3, {}], \"nodes\": "
                             "[3, [4]], \"inputs\": [3], \"outputs\": {}}"));
    cr_expect_geq(count_code("RK-J004"), 5);
}

Test(graph_file, an_output_is_not_left_out)
{
    cr_expect_null(read_text(with_nodes(
        "{\"name\": \"n\", \"op\": \"Relu\", \"inputs\": [\"x\"], \"outputs\": [null]}")));
    cr_expect_eq(count_code("RK-J004"), 1);
}

Test(graph_file, unknown_members)
{
    cr_expect_null(read_text(with_x("{\"dtype\": \"f32\", \"shapes\": [4], \"shape\": [4]}")));
    expect_only("RK-G015");
    cr_expect_str_eq(hint(), "did you mean 'shape'?");
    diag = rk_diag_new(arena);
    refused("RK-G015", with_nodes("{\"name\": \"n\", \"op\": \"Relu\", \"inputs\": [\"x\"], "
                                  "\"outputs\": [\"y\"], \"attributes\": {}}"));
}

Test(graph_file, a_dangling_tensor_and_the_nearest)
{
    cr_expect_null(read_text("{\"schema\": \"rammer.graph/1\", \"tensors\": {\"weights\": {"
                             "\"dtype\": \"f32\", \"shape\": [4]}, \"y\": {}}, \"nodes\": [{"
                             "\"name\": \"n\", \"op\": \"Relu\", \"inputs\": [\"weigths\"], "
                             "\"outputs\": [\"y\"]}], \"inputs\": [\"weights\"], \"outputs\": "
                             "[\"y\"]}"));
    expect_only("RK-G002");
    cr_expect_str_eq(hint(), "did you mean 'weights'?");
    cr_expect_str_eq(rk_diag_at(diag, 0)->place.object, "node 'n'");
    cr_expect_not_null(strstr(rk_diag_at(diag, 0)->place.file, "graph.json"));
}

Test(graph_file, dangling_inputs_and_views)
{
    cr_expect_null(read_text("{\"schema\": \"rammer.graph/1\", \"tensors\": {\"v\": {\"of\": "
                             "\"none\", \"shape\": [1]}}, \"nodes\": [], \"inputs\": [\"a\"], "
                             "\"outputs\": [\"b\"]}"));
    cr_expect_eq(count_code("RK-G002"), 3);
    cr_expect_eq(rk_diag_count(diag), 3);
}

Test(graph_file, duplicate_names)
{
    cr_expect_null(read_text("{\"schema\": \"rammer.graph/1\", \"tensors\": {\"x\": {\"dtype\": "
                             "\"f32\", \"shape\": [4]}, \"x\": {\"dtype\": \"f32\", \"shape\": "
                             "[4]}}, \"nodes\": [], \"inputs\": [\"x\"], \"outputs\": [\"x\"]}"));
    expect_only("RK-J006");
}

Test(graph_file, a_node_is_an_op_or_a_kernel)
{
    refused("RK-G005", with_nodes("{\"name\": \"n\", \"inputs\": [\"x\"], \"outputs\": [\"y\"]}"));
    refused("RK-G005", with_nodes("{\"name\": \"n\", \"op\": \"Relu\", \"kernel\": \"k\", "
                                  "\"inputs\": {\"a\": \"x\"}, \"outputs\": {\"b\": \"y\"}}"));
    refused("RK-G005", with_nodes("{\"name\": \"n\", \"op\": \"Relu\", \"launcher\": \"k\", "
                                  "\"inputs\": [\"x\"], \"outputs\": [\"y\"]}"));
}

Test(graph_file, attributes_that_are_none)
{
    refused("RK-G007", with_nodes("{\"name\": \"n\", \"op\": \"Elu\", \"inputs\": [\"x\"], "
                                  "\"outputs\": [\"y\"], \"attrs\": {\"alpha\": null}}"));
    refused("RK-G007", with_nodes("{\"name\": \"n\", \"op\": \"Elu\", \"inputs\": [\"x\"], "
                                  "\"outputs\": [\"y\"], \"attrs\": {\"alpha\": 1e999}}"));
    refused("RK-G007", with_nodes("{\"name\": \"n\", \"op\": \"Elu\", \"inputs\": [\"x\"], "
                                  "\"outputs\": [\"y\"], \"attrs\": {\"alpha\": [1.5]}}"));
}

Test(graph_file, shapes_that_overflow)
{
    refused("RK-G008", with_x("{\"dtype\": \"f32\", \"shape\": [9007199254740992, 4096]}"));
    refused("RK-G008", with_x("{\"dtype\": \"f32\", \"shape\": [1,1,1,1,1,1,1,1,1]}"));
    refused("RK-G008", with_x("{\"dtype\": \"f32\", \"shape\": [0]}"));
}

Test(graph_file, an_unknown_dtype)
{
    refused("RK-G009", with_x("{\"dtype\": \"float\", \"shape\": [4]}"));
    refused("RK-G009", with_x("{\"dtype\": \"none\", \"shape\": [4]}"));
}

Test(graph_file, views_of_themselves)
{
    cr_expect_null(read_text("{\"schema\": \"rammer.graph/1\", \"tensors\": {"
                             "\"a\": {\"of\": \"b\", \"shape\": [1]}, "
                             "\"b\": {\"of\": \"c\", \"shape\": [1]}, "
                             "\"c\": {\"of\": \"b\", \"shape\": [1]}, "
                             "\"d\": {\"of\": \"d\", \"shape\": [1]}}, \"nodes\": [], "
                             "\"inputs\": [], \"outputs\": []}"));
    cr_expect_eq(count_code("RK-G010"), 2);
    cr_expect_eq(rk_diag_count(diag), 2);
}

Test(graph_file, views_outside_their_buffer)
{
    static const char text[] = "{\"schema\": \"rammer.graph/1\", \"tensors\": {"
                               "\"a\": {\"dtype\": \"f32\", \"shape\": [4]}, "
                               "\"b\": {\"of\": \"a\", \"shape\": [2], \"offset\": %s}, "
                               "\"c\": {\"of\": \"b\", \"shape\": [2], \"offset\": 0}}, "
                               "\"nodes\": [], \"inputs\": [\"a\"], \"outputs\": []}";
    cr_expect_not_null(read_text(rk_arena_printf(arena, text, "2")), "%s", said(0));
    static const char *const offsets[] = {"3", "-1", "9007199254740992"};
    for (size_t i = 0; i < 3; i++) {
        cr_expect_null(read_text(rk_arena_printf(arena, text, offsets[i])));
        cr_expect_eq(count_code("RK-G010"), 2);
        cr_expect_eq(rk_diag_count(diag), 2);
        diag = rk_diag_new(arena);
    }
}

Test(graph_file, data)
{
    write_weights();
    cr_expect_not_null(read_text(with_x("{\"dtype\": \"f32\", \"shape\": [4]}")));
    static const char *const bad[] = {
        "{\"data\": \"w.safetensors\"}",
        "{\"data\": \"#w\"}",
        "{\"data\": \"w.safetensors#\"}",
        "{\"data\": \"w.safetensors#w\"}",
        "{\"dtype\": \"f64\", \"shape\": [2, 3], \"data\": \"w.safetensors#w#1\"}",
        "{\"dtype\": \"f32\", \"shape\": [3, 2], \"data\": \"w.safetensors#w#1\"}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *text = rk_arena_printf(arena,
                                           "{\"schema\": \"rammer.graph/1\", \"tensors\": {\"w\": "
                                           "%s}, \"nodes\": [], \"inputs\": [], \"outputs\": []}",
                                           bad[i]);
        refused("RK-G011", text);
    }
    refused("RK-F001", "{\"schema\": \"rammer.graph/1\", \"tensors\": {\"v\": {\"data\": "
                       "\"none.safetensors#v\"}, \"w\": {\"data\": \"none.safetensors#w\"}}, "
                       "\"nodes\": [], \"inputs\": [], \"outputs\": []}");
}

Test(graph_file, dimensions_with_names)
{
    const char *text = with_x("{\"dtype\": \"f32\", \"shape\": [\"batch\", 3]}");
    rk_binding_dim bind = {"batch", 5, 5};
    rk_graph *graph = read_with(text, &bind, 1);
    cr_assert_not_null(graph, "%s", said(0));
    cr_expect_eq(graph->tensors[1].shape[0], 5);
    refused("RK-G012", text);
    bind.value = 0;
    cr_expect_null(read_with(text, &bind, 1));
    expect_only("RK-G008");
    diag = rk_diag_new(arena);
    rk_binding_dim two[2] = {{"batch", 5, 5}, {"bach", 6, 6}};
    cr_expect_null(read_with(text, two, 2));
    expect_only("RK-G012");
    cr_expect_str_eq(hint(), "did you mean 'batch'?");
}

Test(graph_file, the_caller_overrides_a_default)
{
    const char *text = "{\"schema\": \"rammer.graph/1\", \"dims\": {\"n\": 3}, \"tensors\": {"
                       "\"x\": {\"dtype\": \"f32\", \"shape\": [\"n\"]}}, \"nodes\": [], "
                       "\"inputs\": [\"x\"], \"outputs\": []}";
    rk_graph *graph = read_text(text);
    cr_assert_not_null(graph, "%s", said(0));
    cr_expect_eq(graph->tensors[0].shape[0], 3);
    rk_binding_dim bind = {"n", 7, 7};
    graph = read_with(text, &bind, 1);
    cr_assert_not_null(graph, "%s", said(0));
    cr_expect_eq(graph->tensors[0].shape[0], 7);
}

Test(graph_file, what_the_reader_found_is_not_said_twice)
{
    cr_expect_null(read_text(
        "{\"schema\": \"rammer.graph/1\", \"tensors\": {\"x\": {\"dtype\": \"f23\", \"shape\": "
        "[4]}, \"y\": {}, \"z\": {}}, \"nodes\": [{\"name\": \"a\", \"op\": \"Relu\", \"inputs\": "
        "[\"x\"], \"outputs\": [\"y\"]}, {\"name\": \"b\", \"op\": \"Add\", \"inputs\": [\"y\", "
        "\"q\"], \"outputs\": [\"z\"]}], \"inputs\": [\"x\"], \"outputs\": [\"z\"]}"));
    cr_expect_eq(count_code("RK-G009"), 1);
    cr_expect_eq(count_code("RK-G002"), 1);
    cr_expect_eq(rk_diag_count(diag), 2);
}

Test(graph_file, the_example_of_the_documentation)
{
    const char *source = getenv("RK_SOURCE");
    if (!source)
        cr_skip("RK_SOURCE is not set");
    rk_bytes page;
    cr_assert(rk_file_read(&page, rk_path_join(arena, source, "docs/graph.md"), arena, diag));
    static const char fence[] = "```json\n";
    const char *start = strstr(page.data, fence);
    cr_assert_not_null(start);
    start += strlen(fence);
    const char *end = strstr(start, "```");
    cr_assert_not_null(end);
    float *w = RK_NEW_ARRAY(arena, float, 256 * 256);
    rk_safetensor item = {.name = "W",
                          .dtype = RK_F32,
                          .rank = 2,
                          .shape = {256, 256},
                          .data = w,
                          .bytes = 256 * 256 * sizeof *w};
    cr_assert(rk_safetensors_write(in_folder("weights.safetensors"), &item, 1, diag));
    rk_graph *graph = read_text(rk_arena_strndup(arena, start, (size_t)(end - start)));
    cr_assert_not_null(graph, "%s", said(0));
    cr_expect_eq(graph->node_count, 2);
}
