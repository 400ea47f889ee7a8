#include "sched/zoo/rnn.h"

/*
 * The translation model of the Rammer paper's table 1, as its repository has it: an encoder of
 * eight LSTM layers over 100 steps and a decoder of four over 30, hidden size 128. The decoder
 * starts at zero states from the c of the encoder's last layer, and each step reads what the step
 * before gave. Input x [encoder steps, batch, hidden], output y [decoder steps, batch, hidden].
 */

enum { BATCH, HIDDEN, ENCODER_LAYERS, ENCODER_STEPS, DECODER_LAYERS, DECODER_STEPS };

static const rk_zoo_param params[] = {
    {"batch", 1, 1, 65536, "sequences"},
    {"hidden", 128, 1, 32768, "size of a layer's state"},
    {"encoder-layers", 8, 1, 1000, "layers of the encoder"},
    {"encoder-steps", 100, 1, 100000, "length of the input"},
    {"decoder-layers", 4, 1, 1000, "layers of the decoder"},
    {"decoder-steps", 30, 1, 100000, "length of the output"},
    {0},
};

/** The layers of one half, at states of zeros. */
static rk_zoo_lstm_layer *layers_of(rk_zoo_builder *b, const int64_t *values, int64_t count,
                                    const char *half)
{
    int64_t shape[2];
    int rank = rk_zoo_lstm_shape(shape, values[BATCH], values[HIDDEN]);
    char name[64];
    rk_zoo_lstm_layer *layers = RK_NEW_ARRAY(b->graph->arena, rk_zoo_lstm_layer, (size_t)count);
    snprintf(name, sizeof name, "%s.zero", half);
    rk_id zero = rk_graph_constant_zeros(b->graph, name, RK_F32, rank, shape);
    for (int64_t i = 0; i < count; i++) {
        layers[i] = (rk_zoo_lstm_layer){.b = b,
                                        .batch = values[BATCH],
                                        .inputs = values[HIDDEN],
                                        .hidden = values[HIDDEN],
                                        .h = zero,
                                        .c = zero};
        snprintf(name, sizeof name, "%s.%lld", half, (long long)i);
        rk_zoo_lstm_weights(&layers[i], name);
    }
    return layers;
}

/** Step `step` of a sequence [steps, batch, hidden]. */
static rk_id step_of(rk_zoo_builder *b, const int64_t *values, rk_id sequence, const char *prefix,
                     int64_t step)
{
    int64_t shape[2];
    char name[64];
    int rank = rk_zoo_lstm_shape(shape, values[BATCH], values[HIDDEN]);
    snprintf(name, sizeof name, "%s.%lld", prefix, (long long)step);
    return rk_graph_view(b->graph, name, sequence, rank, shape,
                         step * values[BATCH] * values[HIDDEN]);
}

/** The c of the encoder's last layer. */
static rk_id encode(rk_zoo_builder *b, const int64_t *values)
{
    int64_t count = values[ENCODER_LAYERS];
    rk_id sequence = rk_graph_tensor(
        b->graph, "x", RK_F32, RK_SHAPE(values[ENCODER_STEPS], values[BATCH], values[HIDDEN]));
    rk_zoo_lstm_layer *layers = layers_of(b, values, count, "encoder");
    rk_graph_input(b->graph, sequence);
    for (int64_t step = 0; step < values[ENCODER_STEPS]; step++) {
        rk_id x = step_of(b, values, sequence, "x", step);
        for (int64_t i = 0; i < count; i++) {
            char prefix[48];
            snprintf(prefix, sizeof prefix, "encoder.%lld", (long long)i);
            x = rk_zoo_lstm_step(&layers[i], prefix, step, x);
        }
    }
    return layers[count - 1].c;
}

/** One step of the decoder, whose last layer writes a row of y. */
static rk_id decode_step(rk_zoo_lstm_layer *layers, const int64_t *values, rk_id y, int64_t step,
                         rk_id x)
{
    rk_zoo_builder *b = layers->b;
    int64_t last = values[DECODER_LAYERS] - 1;
    for (int64_t i = 0; i < last; i++) {
        char prefix[48];
        snprintf(prefix, sizeof prefix, "decoder.%lld", (long long)i);
        x = rk_zoo_lstm_step(&layers[i], prefix, step, x);
    }
    char names[3][64];
    static const char *const parts[] = {"gx", "gh", "cell"};
    for (int i = 0; i < 3; i++)
        snprintf(names[i], sizeof names[i], "decoder.%lld.%s.%lld", (long long)last, parts[i],
                 (long long)step);
    rk_id h = step_of(b, values, y, "y", step);
    rk_id c = rk_zoo_value(b, "decoder.%lld.c.%lld", (long long)last, (long long)step);
    rk_zoo_lstm_cell(&layers[last], &(rk_zoo_lstm_names){names[0], names[1], names[2]}, x, h, c);
    return h;
}

static bool build(rk_zoo_builder *b, const int64_t *values, rk_diag *diag)
{
    double cells = (double)values[ENCODER_LAYERS] * (double)values[ENCODER_STEPS] +
                   (double)values[DECODER_LAYERS] * (double)values[DECODER_STEPS];
    double layers = (double)(values[ENCODER_LAYERS] + values[DECODER_LAYERS]);
    double hidden = (double)values[HIDDEN];
    double cell = 10.0 * hidden * (double)values[BATCH] + RK_ZOO_LSTM_OVERHEAD;
    if (!rk_zoo_check_size("seq2seq", 8 * layers * hidden * hidden + cells * cell, diag))
        return false;
    rk_id x = encode(b, values);
    rk_zoo_lstm_layer *decoder = layers_of(b, values, values[DECODER_LAYERS], "decoder");
    rk_id y = rk_graph_tensor(b->graph, "y", RK_F32,
                              RK_SHAPE(values[DECODER_STEPS], values[BATCH], values[HIDDEN]));
    for (int64_t step = 0; step < values[DECODER_STEPS]; step++)
        x = decode_step(decoder, values, y, step, x);
    rk_graph_output(b->graph, y);
    return true;
}

const rk_zoo_model rk_zoo_seq2seq = {
    .name = "seq2seq",
    .summary = "Seq2Seq-NMT, as in the Rammer paper's table 1",
    .params = params,
    .build = build,
};
