#include "sched/onnx/import_internal.h"

#include "sched/ops/op_operands.h"

#include <math.h>
#include <string.h>

/* What models of sequences have besides attention: rotary positions, causal convolution, linear attention, caches. */

enum { MOST_STEPS = 4096 };

/** Elements of rows that begin at `offset`, `step` apart, of the last dimension. */
static rk_id every(rk_onnx_call *c, rk_id x, int64_t offset, int64_t step, int64_t count)
{
    rk_tensor t = *rk_onnx_tensor_of(c, x);
    int64_t strides[RK_MAX_RANK];
    rk_onnx_row_major(strides, t.rank, t.shape);
    t.shape[t.rank - 1] = count;
    strides[t.rank - 1] = step;
    return rk_onnx_strided(c, x, t.rank, t.shape, strides, offset);
}

/** The factors of each position, [batch, positions, half], as they broadcast over the heads. */
static rk_id factors_of(rk_onnx_call *c, size_t operand, const rk_tensor *x, int heads_at)
{
    rk_id f = c->in[operand];
    if (rk_onnx_has(c, 3)) {
        const rk_tensor t = *rk_onnx_tensor_of(c, f);
        const rk_tensor p = *rk_onnx_in(c, 3);
        if (t.rank != 2 || p.rank != 2) {
            rk_onnx_wrong(c, "its position_ids or their factors are not of 2 dimensions");
            return RK_ONNX_LOST;
        }
        const int64_t shape[] = {p.shape[0], p.shape[1], t.shape[1]};
        const int64_t x_strides[] = {0, 0, 1};
        const int64_t index_strides[] = {p.shape[1], 1, 0};
        rk_onnx_with_ints(c, "shape", shape, 3);
        rk_onnx_with_ints(c, "x_strides", x_strides, 3);
        rk_onnx_with_ints(c, "index_strides", index_strides, 3);
        rk_onnx_with_ints(c, "limits", t.shape, 1);
        rk_onnx_with_ints(c, "part_strides", &t.shape[1], 1);
        f = rk_onnx_emit_one(c, "Pick", (const rk_id[]){f, c->in[3]}, 2);
    }
    if (f == RK_ONNX_LOST)
        return f;
    const rk_tensor t = *rk_onnx_tensor_of(c, f);
    const int64_t positions = x->shape[heads_at == 1 ? 2 : 1];
    if (t.rank != 3 || t.shape[0] != x->shape[0] || t.shape[1] != positions) {
        rk_onnx_wrong(c, "its factors are not one row for each position");
        return RK_ONNX_LOST;
    }
    const int64_t shape[] = {t.shape[0], heads_at == 1 ? 1 : positions,
                             heads_at == 1 ? positions : 1, t.shape[2]};
    return rk_onnx_reshape(c, f, 4, shape);
}

/** Pairs of elements are turned: halves of the rotated part, or neighbours where they are interleaved. */
static bool lower_rotary_embedding(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 3))
        return false;
    const rk_tensor given = *rk_onnx_in(c, 0);
    rk_id x = c->in[0];
    const int64_t heads = rk_onnx_int(c, "num_heads", 0);
    if (given.rank == 3 && heads > 0 && given.shape[2] % heads == 0) {
        const int64_t shape[] = {given.shape[0], given.shape[1], heads, given.shape[2] / heads};
        x = rk_onnx_reshape(c, x, 4, shape);
    } else if (given.rank != 4) {
        return rk_onnx_wrong(c, "its operand is not of 4 dimensions, nor of 3 that heads divide");
    }
    const rk_tensor t = *rk_onnx_tensor_of(c, x);
    const int64_t asked = rk_onnx_int(c, "rotary_embedding_dim", 0);
    const int64_t rotated = asked ? asked : t.shape[3];
    const int64_t half = rotated / 2;
    const bool mixed = rk_onnx_int(c, "interleaved", 0) != 0;
    const int heads_at = given.rank == 4 ? 1 : 2;
    if (rotated < 2 || rotated % 2 || rotated > t.shape[3])
        return rk_onnx_wrong(c, "what is rotated is not an even part of a head");
    const rk_id cosine = factors_of(c, 1, &t, heads_at);
    const rk_id sine = factors_of(c, 2, &t, heads_at);
    if (cosine == RK_ONNX_LOST || sine == RK_ONNX_LOST)
        return false;
    if (rk_onnx_tensor_of(c, cosine)->shape[3] != half)
        return rk_onnx_wrong(c, "its factors are not half as many as what is rotated");
    const rk_id a = every(c, x, 0, mixed ? 2 : 1, half);
    const rk_id b = every(c, x, mixed ? 1 : half, mixed ? 2 : 1, half);
    rk_id parts[] = {
        rk_onnx_map(c, "a c mul b d mul sub", t.dtype, NULL, a, b, cosine, sine),
        rk_onnx_map(c, "a d mul b c mul add", t.dtype, NULL, a, b, cosine, sine),
        RK_NO_ID,
    };
    if (mixed) {
        const int64_t pairs[] = {t.shape[0], t.shape[1], t.shape[2], half, 1};
        const int64_t flat[] = {t.shape[0], t.shape[1], t.shape[2], rotated};
        parts[0] = rk_onnx_reshape(c, parts[0], 5, pairs);
        parts[1] = rk_onnx_reshape(c, parts[1], 5, pairs);
        parts[0] = rk_onnx_reshape(c, rk_onnx_concat(c, parts, 2, 4), 4, flat);
    }
    size_t count = mixed ? 1 : 2;
    if (rotated < t.shape[3])
        parts[count++] = rk_onnx_slice(c, x, 3, rotated, t.shape[3] - rotated);
    return rk_onnx_done(
        c, rk_onnx_reshape(c, rk_onnx_concat(c, parts, count, 3), given.rank, given.shape));
}

/** x behind its past, or behind zeros, each channel convolved by itself. */
static bool lower_causal_conv(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 2))
        return false;
    const rk_tensor x = *rk_onnx_in(c, 0);
    const rk_tensor w = *rk_onnx_in(c, 1);
    if (x.rank != 3 || w.rank != 3 || w.shape[0] != x.shape[1] || w.shape[1] != 1)
        return rk_onnx_wrong(c, "its operands are not [batch, c, length] and [c, 1, size]");
    const int64_t size = w.shape[2], length = x.shape[2] + size - 1;
    const int64_t pads[] = {0, 0, size - 1, 0, 0, 0};
    const rk_id parts[] = {rk_onnx_has(c, 3) ? c->in[3] : RK_NO_ID, c->in[0]};
    const rk_id padded = rk_onnx_has(c, 3) ? rk_onnx_concat(c, parts, 2, 2)
                                           : rk_onnx_pad(c, c->in[0], pads, "constant", RK_NO_ID);
    if (padded == RK_ONNX_LOST || rk_onnx_tensor_of(c, padded)->shape[2] != length)
        return rk_onnx_wrong(c, "its past is not the size of its weights less one");
    const int64_t a_strides[] = {x.shape[1] * length, length, 1};
    const int64_t b_strides[] = {0, size, 0};
    const int64_t one = 1;
    rk_onnx_with_ints(c, "shape", x.shape, 3);
    rk_onnx_with_ints(c, "extents", x.shape, 3);
    rk_onnx_with_ints(c, "over", &size, 1);
    rk_onnx_with_ints(c, "a_strides", a_strides, 3);
    rk_onnx_with_ints(c, "a_steps", &one, 1);
    rk_onnx_with_ints(c, "b_strides", b_strides, 3);
    rk_onnx_with_ints(c, "b_steps", &one, 1);
    rk_id y = rk_onnx_emit_one(c, "Contract", (const rk_id[]){padded, c->in[1]}, 2);
    if (rk_onnx_has(c, 2)) {
        const int64_t of_channels[] = {x.shape[1], 1};
        y = rk_onnx_map2(c, "a b add", y, rk_onnx_reshape(c, c->in[2], 2, of_channels));
    }
    const char *activation = rk_onnx_text(c, "activation", "none");
    if (strcmp(activation, "silu") == 0 || strcmp(activation, "swish") == 0)
        y = rk_onnx_map1(c, "a dup sigmoid mul", y);
    else if (strcmp(activation, "none") != 0)
        return rk_onnx_refuse(c, "silu and none are", "the activation '%s'", activation);
    if (c->out_count > 1 && *c->node->output.items[1])
        c->out[1] = rk_onnx_slice(c, padded, 2, x.shape[2], size - 1);
    return rk_onnx_done(c, y);
}

/** A linear attention: heads of keys and values, the query heads that share one, and the sizes of both. */
typedef struct {
    int64_t batch, steps, heads, group, of_key, of_value;
    rk_dtype dtype;
} linear;

/** Step t of operand `i`, [batch, steps, ...], as f32 of that shape, of 4 dimensions. */
static rk_id at_step(rk_onnx_call *c, size_t i, int64_t t, const int64_t *shape)
{
    const rk_id row = rk_onnx_slice(c, c->in[i], 1, t, 1);
    return rk_onnx_cast(c, rk_onnx_reshape(c, row, 4, shape), RK_F32);
}

/** Rows of a state, [batch, heads, of_key, of_value], summed up by a query or key, [batch, heads, group, of_key]. */
static rk_id recall(rk_onnx_call *c, const linear *l, rk_id state, rk_id by, int64_t group)
{
    const int64_t extents[] = {l->batch * l->heads, group, l->of_value};
    const int64_t shape[] = {l->batch, l->heads, group, l->of_value};
    const int64_t a_strides[] = {l->of_key * l->of_value, 0, 1};
    const int64_t b_strides[] = {group * l->of_key, l->of_key, 0};
    const int64_t one = 1;
    rk_onnx_with_ints(c, "shape", shape, 4);
    rk_onnx_with_ints(c, "extents", extents, 3);
    rk_onnx_with_ints(c, "over", &l->of_key, 1);
    rk_onnx_with_ints(c, "a_strides", a_strides, 3);
    rk_onnx_with_ints(c, "a_steps", &l->of_value, 1);
    rk_onnx_with_ints(c, "b_strides", b_strides, 3);
    rk_onnx_with_ints(c, "b_steps", &one, 1);
    return rk_onnx_emit_one(c, "Contract", (const rk_id[]){state, by}, 2);
}

/** One step; *state becomes the next. `decays` and `corrects` are what the rule does. */
static rk_id linear_step(rk_onnx_call *c, const linear *l, int64_t t, bool decays, bool corrects,
                         double scale, rk_id *state)
{
    const int64_t key_shape[] = {l->batch, l->heads, l->of_key, 1};
    const int64_t row_shape[] = {l->batch, l->heads, 1, l->of_key};
    const int64_t value_shape[] = {l->batch, l->heads, 1, l->of_value};
    const int64_t query_shape[] = {l->batch, l->heads, l->group, l->of_key};
    if (decays) {
        const bool of_heads = rk_onnx_in(c, 4)->shape[2] == l->heads;
        const int64_t shape[] = {l->batch, l->heads, of_heads ? 1 : l->of_key, 1};
        *state = rk_onnx_map2(c, "a b exp mul", *state, at_step(c, 4, t, shape));
    }
    rk_id value = at_step(c, 2, t, value_shape);
    if (corrects) {
        const rk_id known = recall(c, l, *state, at_step(c, 1, t, row_shape), 1);
        const bool one = rk_onnx_in(c, 5)->shape[2] == 1;
        const int64_t shape[] = {l->batch, one ? 1 : l->heads, 1, 1};
        value = rk_onnx_map(c, "a b sub c mul", RK_F32, NULL, value, known, at_step(c, 5, t, shape),
                            RK_NO_ID);
    }
    *state = rk_onnx_map(c, "a b c mul add", RK_F32, NULL, *state, at_step(c, 1, t, key_shape),
                         value, RK_NO_ID);
    const rk_id query = at_step(c, 0, t, query_shape);
    const rk_id found = recall(c, l, *state, query, l->group);
    const int64_t row[] = {l->batch, 1, l->heads * l->group * l->of_value};
    return rk_onnx_reshape(
        c, rk_onnx_map1(c, rk_arena_printf(c->im->arena, "a %.17g mul", scale), found), 3, row);
}

static bool read_linear(linear *l, rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 3))
        return false;
    const rk_tensor q = *rk_onnx_in(c, 0), k = *rk_onnx_in(c, 1), v = *rk_onnx_in(c, 2);
    const int64_t q_heads = rk_onnx_int(c, "q_num_heads", 0);
    l->heads = rk_onnx_int(c, "kv_num_heads", 0);
    if (q.rank != 3 || k.rank != 3 || v.rank != 3 || l->heads < 1 || q_heads % l->heads ||
        q_heads < 1 || k.shape[2] % l->heads || v.shape[2] % l->heads || q.shape[2] % q_heads ||
        q.shape[2] / q_heads != k.shape[2] / l->heads || k.shape[1] != q.shape[1] ||
        v.shape[1] != q.shape[1])
        return rk_onnx_wrong(c, "its operands do not fit its heads");
    l->batch = q.shape[0];
    l->steps = q.shape[1];
    l->group = q_heads / l->heads;
    l->of_key = k.shape[2] / l->heads;
    l->of_value = v.shape[2] / l->heads;
    l->dtype = q.dtype;
    if (l->steps > MOST_STEPS)
        return rk_onnx_refuse(c, "shorter ones are", "a sequence of %lld steps",
                              (long long)l->steps);
    return true;
}

/** The recurrence, step by step; the state is kept in f32. */
static bool lower_linear_attention(rk_onnx_call *c)
{
    linear l;
    if (!read_linear(&l, c))
        return false;
    const char *rule = rk_onnx_text(c, "update_rule", "gated_delta");
    const bool decays = strncmp(rule, "gated", 5) == 0;
    const bool corrects = strcmp(rule, "delta") == 0 || strcmp(rule, "gated_delta") == 0;
    if (!decays && !corrects && strcmp(rule, "linear") != 0)
        return rk_onnx_refuse(c, "linear, gated, delta and gated_delta are", "the rule '%s'", rule);
    if ((decays && !rk_onnx_has(c, 4)) || (corrects && !rk_onnx_has(c, 5)))
        return rk_onnx_wrong(c, "its rule needs an operand that is left out");
    const double given = rk_onnx_real(c, "scale", 0);
    const double scale = given != 0 ? given : 1 / sqrt((double)l.of_key);
    const int64_t shape[] = {l.batch, l.heads, l.of_key, l.of_value};
    rk_id state = rk_onnx_has(c, 3) ? rk_onnx_cast(c, c->in[3], RK_F32)
                                    : rk_onnx_broadcast(c, rk_onnx_scalar(c, RK_F32, 0), 4, shape);
    rk_id *rows = RK_NEW_ARRAY(c->im->arena, rk_id, (size_t)l.steps + 1);
    for (int64_t t = 0; t < l.steps; t++)
        rows[t] = linear_step(c, &l, t, decays, corrects, scale, &state);
    const rk_id y = rk_onnx_concat(c, rows, (size_t)l.steps, 1);
    if (c->out_count > 1)
        c->out[1] = rk_onnx_cast(c, state, rk_onnx_has(c, 3) ? rk_onnx_in(c, 3)->dtype : l.dtype);
    return rk_onnx_done(c, rk_onnx_cast(c, y, l.dtype));
}

/** Each place of the cache takes the element of the update that is written there, if one is. */
static bool lower_tensor_scatter(rk_onnx_call *c)
{
    int axis;
    if (!rk_onnx_needs(c, 2))
        return false;
    const rk_tensor past = *rk_onnx_in(c, 0);
    const rk_tensor update = *rk_onnx_in(c, 1);
    if (!rk_onnx_axis(&axis, c, rk_onnx_int(c, "axis", -2), past.rank))
        return false;
    if (axis == 0 || update.rank != past.rank)
        return rk_onnx_wrong(c, "its operands do not fit, or its axis is the batch");
    const int64_t places = past.shape[axis], count = update.shape[axis];
    const int64_t column[] = {past.shape[0], 1}, table[] = {past.shape[0], places};
    const int64_t row = 0;
    const rk_id begin = rk_onnx_has(c, 2)
                            ? rk_onnx_cast(c, rk_onnx_reshape(c, c->in[2], 2, column), RK_I64)
                            : rk_onnx_constant(c, RK_I64, 0, NULL, &row);
    const bool circular = strcmp(rk_onnx_text(c, "mode", "linear"), "circular") == 0;
    rk_onnx_with_ints(c, "shape", table, 2);
    rk_id index = rk_onnx_map1(
        c,
        circular ? rk_arena_printf(c->im->arena, "i1 a sub %lld mod", (long long)places)
                 : "i1 a sub",
        begin);
    const char *inside =
        rk_arena_printf(c->im->arena, "a 0 lt a %lld lt not or not", (long long)count);
    const char *clamped = rk_arena_printf(c->im->arena, "a 0 max %lld min", (long long)(count - 1));
    const rk_id written =
        rk_onnx_map(c, inside, RK_BOOL, NULL, index, RK_NO_ID, RK_NO_ID, RK_NO_ID);
    index = rk_onnx_map1(c, clamped, index);
    if (index == RK_ONNX_LOST || written == RK_ONNX_LOST)
        return false;
    const int64_t outer = rk_op_span(past.shape, 1, axis);
    const int64_t inner = rk_op_span(past.shape, axis + 1, past.rank);
    const int64_t extents[] = {past.shape[0], outer, places, inner};
    const int64_t x_strides[] = {outer * count * inner, count * inner, 0, 1};
    const int64_t index_strides[] = {places, 0, 1, 0};
    rk_onnx_with_ints(c, "shape", past.shape, (size_t)past.rank);
    rk_onnx_with_ints(c, "extents", extents, 4);
    rk_onnx_with_ints(c, "x_strides", x_strides, 4);
    rk_onnx_with_ints(c, "index_strides", index_strides, 4);
    rk_onnx_with_ints(c, "limits", &count, 1);
    rk_onnx_with_ints(c, "part_strides", &inner, 1);
    const rk_id fresh = rk_onnx_emit_one(c, "Pick", (const rk_id[]){c->in[1], index}, 2);
    int64_t broad[RK_MAX_RANK];
    for (int d = 0; d < past.rank; d++)
        broad[d] = d == 0 || d == axis ? past.shape[d] : 1;
    const rk_id at = rk_onnx_reshape(c, written, past.rank, broad);
    return rk_onnx_done(
        c, rk_onnx_map(c, "a b c where", past.dtype, NULL, at, fresh, c->in[0], RK_NO_ID));
}

static const rk_onnx_rule rules[] = {
    {"RotaryEmbedding", lower_rotary_embedding, NULL, NULL},
    {"CausalConvWithState", lower_causal_conv, NULL, NULL},
    {"LinearAttention", lower_linear_attention, NULL, NULL},
    {"TensorScatter", lower_tensor_scatter, NULL, NULL},
    {0},
};

const rk_onnx_family rk_onnx_family_sequence = {
    .rules = rules,
};
