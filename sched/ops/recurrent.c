#include "sched/ops/op_operands.h"

#include <math.h>

/** The two gate operands have the shape of `state`, its last dimension times `gates`. */
static bool check_gates(const rk_op_call *call, const rk_tensor *state, int gates, rk_diag *diag)
{
    if (state->rank < 1 || state->rank > 2)
        return rk_op_fail(call, diag, "RK-G008", "'%s' has %d dimensions, not 1 or 2", state->name,
                          state->rank);
    const rk_graph *graph = call->graph;
    rk_sym extents[2] = {rk_tensor_extent(graph, state, 0)};
    const rk_sym last = rk_tensor_extent(graph, state, state->rank - 1);
    extents[state->rank - 1] = rk_sym_mul(graph->syms, rk_op_number(call, gates), last);
    return rk_op_check_shape(call, 0, state->rank, extents, diag) &&
           rk_op_check_shape(call, 1, state->rank, extents, diag);
}

static bool lstm_infer(const rk_op_call *call, rk_diag *diag)
{
    const rk_tensor *c0 = call->in[3];
    if (!rk_op_check_float(call, diag) || !check_gates(call, c0, 4, diag))
        return false;
    const rk_sym bias = rk_sym_mul(call->graph->syms, rk_op_number(call, 4),
                                   rk_tensor_extent(call->graph, c0, c0->rank - 1));
    return rk_op_check_shape(call, 2, 1, &bias, diag) && rk_op_set_like(call, 0, c0, diag) &&
           rk_op_set_like(call, 1, c0, diag);
}

/** Five functions of about ten operations, and some twelve sums and products, an element. */
static void lstm_cost(rk_cost *out, const rk_op_call *call)
{
    rk_op_cost_streaming(out, call, 62.0 * (double)rk_tensor_elements(call->in[3]));
}

static bool lstm_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    if (!rk_op_is_f32(call))
        return false;
    const rk_tensor *state = call->in[3];
    const float *gx = in[0];
    const float *gh = in[1];
    const float *bias = in[2];
    const float *c0 = in[3];
    float *h1 = out[0];
    float *c1 = out[1];
    int64_t hidden = state->shape[state->rank - 1];
    int64_t n = rk_tensor_elements(state);
    for (int64_t e = 0; e < n; e++) {
        int64_t j = e % hidden;
        int64_t row = e / hidden * 4 * hidden;
        double gate[4];
        for (int64_t g = 0; g < 4; g++) {
            int64_t at = g * hidden + j;
            gate[g] = (double)gx[row + at] + (double)gh[row + at] + (double)bias[at];
        }
        double c = rk_activate_sigmoid(gate[2]) * (double)c0[e] +
                   rk_activate_sigmoid(gate[0]) * tanh(gate[3]);
        c1[e] = (float)c;
        h1[e] = (float)(rk_activate_sigmoid(gate[1]) * tanh(c));
    }
    return true;
}

const rk_op rk_op_lstm_cell = {
    .name = "LSTMCell",
    .summary = "one step of an LSTM from its gates i, o, f, c: GX + GH + B; ours",
    .inputs = (const char *const[]){"GX", "GH", "B", "C0", NULL},
    .outputs = (const char *const[]){"H1", "C1", NULL},
    .in_place = 1 << 3,
    .infer = lstm_infer,
    .cost = lstm_cost,
    .eval = lstm_eval,
};

static bool gru_infer(const rk_op_call *call, rk_diag *diag)
{
    const rk_tensor *h0 = call->in[4];
    if (!rk_op_check_float(call, diag) || !check_gates(call, h0, 3, diag))
        return false;
    const rk_sym bias = rk_sym_mul(call->graph->syms, rk_op_number(call, 3),
                                   rk_tensor_extent(call->graph, h0, h0->rank - 1));
    return rk_op_check_shape(call, 2, 1, &bias, diag) &&
           rk_op_check_shape(call, 3, 1, &bias, diag) && rk_op_set_like(call, 0, h0, diag);
}

static void gru_cost(rk_cost *out, const rk_op_call *call)
{
    rk_op_cost_streaming(out, call, 43.0 * (double)rk_tensor_elements(call->in[4]));
}

static bool gru_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    if (!rk_op_is_f32(call))
        return false;
    const rk_tensor *state = call->in[4];
    const float *gx = in[0];
    const float *gh = in[1];
    const float *bx = in[2];
    const float *bh = in[3];
    const float *h0 = in[4];
    float *h1 = out[0];
    int64_t hidden = state->shape[state->rank - 1];
    int64_t n = rk_tensor_elements(state);
    for (int64_t e = 0; e < n; e++) {
        int64_t j = e % hidden;
        int64_t row = e / hidden * 3 * hidden;
        double x[3];
        double h[3];
        for (int64_t g = 0; g < 3; g++) {
            int64_t at = g * hidden + j;
            x[g] = (double)gx[row + at] + (double)bx[at];
            h[g] = (double)gh[row + at] + (double)bh[at];
        }
        double z = rk_activate_sigmoid(x[0] + h[0]);
        double r = rk_activate_sigmoid(x[1] + h[1]);
        double candidate = tanh(x[2] + r * h[2]);
        h1[e] = (float)((1.0 - z) * candidate + z * (double)h0[e]);
    }
    return true;
}

const rk_op rk_op_gru_cell = {
    .name = "GRUCell",
    .summary = "one step of a GRU from its gates z, r, h, the reset after the product; ours",
    .inputs = (const char *const[]){"GX", "GH", "BX", "BH", "H0", NULL},
    .outputs = (const char *const[]){"H1", NULL},
    .in_place = 1 << 4,
    .infer = gru_infer,
    .cost = gru_cost,
    .eval = gru_eval,
};
