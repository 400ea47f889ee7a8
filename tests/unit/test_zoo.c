#include "graph_fixture.h"

#include "sched/model/model.h"
#include "sched/model/npy.h"
#include "sched/ops/op.h"
#include "sched/zoo/zoo.h"

#include <math.h>

TestSuite(zoo, .init = fixture_setup, .fini = fixture_teardown);

static const rk_zoo_model *model_of(const char *name)
{
    const rk_zoo_model *model = rk_zoo_find(name);
    cr_assert_not_null(model, "%s", name);
    return model;
}

static void defaults(int64_t *params, const rk_zoo_model *model)
{
    for (size_t i = 0; i < rk_zoo_param_count(model); i++)
        params[i] = model->params[i].otherwise;
}

static void set(int64_t *params, const rk_zoo_model *model, const char *name, int64_t value)
{
    for (size_t i = 0; model->params[i].name; i++)
        if (strcmp(model->params[i].name, name) == 0) {
            params[i] = value;
            return;
        }
    cr_assert_fail("%s has no parameter %s", model->name, name);
}

/** Sizes at which a reference takes no time. */
static const struct {
    const char *model, *param;
    int64_t value;
} small_sizes[] = {
    {"inception_v3", "size", 75},
    {"inception_v3", "divide", 16},
    {"inception_v3", "classes", 7},
    {"alexnet", "divide", 32},
    {"alexnet", "classes", 7},
    {"deepspeech2", "length", 20},
    {"deepspeech2", "frequencies", 16},
    {"deepspeech2", "layers", 2},
    {"deepspeech2", "hidden", 5},
    {"nasbench", "size", 8},
    {"nasbench", "channels", 8},
    {"nasbench", "batch", 2},
    {"nasnet", "cells", 1},
    {"nasnet", "filters", 96},
    {"nasnet", "norm", 1},
    {"nasnet_imagenet", "cells", 1},
    {"nasnet_imagenet", "filters", 96},
    {"nasnet_imagenet", "size", 32},
    {"nasnet_imagenet", "classes", 7},
    {"nasnet_large", "cells", 1},
    {"nasnet_large", "filters", 96},
    {"nasnet_large", "size", 33},
    {"nasnet_large", "classes", 7},
    {"randwire", "size", 32},
    {"randwire", "channels", 2},
    {"randwire", "nodes", 8},
    {"randwire", "classes", 7},
    {"resnext", "size", 8},
    {"resnext", "groups", 9},
    {"resnext", "width", 2},
    {"resnext", "blocks", 1},
    {"resnext", "batch", 2},
    {"resnext_imagenet", "size", 32},
    {"resnext_imagenet", "groups", 4},
    {"resnext_imagenet", "blocks", 1},
    {"resnext_imagenet", "classes", 7},
    {"resnext_imagenet", "split", 0},
    {"seq2seq", "hidden", 6},
    {"seq2seq", "encoder-steps", 5},
    {"seq2seq", "decoder-steps", 3},
    {"seq2seq", "batch", 2},
    {"chain", "nodes", 10},
    {"fan", "nodes", 50},
    {"layers", "nodes", 50},
    {"squeezenet", "size", 32},
    {"squeezenet", "divide", 8},
    {"squeezenet", "classes", 7},
    {"bert", "layers", 2},
    {"bert", "width", 24},
    {"bert", "heads", 3},
    {"bert", "inner", 40},
    {"bert", "length", 7},
    {"gpt2", "layers", 2},
    {"gpt2", "width", 24},
    {"gpt2", "heads", 3},
    {"gpt2", "inner", 40},
    {"gpt2", "past", 5},
};

static void small(int64_t *params, const rk_zoo_model *model)
{
    defaults(params, model);
    for (size_t i = 0; i < sizeof small_sizes / sizeof *small_sizes; i++)
        if (strcmp(small_sizes[i].model, model->name) == 0)
            set(params, model, small_sizes[i].param, small_sizes[i].value);
}

/** Elements of the constants; batch norm's running mean and variance are not trained, nor is what attention divides by. */
static int64_t trained_weights(const rk_graph *graph)
{
    int64_t sum = 0;
    for (size_t i = 0; i < graph->tensor_count; i++) {
        const rk_tensor *t = &graph->tensors[i];
        const char *dot = strrchr(t->name, '.');
        if (t->data && strncmp(t->name, "factor.", 7) != 0 &&
            !(dot && (strcmp(dot, ".mean") == 0 || strcmp(dot, ".var") == 0)))
            sum += rk_tensor_elements(t);
    }
    return sum;
}

static size_t nodes_of(const rk_graph *graph, const char *op)
{
    size_t count = 0;
    for (size_t i = 0; i < graph->node_count; i++)
        count += strcmp(graph->nodes[i].op_name, op) == 0;
    return count;
}

static rk_graph *structure_of(const rk_zoo_model *model, const int64_t *params)
{
    rk_graph *graph = rk_zoo_structure(model, params, 1, arena, diag);
    cr_assert_not_null(graph, "%s: %s", model->name, said(0));
    return graph;
}

/** Largest difference between reference and rk_graph_eval over all outputs of a written model. */
static double largest_error(const rk_zoo_model *model, const int64_t *params)
{
    cr_assert(rk_zoo_write(model, params, 7, folder, arena, diag), "%s", said(0));
    rk_graph *graph = rk_graph_read(in_folder("graph.json"), NULL, 0, arena, diag);
    cr_assert_not_null(graph, "%s", said(0));
    void **buffers = RK_NEW_ARRAY(arena, void *, graph->tensor_count);
    for (size_t i = 0; i < graph->input_count; i++) {
        const rk_tensor *t = &graph->tensors[graph->inputs[i]];
        char *path = rk_npy_path(arena, in_folder("input"), t->name);
        buffers[graph->inputs[i]] = (void *)rk_npy_read_tensor(path, t, arena, diag);
        cr_assert_not_null(buffers[graph->inputs[i]], "%s", said(0));
    }
    cr_assert(rk_graph_eval(buffers, graph, arena, diag), "%s", said(0));
    double worst = 0;
    for (size_t i = 0; i < graph->output_count; i++) {
        const rk_tensor *t = &graph->tensors[graph->outputs[i]];
        char *path = rk_npy_path(arena, in_folder("expected"), t->name);
        const float *expected = rk_npy_read_tensor(path, t, arena, diag);
        const float *found = buffers[graph->outputs[i]];
        cr_assert_not_null(expected, "%s", said(0));
        for (int64_t k = 0; k < rk_tensor_elements(t); k++) {
            cr_assert(isfinite((double)expected[k]));
            worst = fmax(worst, fabs((double)expected[k] - (double)found[k]));
        }
    }
    return worst;
}

Test(zoo, every_model_is_complete_and_meets_its_reference)
{
    cr_assert_geq(rk_zoo_model_count, 3);
    for (size_t i = 0; i < rk_zoo_model_count; i++) {
        const rk_zoo_model *model = rk_zoo_models[i];
        int64_t params[RK_ZOO_MAX_PARAMS];
        cr_assert_leq(rk_zoo_param_count(model), (size_t)RK_ZOO_MAX_PARAMS);
        cr_expect_eq(rk_zoo_find(model->name), model);
        for (const rk_zoo_param *p = model->params; p->name; p++)
            cr_expect(p->min <= p->otherwise && p->otherwise <= p->max && p->meaning, "%s",
                      p->name);
        if (strcmp(model->name, "lstm") == 0)
            continue;
        small(params, model);
        cr_expect_lt(largest_error(model, params), 1e-6, "%s", model->name);
    }
}

Test(zoo, lstm_of_odd_sizes_meets_its_reference)
{
    static const int64_t sizes[][5] = {
        {1, 1, 1, 1, 1}, {3, 5, 7, 0, 1}, {2, 4, 9, 5, 1}, {1, 6, 3, 2, 1}, {3, 2, 5, 4, 3}};
    for (size_t i = 0; i < 5; i++)
        cr_expect_lt(largest_error(model_of("lstm"), sizes[i]), 1e-6, "size %zu", i);
}

Test(zoo, lstm_is_that_of_the_paper)
{
    const rk_zoo_model *model = model_of("lstm");
    int64_t params[RK_ZOO_MAX_PARAMS];
    defaults(params, model);
    cr_expect(params[0] == 10 && params[1] == 100 && params[2] == 256);
    rk_graph *graph = rk_zoo_build(model, params, 1, arena, diag);
    cr_assert_not_null(graph, "%s", said(0));
    cr_expect_eq(graph->node_count, 3000);
    rk_edge *edges;
    size_t count;
    rk_graph_edges(&edges, &count, graph, arena);
    /* gx and gh into each cell; h into gh and c into the cell of the next step; h into gx above. */
    cr_expect_eq(count, 2 * 1000 + 2 * 990 + 900);
    size_t *depth = RK_NEW_ARRAY(arena, size_t, graph->node_count);
    size_t deepest = 0;
    for (size_t i = 0; i < count; i++) {
        size_t d = depth[edges[i].from] + 1;
        depth[edges[i].to] = d > depth[edges[i].to] ? d : depth[edges[i].to];
        deepest = d > deepest ? d : deepest;
    }
    cr_expect_eq(deepest + 1, 2 * 109, "109 wavefronts of cells");
}

Test(zoo, the_recurrence_reaches_the_outputs)
{
    const rk_zoo_model *model = model_of("lstm");
    static const int64_t params[5] = {2, 3, 4, 4, 1};
    rk_graph *graph = rk_zoo_build(model, params, 1, arena, diag);
    cr_assert_not_null(graph, "%s", said(0));
    float x[12] = {0};
    void **before;
    void **after;
    const void *inputs[1] = {x};
    cr_assert(rk_zoo_reference(&before, model, params, graph, inputs, arena, diag));
    x[0] = 1;
    cr_assert(rk_zoo_reference(&after, model, params, graph, inputs, arena, diag));
    const float *a = before[0];
    const float *b = after[0];
    for (int step = 0; step < 3; step++)
        cr_expect(a[step * 4] != b[step * 4], "step %d", step);
    x[0] = 0;
    x[8] = 1;
    cr_assert(rk_zoo_reference(&after, model, params, graph, inputs, arena, diag));
    b = after[0];
    cr_expect(a[0] == b[0] && a[4] == b[4] && a[8] != b[8]);
}

Test(zoo, the_seed_decides)
{
    const rk_zoo_model *model = model_of("mlp");
    int64_t params[RK_ZOO_MAX_PARAMS];
    defaults(params, model);
    const float *w[3];
    static const uint64_t seeds[3] = {1, 1, 2};
    for (int i = 0; i < 3; i++) {
        rk_graph *graph = rk_zoo_build(model, params, seeds[i], arena, diag);
        cr_assert_not_null(graph);
        w[i] = graph->tensors[rk_graph_find_tensor(graph, "w.0")].data;
    }
    cr_expect_arr_eq(w[0], w[1], 400);
    cr_expect(w[0][0] != w[2][0]);
}

Test(zoo, params_out_of_range)
{
    const rk_zoo_model *model = model_of("lstm");
    static const int64_t params[5] = {0, -1, 256, 0, 1};
    cr_expect_null(rk_zoo_build(model, params, 1, arena, diag));
    cr_expect_eq(count_code("RK-Z001"), 2);
    cr_expect_eq(rk_diag_count(diag), 2);
}

Test(zoo, models_that_are_too_large)
{
    for (size_t i = 0; i < rk_zoo_model_count; i++) {
        const rk_zoo_model *model = rk_zoo_models[i];
        int64_t params[RK_ZOO_MAX_PARAMS];
        for (size_t k = 0; k < rk_zoo_param_count(model); k++)
            params[k] = model->params[k].max;
        diag = rk_diag_new(arena);
        cr_expect_null(rk_zoo_build(model, params, 1, arena, diag), "%s", model->name);
        expect_only("RK-Z002");
    }
}

Test(zoo, uniform_is_the_same_everywhere)
{
    /* From a separate program for xoshiro256**, splitmix64 and FNV-1a. */
    static const int expected[] = {-1616833, -201537, 4808203, 6234901};
    float values[4];
    rk_zoo_uniform(values, 4, 1.0F, 3, "x");
    for (int i = 0; i < 4; i++)
        cr_expect_eq((double)values[i] * (1 << 23), (double)expected[i]);
}

Test(zoo, uniform_is_uniform_and_its_own_for_each_name)
{
    enum { N = 100000 };
    float *a = RK_NEW_ARRAY(arena, float, N);
    float *b = RK_NEW_ARRAY(arena, float, N);
    rk_zoo_uniform(a, N, 0.5F, 3, "a");
    rk_zoo_uniform(b, N, 0.5F, 3, "b");
    double sum = 0, squares = 0, product = 0;
    for (int i = 0; i < N; i++) {
        cr_assert(a[i] >= -0.5F && a[i] < 0.5F);
        sum += (double)a[i];
        squares += (double)a[i] * (double)a[i];
        product += (double)a[i] * (double)b[i];
    }
    cr_expect_lt(fabs(sum / N), 0.005);
    cr_expect_lt(fabs(squares / N - 1.0 / 12), 0.002);
    cr_expect_lt(fabs(product / N), 0.002);
}

Test(zoo, squeezenet_is_the_published_one)
{
    const rk_zoo_model *model = model_of("squeezenet");
    int64_t params[RK_ZOO_MAX_PARAMS];
    defaults(params, model);
    rk_graph *graph = structure_of(model, params);
    cr_expect_eq(graph->node_count, 50 + 1, "50 in the IOS paper, and a softmax");
    set(params, model, "bypass", 0);
    graph = structure_of(model, params);
    cr_expect_eq(trained_weights(graph), 1248424);
    cr_expect_eq(nodes_of(graph, "Conv"), 26);
}

/* Twelve layers of 7,087,872, and GPT-2's last norm; embeddings are not in them. */
Test(zoo, transformers_are_the_published_ones)
{
    int64_t params[RK_ZOO_MAX_PARAMS];
    defaults(params, model_of("bert"));
    cr_expect_eq(trained_weights(structure_of(model_of("bert"), params)), 85054464);
    defaults(params, model_of("gpt2"));
    cr_expect_eq(trained_weights(structure_of(model_of("gpt2"), params)), 85056000);
}

Test(zoo, inception_is_the_published_one)
{
    const rk_zoo_model *model = model_of("inception_v3");
    int64_t params[RK_ZOO_MAX_PARAMS];
    defaults(params, model);
    rk_graph *graph = structure_of(model, params);
    cr_expect_eq(graph->node_count, 119 + 2, "119 in the IOS paper, a dense layer and a softmax");
    cr_expect_eq(nodes_of(graph, "Conv"), 94);
    set(params, model, "norm", 1);
    cr_expect_eq(trained_weights(structure_of(model, params)), 23834568);
}

Test(zoo, weights_are_as_many_as_published)
{
    static const struct {
        const char *model;
        int64_t weights;
        size_t convolutions;
    } published[] = {{"resnext_imagenet", 83455272, 0},
                     {"nasnet_imagenet", 5289978, 356},
                     {"nasnet_large", 88753150, 488},
                     {"resnext", 68155210, 0},
                     {"nasnet", 3346538, 446}};
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        const rk_zoo_model *model = model_of(published[i].model);
        int64_t params[RK_ZOO_MAX_PARAMS];
        defaults(params, model);
        set(params, model, "norm", 1);
        rk_graph *graph = structure_of(model, params);
        cr_expect_eq(trained_weights(graph), published[i].weights, "%s: %lld", model->name,
                     (long long)trained_weights(graph));
        if (published[i].convolutions)
            cr_expect_eq(nodes_of(graph, "Conv"), published[i].convolutions, "%s", model->name);
    }
    int64_t params[RK_ZOO_MAX_PARAMS];
    defaults(params, model_of("alexnet"));
    cr_expect_eq(trained_weights(structure_of(model_of("alexnet"), params)), 61838248);
}

Test(zoo, grouped_and_split_branches_have_the_same_weights)
{
    static const char *const names[] = {"resnext", "resnext_imagenet"};
    for (size_t i = 0; i < 2; i++) {
        const rk_zoo_model *model = model_of(names[i]);
        int64_t params[RK_ZOO_MAX_PARAMS];
        small(params, model);
        set(params, model, "split", 0);
        int64_t grouped = trained_weights(structure_of(model, params));
        set(params, model, "split", 1);
        cr_expect_eq(trained_weights(structure_of(model, params)), grouped);
    }
}

Test(zoo, recurrent_models_are_those_of_table_1)
{
    int64_t params[RK_ZOO_MAX_PARAMS];
    defaults(params, model_of("seq2seq"));
    rk_graph *graph = structure_of(model_of("seq2seq"), params);
    cr_expect_eq(nodes_of(graph, "LSTMCell"), 8 * 100 + 4 * 30);
    defaults(params, model_of("deepspeech2"));
    graph = structure_of(model_of("deepspeech2"), params);
    cr_expect_eq(nodes_of(graph, "LSTMCell"), 7 * 75, "300 spectra, a quarter of them steps");
    cr_expect_eq(nodes_of(graph, "Conv"), 2);
}

Test(zoo, randwire_has_the_operators_of_the_ios_paper)
{
    int64_t params[RK_ZOO_MAX_PARAMS];
    defaults(params, model_of("randwire"));
    rk_graph *graph = structure_of(model_of("randwire"), params);
    /* 112 nodes of a depthwise and a 1x1 convolution each, the stem and the last. */
    cr_expect_eq(nodes_of(graph, "Conv"), 2 * (16 + 3 * 32) + 2);
    graph = rk_zoo_structure(model_of("randwire"), params, 2, arena, diag);
    cr_expect_eq(nodes_of(graph, "Conv"), 2 * (16 + 3 * 32) + 2);
}

/** What tells the cells of the search space apart, for a graph of "nasbench": a text. */
static const char *text_of(const rk_graph *graph)
{
    char *text = "";
    for (size_t i = 0; i < graph->node_count; i++)
        text = rk_arena_printf(arena, "%s %s", text, graph->nodes[i].name);
    return text;
}

Test(zoo, nasbench_cells_are_distinct_and_in_a_seeded_order)
{
    enum { COUNT = 300 };
    const rk_zoo_model *model = model_of("nasbench");
    int64_t params[RK_ZOO_MAX_PARAMS];
    small(params, model);
    set(params, model, "batch", 1);
    rk_zoo_series *series = rk_zoo_series_new(model, params, 3, arena);
    const char *texts[COUNT];
    for (int i = 0; i < COUNT; i++) {
        rk_graph *graph = rk_zoo_series_next(series, arena, diag);
        cr_assert_not_null(graph, "%d: %s", i, said(0));
        texts[i] = text_of(graph);
    }
    set(params, model, "index", 123);
    cr_expect_str_eq(text_of(rk_zoo_structure(model, params, 3, arena, diag)), texts[123]);
    cr_expect_str_neq(text_of(rk_zoo_structure(model, params, 4, arena, diag)), texts[123]);
}

Test(zoo, synthetic_graphs_have_the_nodes_asked_for)
{
    static const char *const names[] = {"chain", "fan", "layers"};
    static const int64_t nodes[] = {1, 2, 3, 17, 1000};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 5; k++) {
            const rk_zoo_model *model = model_of(names[i]);
            int64_t params[RK_ZOO_MAX_PARAMS];
            defaults(params, model);
            set(params, model, "nodes", nodes[k]);
            cr_expect_eq(structure_of(model, params)->node_count, (size_t)nodes[k], "%s", names[i]);
        }
}

Test(zoo, a_structure_has_the_same_graph_and_no_weights)
{
    const rk_zoo_model *model = model_of("squeezenet");
    int64_t params[RK_ZOO_MAX_PARAMS];
    small(params, model);
    cr_assert(rk_zoo_write_structure(model, params, 1, folder, arena, diag), "%s", said(0));
    cr_expect_not(rk_file_exists(in_folder("weights.safetensors")));
    cr_expect_not(rk_file_exists(in_folder("input")));
    rk_graph *zeros = rk_graph_read(in_folder("graph.json"), NULL, 0, arena, diag);
    cr_assert_not_null(zeros, "%s", said(0));
    const rk_graph *full = rk_zoo_build(model, params, 1, arena, diag);
    cr_assert_not_null(full, "%s", said(0));
    cr_assert_eq(zeros->node_count, full->node_count);
    for (size_t i = 0; i < zeros->node_count; i++)
        cr_expect_str_eq(zeros->nodes[i].name, full->nodes[i].name);
    for (size_t i = 0; i < zeros->tensor_count; i++) {
        const rk_tensor *t = &zeros->tensors[i];
        if (!t->data)
            continue;
        cr_expect(t->zeros, "%s", t->name);
        for (int64_t k = 0; k < rk_tensor_elements(t); k++)
            cr_assert_eq(((const float *)t->data)[k], 0);
    }
}
