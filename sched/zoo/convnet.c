#include "sched/zoo/zoo_build.h"

#include <math.h>

/*
 * A small convolutional network: a 3x3 convolution, batch norm and max pooling, a depthwise and a
 * pointwise convolution, global average pooling, a dense layer, softmax. Input x [batch, 3, size,
 * size], output y [batch, classes]. A reference of its own would repeat the ops' definitions:
 * rk_graph_eval is it.
 */

enum { BATCH, SIZE, CHANNELS, CLASSES };

static const rk_zoo_param params[] = {
    {"batch", 1, 1, 1024, "images"},
    {"size", 17, 4, 4096, "height and width of an image"},
    {"channels", 8, 1, 4096, "channels of the first convolution; the last has twice as many"},
    {"classes", 10, 1, 65536, "size of the result"},
    {0},
};

/** Adds a node with one output, named as the node. */
static rk_id add(rk_zoo_builder *b, const char *name, const char *op, const rk_id *inputs,
                 size_t count, rk_id *node)
{
    rk_id out = rk_zoo_value(b, "%s", name);
    rk_id id = rk_graph_node(b->graph, name, op, inputs, count, &out, 1);
    if (node)
        *node = id;
    return out;
}

/** A 3x3 or 1x1 convolution that keeps the size, with stride `stride`. */
static rk_id convolution(rk_zoo_builder *b, const char *name, rk_id x, int64_t from, int64_t to,
                         int64_t extent, int64_t stride, int64_t group)
{
    char w_name[64];
    rk_id node;
    int64_t inputs = from / group * extent * extent;
    float bound = (float)(1.0 / sqrt((double)inputs));
    snprintf(w_name, sizeof w_name, "%s.w", name);
    rk_id w = rk_zoo_weights(b, w_name, bound, RK_SHAPE(to, from / group, extent, extent));
    rk_id out = add(b, name, "Conv", (const rk_id[]){x, w}, 2, &node);
    int64_t pad = extent / 2;
    rk_graph_attr_ints(b->graph, node, "strides", (const int64_t[]){stride, stride}, 2);
    rk_graph_attr_ints(b->graph, node, "pads", (const int64_t[]){pad, pad, pad, pad}, 4);
    rk_graph_attr_int(b->graph, node, "group", group);
    return out;
}

/** Batch norm and relu over `channels` channels. */
static rk_id normalise(rk_zoo_builder *b, const char *name, rk_id x, int64_t channels)
{
    static const char *const parts[] = {"scale", "shift", "mean", "var"};
    static const float centres[] = {1.0F, 0.0F, 0.0F, 1.0F};
    char text[64];
    rk_id in[5] = {x};
    for (int i = 0; i < 4; i++) {
        snprintf(text, sizeof text, "%s.%s", name, parts[i]);
        in[i + 1] = rk_zoo_weights_about(b, text, centres[i], 0.5F, 1, &channels);
    }
    rk_id normal = add(b, name, "BatchNormalization", in, 5, NULL);
    snprintf(text, sizeof text, "%s.relu", name);
    return add(b, text, "Relu", &normal, 1, NULL);
}

static rk_id max_pool(rk_zoo_builder *b, const char *name, rk_id x)
{
    rk_id node;
    rk_id out = add(b, name, "MaxPool", &x, 1, &node);
    rk_graph_attr_ints(b->graph, node, "kernel_shape", (const int64_t[]){3, 3}, 2);
    rk_graph_attr_ints(b->graph, node, "strides", (const int64_t[]){2, 2}, 2);
    rk_graph_attr_ints(b->graph, node, "pads", (const int64_t[]){1, 1, 1, 1}, 4);
    return out;
}

static bool build(rk_zoo_builder *b, const int64_t *values, rk_diag *diag)
{
    rk_graph *graph = b->graph;
    int64_t batch = values[BATCH];
    int64_t channels = values[CHANNELS];
    int64_t classes = values[CLASSES];
    int64_t last = 2 * channels;
    double pixels = (double)values[SIZE] * (double)values[SIZE];
    double elements = 27.0 * (double)channels + 2.0 * (double)channels * (double)channels +
                      (double)last * (double)classes +
                      (double)batch * (double)(4 * channels) * pixels;
    if (!rk_zoo_check_size("convnet", elements, diag))
        return false;
    rk_id x = rk_graph_tensor(graph, "x", RK_F32, RK_SHAPE(batch, 3, values[SIZE], values[SIZE]));
    rk_graph_input(graph, x);
    x = convolution(b, "stem", x, 3, channels, 3, 1, 1);
    x = normalise(b, "stem_norm", x, channels);
    x = max_pool(b, "pool", x);
    x = convolution(b, "depthwise", x, channels, channels, 3, 2, channels);
    x = convolution(b, "pointwise", x, channels, last, 1, 1, 1);
    x = normalise(b, "norm", x, last);
    rk_id pooled = rk_graph_tensor(graph, "pooled", RK_F32, RK_SHAPE(batch, last, 1, 1));
    rk_graph_node(graph, "pooled", "GlobalAveragePool", &x, 1, &pooled, 1);
    rk_id features = rk_graph_view(graph, "features", pooled, RK_SHAPE(batch, last), 0);
    float bound = (float)(1.0 / sqrt((double)last));
    rk_id w = rk_zoo_weights(b, "dense.w", bound, RK_SHAPE(classes, last));
    rk_id bias = rk_zoo_weights(b, "dense.b", bound, RK_SHAPE(classes));
    rk_id node;
    rk_id dense = add(b, "dense", "Gemm", (const rk_id[]){features, w, bias}, 3, &node);
    rk_graph_attr_int(graph, node, "transB", 1);
    rk_id y = add(b, "y", "Softmax", &dense, 1, NULL);
    rk_graph_output(graph, y);
    return true;
}

const rk_zoo_model rk_zoo_convnet = {
    .name = "convnet",
    .summary = "convolutions, batch norm, pooling, a dense layer and a softmax",
    .params = params,
    .build = build,
};
