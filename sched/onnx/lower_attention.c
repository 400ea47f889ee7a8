#include "sched/onnx/import_internal.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/*
 * Attention of opsets 23 to 25, as MatMul, Map and Softmax in f32. Groups of query heads that share a head of keys are rows of
 * one product. What a query may not see has a bias of minus infinity; a query that sees nothing gives zeros.
 */

typedef struct {
    rk_id q, k, v;                /**< [batch, heads, length, size]; k and v with what was before */
    int64_t batch, heads, groups; /**< heads of queries, and of keys and values */
    int64_t queries, keys, past;  /**< lengths; `past` of the keys were there before */
    int64_t size, out_size;       /**< of a head of queries, and of values */
    bool flat;                    /**< Q, K and V were [batch, length, heads * size] */
    rk_dtype dtype;
} attention;

enum { Q, K, V, MASK, PAST_KEY, PAST_VALUE, LENGTHS };

/** Operand `i` as [batch, heads, length, size]. */
static rk_id in_heads(rk_onnx_call *c, size_t i, int64_t heads)
{
    static const int64_t order[] = {0, 2, 1, 3};
    const rk_tensor t = *rk_onnx_in(c, i);
    if (t.rank == 4)
        return c->in[i];
    if (heads < 1 || t.shape[2] % heads) {
        rk_onnx_wrong(c, "its heads do not divide its operands");
        return RK_ONNX_LOST;
    }
    const int64_t shape[] = {t.shape[0], t.shape[1], heads, t.shape[2] / heads};
    return rk_onnx_transpose(c, rk_onnx_reshape(c, c->in[i], 4, shape), order);
}

/** `now` behind what was there before, if anything was. */
static rk_id behind(rk_onnx_call *c, size_t before, rk_id now)
{
    if (!rk_onnx_has(c, before))
        return now;
    const rk_id parts[] = {c->in[before], now};
    return rk_onnx_concat(c, parts, 2, 2);
}

static bool read_operands(attention *a, rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 3))
        return false;
    const rk_tensor q = *rk_onnx_in(c, Q);
    a->dtype = q.dtype;
    a->flat = q.rank == 3;
    if ((q.rank != 3 && q.rank != 4) || rk_onnx_in(c, K)->rank != q.rank ||
        rk_onnx_in(c, V)->rank != q.rank)
        return rk_onnx_wrong(c, "its operands are neither of 3 dimensions nor of 4");
    if (a->dtype == RK_F64)
        return rk_onnx_refuse(c, "f32, f16 and bf16 are", "f64");
    const int64_t heads = rk_onnx_int(c, "q_num_heads", 0);
    const int64_t groups = rk_onnx_int(c, "kv_num_heads", 0);
    a->q = in_heads(c, Q, heads);
    a->k = behind(c, PAST_KEY, in_heads(c, K, groups));
    a->v = behind(c, PAST_VALUE, in_heads(c, V, groups));
    if (a->q == RK_ONNX_LOST || a->k == RK_ONNX_LOST || a->v == RK_ONNX_LOST)
        return false;
    const rk_tensor tq = *rk_onnx_tensor_of(c, a->q), tk = *rk_onnx_tensor_of(c, a->k),
                    tv = *rk_onnx_tensor_of(c, a->v);
    a->batch = tq.shape[0];
    a->heads = tq.shape[1];
    a->groups = tk.shape[1];
    a->queries = tq.shape[2];
    a->keys = tk.shape[2];
    a->size = tq.shape[3];
    a->out_size = tv.shape[3];
    a->past = rk_onnx_has(c, PAST_KEY) ? rk_onnx_in(c, PAST_KEY)->shape[2] : 0;
    if (tk.shape[0] != a->batch || tv.shape[0] != a->batch || tv.shape[1] != a->groups ||
        tv.shape[2] != a->keys || tk.shape[3] != a->size || a->heads % a->groups)
        return rk_onnx_wrong(c, "the shapes of its operands do not fit");
    return true;
}

/** The mask with as many keys as there are: those that it lacks are not seen. */
static rk_id whole_mask(rk_onnx_call *c, const attention *a)
{
    const rk_tensor mask = *rk_onnx_in(c, MASK);
    const int64_t lacks = mask.rank ? a->keys - mask.shape[mask.rank - 1] : 0;
    if (lacks <= 0)
        return c->in[MASK];
    int64_t pads[2 * RK_MAX_RANK] = {0};
    pads[2 * mask.rank - 1] = lacks;
    const rk_id fill = rk_onnx_scalar(c, mask.dtype, mask.dtype == RK_BOOL ? 0 : -INFINITY);
    return rk_onnx_pad(c, c->in[MASK], pads, "constant", fill);
}

/** Sets *expr to itself where `condition` holds, and to minus infinity elsewhere. */
static void only_where(const char **expr, rk_onnx_call *c, const char *condition, ...)
    __attribute__((format(printf, 3, 4)));
static void only_where(const char **expr, rk_onnx_call *c, const char *condition, ...)
{
    va_list args;
    va_start(args, condition);
    const char *text = rk_arena_vprintf(c->im->arena, condition, args);
    va_end(args);
    *expr = rk_arena_printf(c->im->arena, "%s %s 0 log where", text, *expr);
}

/**
 * What is added to the scores: b is the mask, d the number of keys of each batch that are no padding. RK_NO_ID: nothing
 * is. Coordinates 2 and 3 are the query's and the key's.
 */
static rk_id bias_of(rk_onnx_call *c, const attention *a)
{
    const bool masked = rk_onnx_has(c, MASK), padded = rk_onnx_has(c, LENGTHS);
    const int64_t left = rk_onnx_int(c, "left_window_size", -1);
    const int64_t right = rk_onnx_int(c, "right_window_size", -1);
    const bool causal = rk_onnx_int(c, "is_causal", 0) != 0;
    if (!masked && !padded && !causal && left < 0 && right < 0)
        return RK_NO_ID;
    const bool yes_or_no = masked && rk_onnx_in(c, MASK)->dtype == RK_BOOL;
    const char *expr = masked ? yes_or_no ? "a 0 0 log where" : "a" : "0";
    /* The query's place among the keys. */
    const char *place =
        padded ? rk_arena_printf(c->im->arena, "i2 b %lld sub add", (long long)a->queries)
               : rk_arena_printf(c->im->arena, "i2 %lld add", (long long)a->past);
    if (causal)
        only_where(&expr, c, "i3 %s le", place);
    if (left >= 0)
        only_where(&expr, c, "%s %lld sub i3 le", place, (long long)left);
    if (right >= 0)
        only_where(&expr, c, "i3 %s %lld add le", place, (long long)right);
    if (padded)
        only_where(&expr, c, "i3 b lt");
    const int64_t shape[] = {a->batch, a->heads, a->queries, a->keys}, each[] = {a->batch, 1, 1, 1};
    rk_id mask = masked ? whole_mask(c, a) : rk_onnx_scalar(c, RK_F32, 0);
    const rk_id lengths =
        padded ? rk_onnx_cast(c, rk_onnx_reshape(c, c->in[LENGTHS], 4, each), RK_F32) : RK_NO_ID;
    mask = rk_onnx_cast(c, mask, RK_F32);
    rk_onnx_with_ints(c, "shape", shape, 4);
    return rk_onnx_map(c, expr, RK_F32, "f32", mask, lengths, RK_NO_ID, RK_NO_ID);
}

/** Query heads that share keys become rows of one matrix, and back. */
static rk_id regroup(rk_onnx_call *c, const attention *a, rk_id x, bool together, int64_t columns)
{
    const int64_t one[] = {a->batch, a->groups, a->heads / a->groups * a->queries, columns};
    const int64_t apart[] = {a->batch, a->heads, a->queries, columns};
    return rk_onnx_reshape(c, x, 4, together ? one : apart);
}

static rk_id scores_of(rk_onnx_call *c, const attention *a)
{
    static const int64_t turned[] = {0, 1, 3, 2};
    const double scale = rk_onnx_real(c, "scale", 1 / sqrt((double)a->size));
    const double cap = rk_onnx_real(c, "softcap", 0);
    const rk_id keys = rk_onnx_transpose(c, rk_onnx_cast(c, a->k, RK_F32), turned);
    const rk_id queries = regroup(c, a, rk_onnx_cast(c, a->q, RK_F32), true, a->size);
    const rk_id product =
        regroup(c, a, rk_onnx_matmul(c, queries, keys, RK_DTYPE_NONE), false, a->keys);
    return rk_onnx_map1(
        c,
        cap > 0 ? rk_arena_printf(c->im->arena, "a %.17g mul tanh %.17g mul", scale / cap, cap)
                : rk_arena_printf(c->im->arena, "a %.17g mul", scale),
        product);
}

static rk_id weights_of(rk_onnx_call *c, rk_id scores, rk_id bias)
{
    rk_onnx_with_int(c, "axis", 3);
    const rk_id soft = rk_onnx_emit_one(c, "Softmax", &scores, 1);
    return bias == RK_NO_ID ? soft
                            : rk_onnx_map2(c, "b 0 log eq 0 a where", soft,
                                           rk_onnx_reduce(c, bias, "max", 1U << 3, true));
}

/** The result as the operands are: heads side by side where these are flat. */
static rk_id as_operands(rk_onnx_call *c, const attention *a, rk_id y)
{
    static const int64_t order[] = {0, 2, 1, 3};
    const int64_t flat[] = {a->batch, a->queries, a->heads * a->out_size};
    y = rk_onnx_cast(c, y, a->dtype);
    return a->flat ? rk_onnx_reshape(c, rk_onnx_transpose(c, y, order), 3, flat) : y;
}

static bool lower_attention(rk_onnx_call *c)
{
    attention a = {0};
    if (!read_operands(&a, c))
        return false;
    const int64_t shown = rk_onnx_int(c, "qk_matmul_output_mode", 0);
    const rk_id plain = scores_of(c, &a);
    const rk_id bias = bias_of(c, &a);
    const rk_id biased = bias == RK_NO_ID ? plain : rk_onnx_map2(c, "a b add", plain, bias);
    const rk_id weights = weights_of(c, biased, bias);
    const rk_id y = rk_onnx_matmul(c, regroup(c, &a, weights, true, a.keys),
                                   rk_onnx_cast(c, a.v, RK_F32), RK_DTYPE_NONE);
    const rk_id seen = shown == 3 ? weights : shown == 2 ? biased : plain;
    const rk_id outs[] = {as_operands(c, &a, regroup(c, &a, y, false, a.out_size)), a.k, a.v,
                          c->out_count > 3 ? rk_onnx_cast(c, seen, a.dtype) : RK_NO_ID};
    for (size_t o = 0; o < 4 && o < c->out_count; o++)
        c->out[o] = outs[o];
    return outs[0] != RK_ONNX_LOST && outs[3] != RK_ONNX_LOST;
}

static const rk_onnx_rule rules[] = {
    {"Attention", lower_attention, NULL, NULL},
    {0},
};

const rk_onnx_family rk_onnx_family_attention = {
    .rules = rules,
};
