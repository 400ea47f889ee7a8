#include "sched/zoo/zoo_build.h"

#include <math.h>

/* Dense layers with relu, and a softmax over the last one's. Input x, output y [batch, classes]. */

enum { BATCH, LAYERS, INPUT, HIDDEN, CLASSES };

static const rk_zoo_param params[] = {
    {"batch", 4, 1, 65536, "rows of the input"},
    {"layers", 3, 1, 1000, "dense layers, the last included"},
    {"input", 100, 1, 65536, "columns of the input"},
    {"hidden", 128, 1, 65536, "size of the layers between"},
    {"classes", 10, 1, 65536, "size of the last layer"},
    {0},
};

static int64_t layer_inputs(const int64_t *values, int64_t layer)
{
    return layer == 0 ? values[INPUT] : values[HIDDEN];
}

static int64_t layer_outputs(const int64_t *values, int64_t layer)
{
    return layer == values[LAYERS] - 1 ? values[CLASSES] : values[HIDDEN];
}

static rk_id add_layer(rk_zoo_builder *b, const int64_t *values, int64_t layer, rk_id x)
{
    char name[64];
    int64_t from = layer_inputs(values, layer);
    int64_t to = layer_outputs(values, layer);
    float bound = (float)(1.0 / sqrt((double)from));
    snprintf(name, sizeof name, "w.%lld", (long long)layer);
    rk_id w = rk_zoo_weights(b, name, bound, RK_SHAPE(from, to));
    snprintf(name, sizeof name, "b.%lld", (long long)layer);
    rk_id bias = rk_zoo_weights(b, name, bound, RK_SHAPE(to));
    rk_id sums = rk_zoo_value(b, "sums.%lld", (long long)layer);
    rk_id out = rk_zoo_value(b, "layer.%lld", (long long)layer);
    snprintf(name, sizeof name, "product.%lld", (long long)layer);
    rk_graph_node(b->graph, name, "MatMul", (const rk_id[]){x, w}, 2, &sums, 1);
    snprintf(name, sizeof name, "bias.%lld", (long long)layer);
    rk_id node = rk_graph_node(b->graph, name, "BiasAdd", (const rk_id[]){sums, bias}, 2, &out, 1);
    if (layer < values[LAYERS] - 1)
        rk_graph_attr_string(b->graph, node, "activation", "relu");
    return out;
}

static bool build(rk_zoo_builder *b, const int64_t *values, rk_diag *diag)
{
    rk_graph *graph = b->graph;
    double elements = (double)values[BATCH] * (double)values[INPUT];
    for (int64_t layer = 0; layer < values[LAYERS]; layer++)
        elements += (double)layer_outputs(values, layer) *
                    (double)(layer_inputs(values, layer) + 1 + 2 * values[BATCH]);
    if (!rk_zoo_check_size("mlp", elements, diag))
        return false;
    rk_id x = rk_graph_tensor(graph, "x", RK_F32, RK_SHAPE(values[BATCH], values[INPUT]));
    rk_graph_input(graph, x);
    for (int64_t layer = 0; layer < values[LAYERS]; layer++)
        x = add_layer(b, values, layer, x);
    rk_id y = rk_zoo_value(b, "y");
    rk_graph_node(graph, "softmax", "Softmax", &x, 1, &y, 1);
    rk_graph_output(graph, y);
    return true;
}

static void dense(double *y, const double *x, const float *w, const float *bias, int64_t from,
                  int64_t to, bool relu)
{
    for (int64_t j = 0; j < to; j++) {
        y[j] = (double)bias[j];
        for (int64_t k = 0; k < from; k++)
            y[j] += x[k] * (double)w[k * to + j];
        if (relu && y[j] < 0)
            y[j] = 0;
    }
}

/** One row of the batch at a time. */
static void reference(void *const *outputs, const void *const *inputs, const rk_graph *graph,
                      const int64_t *values, rk_arena *scratch)
{
    int64_t widest = 1;
    for (int i = INPUT; i <= CLASSES; i++)
        widest = values[i] > widest ? values[i] : widest;
    double *x = RK_NEW_ARRAY(scratch, double, (size_t)widest);
    double *y = RK_NEW_ARRAY(scratch, double, (size_t)widest);
    for (int64_t row = 0; row < values[BATCH]; row++) {
        for (int64_t k = 0; k < values[INPUT]; k++)
            x[k] = (double)((const float *)inputs[0])[row * values[INPUT] + k];
        for (int64_t l = 0; l < values[LAYERS]; l++) {
            dense(y, x, rk_zoo_constant(graph, "w.%lld", (long long)l),
                  rk_zoo_constant(graph, "b.%lld", (long long)l), layer_inputs(values, l),
                  layer_outputs(values, l), l < values[LAYERS] - 1);
            double *kept = x;
            x = y;
            y = kept;
        }
        double sum = 0;
        for (int64_t j = 0; j < values[CLASSES]; j++)
            sum += exp(x[j] - x[0]);
        for (int64_t j = 0; j < values[CLASSES]; j++)
            ((float *)outputs[0])[row * values[CLASSES] + j] = (float)(exp(x[j] - x[0]) / sum);
    }
}

const rk_zoo_model rk_zoo_mlp = {
    .name = "mlp",
    .summary = "dense layers and a softmax",
    .params = params,
    .build = build,
    .reference = reference,
};
