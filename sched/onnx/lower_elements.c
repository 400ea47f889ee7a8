#include "sched/onnx/import_internal.h"

#include "base/str.h"
#include "sched/ops/narrow.h"

#include <stdlib.h>
#include <string.h>

/* Element-wise operators: a Map each, or the rOperator of that name where operands are f32 and one has kernels of its own. */

/** Of as many dimensions the kernels of Add, Sub, Mul and Div take operands. */
enum { NAMED_RANK = 4 };

static bool all_f32(const rk_onnx_call *c)
{
    for (size_t i = 0; i < c->in_count; i++)
        if (rk_onnx_in(c, i)->dtype != RK_F32 || rk_onnx_in(c, i)->rank > NAMED_RANK ||
            rk_tensor_elements(rk_onnx_in(c, i)) == 0)
            return false;
    return true;
}

/** a: the expression; b: the rOperator for f32. */
static bool unary(rk_onnx_call *c)
{
    const rk_onnx_rule *rule = rk_onnx_rule_find(c->node->op_type);
    if (!rk_onnx_needs(c, 1))
        return false;
    if (rule->b && all_f32(c))
        return rk_onnx_done(c, rk_onnx_emit_one(c, rule->b, c->in, 1));
    return rk_onnx_done(c, rk_onnx_map1(c, rule->a, c->in[0]));
}

/** a: the expression, which gives a bool. */
static bool question(rk_onnx_call *c)
{
    const rk_onnx_rule *rule = rk_onnx_rule_find(c->node->op_type);
    return rk_onnx_needs(c, 1) && rk_onnx_done(c, rk_onnx_map(c, rule->a, RK_BOOL, NULL, c->in[0],
                                                              RK_NO_ID, RK_NO_ID, RK_NO_ID));
}

/** The expression with $name replaced by the attribute of that name, whose defaults are "name=value name=value". */
static const char *with_attributes(rk_onnx_call *c, const char *expr, const char *defaults)
{
    rk_str out = {.arena = c->im->arena};
    for (const char *at = expr; *at;) {
        if (*at != '$') {
            rk_str_addn(&out, at++, 1);
            continue;
        }
        const size_t length = strcspn(++at, " ");
        const char *name = rk_arena_strndup(c->im->arena, at, length);
        const char *given = strstr(defaults, rk_arena_printf(c->im->arena, "%s=", name));
        rk_str_addf(&out, "%.17g", rk_onnx_real(c, name, atof(given + length + 1)));
        at += length;
    }
    return rk_str_text(&out);
}

/** a: the expression with attributes, b: their defaults. */
static bool parametric(rk_onnx_call *c)
{
    const rk_onnx_rule *rule = rk_onnx_rule_find(c->node->op_type);
    return rk_onnx_needs(c, 1) &&
           rk_onnx_done(c, rk_onnx_map1(c, with_attributes(c, rule->a, rule->b), c->in[0]));
}

/** Before opset 7 the second operand's dimensions stood from "axis" on; PReLU's slopes were the channels'. */
static bool place_second(rk_id in[2], rk_onnx_call *c)
{
    const rk_tensor a = *rk_onnx_in(c, 0);
    const rk_tensor b = *rk_onnx_in(c, 1);
    const bool slopes = strcmp(c->node->op_type, "PRelu") == 0 && b.rank == 1 && a.rank > 1;
    in[0] = c->in[0];
    in[1] = c->in[1];
    if (c->im->opset >= 7 || (!slopes && !rk_onnx_attr_of(c, "axis")))
        return true;
    int axis = 1;
    int64_t shape[RK_MAX_RANK];
    if (!slopes && !rk_onnx_axis(&axis, c, rk_onnx_int(c, "axis", 0), a.rank))
        return false;
    if (axis + b.rank > a.rank)
        return rk_onnx_wrong(c, "its second operand does not stand from its axis on");
    for (int d = 0; d < a.rank; d++)
        shape[d] = d >= axis && d < axis + b.rank ? b.shape[d - axis] : 1;
    in[1] = rk_onnx_reshape(c, in[1], a.rank, shape);
    return in[1] != RK_ONNX_LOST;
}

static bool binary(rk_onnx_call *c)
{
    const rk_onnx_rule *rule = rk_onnx_rule_find(c->node->op_type);
    rk_id in[2];
    if (!rk_onnx_needs(c, 2) || !place_second(in, c))
        return false;
    if (rule->b && all_f32(c))
        return rk_onnx_done(c, rk_onnx_emit_one(c, rule->b, in, 2));
    return rk_onnx_done(c, rk_onnx_map2(c, rule->a, in[0], in[1]));
}

static bool comparison(rk_onnx_call *c)
{
    const rk_onnx_rule *rule = rk_onnx_rule_find(c->node->op_type);
    return rk_onnx_needs(c, 2) && rk_onnx_done(c, rk_onnx_map(c, rule->a, RK_BOOL, NULL, c->in[0],
                                                              c->in[1], RK_NO_ID, RK_NO_ID));
}

/** An integer to a power that is no integer is computed in f64. */
static bool lower_pow(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 2))
        return false;
    const bool mixed =
        !rk_dtype_is_float(rk_onnx_in(c, 0)->dtype) && rk_dtype_is_float(rk_onnx_in(c, 1)->dtype);
    return rk_onnx_done(c, rk_onnx_map(c, "a b pow", RK_DTYPE_NONE, mixed ? "f64" : NULL, c->in[0],
                                       c->in[1], RK_NO_ID, RK_NO_ID));
}

static bool lower_swiglu(rk_onnx_call *c)
{
    return rk_onnx_needs(c, 2) &&
           rk_onnx_done(
               c,
               rk_onnx_map2(c, with_attributes(c, "a dup $alpha mul sigmoid mul b mul", "alpha=1"),
                            c->in[0], c->in[1]));
}

static bool lower_mod(rk_onnx_call *c)
{
    return rk_onnx_needs(c, 2) &&
           rk_onnx_done(c, rk_onnx_map2(c, rk_onnx_int(c, "fmod", 0) ? "a b fmod" : "a b mod",
                                        c->in[0], c->in[1]));
}

static bool lower_bit_shift(rk_onnx_call *c)
{
    const bool left = strcmp(rk_onnx_text(c, "direction", "LEFT"), "LEFT") == 0;
    return rk_onnx_needs(c, 2) &&
           rk_onnx_done(c, rk_onnx_map2(c, left ? "a b shl" : "a b shr", c->in[0], c->in[1]));
}

/** Max, Min, Sum, Mean of any number of operands. a: the expression of two. */
static bool variadic(rk_onnx_call *c)
{
    const rk_onnx_rule *rule = rk_onnx_rule_find(c->node->op_type);
    if (c->in_count == 0 || !rk_onnx_needs(c, c->in_count))
        return rk_onnx_wrong(c, "it has no operands");
    rk_id sum = c->in[0];
    for (size_t i = 1; i < c->in_count && sum != RK_ONNX_LOST; i++)
        sum = rk_onnx_map2(c, rule->a, sum, c->in[i]);
    if (rule->b && c->in_count > 1 && sum != RK_ONNX_LOST)
        sum = rk_onnx_map1(c, rk_arena_printf(c->im->arena, "a %zu div", c->in_count), sum);
    return rk_onnx_done(c, sum);
}

static bool lower_where(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 3))
        return false;
    const rk_dtype dtype = rk_onnx_in(c, 1)->dtype;
    const rk_id out =
        rk_onnx_map(c, "a b c where", dtype, NULL, c->in[0], c->in[1], c->in[2], RK_NO_ID);
    return rk_onnx_done(c, out);
}

static bool lower_clip(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 1))
        return false;
    rk_id low = rk_onnx_has(c, 1) ? c->in[1] : RK_NO_ID;
    rk_id high = rk_onnx_has(c, 2) ? c->in[2] : RK_NO_ID;
    const rk_dtype dtype = rk_onnx_in(c, 0)->dtype;
    if (rk_onnx_attr_of(c, "min"))
        low = rk_onnx_scalar(c, dtype, rk_onnx_real(c, "min", 0));
    if (rk_onnx_attr_of(c, "max"))
        high = rk_onnx_scalar(c, dtype, rk_onnx_real(c, "max", 0));
    const bool from = low != RK_NO_ID;
    const bool to = high != RK_NO_ID;
    const char *expr = from && to ? "a b max c min" : from ? "a b max" : to ? "a c min" : "a";
    return rk_onnx_done(c,
                        rk_onnx_map(c, expr, RK_DTYPE_NONE, NULL, c->in[0], low, high, RK_NO_ID));
}

/** To a real number of 8 or 4 bits: what is larger than its largest becomes that, or overflows as the type has it. */
static bool cast_narrow(rk_onnx_call *c, rk_dtype dtype)
{
    const char *rounding = rk_onnx_text(c, "round_mode", "up");
    if (dtype == RK_F8E8M0 && strcmp(rounding, "up") != 0)
        return rk_onnx_refuse(c, "up is", "the rounding '%s'", rounding);
    const rk_tensor x = *rk_onnx_in(c, 0);
    const double most = (double)rk_narrow_most(dtype);
    const bool saturates = rk_onnx_int(c, "saturate", 1) != 0;
    const char *expr = dtype == RK_F8E8M0
                           ? rk_arena_printf(c->im->arena, "a %.9g min", most)
                           : rk_arena_printf(c->im->arena, "a %.9g min -%.9g max", most, most);
    return rk_onnx_done(c, rk_onnx_map(c, saturates ? expr : "a", dtype,
                                       x.dtype == RK_F64 ? NULL : "f32", c->in[0], RK_NO_ID,
                                       RK_NO_ID, RK_NO_ID));
}

static bool lower_bit_cast(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_dtype dtype = rk_onnx_dtype(rk_onnx_int(c, "to", 0));
    const rk_tensor x = *rk_onnx_in(c, 0);
    if (dtype == RK_DTYPE_NONE || rk_dtype_bits(dtype) != rk_dtype_bits(x.dtype))
        return rk_onnx_wrong(c, "the type that it gives is not of as many bits as its operand's");
    int64_t strides[RK_MAX_RANK];
    rk_onnx_row_major(strides, x.rank, x.shape);
    rk_onnx_with_text(c, "dtype", rk_dtype_name(dtype));
    return rk_onnx_done(c, rk_onnx_strided(c, c->in[0], x.rank, x.shape, strides, 0));
}

static bool lower_cast(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 1))
        return false;
    const rk_dtype dtype = strcmp(c->node->op_type, "CastLike") == 0 && rk_onnx_needs(c, 2)
                               ? rk_onnx_in(c, 1)->dtype
                               : rk_onnx_dtype(rk_onnx_int(c, "to", 0));
    if (dtype == RK_DTYPE_NONE)
        return rk_onnx_refuse(c, "numbers and bool are", "the type that it casts to, %lld of ONNX",
                              (long long)rk_onnx_int(c, "to", 0));
    if (dtype >= RK_F8E4M3 && dtype <= RK_F4E2M1 && rk_onnx_in(c, 0)->dtype != dtype)
        return cast_narrow(c, dtype);
    return rk_onnx_done(c, rk_onnx_cast(c, c->in[0], dtype));
}

static bool lower_is_inf(rk_onnx_call *c)
{
    const bool negative = rk_onnx_int(c, "detect_negative", 1) != 0;
    const bool positive = rk_onnx_int(c, "detect_positive", 1) != 0;
    const char *expr = negative && positive ? "a isinf"
                       : negative           ? "a isinf a 0 lt and"
                       : positive           ? "a isinf 0 a lt and"
                                            : "a 0 mul 1 lt 0 and";
    return rk_onnx_needs(c, 1) && rk_onnx_done(c, rk_onnx_map(c, expr, RK_BOOL, NULL, c->in[0],
                                                              RK_NO_ID, RK_NO_ID, RK_NO_ID));
}

static bool lower_identity(rk_onnx_call *c)
{
    return rk_onnx_needs(c, 1) && rk_onnx_done(c, c->in[0]);
}

static bool lower_gelu(rk_onnx_call *c)
{
    const bool by_tanh = strcmp(rk_onnx_text(c, "approximate", "none"), "tanh") == 0;
    return rk_onnx_needs(c, 1) &&
           rk_onnx_done(c,
                        rk_onnx_map1(c,
                                     by_tanh ? "a dup a a mul a mul 0.044715 mul add "
                                               "0.7978845608028654 mul tanh 1 add mul 0.5 mul"
                                             : "a dup 0.7071067811865476 mul erf 1 add mul 0.5 mul",
                                     c->in[0]));
}

/** Nothing is dropped where nothing is trained; the mask is true everywhere. */
static bool lower_dropout(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 1))
        return false;
    if (rk_onnx_has(c, 2)) {
        int64_t *training;
        size_t count;
        if (!rk_onnx_known(&training, &count, c, 2, "training_mode"))
            return false;
        const void *ratio = rk_onnx_has(c, 1) ? rk_onnx_data(c, c->in[1]) : NULL;
        if (count == 1 && training[0] &&
            !(ratio && rk_onnx_in(c, 1)->dtype == RK_F32 &&
              rk_tensor_elements(rk_onnx_in(c, 1)) == 1 && *(const float *)ratio == 0.0f))
            return rk_onnx_refuse(c, "export the model for inference", "it is to be trained");
    }
    if (c->out_count > 1)
        c->out[1] = rk_onnx_map(c, "a a eq a a eq not or", RK_BOOL, NULL, c->in[0], RK_NO_ID,
                                RK_NO_ID, RK_NO_ID);
    return rk_onnx_done(c, c->in[0]);
}

static const rk_onnx_rule rules[] = {
    {"Abs", unary, "a abs", NULL},
    {"Neg", unary, "a neg", NULL},
    {"Sign", unary, "a sign", NULL},
    {"Floor", unary, "a floor", NULL},
    {"Ceil", unary, "a ceil", NULL},
    {"Round", unary, "a round", NULL},
    {"Exp", unary, "a exp", "Exp"},
    {"Log", unary, "a log", NULL},
    {"Sqrt", unary, "a sqrt", "Sqrt"},
    {"Reciprocal", unary, "1 a div", NULL},
    {"Sin", unary, "a sin", NULL},
    {"Cos", unary, "a cos", NULL},
    {"Tan", unary, "a tan", NULL},
    {"Asin", unary, "a asin", NULL},
    {"Acos", unary, "a acos", NULL},
    {"Atan", unary, "a atan", NULL},
    {"Sinh", unary, "a sinh", NULL},
    {"Cosh", unary, "a cosh", NULL},
    {"Tanh", unary, "a tanh", "Tanh"},
    {"Asinh", unary, "a asinh", NULL},
    {"Acosh", unary, "a acosh", NULL},
    {"Atanh", unary, "a atanh", NULL},
    {"Erf", unary, "a erf", NULL},
    {"Sigmoid", unary, "a sigmoid", "Sigmoid"},
    {"Relu", unary, "a 0 max", "Relu"},
    {"Softplus", unary, "a 0 max a abs neg exp log1p add", NULL},
    {"Softsign", unary, "a a abs 1 add div", NULL},
    {"Mish", unary, "a a 0 max a abs neg exp log1p add tanh mul", NULL},
    {"HardSwish", unary, "a a 6 div 0.5 add 0 max 1 min mul", NULL},
    {"BitwiseNot", unary, "a bitnot", NULL},
    {"Not", question, "a not", NULL},
    {"IsNaN", question, "a isnan", NULL},
    {"LeakyRelu", parametric, "a 0 lt a $alpha mul a where", "alpha=0.01"},
    {"Elu", parametric, "a 0 lt a expm1 $alpha mul a where", "alpha=1"},
    {"Selu", parametric, "a 0 le a expm1 $alpha mul a where $gamma mul",
     "alpha=1.67326319217681884765625 gamma=1.05070102214813232421875"},
    {"Celu", parametric, "a 0 max a $alpha div expm1 $alpha mul 0 min add", "alpha=1"},
    {"HardSigmoid", parametric, "a $alpha mul $beta add 1 min 0 max", "alpha=0.2 beta=0.5"},
    {"ThresholdedRelu", parametric, "$alpha a lt a 0 where", "alpha=1"},
    {"Shrink", parametric, "a $lambd neg lt a $bias add $lambd a lt a $bias sub 0 where where",
     "lambd=0.5 bias=0"},
    {"Swish", parametric, "a dup $alpha mul sigmoid mul", "alpha=1"},
    {"Add", binary, "a b add", "Add"},
    {"Sub", binary, "a b sub", "Sub"},
    {"Mul", binary, "a b mul", "Mul"},
    {"Div", binary, "a b div", "Div"},
    {"And", binary, "a b and", NULL},
    {"Or", binary, "a b or", NULL},
    {"Xor", binary, "a b xor", NULL},
    {"BitwiseAnd", binary, "a b bitand", NULL},
    {"BitwiseOr", binary, "a b bitor", NULL},
    {"BitwiseXor", binary, "a b bitxor", NULL},
    {"PRelu", binary, "a 0 lt a b mul a where", NULL},
    {"Equal", comparison, "a b eq", NULL},
    {"Less", comparison, "a b lt", NULL},
    {"LessOrEqual", comparison, "a b le", NULL},
    {"Greater", comparison, "b a lt", NULL},
    {"GreaterOrEqual", comparison, "b a le", NULL},
    {"Pow", lower_pow, NULL, NULL},
    {"Mod", lower_mod, NULL, NULL},
    {"SwiGLU", lower_swiglu, NULL, NULL},
    {"BitShift", lower_bit_shift, NULL, NULL},
    {"Max", variadic, "a b max", NULL},
    {"Min", variadic, "a b min", NULL},
    {"Sum", variadic, "a b add", NULL},
    {"Mean", variadic, "a b add", "mean"},
    {"Where", lower_where, NULL, NULL},
    {"Clip", lower_clip, NULL, NULL},
    {"Cast", lower_cast, NULL, NULL},
    {"CastLike", lower_cast, NULL, NULL},
    {"BitCast", lower_bit_cast, NULL, NULL},
    {"IsInf", lower_is_inf, NULL, NULL},
    {"Identity", lower_identity, NULL, NULL},
    {"Gelu", lower_gelu, NULL, NULL},
    {"Dropout", lower_dropout, NULL, NULL},
    {0},
};

const rk_onnx_family rk_onnx_family_elements = {
    .rules = rules,
};
