#ifndef RK_SCHED_ZOO_RNN_H
#define RK_SCHED_ZOO_RNN_H

#include "sched/zoo/zoo_build.h"

/*
 * Layers of LSTM cells, unrolled. With a batch of 1, states are vectors and products W x, with
 * weights [4 hidden, inputs]; with more, states are matrices with a row for each element of the
 * batch and products x W, with weights [inputs, 4 hidden].
 */

/** A layer's weights, and its state after the last step that was added. */
typedef struct {
    rk_zoo_builder *b;
    int64_t batch, inputs, hidden;
    rk_id w_ih, w_hh, bias;
    rk_id h, c;
} rk_zoo_lstm_layer;

/** The names of what one cell adds. */
typedef struct {
    const char *gx, *gh, *cell; /**< nodes; the products are tensors of the same names */
} rk_zoo_lstm_names;

/** Makes w_ih.`suffix`, w_hh.`suffix` and b.`suffix`; h and c are the caller's. */
void rk_zoo_lstm_weights(rk_zoo_lstm_layer *layer, const char *suffix);

/** A state, or a step of a sequence, of `size`: its shape. Returns the rank. */
int rk_zoo_lstm_shape(int64_t shape[2], int64_t batch, int64_t size);

/** Adds the cell that reads x and the layer's h and c and writes `h` and `c`, its new ones. */
void rk_zoo_lstm_cell(rk_zoo_lstm_layer *layer, const rk_zoo_lstm_names *names, rk_id x, rk_id h,
                      rk_id c);

/** As rk_zoo_lstm_cell: names of `prefix`.`step`, new tensors for h and c. Returns h. */
rk_id rk_zoo_lstm_step(rk_zoo_lstm_layer *layer, const char *prefix, int64_t step, rk_id x);

/** Nodes and names of one cell, in elements, as a bound on what is tried. */
enum { RK_ZOO_LSTM_OVERHEAD = 256 };

#endif
