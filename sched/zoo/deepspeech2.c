#include "sched/zoo/cnn.h"
#include "sched/zoo/rnn.h"

/*
 * DeepSpeech2 with the parameters of the Rammer paper's table 1 and the structure of its
 * repository: two convolutions over a spectrogram of 161 frequencies, clipped at 6 and then
 * normalised, seven LSTM layers over a quarter of the input's length, a batch norm and a dense
 * layer to the characters. Input x [batch, 1, length, frequencies], output y [steps * batch,
 * classes].
 */

enum { BATCH, LENGTH, FREQUENCIES, LAYERS, HIDDEN, CLASSES };

static const rk_zoo_param params[] = {
    {"batch", 1, 1, 1024, "utterances"},
    {"length", 300, 16, 65536, "spectra of an utterance"},
    {"frequencies", 161, 16, 4096, "of a spectrum"},
    {"layers", 7, 1, 1000, "LSTM layers"},
    {"hidden", 256, 1, 32768, "size of a layer's state"},
    {"classes", 29, 1, 65536, "characters"},
    {0},
};

/** A convolution of 32 filters, clipped at 6 and then normalised. */
static rk_zoo_map convolution(rk_zoo_cnn *net, rk_zoo_map x, int64_t rows, int64_t stride_w,
                              int index)
{
    rk_zoo_conv conv = {
        .filters = 32, .kh = rows, .kw = 11, .stride = 2, .stride_w = stride_w, .bare = true};
    rk_id node;
    x = rk_zoo_convolve(net, x, &conv, "conv%d", index);
    rk_id clipped = rk_zoo_value(net->b, "conv%d.clip", index);
    char name[32];
    snprintf(name, sizeof name, "conv%d.clip", index);
    node = rk_graph_node(net->b->graph, name, "Clip", &x.id, 1, &clipped, 1);
    rk_graph_attr_real(net->b->graph, node, "min", 0);
    rk_graph_attr_real(net->b->graph, node, "max", 6);
    x.id = clipped;
    return rk_zoo_normalise(net, x, false, "conv%d", index);
}

/** The map as a sequence [height, batch, width * channels]. */
static rk_id to_sequence(rk_zoo_builder *b, rk_zoo_map x)
{
    rk_id out = rk_graph_tensor(b->graph, "sequence", RK_F32,
                                RK_SHAPE(x.height, x.batch, x.width, x.channels));
    rk_id node = rk_graph_node(b->graph, "sequence", "Transpose", &x.id, 1, &out, 1);
    rk_graph_attr_ints(b->graph, node, "perm", (const int64_t[]){2, 0, 3, 1}, 4);
    return out;
}

/** Step `step` of a sequence of `batch` rows of `size`. */
static rk_id step_of(rk_zoo_builder *b, rk_id sequence, const char *prefix, int64_t step,
                     int64_t batch, int64_t size)
{
    char name[64];
    int64_t shape[2];
    int rank = rk_zoo_lstm_shape(shape, batch, size);
    snprintf(name, sizeof name, "%s.%lld", prefix, (long long)step);
    return rk_graph_view(b->graph, name, sequence, rank, shape, step * batch * size);
}

static rk_zoo_lstm_layer *add_layers(rk_zoo_builder *b, const int64_t *values, int64_t features)
{
    size_t count = (size_t)values[LAYERS];
    rk_zoo_lstm_layer *layers = RK_NEW_ARRAY(b->graph->arena, rk_zoo_lstm_layer, count);
    int64_t shape[2];
    int rank = rk_zoo_lstm_shape(shape, values[BATCH], values[HIDDEN]);
    rk_id zero = rk_graph_constant_zeros(b->graph, "zero", RK_F32, rank, shape);
    for (size_t i = 0; i < count; i++) {
        char suffix[24];
        layers[i] = (rk_zoo_lstm_layer){.b = b,
                                        .batch = values[BATCH],
                                        .inputs = i == 0 ? features : values[HIDDEN],
                                        .hidden = values[HIDDEN],
                                        .h = zero,
                                        .c = zero};
        snprintf(suffix, sizeof suffix, "%zu", i);
        rk_zoo_lstm_weights(&layers[i], suffix);
    }
    return layers;
}

/** One step through all layers, the last of which writes `h`. */
static void add_step(rk_zoo_lstm_layer *layers, int64_t count, int64_t step, rk_id x, rk_id h)
{
    char names[3][64];
    static const char *const parts[] = {"gx", "gh", "cell"};
    for (int64_t i = 0; i < count - 1; i++) {
        char prefix[32];
        snprintf(prefix, sizeof prefix, "rnn.%lld", (long long)i);
        x = rk_zoo_lstm_step(&layers[i], prefix, step, x);
    }
    for (int i = 0; i < 3; i++)
        snprintf(names[i], sizeof names[i], "rnn.%lld.%s.%lld", (long long)count - 1, parts[i],
                 (long long)step);
    rk_id c = rk_zoo_value(layers->b, "rnn.%lld.c.%lld", (long long)count - 1, (long long)step);
    rk_zoo_lstm_cell(&layers[count - 1], &(rk_zoo_lstm_names){names[0], names[1], names[2]}, x, h,
                     c);
}

/** Batch norm over the columns of a matrix, and a dense layer: the output. */
static void finish(rk_zoo_cnn *net, rk_id x, int64_t columns, int64_t classes)
{
    static const char *const parts[] = {"scale", "shift", "mean", "var"};
    rk_id in[5] = {x};
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "last.%s", parts[i]);
        in[i + 1] = rk_zoo_weights_about(net->b, name, i % 3 == 0 ? 1.0F : 0.0F, 0.5F, 1, &columns);
    }
    rk_id normal = rk_zoo_value(net->b, "last.norm");
    rk_graph_node(net->b->graph, "last.norm", "BatchNormalization", in, 5, &normal, 1);
    rk_graph_output(net->b->graph, rk_zoo_dense(net, normal, columns, classes, false, "y"));
}

static bool build(rk_zoo_builder *b, const int64_t *values, rk_diag *diag)
{
    rk_zoo_cnn net = {b, true};
    int64_t batch = values[BATCH];
    int64_t hidden = values[HIDDEN];
    double cells = (double)values[LAYERS] * (double)values[LENGTH] / 4;
    double cell = 10.0 * (double)hidden * (double)batch + RK_ZOO_LSTM_OVERHEAD;
    if (!rk_zoo_check_size(
            "deepspeech2",
            cells * cell + 8.0 * (double)values[LAYERS] * (double)hidden * (double)hidden, diag))
        return false;
    rk_zoo_map x = rk_zoo_image(b, "x", batch, 1, values[LENGTH], values[FREQUENCIES]);
    x = convolution(&net, x, 41, 2, 1);
    x = convolution(&net, x, 21, 1, 2);
    int64_t features = x.width * x.channels;
    rk_id sequence = to_sequence(b, x);
    rk_zoo_lstm_layer *layers = add_layers(b, values, features);
    rk_id states = rk_graph_tensor(b->graph, "states", RK_F32, RK_SHAPE(x.height * batch, hidden));
    for (int64_t step = 0; step < x.height; step++)
        add_step(layers, values[LAYERS], step,
                 step_of(b, sequence, "sequence", step, batch, features),
                 step_of(b, states, "states", step, batch, hidden));
    finish(&net, states, hidden, values[CLASSES]);
    return true;
}

const rk_zoo_model rk_zoo_deepspeech2 = {
    .name = "deepspeech2",
    .summary = "DeepSpeech2, as in the Rammer paper's table 1",
    .params = params,
    .build = build,
};
