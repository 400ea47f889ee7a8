#include "sched/zoo/rnn.h"

#include <math.h>

static rk_id weights(rk_zoo_lstm_layer *layer, const char *prefix, const char *suffix,
                     int64_t inputs)
{
    char name[96];
    int64_t gates = 4 * layer->hidden;
    float bound = (float)(1.0 / sqrt((double)layer->hidden));
    bool one = layer->batch == 1;
    snprintf(name, sizeof name, "%s.%s", prefix, suffix);
    return rk_zoo_weights(layer->b, name, bound,
                          RK_SHAPE(one ? gates : inputs, one ? inputs : gates));
}

void rk_zoo_lstm_weights(rk_zoo_lstm_layer *layer, const char *suffix)
{
    char name[96];
    float bound = (float)(1.0 / sqrt((double)layer->hidden));
    layer->w_ih = weights(layer, "w_ih", suffix, layer->inputs);
    layer->w_hh = weights(layer, "w_hh", suffix, layer->hidden);
    snprintf(name, sizeof name, "b.%s", suffix);
    layer->bias = rk_zoo_weights(layer->b, name, bound, RK_SHAPE(4 * layer->hidden));
}

int rk_zoo_lstm_shape(int64_t shape[2], int64_t batch, int64_t size)
{
    shape[0] = batch == 1 ? size : batch;
    shape[1] = size;
    return batch == 1 ? 1 : 2;
}

static rk_id product(rk_zoo_lstm_layer *layer, const char *name, rk_id w, rk_id x)
{
    rk_id out = rk_zoo_value(layer->b, "%s", name);
    rk_id first = layer->batch == 1 ? w : x;
    rk_id second = layer->batch == 1 ? x : w;
    rk_graph_node(layer->b->graph, name, "MatMul", (const rk_id[]){first, second}, 2, &out, 1);
    return out;
}

void rk_zoo_lstm_cell(rk_zoo_lstm_layer *layer, const rk_zoo_lstm_names *names, rk_id x, rk_id h,
                      rk_id c)
{
    rk_id gx = product(layer, names->gx, layer->w_ih, x);
    rk_id gh = product(layer, names->gh, layer->w_hh, layer->h);
    rk_graph_node(layer->b->graph, names->cell, "LSTMCell",
                  (const rk_id[]){gx, gh, layer->bias, layer->c}, 4, (const rk_id[]){h, c}, 2);
    layer->h = h;
    layer->c = c;
}

rk_id rk_zoo_lstm_step(rk_zoo_lstm_layer *layer, const char *prefix, int64_t step, rk_id x)
{
    char gx[96];
    char gh[96];
    char cell[96];
    snprintf(gx, sizeof gx, "%s.gx.%lld", prefix, (long long)step);
    snprintf(gh, sizeof gh, "%s.gh.%lld", prefix, (long long)step);
    snprintf(cell, sizeof cell, "%s.cell.%lld", prefix, (long long)step);
    rk_id h = rk_zoo_value(layer->b, "%s.h.%lld", prefix, (long long)step);
    rk_id c = rk_zoo_value(layer->b, "%s.c.%lld", prefix, (long long)step);
    rk_zoo_lstm_cell(layer, &(rk_zoo_lstm_names){gx, gh, cell}, x, h, c);
    return h;
}
