#include "sched/zoo/build.h"

#include <math.h>
#include <string.h>

/*
 * The LSTM of table 1 of the Rammer paper, unrolled: each cell is an input product and a recurrent
 * product over the four gates, and a pointwise cell. The state before the first step is learned, as
 * the weights are. Outputs: y [steps, hidden], the top layer's h of each step; c_n [layers,
 * hidden], the last c of each layer; and, with more than one layer, h_n [layers - 1, hidden], the
 * last h of the layers below the top, whose own is the last row of y.
 */

enum { LAYERS, STEPS, HIDDEN, INPUT };

static const rk_zoo_param params[] = {
    {"layers", 10, 1, 1000, "layers, one above the other"},
    {"steps", 100, 1, 100000, "length of the input sequence"},
    {"hidden", 256, 1, 32768, "size of a layer's state"},
    {"input", 0, 0, 32768, "size of one step of the input; 0: as hidden"},
    {0},
};

/** The sizes of one model, and the tensors that its cells share. */
typedef struct {
    rk_zoo_builder *b;
    int64_t layers, steps, hidden, input;
    rk_id x, y, h_n, c_n, h_0, c_0;
    rk_id *w_ih, *w_hh, *bias; /**< by layer */
    rk_id *h, *c;              /**< by layer: the state after the last step built */
} model;

static rk_id row(const model *m, rk_id of, int64_t index, int64_t size, const char *name)
{
    return rk_graph_view(m->b->graph, name, of, 1, &size, index * size);
}

static rk_id named_row(const model *m, rk_id of, int64_t index, const char *prefix)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%lld", prefix, (long long)index);
    return row(m, of, index, m->hidden, name);
}

static void add_layer(model *m, int64_t layer)
{
    char name[64];
    int64_t below = layer == 0 ? m->input : m->hidden;
    float bound = (float)(1.0 / sqrt((double)m->hidden));
    snprintf(name, sizeof name, "w_ih.%lld", (long long)layer);
    m->w_ih[layer] = rk_zoo_weights(m->b, name, bound, RK_SHAPE(4 * m->hidden, below));
    snprintf(name, sizeof name, "w_hh.%lld", (long long)layer);
    m->w_hh[layer] = rk_zoo_weights(m->b, name, bound, RK_SHAPE(4 * m->hidden, m->hidden));
    snprintf(name, sizeof name, "b.%lld", (long long)layer);
    m->bias[layer] = rk_zoo_weights(m->b, name, bound, RK_SHAPE(4 * m->hidden));
    m->h[layer] = named_row(m, m->h_0, layer, "h_0");
    m->c[layer] = named_row(m, m->c_0, layer, "c_0");
}

/** The tensor that the cell's h goes to: a row of y at the top, of h_n at the last step below. */
static rk_id state_h(const model *m, int64_t step, int64_t layer)
{
    if (layer == m->layers - 1)
        return named_row(m, m->y, step, "y");
    if (step == m->steps - 1)
        return named_row(m, m->h_n, layer, "h_n");
    return rk_zoo_value(m->b, "h.%lld.%lld", (long long)layer, (long long)step);
}

static rk_id state_c(const model *m, int64_t step, int64_t layer)
{
    if (step == m->steps - 1)
        return named_row(m, m->c_n, layer, "c_n");
    return rk_zoo_value(m->b, "c.%lld.%lld", (long long)layer, (long long)step);
}

static rk_id product(const model *m, const char *prefix, int64_t step, int64_t layer, rk_id weights,
                     rk_id vector)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%lld.%lld", prefix, (long long)layer, (long long)step);
    rk_id out = rk_zoo_value(m->b, "%s", name);
    rk_graph_node(m->b->graph, name, "MatMul", (const rk_id[]){weights, vector}, 2, &out, 1);
    return out;
}

/** Adds one cell, whose input is `x`, and returns its h. */
static rk_id add_cell(model *m, int64_t step, int64_t layer, rk_id x)
{
    char name[64];
    rk_id gx = product(m, "gx", step, layer, m->w_ih[layer], x);
    rk_id gh = product(m, "gh", step, layer, m->w_hh[layer], m->h[layer]);
    rk_id out[2] = {state_h(m, step, layer), state_c(m, step, layer)};
    snprintf(name, sizeof name, "cell.%lld.%lld", (long long)layer, (long long)step);
    rk_graph_node(m->b->graph, name, "LSTMCell",
                  (const rk_id[]){gx, gh, m->bias[layer], m->c[layer]}, 4, out, 2);
    m->h[layer] = out[0];
    m->c[layer] = out[1];
    return out[0];
}

static void add_shared(model *m)
{
    rk_graph *graph = m->b->graph;
    rk_arena *arena = graph->arena;
    float bound = (float)(1.0 / sqrt((double)m->hidden));
    size_t layers = (size_t)m->layers;
    m->x = rk_graph_tensor(graph, "x", RK_F32, RK_SHAPE(m->steps, m->input));
    m->y = rk_graph_tensor(graph, "y", RK_F32, RK_SHAPE(m->steps, m->hidden));
    m->c_n = rk_graph_tensor(graph, "c_n", RK_F32, RK_SHAPE(m->layers, m->hidden));
    rk_graph_input(graph, m->x);
    rk_graph_output(graph, m->y);
    rk_graph_output(graph, m->c_n);
    if (m->layers > 1) {
        m->h_n = rk_graph_tensor(graph, "h_n", RK_F32, RK_SHAPE(m->layers - 1, m->hidden));
        rk_graph_output(graph, m->h_n);
    }
    m->h_0 = rk_zoo_weights(m->b, "h_0", bound, RK_SHAPE(m->layers, m->hidden));
    m->c_0 = rk_zoo_weights(m->b, "c_0", bound, RK_SHAPE(m->layers, m->hidden));
    m->w_ih = RK_NEW_ARRAY(arena, rk_id, layers);
    m->w_hh = RK_NEW_ARRAY(arena, rk_id, layers);
    m->bias = RK_NEW_ARRAY(arena, rk_id, layers);
    m->h = RK_NEW_ARRAY(arena, rk_id, layers);
    m->c = RK_NEW_ARRAY(arena, rk_id, layers);
}

static model sizes_of(const int64_t *values)
{
    return (model){.layers = values[LAYERS],
                   .steps = values[STEPS],
                   .hidden = values[HIDDEN],
                   .input = values[INPUT] ? values[INPUT] : values[HIDDEN]};
}

/** What the names and nodes of a cell take, in elements. */
enum { OVERHEAD = 256 };

static bool build(rk_zoo_builder *b, const int64_t *values, rk_diag *diag)
{
    model m = sizes_of(values);
    m.b = b;
    double below = (double)m.input + (double)(m.layers - 1) * (double)m.hidden;
    double weights = 4.0 * (double)m.hidden * (below + (double)m.layers * (double)m.hidden);
    double cells = (double)m.layers * (double)m.steps;
    double cell = 10.0 * (double)m.hidden + (double)OVERHEAD;
    double activations = (double)m.steps * (double)m.input + cells * cell;
    if (!rk_zoo_check_size("lstm", weights + activations, diag))
        return false;
    add_shared(&m);
    for (int64_t layer = 0; layer < m.layers; layer++)
        add_layer(&m, layer);
    for (int64_t step = 0; step < m.steps; step++) {
        char name[64];
        snprintf(name, sizeof name, "x.%lld", (long long)step);
        rk_id x = row(&m, m.x, step, m.input, name);
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
} layer_state;

/** One step: i, o, f, c as ONNX orders the gates. */
static void step_layer(layer_state *l, const double *x, int64_t hidden)
{
    for (int64_t j = 0; j < hidden; j++) {
        double gate[4];
        for (int64_t g = 0; g < 4; g++) {
            int64_t unit = g * hidden + j;
            gate[g] = (double)l->bias[unit];
            for (int64_t k = 0; k < l->inputs; k++)
                gate[g] += (double)l->w_ih[unit * l->inputs + k] * x[k];
            for (int64_t k = 0; k < hidden; k++)
                gate[g] += (double)l->w_hh[unit * hidden + k] * l->h[k];
        }
        l->c[j] = sigmoid(gate[2]) * l->c[j] + sigmoid(gate[0]) * tanh(gate[3]);
        l->next_h[j] = sigmoid(gate[1]) * tanh(l->c[j]);
    }
    memcpy(l->h, l->next_h, (size_t)hidden * sizeof *l->h);
}

static layer_state start_layer(const rk_graph *graph, const model *m, int64_t layer,
                               rk_arena *scratch)
{
    size_t hidden = (size_t)m->hidden;
    layer_state l = {.w_ih = rk_zoo_constant(graph, "w_ih.%lld", (long long)layer),
                     .w_hh = rk_zoo_constant(graph, "w_hh.%lld", (long long)layer),
                     .bias = rk_zoo_constant(graph, "b.%lld", (long long)layer),
                     .h = RK_NEW_ARRAY(scratch, double, hidden),
                     .c = RK_NEW_ARRAY(scratch, double, hidden),
                     .next_h = RK_NEW_ARRAY(scratch, double, hidden),
                     .inputs = layer == 0 ? m->input : m->hidden};
    for (size_t j = 0; j < hidden; j++) {
        l.h[j] = (double)rk_zoo_constant(graph, "h_0")[(size_t)layer * hidden + j];
        l.c[j] = (double)rk_zoo_constant(graph, "c_0")[(size_t)layer * hidden + j];
    }
    return l;
}

static void reference(void *const *outputs, const void *const *inputs, const rk_graph *graph,
                      const int64_t *values, rk_arena *scratch)
{
    model m = sizes_of(values);
    const float *x = inputs[0];
    float *y = outputs[0];
    float *c_n = outputs[1];
    layer_state *layers = RK_NEW_ARRAY(scratch, layer_state, (size_t)m.layers);
    double *first = RK_NEW_ARRAY(scratch, double, (size_t)m.input);
    for (int64_t l = 0; l < m.layers; l++)
        layers[l] = start_layer(graph, &m, l, scratch);
    for (int64_t t = 0; t < m.steps; t++) {
        for (int64_t k = 0; k < m.input; k++)
            first[k] = (double)x[t * m.input + k];
        for (int64_t l = 0; l < m.layers; l++)
            step_layer(&layers[l], l == 0 ? first : layers[l - 1].h, m.hidden);
        for (int64_t j = 0; j < m.hidden; j++)
            y[t * m.hidden + j] = (float)layers[m.layers - 1].h[j];
    }
    for (int64_t l = 0; l < m.layers; l++)
        for (int64_t j = 0; j < m.hidden; j++) {
            c_n[l * m.hidden + j] = (float)layers[l].c[j];
            if (l < m.layers - 1)
                ((float *)outputs[2])[l * m.hidden + j] = (float)layers[l].h[j];
        }
}

const rk_zoo_model rk_zoo_lstm = {
    .name = "lstm",
    .summary = "LSTM unrolled over its steps, as in the Rammer paper's table 1",
    .params = params,
    .build = build,
    .reference = reference,
};
