#include "sched/zoo/rnn.h"

#include <math.h>
#include <string.h>

/*
 * The LSTM of table 1 of the Rammer paper, unrolled: each cell is an input product and a recurrent
 * product over the four gates, and a pointwise cell. The state before the first step is learned, as
 * the weights are. Outputs: y [steps, hidden], the top layer's h of each step; c_n [layers,
 * hidden], the last c of each layer; and, with more than one layer, h_n [layers - 1, hidden], the
 * last h of the layers below the top, whose own is the last row of y. With a batch of more than one,
 * each has it as its second dimension. The tutorial of the paper's repository is 8 layers, 8 steps.
 */

enum { LAYERS, STEPS, HIDDEN, INPUT, BATCH };

static const rk_zoo_param params[] = {
    {"layers", 10, 1, 1000, "layers, one above the other"},
    {"steps", 100, 1, 100000, "length of the input sequence"},
    {"hidden", 256, 1, 32768, "size of a layer's state"},
    {"input", 0, 0, 32768, "size of one step of the input; 0: as hidden"},
    {"batch", 1, 1, 65536, "sequences; with 1, products are of a matrix and a vector"},
    {0},
};

/** The sizes of one model, and the tensors that its cells share. */
typedef struct {
    rk_zoo_builder *b;
    int64_t layers, steps, hidden, input, batch;
    rk_id x, y, h_n, c_n, h_0, c_0;
    rk_zoo_lstm_layer *layer;
} model;

/** Row `index` of a tensor [rows, batch, size]. */
static rk_id row(const model *m, rk_id of, int64_t index, int64_t size, const char *prefix)
{
    char name[64];
    int64_t shape[2];
    int rank = rk_zoo_lstm_shape(shape, m->batch, size);
    snprintf(name, sizeof name, "%s.%lld", prefix, (long long)index);
    return rk_graph_view(m->b->graph, name, of, rank, shape, index * m->batch * size);
}

static void add_layer(model *m, int64_t layer)
{
    char suffix[24];
    snprintf(suffix, sizeof suffix, "%lld", (long long)layer);
    m->layer[layer] = (rk_zoo_lstm_layer){.b = m->b,
                                          .batch = m->batch,
                                          .inputs = layer == 0 ? m->input : m->hidden,
                                          .hidden = m->hidden,
                                          .h = row(m, m->h_0, layer, m->hidden, "h_0"),
                                          .c = row(m, m->c_0, layer, m->hidden, "c_0")};
    rk_zoo_lstm_weights(&m->layer[layer], suffix);
}

/** The tensor that the cell's h goes to: a row of y at the top, of h_n at the last step below. */
static rk_id state_h(const model *m, int64_t step, int64_t layer)
{
    if (layer == m->layers - 1)
        return row(m, m->y, step, m->hidden, "y");
    if (step == m->steps - 1)
        return row(m, m->h_n, layer, m->hidden, "h_n");
    return rk_zoo_value(m->b, "h.%lld.%lld", (long long)layer, (long long)step);
}

static rk_id state_c(const model *m, int64_t step, int64_t layer)
{
    if (step == m->steps - 1)
        return row(m, m->c_n, layer, m->hidden, "c_n");
    return rk_zoo_value(m->b, "c.%lld.%lld", (long long)layer, (long long)step);
}

/** Adds one cell, whose input is `x`, and returns its h. */
static rk_id add_cell(model *m, int64_t step, int64_t layer, rk_id x)
{
    static const char *const parts[3] = {"gx", "gh", "cell"};
    char names[3][64];
    for (int i = 0; i < 3; i++)
        snprintf(names[i], sizeof names[i], "%s.%lld.%lld", parts[i], (long long)layer,
                 (long long)step);
    rk_id h = state_h(m, step, layer);
    rk_zoo_lstm_cell(&m->layer[layer], &(rk_zoo_lstm_names){names[0], names[1], names[2]}, x, h,
                     state_c(m, step, layer));
    return h;
}

/** A tensor [rows, size], or [rows, batch, size]: its shape. Returns the rank. */
static int stack_shape(int64_t shape[3], const model *m, int64_t rows, int64_t size)
{
    shape[0] = rows;
    shape[1] = m->batch == 1 ? size : m->batch;
    shape[2] = size;
    return m->batch == 1 ? 2 : 3;
}

static rk_id stack(const model *m, const char *name, int64_t rows, int64_t size)
{
    int64_t shape[3];
    int rank = stack_shape(shape, m, rows, size);
    return rk_graph_tensor(m->b->graph, name, RK_F32, rank, shape);
}

static rk_id first_states(const model *m, const char *name)
{
    int64_t shape[3];
    int rank = stack_shape(shape, m, m->layers, m->hidden);
    return rk_zoo_weights(m->b, name, (float)(1.0 / sqrt((double)m->hidden)), rank, shape);
}

static void add_shared(model *m)
{
    rk_graph *graph = m->b->graph;
    m->x = stack(m, "x", m->steps, m->input);
    m->y = stack(m, "y", m->steps, m->hidden);
    m->c_n = stack(m, "c_n", m->layers, m->hidden);
    rk_graph_input(graph, m->x);
    rk_graph_output(graph, m->y);
    rk_graph_output(graph, m->c_n);
    if (m->layers > 1) {
        m->h_n = stack(m, "h_n", m->layers - 1, m->hidden);
        rk_graph_output(graph, m->h_n);
    }
    m->h_0 = first_states(m, "h_0");
    m->c_0 = first_states(m, "c_0");
    m->layer = RK_NEW_ARRAY(graph->arena, rk_zoo_lstm_layer, (size_t)m->layers);
}

static model sizes_of(const int64_t *values)
{
    return (model){.layers = values[LAYERS],
                   .steps = values[STEPS],
                   .hidden = values[HIDDEN],
                   .input = values[INPUT] ? values[INPUT] : values[HIDDEN],
                   .batch = values[BATCH]};
}

static bool build(rk_zoo_builder *b, const int64_t *values, rk_diag *diag)
{
    model m = sizes_of(values);
    m.b = b;
    double below = (double)m.input + (double)(m.layers - 1) * (double)m.hidden;
    double weights = 4.0 * (double)m.hidden * (below + (double)m.layers * (double)m.hidden);
    double cells = (double)m.layers * (double)m.steps;
    double cell = 10.0 * (double)m.hidden * (double)m.batch + RK_ZOO_LSTM_OVERHEAD;
    double activations = (double)m.steps * (double)m.input * (double)m.batch + cells * cell;
    if (!rk_zoo_check_size("lstm", weights + activations, diag))
        return false;
    add_shared(&m);
    for (int64_t layer = 0; layer < m.layers; layer++)
        add_layer(&m, layer);
    for (int64_t step = 0; step < m.steps; step++) {
        rk_id x = row(&m, m.x, step, m.input, "x");
        for (int64_t layer = 0; layer < m.layers; layer++)
            x = add_cell(&m, step, layer, x);
    }
    return true;
}

static double sigmoid(double v)
{
    return 1.0 / (1.0 + exp(-v));
}

/** Weights of one layer, and its state, which is never rounded. */
typedef struct {
    const float *w_ih, *w_hh, *bias;
    double *h, *c, *next_h;
    int64_t inputs;
    bool transposed; /**< the weights are [inputs, 4 hidden] */
} layer_state;

/** The weight of gate unit `unit` of `units` for input `k` of `inputs`. */
static double weight(const layer_state *l, const float *w, int64_t inputs, int64_t units,
                     int64_t unit, int64_t k)
{
    return (double)(l->transposed ? w[k * units + unit] : w[unit * inputs + k]);
}

/** One step: i, o, f, c as ONNX orders the gates. */
static void step_layer(layer_state *l, const double *x, int64_t hidden)
{
    for (int64_t j = 0; j < hidden; j++) {
        double gate[4];
        for (int64_t g = 0; g < 4; g++) {
            int64_t unit = g * hidden + j;
            gate[g] = (double)l->bias[unit];
            for (int64_t k = 0; k < l->inputs; k++)
                gate[g] += weight(l, l->w_ih, l->inputs, 4 * hidden, unit, k) * x[k];
            for (int64_t k = 0; k < hidden; k++)
                gate[g] += weight(l, l->w_hh, hidden, 4 * hidden, unit, k) * l->h[k];
        }
        l->c[j] = sigmoid(gate[2]) * l->c[j] + sigmoid(gate[0]) * tanh(gate[3]);
        l->next_h[j] = sigmoid(gate[1]) * tanh(l->c[j]);
    }
    memcpy(l->h, l->next_h, (size_t)hidden * sizeof *l->h);
}

static layer_state start_layer(const rk_graph *graph, const model *m, int64_t layer, int64_t image,
                               rk_arena *scratch)
{
    size_t first = (size_t)((layer * m->batch + image) * m->hidden);
    size_t hidden = (size_t)m->hidden;
    layer_state l = {.w_ih = rk_zoo_constant(graph, "w_ih.%lld", (long long)layer),
                     .w_hh = rk_zoo_constant(graph, "w_hh.%lld", (long long)layer),
                     .bias = rk_zoo_constant(graph, "b.%lld", (long long)layer),
                     .h = RK_NEW_ARRAY(scratch, double, hidden),
                     .c = RK_NEW_ARRAY(scratch, double, hidden),
                     .next_h = RK_NEW_ARRAY(scratch, double, hidden),
                     .inputs = layer == 0 ? m->input : m->hidden,
                     .transposed = m->batch > 1};
    for (size_t j = 0; j < hidden; j++) {
        l.h[j] = (double)rk_zoo_constant(graph, "h_0")[first + j];
        l.c[j] = (double)rk_zoo_constant(graph, "c_0")[first + j];
    }
    return l;
}

/** The sequence `image` of the batch. */
static void follow(void *const *outputs, const float *x, const rk_graph *graph, const model *m,
                   int64_t image, rk_arena *scratch)
{
    float *y = outputs[0];
    float *c_n = outputs[1];
    layer_state *layers = RK_NEW_ARRAY(scratch, layer_state, (size_t)m->layers);
    double *first = RK_NEW_ARRAY(scratch, double, (size_t)m->input);
    for (int64_t l = 0; l < m->layers; l++)
        layers[l] = start_layer(graph, m, l, image, scratch);
    for (int64_t t = 0; t < m->steps; t++) {
        for (int64_t k = 0; k < m->input; k++)
            first[k] = (double)x[(t * m->batch + image) * m->input + k];
        for (int64_t l = 0; l < m->layers; l++)
            step_layer(&layers[l], l == 0 ? first : layers[l - 1].h, m->hidden);
        for (int64_t j = 0; j < m->hidden; j++)
            y[(t * m->batch + image) * m->hidden + j] = (float)layers[m->layers - 1].h[j];
    }
    for (int64_t l = 0; l < m->layers; l++)
        for (int64_t j = 0; j < m->hidden; j++) {
            int64_t at = (l * m->batch + image) * m->hidden + j;
            c_n[at] = (float)layers[l].c[j];
            if (l < m->layers - 1)
                ((float *)outputs[2])[at] = (float)layers[l].h[j];
        }
}

static void reference(void *const *outputs, const void *const *inputs, const rk_graph *graph,
                      const int64_t *values, rk_arena *scratch)
{
    model m = sizes_of(values);
    for (int64_t image = 0; image < m.batch; image++)
        follow(outputs, inputs[0], graph, &m, image, scratch);
}

const rk_zoo_model rk_zoo_lstm = {
    .name = "lstm",
    .summary = "LSTM unrolled over its steps, as in the Rammer paper's table 1",
    .params = params,
    .build = build,
    .reference = reference,
};
