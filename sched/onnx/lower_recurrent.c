#include "sched/onnx/import_internal.h"

#include "sched/ops/op_operands.h"

#include <string.h>

/*
 * LSTM, GRU and RNN, unrolled: a product of all steps at once for the operand, and of each step for the state, so that
 * the schedule overlaps steps of layers.
 */

enum { MOST_GATES = 4, MOST_STEPS = 4096 };

/**
 * A step as one rOperator, for which all gates' weights are one matrix: [gates * hidden, hidden] and a state that is a vector
 * for one row, which needs no transposed weights, else [hidden, gates * hidden] and a matrix.
 */
typedef struct {
    const char *op; /**< LSTMCell or GRUCell */
    bool one_row;
    rk_id x; /**< operand times weights, [steps * batch, gates * hidden] */
    rk_id r; /**< weights of the state */
    rk_id bias
        [2]; /**< of the operand and of the state, [gates * hidden]; of an LSTM one, their sum */
} cell_form;

/** One of them: operands, sizes, and the direction that is being lowered. */
typedef struct {
    int64_t steps, batch, inputs, hidden, directions;
    int gates;
    bool reverse;
    int64_t d;           /**< direction */
    rk_id x[MOST_GATES]; /**< operand times weights, with biases, [steps * batch, hidden] */
    rk_id r[MOST_GATES]; /**< weights of the state, [hidden, hidden], transposed */
    rk_id
        r_bias[MOST_GATES]; /**< biases of the state: of GRU's last gate by itself; else RK_NO_ID */
    rk_id peephole[3];      /**< RK_NO_ID: none */
    rk_id lengths;          /**< [batch, 1], or RK_NO_ID */
    const char *act[3];     /**< expressions of a */
    double clip;            /**< 0: none */
    cell_form cell;         /**< of rOperators of their own; op is NULL without */
} recurrent;

static const int64_t turned[] = {1, 0};

/** The expression of a named activation. */
static const char *activation(rk_onnx_call *c, size_t i, const char *otherwise)
{
    static const struct {
        const char *name, *expr;
        double alpha, beta;
    } known[] = {
        {"Relu", "a 0 max", 0, 0},
        {"Tanh", "a tanh", 0, 0},
        {"Sigmoid", "a sigmoid", 0, 0},
        {"Softsign", "a a abs 1 add div", 0, 0},
        {"Softplus", "a 0 max a abs neg exp log1p add", 0, 0},
        {"Affine", "a %.17g mul %.17g add", 1, 0},
        {"LeakyRelu", "a 0 lt a %.17g mul a where", 0.01, 0},
        {"ThresholdedRelu", "%.17g a lt a 0 where", 1, 0},
        {"ScaledTanh", "%.17g a %.17g mul", 1, 1},
        {"HardSigmoid", "a %.17g mul %.17g add 1 min 0 max", 0.2, 0.5},
        {"Elu", "a 0 lt a expm1 %.17g mul a where", 1, 0},
    };
    const rk_onnx_attr *names = rk_onnx_attr_of(c, "activations");
    const rk_onnx_attr *alphas = rk_onnx_attr_of(c, "activation_alpha");
    const rk_onnx_attr *betas = rk_onnx_attr_of(c, "activation_beta");
    const char *name = otherwise;
    if (names && i < names->strings.count)
        name = rk_arena_strndup(c->im->arena, names->strings.items[i].data,
                                names->strings.items[i].size);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (strcasecmp(name, known[k].name) != 0)
            continue;
        const double alpha =
            alphas && i < alphas->floats.count ? (double)alphas->floats.items[i] : known[k].alpha;
        const double beta =
            betas && i < betas->floats.count ? (double)betas->floats.items[i] : known[k].beta;
        if (strcmp(known[k].name, "ScaledTanh") == 0)
            return rk_arena_printf(c->im->arena, "a %.17g mul tanh %.17g mul", beta, alpha);
        /* Each has at most two numbers, alpha first. */
        const char *first = strstr(known[k].expr, "%.17g");
        if (!first)
            return known[k].expr;
        const char *before =
            rk_arena_strndup(c->im->arena, known[k].expr, (size_t)(first - known[k].expr));
        const char *second = strstr(first + 1, "%.17g");
        if (!second)
            return rk_arena_printf(c->im->arena, "%s%.17g%s", before, alpha, first + 5);
        const char *between =
            rk_arena_strndup(c->im->arena, first + 5, (size_t)(second - first - 5));
        return rk_arena_printf(c->im->arena, "%s%.17g%s%.17g%s", before, alpha, between, beta,
                               second + 5);
    }
    rk_onnx_refuse(c, "those of ONNX's list are", "the activation '%s'", name);
    return NULL;
}

/** Product of two matrices: the rOperator with kernels of its own for f32. */
static rk_id product(rk_onnx_call *c, rk_id a, rk_id b)
{
    if (a == RK_ONNX_LOST || b == RK_ONNX_LOST)
        return RK_ONNX_LOST;
    const rk_id in[] = {a, b};
    if (rk_onnx_tensor_of(c, a)->dtype == RK_F32)
        return rk_onnx_emit_one(c, "MatMul", in, 2);
    return rk_onnx_matmul(c, a, b, RK_DTYPE_NONE);
}

/** Rows [part * hidden, (part + 1) * hidden) of direction d of [directions, rows, ...], as [hidden, ...]. */
static rk_id part_of(rk_onnx_call *c, rk_id x, int64_t d, int64_t part, int64_t hidden)
{
    if (x == RK_ONNX_LOST)
        return x;
    const rk_id of_d = rk_onnx_slice(c, x, 0, d, 1);
    const rk_id rows = rk_onnx_slice(c, of_d, 1, part * hidden, hidden);
    if (rows == RK_ONNX_LOST)
        return rows;
    const rk_tensor t = *rk_onnx_tensor_of(c, rows);
    return rk_onnx_reshape(c, rows, t.rank - 1, t.shape + 1);
}

/** What does not depend on the step, for the direction. `apart`: a gate whose state bias stands by itself, or -1. */
static void prepare(recurrent *n, rk_onnx_call *c, rk_id x, int apart)
{
    const int64_t flat[2] = {n->steps * n->batch, n->inputs};
    const rk_id rows = rk_onnx_reshape(c, x, 2, flat);
    for (int g = 0; g < n->gates; g++) {
        const rk_id w = part_of(c, c->in[1], n->d, g, n->hidden);
        const rk_id r = part_of(c, c->in[2], n->d, g, n->hidden);
        n->x[g] = product(c, rows, rk_onnx_transpose(c, w, turned));
        n->r[g] = rk_onnx_transpose(c, r, turned);
        n->r_bias[g] = RK_NO_ID;
        if (!rk_onnx_has(c, 3))
            continue;
        const rk_id w_bias = part_of(c, c->in[3], n->d, g, n->hidden);
        const rk_id r_bias = part_of(c, c->in[3], n->d, n->gates + g, n->hidden);
        n->x[g] = rk_onnx_map2(c, "a b add", n->x[g], w_bias);
        if (g == apart)
            n->r_bias[g] = r_bias;
        else
            n->x[g] = rk_onnx_map2(c, "a b add", n->x[g], r_bias);
    }
}

/* Steps that are rOperators of their own. */

/** The operator of the node's steps; NULL where one of its options asks for another step. */
static const char *cell_op(const recurrent *n, rk_onnx_call *c)
{
    static const char *const acts[] = {"a sigmoid", "a tanh", "a tanh"};
    const char kind = *c->node->op_type;
    bool same = kind != 'R' && rk_onnx_in(c, 0)->dtype == RK_F32 && n->clip <= 0;
    for (int i = 0; same && i < (kind == 'L' ? 3 : 2); i++)
        same = strcmp(n->act[i], acts[i]) == 0;
    if (!same)
        return NULL;
    if (kind == 'L')
        return n->peephole[0] == RK_NO_ID && !rk_onnx_int(c, "input_forget", 0) ? "LSTMCell" : NULL;
    return rk_onnx_int(c, "linear_before_reset", 0) ? "GRUCell" : NULL;
}

/** Biases of all gates, part 0 the operand's, 1 the state's: [gates * hidden]. */
static rk_id cell_bias(const recurrent *n, rk_onnx_call *c, int part)
{
    const int64_t size = n->gates * n->hidden;
    if (rk_onnx_has(c, 3))
        return part_of(c, c->in[3], n->d, part, size);
    return rk_onnx_broadcast(c, rk_onnx_scalar(c, RK_F32, 0), 1, &size);
}

/** As prepare, for cells: one product of all gates and steps. */
static void prepare_cell(recurrent *n, rk_onnx_call *c, rk_id x)
{
    const int64_t flat[2] = {n->steps * n->batch, n->inputs};
    const int64_t size = n->gates * n->hidden;
    const rk_id w = part_of(c, c->in[1], n->d, 0, size);
    const rk_id r = part_of(c, c->in[2], n->d, 0, size);
    const bool lstm = *c->node->op_type == 'L';
    cell_form *f = &n->cell;
    f->one_row = n->batch == 1 && n->lengths == RK_NO_ID && !c->im->options->varies;
    f->x = product(c, rk_onnx_reshape(c, x, 2, flat), rk_onnx_transpose(c, w, turned));
    f->r = f->one_row ? r : rk_onnx_transpose(c, r, turned);
    f->bias[0] = cell_bias(n, c, 0);
    f->bias[1] = cell_bias(n, c, 1);
    if (lstm && rk_onnx_has(c, 3))
        f->bias[0] = rk_onnx_map2(c, "a b add", f->bias[0], f->bias[1]);
}

/** A state or gates of one row as the cell takes them. */
static rk_id as_row(const recurrent *n, rk_onnx_call *c, rk_id x)
{
    if (x == RK_ONNX_LOST || !n->cell.one_row)
        return x;
    const int64_t size = rk_tensor_elements(rk_onnx_tensor_of(c, x));
    return rk_onnx_reshape(c, x, 1, &size);
}

/** The step, by the node's operator: the new h; *cell becomes an LSTM's new c. */
static rk_id cell_step(const recurrent *n, rk_onnx_call *c, int64_t t, rk_id h, rk_id *cell)
{
    const cell_form *f = &n->cell;
    const int64_t shape[2] = {n->batch, n->hidden};
    const bool lstm = *c->node->op_type == 'L';
    if (f->x == RK_ONNX_LOST || h == RK_ONNX_LOST)
        return RK_ONNX_LOST;
    const rk_id row = as_row(n, c, h);
    const rk_id gx = as_row(n, c, rk_onnx_slice(c, f->x, 0, t * n->batch, n->batch));
    const rk_id gh = f->one_row ? product(c, f->r, row) : product(c, row, f->r);
    const rk_id last = lstm ? as_row(n, c, *cell) : row;
    const rk_id in[] = {gx, gh, f->bias[0], lstm ? last : f->bias[1], last};
    rk_id out[2];
    if (gx == RK_ONNX_LOST || gh == RK_ONNX_LOST ||
        !rk_onnx_emit(out, lstm ? 2 : 1, c, f->op, in, lstm ? 4 : 5))
        return RK_ONNX_LOST;
    if (lstm)
        *cell = rk_onnx_reshape(c, out[1], 2, shape);
    return rk_onnx_reshape(c, out[0], 2, shape);
}

/* Steps of elementwise rOperators. */

/** Step t of a gate's part of the operand, [batch, hidden]. */
static rk_id step_of(const recurrent *n, rk_onnx_call *c, int gate, int64_t t)
{
    return n->x[gate] == RK_ONNX_LOST ? RK_ONNX_LOST
                                      : rk_onnx_slice(c, n->x[gate], 0, t * n->batch, n->batch);
}

/** The activation of a sum, clipped first. */
static rk_id activate(const recurrent *n, rk_onnx_call *c, rk_id sum, int which)
{
    if (n->clip > 0)
        sum = rk_onnx_map1(
            c, rk_arena_printf(c->im->arena, "a %.17g max %.17g min", -n->clip, n->clip), sum);
    return rk_onnx_map1(c, n->act[which], sum);
}

/** x + h R', and the peephole times the cell where there is one. */
static rk_id gate_sum(const recurrent *n, rk_onnx_call *c, int gate, int64_t t, rk_id h)
{
    return rk_onnx_map2(c, "a b add", step_of(n, c, gate, t), product(c, h, n->r[gate]));
}

static rk_id peep(rk_onnx_call *c, rk_id sum, rk_id peephole, rk_id cell)
{
    if (peephole == RK_NO_ID)
        return sum;
    return rk_onnx_map(c, "a b c mul add", RK_DTYPE_NONE, NULL, sum, peephole, cell, RK_NO_ID);
}

static rk_id lstm_step(const recurrent *n, rk_onnx_call *c, int64_t t, rk_id h, rk_id *cell)
{
    enum { I, O, F, C };
    const bool coupled = rk_onnx_int(c, "input_forget", 0) != 0;
    const rk_id i = activate(n, c, peep(c, gate_sum(n, c, I, t, h), n->peephole[0], *cell), 0);
    const rk_id f =
        coupled ? rk_onnx_map1(c, "1 a sub", i)
                : activate(n, c, peep(c, gate_sum(n, c, F, t, h), n->peephole[2], *cell), 0);
    const rk_id fresh = activate(n, c, gate_sum(n, c, C, t, h), 1);
    const rk_id kept = rk_onnx_map2(c, "a b mul", f, *cell);
    *cell = rk_onnx_map(c, "a b c mul add", RK_DTYPE_NONE, NULL, kept, i, fresh, RK_NO_ID);
    const rk_id o = activate(n, c, peep(c, gate_sum(n, c, O, t, h), n->peephole[1], *cell), 0);
    return rk_onnx_map2(c, "a b mul", o, rk_onnx_map1(c, n->act[2], *cell));
}

static rk_id gru_step(const recurrent *n, rk_onnx_call *c, int64_t t, rk_id h)
{
    enum { Z, R, H };
    const rk_id z = activate(n, c, gate_sum(n, c, Z, t, h), 0);
    const rk_id r = activate(n, c, gate_sum(n, c, R, t, h), 0);
    rk_id sum;
    if (rk_onnx_int(c, "linear_before_reset", 0)) {
        rk_id state = product(c, h, n->r[H]);
        if (n->r_bias[H] != RK_NO_ID)
            state = rk_onnx_map2(c, "a b add", state, n->r_bias[H]);
        sum = rk_onnx_map(c, "a b c mul add", RK_DTYPE_NONE, NULL, step_of(n, c, H, t), r, state,
                          RK_NO_ID);
    } else {
        sum = rk_onnx_map2(c, "a b add", step_of(n, c, H, t),
                           product(c, rk_onnx_map2(c, "a b mul", r, h), n->r[H]));
    }
    const rk_id fresh = activate(n, c, sum, 1);
    return rk_onnx_map(c, "1 a sub b mul a c mul add", RK_DTYPE_NONE, NULL, z, fresh, h, RK_NO_ID);
}

/** A state of direction d, [batch, hidden]: the operand's, or zeros. */
static rk_id first_state(const recurrent *n, rk_onnx_call *c, size_t operand, rk_dtype dtype)
{
    const int64_t shape[2] = {n->batch, n->hidden};
    if (!rk_onnx_has(c, operand))
        return rk_onnx_broadcast(c, rk_onnx_scalar(c, dtype, 0), 2, shape);
    rk_id x = c->in[operand];
    if (rk_onnx_int(c, "layout", 0)) { /* [batch, directions, hidden] */
        static const int64_t order[] = {1, 0, 2};
        x = rk_onnx_transpose(c, x, order);
    }
    return rk_onnx_reshape(c, rk_onnx_slice(c, x, 0, n->d, 1), 2, shape);
}

/** The new state where the line is not over yet, else the old one or 0. */
static rk_id while_it_lasts(const recurrent *n, rk_onnx_call *c, int64_t t, rk_id fresh, rk_id old)
{
    if (n->lengths == RK_NO_ID || fresh == RK_ONNX_LOST)
        return fresh;
    const rk_dtype dtype = rk_onnx_tensor_of(c, fresh)->dtype;
    const char *expr = rk_arena_printf(
        c->im->arena, old == RK_NO_ID ? "%lld a lt b 0 where" : "%lld a lt b c where",
        (long long)t);
    return rk_onnx_map(c, expr, dtype, NULL, n->lengths, fresh, old, RK_NO_ID);
}

/** Lowers direction d: the outputs of all steps, [steps, 1, batch, hidden], and the last states. */
static rk_id run_direction(const recurrent *n, rk_onnx_call *c, rk_id *h, rk_id *cell)
{
    const char kind = *c->node->op_type;
    const int64_t shape[4] = {1, 1, n->batch, n->hidden};
    rk_id *outs = RK_NEW_ARRAY(c->im->arena, rk_id, (size_t)n->steps);
    for (int64_t k = 0; k < n->steps; k++) {
        const int64_t t = n->reverse ? n->steps - 1 - k : k;
        const rk_id old_h = *h;
        const rk_id old_cell = *cell;
        const rk_id fresh = n->cell.op    ? cell_step(n, c, t, old_h, cell)
                            : kind == 'L' ? lstm_step(n, c, t, old_h, cell)
                            : kind == 'G' ? gru_step(n, c, t, old_h)
                                          : activate(n, c, gate_sum(n, c, 0, t, old_h), 0);
        if (fresh == RK_ONNX_LOST)
            return RK_ONNX_LOST;
        *h = while_it_lasts(n, c, t, fresh, old_h);
        if (kind == 'L')
            *cell = while_it_lasts(n, c, t, *cell, old_cell);
        outs[t] = rk_onnx_reshape(c, while_it_lasts(n, c, t, fresh, RK_NO_ID), 4, shape);
    }
    return rk_onnx_concat(c, outs, (size_t)n->steps, 0);
}

static bool read_sizes(recurrent *n, rk_onnx_call *c, const rk_tensor *x, int gates)
{
    const rk_tensor w = *rk_onnx_in(c, 1);
    const rk_tensor r = *rk_onnx_in(c, 2);
    *n = (recurrent){.gates = gates, .lengths = RK_NO_ID, .clip = rk_onnx_real(c, "clip", 0)};
    if (x->rank != 3 || w.rank != 3 || r.rank != 3)
        return rk_onnx_wrong(c, "its operands have no 3 dimensions");
    n->steps = x->shape[0];
    n->batch = x->shape[1];
    n->inputs = x->shape[2];
    n->directions = w.shape[0];
    n->hidden = r.shape[2];
    if (w.shape[1] != gates * n->hidden || w.shape[2] != n->inputs || r.shape[1] != w.shape[1] ||
        r.shape[0] != n->directions || n->directions > 2)
        return rk_onnx_wrong(c, "its weights do not fit");
    if (n->steps > MOST_STEPS)
        return rk_onnx_refuse(c, "shorter ones are", "a sequence of %lld steps",
                              (long long)n->steps);
    if (rk_onnx_has(c, 4)) {
        const int64_t shape[2] = {n->batch, 1};
        n->lengths = rk_onnx_reshape(c, c->in[4], 2, shape);
    }
    return n->lengths != RK_ONNX_LOST;
}

/** Outputs of all directions; with layout 1 the batch comes first. */
static bool finish(rk_onnx_call *c, const rk_id *y, const rk_id *h, const rk_id *cell, size_t count,
                   bool batch_first)
{
    static const int64_t y_order[] = {2, 0, 1, 3};
    static const int64_t h_order[] = {1, 0, 2};
    rk_id outs[3] = {rk_onnx_concat(c, y, count, 1), rk_onnx_concat(c, h, count, 0),
                     *c->node->op_type == 'L' ? rk_onnx_concat(c, cell, count, 0) : RK_NO_ID};
    if (batch_first) {
        outs[0] = rk_onnx_transpose(c, outs[0], y_order);
        for (int o = 1; o < 3; o++)
            outs[o] = outs[o] == RK_NO_ID ? outs[o] : rk_onnx_transpose(c, outs[o], h_order);
    }
    for (size_t o = 0; o < 3 && o < c->out_count; o++)
        c->out[o] = outs[o];
    return outs[0] != RK_ONNX_LOST;
}

static bool lower_recurrent(rk_onnx_call *c)
{
    static const char *const defaults[][3] = {
        {"Sigmoid", "Tanh", "Tanh"}, {"Sigmoid", "Tanh", "Tanh"}, {"Tanh", "Tanh", "Tanh"}};
    const char kind = *c->node->op_type;
    const bool batch_first = rk_onnx_int(c, "layout", 0) != 0;
    static const int64_t order[] = {1, 0, 2};
    recurrent n;
    rk_id y[2], h[2], cell[2] = {RK_NO_ID, RK_NO_ID};
    if (!rk_onnx_needs(c, 3))
        return false;
    const rk_id x = batch_first ? rk_onnx_transpose(c, c->in[0], order) : c->in[0];
    if (x == RK_ONNX_LOST)
        return false;
    const rk_tensor t = *rk_onnx_tensor_of(c, x);
    if (!read_sizes(&n, c, &t, kind == 'L' ? 4 : kind == 'G' ? 3 : 1))
        return false;
    const char *direction = rk_onnx_text(c, "direction", "forward");
    const size_t acts = kind == 'L' ? 3 : kind == 'G' ? 2 : 1;
    const bool apart = kind == 'G' && rk_onnx_int(c, "linear_before_reset", 0);
    for (n.d = 0; n.d < n.directions; n.d++) {
        n.reverse = n.d == 1 || strcmp(direction, "reverse") == 0;
        for (size_t i = 0; i < acts; i++) {
            n.act[i] = activation(c, (size_t)n.d * acts + i, defaults[kind == 'R' ? 2 : 0][i]);
            if (!n.act[i])
                return false;
        }
        for (int p = 0; p < 3; p++)
            n.peephole[p] = kind == 'L' && rk_onnx_has(c, 7)
                                ? part_of(c, c->in[7], n.d, p, n.hidden)
                                : RK_NO_ID;
        n.cell.op = cell_op(&n, c);
        if (n.cell.op)
            prepare_cell(&n, c, x);
        else
            prepare(&n, c, x, apart ? 2 : -1);
        h[n.d] = first_state(&n, c, 5, t.dtype);
        if (kind == 'L')
            cell[n.d] = first_state(&n, c, 6, t.dtype);
        y[n.d] = run_direction(&n, c, &h[n.d], &cell[n.d]);
        if (y[n.d] == RK_ONNX_LOST)
            return false;
        const int64_t shape[3] = {1, n.batch, n.hidden};
        h[n.d] = rk_onnx_reshape(c, h[n.d], 3, shape);
        if (kind == 'L')
            cell[n.d] = rk_onnx_reshape(c, cell[n.d], 3, shape);
    }
    return finish(c, y, h, cell, (size_t)n.directions, batch_first);
}

static const rk_onnx_rule rules[] = {
    {"LSTM", lower_recurrent, NULL, NULL},
    {"GRU", lower_recurrent, NULL, NULL},
    {"RNN", lower_recurrent, NULL, NULL},
    {0},
};

const rk_onnx_family rk_onnx_family_recurrent = {
    .rules = rules,
};
