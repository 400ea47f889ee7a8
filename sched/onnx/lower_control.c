#include "sched/onnx/import_internal.h"

#include <string.h>

/* Conditions and loops that are known when the model is built: the bodies are lowered in their place. */

enum { MOST_TRIPS = 1 << 16 };

/** The body's outputs, its inputs being given; false when something of it could not be lowered. */
static bool lower_body(rk_onnx_call *c, const rk_onnx_graph *body, const rk_id *in, size_t in_count,
                       rk_id *out, size_t out_count)
{
    rk_onnx_scope *scope = rk_onnx_scope_new(c->im, body, c->scope, in_count);
    if (body->output.count < out_count || body->input.count != in_count)
        return rk_onnx_wrong(c, "its body has other inputs or outputs than it");
    for (size_t i = 0; i < in_count; i++)
        rk_onnx_define(scope, body->input.items[i]->name, in[i]);
    if (!rk_onnx_lower_nodes(c->im, body->node.items, body->node.count, scope))
        return false;
    for (size_t o = 0; o < out_count; o++) {
        out[o] = rk_onnx_lookup(scope, body->output.items[o]->name);
        if (out[o] == RK_NO_ID || out[o] == RK_ONNX_LOST)
            return rk_onnx_wrong(c, "its body does not make '%s'", body->output.items[o]->name);
    }
    return true;
}

static bool lower_if(rk_onnx_call *c)
{
    int64_t *condition;
    size_t count;
    if (!rk_onnx_needs(c, 1) || !rk_onnx_known(&condition, &count, c, 0, "condition"))
        return false;
    const rk_onnx_attr *branch =
        rk_onnx_attr_of(c, count && condition[0] ? "then_branch" : "else_branch");
    if (!branch || !branch->g)
        return rk_onnx_wrong(c, "a branch is left out");
    return lower_body(c, branch->g, NULL, 0, c->out, c->out_count);
}

/** What each trip gives, one under another. */
static rk_id stack(rk_onnx_call *c, const rk_id *parts, size_t count, int axis)
{
    rk_id *rows = RK_NEW_ARRAY(c->im->arena, rk_id, count + 1);
    for (size_t i = 0; i < count; i++) {
        const rk_tensor t = *rk_onnx_tensor_of(c, parts[i]);
        int64_t shape[RK_MAX_RANK + 1];
        const int at = axis < 0 ? axis + t.rank + 1 : axis;
        if (t.rank >= RK_MAX_RANK || at < 0 || at > t.rank) {
            rk_onnx_wrong(c, "its outputs have too many dimensions, or no such axis");
            return RK_ONNX_LOST;
        }
        for (int d = 0, from = 0; d <= t.rank; d++)
            shape[d] = d == at ? 1 : t.shape[from++];
        rows[i] = rk_onnx_reshape(c, parts[i], t.rank + 1, shape);
        axis = at;
    }
    return rk_onnx_concat(c, rows, count, axis);
}

static bool lower_loop(rk_onnx_call *c)
{
    const rk_onnx_attr *body = rk_onnx_attr_of(c, "body");
    int64_t *value;
    size_t count;
    int64_t trips = MOST_TRIPS;
    if (!body || !body->g || c->in_count < 2)
        return rk_onnx_wrong(c, "it has no body");
    if (rk_onnx_has(c, 0)) {
        if (!rk_onnx_known(&value, &count, c, 0, "trip count"))
            return false;
        trips = count ? value[0] : 0;
    }
    const size_t carried = c->in_count - 2;
    if (c->out_count < carried || body->g->output.count < c->out_count + 1)
        return rk_onnx_wrong(c, "its body has other outputs than it");
    const size_t scans = c->out_count - carried;
    rk_id *state = RK_NEW_ARRAY(c->im->arena, rk_id, carried + 3);
    rk_id *out = RK_NEW_ARRAY(c->im->arena, rk_id, c->out_count + 2);
    RK_VEC(rk_id) rows = {0};
    bool on = true;
    memcpy(state + 2, c->in + 2, carried * sizeof *state);
    if (rk_onnx_has(c, 1)) {
        if (!rk_onnx_known(&value, &count, c, 1, "condition"))
            return false;
        on = count && value[0];
    }
    int64_t done = 0;
    for (; on && done < trips; done++) {
        const uint8_t yes = 1;
        state[0] = rk_onnx_constant(c, RK_I64, 0, NULL, &done);
        state[1] = rk_onnx_constant(c, RK_BOOL, 0, NULL, &yes);
        if (!lower_body(c, body->g, state, carried + 2, out, c->out_count + 1))
            return false;
        const uint8_t *again = rk_onnx_data(c, out[0]);
        if (!again)
            return rk_onnx_refuse(c, "conditions that do not depend on data are",
                                  "a loop that data ends");
        on = *again != 0;
        memcpy(state + 2, out + 1, carried * sizeof *state);
        for (size_t s = 0; s < scans; s++)
            *rk_push(c->im->arena, &rows) = out[1 + carried + s];
    }
    if (on && done == MOST_TRIPS)
        return rk_onnx_refuse(c, "give it a trip count", "a loop of more than %d trips",
                              MOST_TRIPS);
    memcpy(c->out, state + 2, carried * sizeof *state);
    for (size_t s = 0; s < scans; s++) {
        rk_id *column = RK_NEW_ARRAY(c->im->arena, rk_id, (size_t)done + 1);
        for (size_t i = 0; i < (size_t)done; i++)
            column[i] = rows.items[i * scans + s];
        if (done == 0)
            return rk_onnx_refuse(c, "tensors have at least one element", "a loop of no trips");
        c->out[carried + s] = stack(c, column, (size_t)done, 0);
    }
    return true;
}

/** Of opset 9 and later: states, then what is taken apart along an axis, row by row. */
static bool lower_scan(rk_onnx_call *c)
{
    const rk_onnx_attr *body = rk_onnx_attr_of(c, "body");
    const int64_t ins = rk_onnx_int(c, "num_scan_inputs", 0);
    const bool batched = c->im->opset < 9;
    const size_t skip = batched; /* the lengths, which come first there */
    size_t axes, out_axes, directions, out_directions;
    const int64_t *axis_list = rk_onnx_ints(c, "scan_input_axes", &axes);
    const int64_t *out_axis_list = rk_onnx_ints(c, "scan_output_axes", &out_axes);
    const int64_t *way = rk_onnx_ints(c, "scan_input_directions", &directions);
    const int64_t *out_way = rk_onnx_ints(c, "scan_output_directions", &out_directions);
    if (!body || !body->g || ins < 1 || (size_t)ins + skip > c->in_count)
        return rk_onnx_wrong(c, "it has no body, or not as many inputs as it says");
    if (batched)
        return rk_onnx_refuse(c, "that of opset 9 is", "the form with batches");
    const size_t n = (size_t)ins;
    const size_t states = c->in_count - n;
    const size_t scans = c->out_count - states;
    rk_id *in = RK_NEW_ARRAY(c->im->arena, rk_id, c->in_count + 1);
    rk_id *out = RK_NEW_ARRAY(c->im->arena, rk_id, c->out_count + 1);
    RK_VEC(rk_id) rows = {0};
    if (!rk_onnx_needs(c, c->in_count) || c->out_count < states)
        return rk_onnx_wrong(c, "its operands or outputs are not as many as it says");
    memcpy(in, c->in, states * sizeof *in);
    int axis0;
    const rk_tensor first = *rk_onnx_in(c, states);
    if (!rk_onnx_axis(&axis0, c, axes ? axis_list[0] : 0, first.rank))
        return false;
    const int64_t length = first.shape[axis0];
    if (length > MOST_TRIPS)
        return rk_onnx_refuse(c, "shorter ones are", "a scan of %lld rows", (long long)length);
    for (int64_t i = 0; i < length; i++) {
        for (size_t k = 0; k < n; k++) {
            rk_tensor t = *rk_onnx_in(c, states + k);
            int axis;
            if (!rk_onnx_axis(&axis, c, axes == n ? axis_list[k] : 0, t.rank))
                return false;
            const int64_t at = directions == n && way[k] ? t.shape[axis] - 1 - i : i;
            if (at < 0 || at >= t.shape[axis])
                return rk_onnx_wrong(c, "its operands differ in length");
            const rk_id row = rk_onnx_slice(c, c->in[states + k], axis, at, 1);
            for (int d = axis; d + 1 < t.rank; d++)
                t.shape[d] = t.shape[d + 1];
            in[states + k] = rk_onnx_reshape(c, row, t.rank - 1, t.shape);
        }
        if (!lower_body(c, body->g, in, c->in_count, out, c->out_count))
            return false;
        memcpy(in, out, states * sizeof *in);
        for (size_t s = 0; s < scans; s++)
            *rk_push(c->im->arena, &rows) = out[states + s];
    }
    memcpy(c->out, in, states * sizeof *in);
    for (size_t s = 0; s < scans; s++) {
        rk_id *column = RK_NEW_ARRAY(c->im->arena, rk_id, (size_t)length + 1);
        const bool back = out_directions == scans && out_way[s];
        for (int64_t i = 0; i < length; i++)
            column[back ? length - 1 - i : i] = rows.items[(size_t)i * scans + s];
        c->out[states + s] =
            stack(c, column, (size_t)length, out_axes == scans ? (int)out_axis_list[s] : 0);
    }
    return true;
}

/** An optional value is the value itself, or an operand that is left out. */
static bool lower_has_element(rk_onnx_call *c)
{
    const uint8_t there = rk_onnx_has(c, 0);
    return rk_onnx_done(c, rk_onnx_constant(c, RK_BOOL, 0, NULL, &there));
}

static bool lower_element(rk_onnx_call *c)
{
    return rk_onnx_needs(c, 1) && rk_onnx_done(c, c->in[0]);
}

static const rk_onnx_rule rules[] = {
    {"If", lower_if, NULL, NULL},
    {"Loop", lower_loop, NULL, NULL},
    {"Scan", lower_scan, NULL, NULL},
    {"OptionalHasElement", lower_has_element, NULL, NULL},
    {"OptionalGetElement", lower_element, NULL, NULL},
    {0},
};

const rk_onnx_family rk_onnx_family_control = {
    .rules = rules,
};
