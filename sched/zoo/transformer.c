#include "sched/zoo/zoo_build.h"

#include <math.h>
#include <string.h>

/*
 * Transformers: a block, BERT's encoder, and one step of GPT-2's decoder behind a cache of keys and values. Input x, output
 * y [length, width]: words that are embedded, for a model's inputs are f32; the step also takes and gives each layer's
 * keys and values, [heads, words, size].
 */

enum { LAYERS, LENGTH, WIDTH, HEADS, INNER, PAST };

#define SIZES(layers, length, most, width, heads, inner)                                           \
    {"layers", layers, 1, 1000, "layers"}, {"length", length, 1, most, "words"},                   \
        {"width", width, 1, 65536, "numbers of a word"},                                           \
        {"heads", heads, 1, 1024, "heads, which divide the width"},                                \
    {                                                                                              \
        "inner", inner, 1, 262144, "width between the two dense layers"                            \
    }

static const rk_zoo_param block_params[] = {SIZES(1, 16, 65536, 64, 4, 256), {0}};
static const rk_zoo_param bert_params[] = {SIZES(12, 64, 65536, 768, 12, 3072), {0}};
static const rk_zoo_param gpt2_params[] = {
    SIZES(12, 1, 1, 768, 12, 3072), {"past", 31, 1, 65536, "words in the cache"}, {0}};

/** A model in the making. `before`: norms stand before a layer's halves, as GPT-2's, and not behind them. */
typedef struct {
    rk_zoo_builder *b;
    int64_t length, width, heads, inner, past, size;
    double epsilon;
    bool before;
    long long layer;
} maker;

static const char *name_of(const maker *m, const char *what)
{
    return rk_arena_printf(m->b->graph->arena, "%s.%lld", what, m->layer);
}

static void add_to(const maker *m, const char *what, const char *op, const rk_id *in, size_t count,
                   rk_id out)
{
    rk_graph_node(m->b->graph, rk_arena_printf(m->b->graph->arena, "%s.node", name_of(m, what)), op,
                  in, count, &out, 1);
}

static rk_id add_node(const maker *m, const char *what, const char *op, const rk_id *in,
                      size_t count)
{
    const rk_id out = rk_zoo_value(m->b, "%s", name_of(m, what));
    add_to(m, what, op, in, count, out);
    return out;
}

static rk_id last_node(const maker *m)
{
    return (rk_id)(m->b->graph->node_count - 1);
}

static rk_id dense(const maker *m, const char *what, rk_id x, int64_t from, int64_t to,
                   const char *activation)
{
    const float bound = (float)(1.0 / sqrt((double)from));
    rk_arena *arena = m->b->graph->arena;
    const char *name = name_of(m, what);
    const rk_id w =
        rk_zoo_weights(m->b, rk_arena_printf(arena, "w.%s", name), bound, RK_SHAPE(from, to));
    const rk_id bias =
        rk_zoo_weights(m->b, rk_arena_printf(arena, "b.%s", name), bound, RK_SHAPE(to));
    const rk_id product =
        add_node(m, rk_arena_printf(arena, "product.%s", what), "MatMul", (const rk_id[]){x, w}, 2);
    const rk_id out =
        rk_graph_tensor(m->b->graph, name, RK_F32, RK_SHAPE(m->length, to)); /* views need it */
    add_to(m, what, "BiasAdd", (const rk_id[]){product, bias}, 2, out);
    rk_graph_attr_string(m->b->graph, last_node(m), "activation", activation);
    return out;
}

static rk_id norm(const maker *m, const char *what, rk_id x)
{
    rk_arena *arena = m->b->graph->arena;
    const char *name = name_of(m, what);
    const rk_id in[] = {
        x,
        rk_zoo_weights_about(m->b, rk_arena_printf(arena, "scale.%s", name), 1, 0.5F,
                             RK_SHAPE(m->width)),
        rk_zoo_weights(m->b, rk_arena_printf(arena, "shift.%s", name), 0.5F, RK_SHAPE(m->width))};
    const rk_id out = add_node(m, what, "LayerNormalization", in, 3);
    rk_graph_attr_real(m->b->graph, last_node(m), "epsilon", m->epsilon);
    return out;
}

static rk_id turn(const maker *m, const char *what, rk_id x, int64_t a, int64_t b, int64_t c)
{
    const rk_id out = add_node(m, what, "Transpose", &x, 1);
    rk_graph_attr_ints(m->b->graph, last_node(m), "perm", (const int64_t[]){a, b, c}, 3);
    return out;
}

/** [length, width] as [heads, length, size]. */
static rk_id in_heads(const maker *m, const char *what, rk_id x)
{
    const rk_id parts =
        rk_zoo_view(m->b, x, RK_SHAPE(m->length, m->heads, m->size), "%s",
                    name_of(m, rk_arena_printf(m->b->graph->arena, "%s_parts", what)));
    return turn(m, what, parts, 1, 0, 2);
}

/** Behind the cache, which is an input; what comes of it is an output. */
static rk_id behind_cache(const maker *m, const char *what, rk_id now)
{
    if (m->past == 0)
        return now;
    const rk_id past = rk_graph_tensor(
        m->b->graph, name_of(m, rk_arena_printf(m->b->graph->arena, "past_%s", what)), RK_F32,
        RK_SHAPE(m->heads, m->past, m->size));
    rk_graph_input(m->b->graph, past);
    const rk_id all = add_node(m, rk_arena_printf(m->b->graph->arena, "%s_all", what), "Concat",
                               (const rk_id[]){past, now}, 2);
    rk_graph_attr_int(m->b->graph, last_node(m), "axis", 1);
    rk_graph_output(m->b->graph, all);
    return all;
}

static rk_id attention(const maker *m, rk_id x)
{
    const rk_id q = in_heads(m, "q_heads", dense(m, "q", x, m->width, m->width, "none"));
    const rk_id k =
        behind_cache(m, "k", in_heads(m, "k_heads", dense(m, "k", x, m->width, m->width, "none")));
    const rk_id v =
        behind_cache(m, "v", in_heads(m, "v_heads", dense(m, "v", x, m->width, m->width, "none")));
    const rk_id scale = rk_zoo_weights_about(m->b, name_of(m, "factor"),
                                             (float)(1 / sqrt((double)m->size)), 0, RK_SHAPE(1));
    const rk_id scores =
        add_node(m, "scores", "MatMul", (const rk_id[]){q, turn(m, "k_turned", k, 0, 2, 1)}, 2);
    const rk_id scaled = add_node(m, "scaled", "Mul", (const rk_id[]){scores, scale}, 2);
    const rk_id weights = add_node(m, "weights", "Softmax", &scaled, 1);
    const rk_id found = add_node(m, "found", "MatMul", (const rk_id[]){weights, v}, 2);
    const rk_id turned = rk_graph_tensor(m->b->graph, name_of(m, "found_turned"), RK_F32,
                                         RK_SHAPE(m->length, m->heads, m->size));
    add_to(m, "found_turned", "Transpose", &found, 1, turned);
    rk_graph_attr_ints(m->b->graph, last_node(m), "perm", (const int64_t[]){1, 0, 2}, 3);
    const rk_id rows =
        rk_zoo_view(m->b, turned, RK_SHAPE(m->length, m->width), "%s", name_of(m, "found_rows"));
    return dense(m, "out", rows, m->width, m->width, "none");
}

static rk_id add_layer(const maker *m, rk_id x)
{
    const rk_id a = attention(m, m->before ? norm(m, "norm_a", x) : x);
    rk_id r = add_node(m, "sum_a", "Add", (const rk_id[]){x, a}, 2);
    r = m->before ? r : norm(m, "norm_a", r);
    const rk_id up =
        dense(m, "up", m->before ? norm(m, "norm_b", r) : r, m->width, m->inner, "gelu");
    const rk_id down = dense(m, "down", up, m->inner, m->width, "none");
    const rk_id y = add_node(m, "sum_b", "Add", (const rk_id[]){r, down}, 2);
    return m->before ? y : norm(m, "norm_b", y);
}

static bool make(rk_zoo_builder *b, const char *model, const int64_t *values, bool before,
                 int64_t past, rk_diag *diag)
{
    maker m = {.b = b,
               .length = values[LENGTH],
               .width = values[WIDTH],
               .heads = values[HEADS],
               .inner = values[INNER],
               .past = past,
               .epsilon = before ? 1e-5 : 1e-12,
               .before = before};
    if (m.width % m.heads)
        return rk_diag_add(diag, RK_ERROR, "RK-Z001", (rk_place){0}, NULL,
                           "--heads %lld does not divide --width %lld", (long long)m.heads,
                           (long long)m.width);
    m.size = m.width / m.heads;
    const double words = (double)(m.length + past), width = (double)m.width;
    if (!rk_zoo_check_size(model,
                           (double)values[LAYERS] *
                               (4 * width * width + 2 * width * (double)m.inner +
                                3 * (double)m.heads * (double)m.length * words +
                                words * (20 * width + 2 * (double)m.inner)),
                           diag))
        return false;
    rk_id x = rk_graph_tensor(b->graph, "x", RK_F32, RK_SHAPE(m.length, m.width));
    rk_graph_input(b->graph, x);
    for (; m.layer < values[LAYERS]; m.layer++)
        x = add_layer(&m, x);
    if (before)
        x = norm(&m, "norm", x);
    rk_graph_output(b->graph, x);
    return true;
}

static bool build_block(rk_zoo_builder *b, const int64_t *values, rk_diag *diag)
{
    return make(b, "transformer", values, false, 0, diag);
}

static bool build_bert(rk_zoo_builder *b, const int64_t *values, rk_diag *diag)
{
    return make(b, "bert", values, false, 0, diag);
}

static bool build_gpt2(rk_zoo_builder *b, const int64_t *values, rk_diag *diag)
{
    return make(b, "gpt2", values, true, values[PAST], diag);
}

/* The models from their definition, word by word. */

typedef struct {
    const rk_graph *graph;
    int64_t length, width, heads, inner, past;
    double epsilon;
    bool before;
    rk_arena *arena;
} reference;

static double *rows_of(const reference *r, int64_t columns)
{
    return RK_NEW_ARRAY(r->arena, double, (size_t)((r->length + r->past) * columns));
}

static double *multiply(const reference *r, const double *x, const char *name, int64_t layer,
                        int64_t from, int64_t to)
{
    const float *w = rk_zoo_constant(r->graph, "w.%s.%lld", name, (long long)layer);
    const float *bias = rk_zoo_constant(r->graph, "b.%s.%lld", name, (long long)layer);
    double *y = rows_of(r, to);
    for (int64_t i = 0; i < r->length; i++)
        for (int64_t j = 0; j < to; j++) {
            double sum = (double)bias[j];
            for (int64_t k = 0; k < from; k++)
                sum += x[i * from + k] * (double)w[k * to + j];
            y[i * to + j] = sum;
        }
    return y;
}

static double *normalised(const reference *r, const double *x, const char *name, int64_t layer)
{
    const float *scale = rk_zoo_constant(r->graph, "scale.%s.%lld", name, (long long)layer);
    const float *shift = rk_zoo_constant(r->graph, "shift.%s.%lld", name, (long long)layer);
    double *y = rows_of(r, r->width);
    for (int64_t i = 0; i < r->length; i++) {
        const double *row = x + i * r->width;
        double mean = 0, spread = 0;
        for (int64_t k = 0; k < r->width; k++)
            mean += row[k] / (double)r->width;
        for (int64_t k = 0; k < r->width; k++)
            spread += (row[k] - mean) * (row[k] - mean) / (double)r->width;
        for (int64_t k = 0; k < r->width; k++)
            y[i * r->width + k] =
                (row[k] - mean) / sqrt(spread + r->epsilon) * (double)scale[k] + (double)shift[k];
    }
    return y;
}

/** Of keys or values the rows of the cache, then those of now; *kept, if it is there, gets all, by heads. */
static double *with_past(const reference *r, const double *now, const float *past, float *kept)
{
    const int64_t size = r->width / r->heads, words = r->past + r->length;
    double *all = rows_of(r, r->width);
    for (int64_t h = 0; h < r->heads; h++)
        for (int64_t i = 0; i < words; i++)
            for (int64_t k = 0; k < size; k++) {
                const double v = i < r->past ? (double)past[(h * r->past + i) * size + k]
                                             : now[(i - r->past) * r->width + h * size + k];
                all[(h * words + i) * size + k] = v;
                if (kept)
                    kept[(h * words + i) * size + k] = (float)v;
            }
    return all;
}

/** What query i of head h finds. */
static void attend(const reference *r, double *out, const double *q, const double *k,
                   const double *v, int64_t h, int64_t i)
{
    const int64_t size = r->width / r->heads, words = r->past + r->length;
    double *weight = RK_NEW_ARRAY(r->arena, double, (size_t)words);
    double most = -INFINITY, sum = 0;
    for (int64_t j = 0; j < words; j++) {
        for (int64_t d = 0; d < size; d++)
            weight[j] += q[i * r->width + h * size + d] * k[(h * words + j) * size + d];
        weight[j] /= sqrt((double)size);
        most = weight[j] > most ? weight[j] : most;
    }
    for (int64_t j = 0; j < words; j++)
        sum += weight[j] = exp(weight[j] - most);
    for (int64_t j = 0; j < words; j++)
        for (int64_t d = 0; d < size; d++)
            out[i * r->width + h * size + d] += weight[j] / sum * v[(h * words + j) * size + d];
}

/** Inputs and outputs: x, then keys and values of each layer; keys and values, then y. */
static double *refer_layer(const reference *r, double *x, const void *const *inputs,
                           void *const *outputs, int64_t layer)
{
    const double *a = r->before ? normalised(r, x, "norm_a", layer) : x;
    const double *q = multiply(r, a, "q", layer, r->width, r->width);
    const double *kv[2];
    static const char *const names[] = {"k", "v"};
    for (int64_t i = 0; i < 2; i++)
        kv[i] = with_past(r, multiply(r, a, names[i], layer, r->width, r->width),
                          r->past ? inputs[1 + 2 * layer + i] : NULL,
                          r->past ? outputs[2 * layer + i] : NULL);
    double *found = rows_of(r, r->width);
    for (int64_t h = 0; h < r->heads; h++)
        for (int64_t i = 0; i < r->length; i++)
            attend(r, found, q, kv[0], kv[1], h, i);
    double *sum = multiply(r, found, "out", layer, r->width, r->width);
    for (int64_t i = 0; i < r->length * r->width; i++)
        sum[i] += x[i];
    if (!r->before)
        sum = normalised(r, sum, "norm_a", layer);
    double *up = multiply(r, r->before ? normalised(r, sum, "norm_b", layer) : sum, "up", layer,
                          r->width, r->inner);
    for (int64_t i = 0; i < r->length * r->inner; i++)
        up[i] *= 0.5 * (1 + erf(up[i] / sqrt(2.0)));
    double *y = multiply(r, up, "down", layer, r->inner, r->width);
    for (int64_t i = 0; i < r->length * r->width; i++)
        y[i] += sum[i];
    return r->before ? y : normalised(r, y, "norm_b", layer);
}

static void refer(void *const *outputs, const void *const *inputs, const rk_graph *graph,
                  const int64_t *values, bool before, int64_t past, rk_arena *arena)
{
    const reference r = {.graph = graph,
                         .length = values[LENGTH],
                         .width = values[WIDTH],
                         .heads = values[HEADS],
                         .inner = values[INNER],
                         .past = past,
                         .epsilon = before ? 1e-5 : 1e-12,
                         .before = before,
                         .arena = arena};
    double *x = rows_of(&r, r.width);
    for (int64_t i = 0; i < r.length * r.width; i++)
        x[i] = (double)((const float *)inputs[0])[i];
    for (int64_t layer = 0; layer < values[LAYERS]; layer++)
        x = refer_layer(&r, x, inputs, outputs, layer);
    if (before)
        x = normalised(&r, x, "norm", values[LAYERS]);
    float *y = outputs[past ? 2 * values[LAYERS] : 0];
    for (int64_t i = 0; i < r.length * r.width; i++)
        y[i] = (float)x[i];
}

static void encoder_reference(void *const *outputs, const void *const *inputs,
                              const rk_graph *graph, const int64_t *values, rk_arena *arena)
{
    refer(outputs, inputs, graph, values, false, 0, arena);
}

static void step_reference(void *const *outputs, const void *const *inputs, const rk_graph *graph,
                           const int64_t *values, rk_arena *arena)
{
    refer(outputs, inputs, graph, values, true, values[PAST], arena);
}

const rk_zoo_model rk_zoo_transformer = {
    .name = "transformer",
    .summary = "a block of a transformer: attention and two dense layers, with norms behind them",
    .params = block_params,
    .build = build_block,
    .reference = encoder_reference,
};

const rk_zoo_model rk_zoo_bert = {
    .name = "bert",
    .summary = "BERT-base's encoder, on words that are embedded",
    .params = bert_params,
    .build = build_bert,
    .reference = encoder_reference,
};

const rk_zoo_model rk_zoo_gpt2 = {
    .name = "gpt2",
    .summary = "GPT-2's layers for one word, behind a cache of keys and values",
    .params = gpt2_params,
    .build = build_gpt2,
    .reference = step_reference,
};
