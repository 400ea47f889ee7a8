#include "sched/onnx/import_internal.h"

#include "sched/ops/op_operands.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Einsum, as Contract and Reduce; windows and Fourier transforms, whose factors are numbers. */

/** Letters of a term, one a dimension; those of "..." are numbers from 1. */
typedef struct {
    unsigned char letters[2 * RK_MAX_RANK];
    int count;
} term;

enum { LETTERS = 128 };

/** Reads a term; "..." stands for as many dimensions as are left of `rank` (-1: of the widest). */
static bool read_term(term *out, const char **at, int rank, int dots)
{
    int letters = 0;
    for (const char *p = *at; *p && *p != ',' && *p != '-'; p++)
        letters += isalpha((unsigned char)*p) != 0;
    out->count = 0;
    for (; **at && **at != ',' && **at != '-'; (*at)++) {
        const unsigned char letter = (unsigned char)**at;
        if (isalpha(letter)) {
            if (out->count >= RK_MAX_RANK)
                return false;
            out->letters[out->count++] = letter;
        } else if (strncmp(*at, "...", 3) == 0) {
            const int n = rank < 0 ? dots : rank - letters;
            if (n < 0 || out->count + n > RK_MAX_RANK)
                return false;
            for (int d = 0; d < n; d++) /* aligned at the last one */
                out->letters[out->count++] = (unsigned char)(1 + RK_MAX_RANK - n + d);
            *at += 2;
        } else if (letter != ' ') {
            return false;
        }
    }
    return rank < 0 || out->count == rank;
}

/** Without "->": the letters that are there once, in order, after the dots. */
static void implicit_output(term *out, const term *in, size_t terms, int dots)
{
    int times[LETTERS] = {0};
    for (size_t i = 0; i < terms; i++)
        for (int d = 0; d < in[i].count; d++)
            times[in[i].letters[d]]++;
    out->count = 0;
    for (int d = 0; d < dots; d++)
        out->letters[out->count++] = (unsigned char)(1 + RK_MAX_RANK - dots + d);
    for (int l = 'A'; l < LETTERS; l++)
        if (times[l] == 1 && out->count < RK_MAX_RANK)
            out->letters[out->count++] = (unsigned char)l;
}

/** Strides of an operand for a list of letters: diagonals add up, and what has one element stays. */
static void strides_for(int64_t *strides, const unsigned char *letters, int count, const term *of,
                        const rk_tensor *t)
{
    int64_t row[RK_MAX_RANK];
    rk_onnx_row_major(row, t->rank, t->shape);
    for (int l = 0; l < count; l++) {
        strides[l] = 0;
        for (int d = 0; d < of->count; d++)
            if (of->letters[d] == letters[l] && t->shape[d] != 1)
                strides[l] += row[d];
    }
}

static bool lower_einsum(rk_onnx_call *c)
{
    const char *equation = rk_onnx_text(c, "equation", "");
    term in[2], out;
    int64_t extent[LETTERS] = {0};
    int dots = 0;
    const char *at = equation;
    if (!rk_onnx_needs(c, c->in_count) || c->in_count < 1)
        return rk_onnx_wrong(c, "it has no operands");
    if (c->in_count > 2)
        return rk_onnx_refuse(c, "one and two are: take them in pairs", "%zu operands",
                              c->in_count);
    for (size_t i = 0; i < c->in_count; i++) {
        const rk_tensor *t = rk_onnx_in(c, i);
        if (!read_term(&in[i], &at, t->rank, 0))
            return rk_onnx_wrong(c, "'%s' does not fit its operands", equation);
        for (int d = 0; d < in[i].count; d++) {
            int64_t *e = &extent[in[i].letters[d]];
            if (*e > 1 && t->shape[d] > 1 && *e != t->shape[d])
                return rk_onnx_wrong(c, "'%s': its operands differ in extents", equation);
            *e = t->shape[d] > *e ? t->shape[d] : *e;
        }
        if (*at == ',')
            at++;
    }
    while (dots < RK_MAX_RANK && extent[RK_MAX_RANK - dots])
        dots++;
    if (strncmp(at, "->", 2) == 0) {
        at += 2;
        if (!read_term(&out, &at, -1, dots))
            return rk_onnx_wrong(c, "'%s' is not an equation", equation);
    } else {
        implicit_output(&out, in, c->in_count, dots);
    }
    unsigned char inner[LETTERS];
    int inner_count = 0;
    for (int l = 1; l < LETTERS; l++)
        if (extent[l] && !memchr(out.letters, l, (size_t)out.count))
            inner[inner_count++] = (unsigned char)l;
    int64_t shape[RK_MAX_RANK], over[LETTERS], strides[2][RK_MAX_RANK], steps[2][LETTERS];
    for (int d = 0; d < out.count; d++) {
        shape[d] = extent[out.letters[d]];
        if (shape[d] == 0)
            return rk_onnx_wrong(c, "'%s' asks for a letter that no operand has", equation);
    }
    for (int l = 0; l < inner_count; l++)
        over[l] = extent[inner[l]];
    for (size_t i = 0; i < c->in_count; i++) {
        const rk_tensor t = *rk_onnx_in(c, i);
        strides_for(strides[i], out.letters, out.count, &in[i], &t);
        strides_for(steps[i], inner, inner_count, &in[i], &t);
    }
    const bool pair = c->in_count == 2;
    const int64_t one = 1;
    const int64_t zero = 0;
    const bool scalar = out.count == 0;
    const size_t loops = scalar ? 1 : (size_t)out.count;
    rk_onnx_with_ints(c, "shape", shape, (size_t)out.count);
    rk_onnx_with_ints(c, "extents", scalar ? &one : shape, loops);
    rk_onnx_with_ints(c, "over", over, (size_t)inner_count);
    rk_onnx_with_ints(c, pair ? "a_strides" : "strides", scalar ? &zero : strides[0], loops);
    rk_onnx_with_ints(c, pair ? "a_steps" : "steps", steps[0], (size_t)inner_count);
    if (pair) {
        rk_onnx_with_ints(c, "b_strides", scalar ? &zero : strides[1], loops);
        rk_onnx_with_ints(c, "b_steps", steps[1], (size_t)inner_count);
    }
    return rk_onnx_done(c, rk_onnx_emit_one(c, pair ? "Contract" : "Reduce", c->in, c->in_count));
}

/** a: the window as an expression of the angle, which is on the stack. */
static bool lower_window(rk_onnx_call *c)
{
    const rk_onnx_rule *rule = rk_onnx_rule_find(c->node->op_type);
    int64_t *size;
    size_t count;
    if (!rk_onnx_needs(c, 1) || !rk_onnx_known(&size, &count, c, 0, "size"))
        return false;
    const rk_dtype dtype = rk_onnx_dtype(rk_onnx_int(c, "output_datatype", 1));
    const int64_t periods = size[0] - (rk_onnx_int(c, "periodic", 1) ? 0 : 1);
    if (count != 1 || size[0] < 1 || dtype == RK_DTYPE_NONE)
        return rk_onnx_wrong(c, "its size is below 1, or there is no such type");
    const rk_id zero = rk_onnx_scalar(c, RK_F32, 0);
    rk_onnx_with_ints(c, "shape", size, 1);
    const char *angle = rk_arena_printf(c->im->arena, "a i0 add 6.283185307179586 mul %lld div",
                                        (long long)(periods > 0 ? periods : 1));
    return rk_onnx_done(c, rk_onnx_map(c, rk_arena_printf(c->im->arena, "%s %s", angle, rule->a),
                                       dtype, "f64", zero, RK_NO_ID, RK_NO_ID, RK_NO_ID));
}

/**
 * The sum over n of x[.., n, .., p] e^(-+ i 2 pi n k / N), as a product with [n, p, k, q]: p and q are the real and the
 * imaginary part.
 */
static rk_id fourier(rk_onnx_call *c, rk_id x, int axis, int64_t length, int64_t out, bool inverse)
{
    const rk_tensor t = *rk_onnx_tensor_of(c, x);
    const int64_t given = t.shape[axis] < length ? t.shape[axis] : length;
    const int64_t parts = t.shape[t.rank - 1];
    const int64_t shape4[] = {given, parts, out, 2};
    const size_t total = (size_t)(given * parts * out * 2);
    float *factors = RK_NEW_ARRAY(c->im->arena, float, total);
    for (size_t i = 0; i < total; i++) {
        const int64_t q = (int64_t)i % 2;
        const int64_t k = (int64_t)i / 2 % out;
        const int64_t p = (int64_t)i / 2 / out % parts;
        const int64_t n = (int64_t)i / 2 / out / parts;
        const double angle = 6.283185307179586 * (double)(n * k % length) / (double)length;
        const double sign = inverse ? 1 : -1;
        const double value = p == q ? cos(angle) : q == 1 ? sign * sin(angle) : -sign * sin(angle);
        factors[i] = (float)(inverse ? value / (double)length : value);
    }
    const rk_id w = rk_onnx_constant(c, RK_F32, 4, shape4, factors);
    const int64_t inner = rk_op_span(t.shape, axis + 1, t.rank - 1);
    int64_t shape[RK_MAX_RANK];
    memcpy(shape, t.shape, sizeof shape);
    shape[axis] = out;
    shape[t.rank - 1] = 2;
    const int64_t extents[] = {rk_op_span(t.shape, 0, axis), out, inner, 2};
    const int64_t over[] = {given, parts};
    const int64_t a_strides[] = {t.shape[axis] * inner * parts, 0, parts, 0};
    const int64_t a_steps[] = {inner * parts, 1};
    const int64_t b_strides[] = {0, 2, 0, 1};
    const int64_t b_steps[] = {parts * out * 2, out * 2};
    rk_onnx_with_ints(c, "shape", shape, (size_t)t.rank);
    rk_onnx_with_ints(c, "extents", extents, 4);
    rk_onnx_with_ints(c, "over", over, 2);
    rk_onnx_with_ints(c, "a_strides", a_strides, 4);
    rk_onnx_with_ints(c, "a_steps", a_steps, 2);
    rk_onnx_with_ints(c, "b_strides", b_strides, 4);
    rk_onnx_with_ints(c, "b_steps", b_steps, 2);
    const rk_id in[] = {x, w};
    return rk_onnx_emit_one(c, "Contract", in, 2);
}

/**
 * The real numbers whose transform's first half is x: those of the other half are the conjugates, so that all but the
 * first, and the last of an even length, count twice.
 */
static rk_id real_inverse(rk_onnx_call *c, rk_id x, int axis, int64_t length)
{
    const rk_tensor t = *rk_onnx_tensor_of(c, x);
    const int64_t half = length / 2 + 1;
    const int64_t given = t.shape[axis] < half ? t.shape[axis] : half;
    const int64_t table[] = {given, 2, length};
    float *factors = RK_NEW_ARRAY(c->im->arena, float, (size_t)(given * 2 * length));
    for (int64_t k = 0; k < given; k++)
        for (int64_t n = 0; n < length; n++) {
            const double angle = 6.283185307179586 * (double)(n * k % length) / (double)length;
            const double times = (k == 0 || 2 * k == length ? 1 : 2) / (double)length;
            factors[k * 2 * length + n] = (float)(times * cos(angle));
            factors[(k * 2 + 1) * length + n] = (float)(-times * sin(angle));
        }
    const rk_id in[] = {x, rk_onnx_constant(c, RK_F32, 3, table, factors)};
    const int64_t inner = rk_op_span(t.shape, axis + 1, t.rank - 1);
    int64_t shape[RK_MAX_RANK];
    memcpy(shape, t.shape, sizeof shape);
    shape[axis] = length;
    shape[t.rank - 1] = 1;
    const int64_t extents[] = {rk_op_span(t.shape, 0, axis), length, inner};
    const int64_t over[] = {given, 2};
    const int64_t a_strides[] = {t.shape[axis] * inner * 2, 0, 2};
    const int64_t a_steps[] = {inner * 2, 1};
    const int64_t b_strides[] = {0, 1, 0};
    const int64_t b_steps[] = {2 * length, length};
    rk_onnx_with_ints(c, "shape", shape, (size_t)t.rank);
    rk_onnx_with_ints(c, "extents", extents, 3);
    rk_onnx_with_ints(c, "over", over, 2);
    rk_onnx_with_ints(c, "a_strides", a_strides, 3);
    rk_onnx_with_ints(c, "a_steps", a_steps, 2);
    rk_onnx_with_ints(c, "b_strides", b_strides, 3);
    rk_onnx_with_ints(c, "b_steps", b_steps, 2);
    return rk_onnx_emit_one(c, "Contract", in, 2);
}

enum { MOST_FACTORS = 1 << 24 };

static bool lower_dft(rk_onnx_call *c)
{
    int axis;
    int64_t *value;
    size_t count;
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    int64_t given_axis = rk_onnx_int(c, "axis", c->im->opset < 20 ? 1 : -2);
    if (rk_onnx_has(c, 2)) {
        if (!rk_onnx_known(&value, &count, c, 2, "axis"))
            return false;
        given_axis = value[0];
    }
    if (!rk_onnx_axis(&axis, c, given_axis, t.rank))
        return false;
    const int64_t parts = t.shape[t.rank - 1];
    const bool onesided = rk_onnx_int(c, "onesided", 0) != 0;
    const bool inverse = rk_onnx_int(c, "inverse", 0) != 0;
    const bool to_real = onesided && inverse; /* from the first half of the transform */
    int64_t length = to_real ? 2 * (t.shape[axis] - 1) : t.shape[axis];
    if (rk_onnx_has(c, 1)) {
        if (!rk_onnx_known(&value, &count, c, 1, "dft_length"))
            return false;
        length = value[0];
    }
    const int64_t out = to_real ? length : onesided ? length / 2 + 1 : length;
    if (axis == t.rank - 1 || parts > 2 || length < 1 || t.dtype != RK_F32)
        return rk_onnx_wrong(c, "its operand is not f32 of 1 or 2 parts, or its length below 1");
    if (length > MOST_FACTORS || out * t.shape[axis] > MOST_FACTORS)
        return rk_onnx_refuse(c, "shorter ones are", "a transform of %lld elements",
                              (long long)length);
    if (to_real && parts != 2)
        return rk_onnx_wrong(c, "its operand is no transform: it has one part");
    return rk_onnx_done(c, to_real ? real_inverse(c, c->in[0], axis, length)
                                   : fourier(c, c->in[0], axis, length, out, inverse));
}

/** Frames of the signal times a window, [batch, frames, length, 1], transformed. */
static bool lower_stft(rk_onnx_call *c)
{
    int64_t *step, *length = NULL;
    size_t count;
    if (!rk_onnx_needs(c, 2) || !rk_onnx_known(&step, &count, c, 1, "frame_step") ||
        (rk_onnx_has(c, 3) && !rk_onnx_known(&length, &count, c, 3, "frame_length")))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    const int64_t size = length              ? length[0]
                         : rk_onnx_has(c, 2) ? rk_tensor_elements(rk_onnx_in(c, 2))
                                             : 0;
    const int64_t parts = t.rank == 3 ? t.shape[2] : 1;
    if (t.rank < 2 || t.rank > 3 || t.dtype != RK_F32 || step[0] < 1 || size < 1 ||
        size > t.shape[1] || size > 4096)
        return rk_onnx_wrong(
            c, "its signal is not f32 [batch, length, parts], or its frames do not fit");
    const int64_t frames = (t.shape[1] - size) / step[0] + 1;
    const int64_t shape[] = {t.shape[0], frames, size, parts};
    const int64_t strides[] = {t.shape[1] * parts, step[0] * parts, parts, 1};
    rk_id x = rk_onnx_strided(c, c->in[0], 4, shape, strides, 0);
    if (rk_onnx_has(c, 2)) {
        const int64_t of_frame[] = {size, 1};
        x = rk_onnx_map2(c, "a b mul", x, rk_onnx_reshape(c, c->in[2], 2, of_frame));
    }
    if (x == RK_ONNX_LOST)
        return false;
    const int64_t out = rk_onnx_int(c, "onesided", 1) ? size / 2 + 1 : size;
    return rk_onnx_done(c, fourier(c, x, 2, size, out, false));
}

static const rk_onnx_rule rules[] = {
    {"Einsum", lower_einsum, NULL, NULL},
    {"HannWindow", lower_window, "cos -0.5 mul 0.5 add", NULL},
    {"HammingWindow", lower_window, "cos -0.45652173913043476 mul 0.5434782608695652 add", NULL},
    {"BlackmanWindow", lower_window, "cos dup 0.16 mul 0.5 sub mul 0.34 add", NULL},
    {"DFT", lower_dft, NULL, NULL},
    {"STFT", lower_stft, NULL, NULL},
    {0},
};

const rk_onnx_family rk_onnx_family_sums = {
    .rules = rules,
};
