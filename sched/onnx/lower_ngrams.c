#include "sched/onnx/import_internal.h"

#include "sched/ops/op_operands.h"

#include <string.h>

/*
 * TfIdfVectorizer of integers: how often each n-gram of a list is in a line, its elements up to max_skip_count apart. The
 * n-grams of one length are compared at all places at once: a Map for each of their elements, and a Reduce.
 */

typedef struct {
    rk_id lines; /**< [batch, length] */
    int64_t batch, length;
    const int64_t *pool; /**< n-grams of `n`, one after another */
    int64_t n, count;
} ngrams;

/** Whether element k of the n-grams is at each place, [batch, places, count], by i64. */
static rk_id element_there(rk_onnx_call *c, const ngrams *g, int64_t k, int64_t apart,
                           int64_t places)
{
    const int64_t shape[] = {g->batch, places, 1};
    const int64_t strides[] = {g->length, 1, 0};
    int64_t *column = RK_NEW_ARRAY(c->im->arena, int64_t, (size_t)g->count + 1);
    for (int64_t j = 0; j < g->count; j++)
        column[j] = g->pool[j * g->n + k];
    const rk_id at = rk_onnx_strided(c, g->lines, 3, shape, strides, k * apart);
    return rk_onnx_map(c, "a b eq", RK_I64, "i64", at,
                       rk_onnx_integers(c, column, (size_t)g->count), RK_NO_ID, RK_NO_ID);
}

/** How often the n-grams of a length are there, [batch, count], f32; RK_NO_ID where no line is as long. */
static rk_id count_ngrams(rk_onnx_call *c, const ngrams *g, int64_t most_skips)
{
    rk_id total = RK_NO_ID;
    /* Without a gap between elements all skips are the same. */
    for (int64_t skip = 0; skip <= (g->n == 1 ? 0 : most_skips); skip++) {
        const int64_t places = g->length - (g->n - 1) * (skip + 1);
        if (places < 1)
            break;
        rk_id all = element_there(c, g, 0, skip + 1, places);
        for (int64_t k = 1; k < g->n; k++)
            all = rk_onnx_map2(c, "a b mul", all, element_there(c, g, k, skip + 1, places));
        const rk_id sum = rk_onnx_reduce(c, all, "sum", 2, false);
        total = total == RK_NO_ID ? sum : rk_onnx_map2(c, "a b add", total, sum);
    }
    return total == RK_NO_ID ? total : rk_onnx_cast(c, total, RK_F32);
}

/** The columns in their places of the result, with zeros where no n-gram goes. */
static rk_id in_places(rk_onnx_call *c, rk_id columns, int64_t batch, const int64_t *indexes,
                       int64_t count, int64_t width)
{
    const int64_t shape[] = {batch, width};
    const rk_id zeros = rk_onnx_broadcast(c, rk_onnx_scalar(c, RK_F32, 0), 2, shape);
    const rk_id in[] = {zeros, rk_onnx_integers(c, indexes, (size_t)count), columns};
    const int64_t part = 1;
    const int64_t one = 1;
    const int64_t strides[] = {count, 0};
    rk_onnx_with_ints(c, "over", &count, 1);
    rk_onnx_with_ints(c, "parts", &part, 1);
    rk_onnx_with_ints(c, "index_steps", &one, 1);
    rk_onnx_with_ints(c, "update_strides", strides, 2);
    rk_onnx_with_ints(c, "update_steps", &one, 1);
    return rk_onnx_emit_one(c, "Put", in, 3);
}

/** All lengths from min_gram_length to max_gram_length, in the order of the list. */
static rk_id count_all(rk_onnx_call *c, ngrams *g, const int64_t *pool, size_t pool_size,
                       size_t *total)
{
    size_t starts;
    const int64_t *start = rk_onnx_ints(c, "ngram_counts", &starts);
    const int64_t least = rk_onnx_int(c, "min_gram_length", 1);
    const int64_t most = rk_onnx_int(c, "max_gram_length", 1);
    rk_id parts[64];
    size_t count = 0;
    *total = 0;
    for (size_t i = 0; i < starts && i < 64; i++) {
        const int64_t end = i + 1 < starts ? start[i + 1] : (int64_t)pool_size;
        g->n = (int64_t)i + 1;
        if (start[i] < 0 || end < start[i] || end > (int64_t)pool_size || (end - start[i]) % g->n)
            return RK_ONNX_LOST;
        g->pool = pool + start[i];
        g->count = (end - start[i]) / g->n;
        if (g->count == 0)
            continue;
        const int64_t shape[] = {g->batch, g->count};
        rk_id found = RK_NO_ID;
        if (g->n >= least && g->n <= most)
            found = count_ngrams(c, g, rk_onnx_int(c, "max_skip_count", 0));
        if (found == RK_NO_ID)
            found = rk_onnx_broadcast(c, rk_onnx_scalar(c, RK_F32, 0), 2, shape);
        parts[count++] = found;
        *total += (size_t)g->count;
    }
    return count ? rk_onnx_concat(c, parts, count, 1) : RK_ONNX_LOST;
}

static bool lower_ngrams(rk_onnx_call *c)
{
    size_t pool_size, indexes, total;
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    const int64_t *pool = rk_onnx_ints(c, "pool_int64s", &pool_size);
    const int64_t *index = rk_onnx_ints(c, "ngram_indexes", &indexes);
    const rk_onnx_attr *weights = rk_onnx_attr_of(c, "weights");
    const char *mode = rk_onnx_text(c, "mode", "TF");
    if (!pool || t.rank < 1 || t.rank > 2)
        return rk_onnx_refuse(c, "a list of integers, and one or two dimensions are",
                              "its list or operand");
    ngrams g = {.batch = t.rank == 2 ? t.shape[0] : 1, .length = t.shape[t.rank - 1]};
    const int64_t matrix[] = {g.batch, g.length};
    g.lines = rk_onnx_reshape(c, rk_onnx_cast(c, c->in[0], RK_I64), 2, matrix);
    rk_id counts = count_all(c, &g, pool, pool_size, &total);
    if (counts == RK_ONNX_LOST || total != indexes || (weights && weights->floats.count != total))
        return rk_onnx_wrong(c, "its lists do not fit each other");
    int64_t width = 0;
    for (size_t i = 0; i < indexes; i++)
        width = index[i] >= width ? index[i] + 1 : width;
    if (strcmp(mode, "TF") != 0) {
        const int64_t n = (int64_t)total;
        float *ones = RK_NEW_ARRAY(c->im->arena, float, total);
        for (size_t i = 0; i < total; i++)
            ones[i] = weights ? weights->floats.items[i] : 1;
        const rk_id w = rk_onnx_constant(c, RK_F32, 1, &n, ones);
        counts =
            rk_onnx_map2(c, strcmp(mode, "IDF") == 0 ? "a 0 eq 0 b where" : "a b mul", counts, w);
    }
    rk_id out = in_places(c, counts, g.batch, index, (int64_t)indexes, width);
    if (t.rank == 1)
        out = rk_onnx_reshape(c, out, 1, &width);
    return rk_onnx_done(c, out);
}

static const rk_onnx_rule rules[] = {
    {"TfIdfVectorizer", lower_ngrams, NULL, NULL},
    {0},
};

const rk_onnx_family rk_onnx_family_ngrams = {
    .rules = rules,
};
