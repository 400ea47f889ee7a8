#include "sched/ops/map_code.h"

#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** What a function takes, and whether integers have it, or only they. */
typedef struct {
    const char *name;
    int operands;
    enum { ANY, REALS, INTEGERS } of;
} function;

static const function functions[RK_MAP_FUNCTIONS] = {
    [RK_MAP_NUMBER] = {"", 0, ANY},
    [RK_MAP_OPERAND] = {"", 0, ANY},
    [RK_MAP_COORDINATE] = {"", 0, ANY},
    [RK_MAP_DUP] = {"dup", 1, ANY},
    [RK_MAP_ADD] = {"add", 2, ANY},
    [RK_MAP_SUB] = {"sub", 2, ANY},
    [RK_MAP_MUL] = {"mul", 2, ANY},
    [RK_MAP_DIV] = {"div", 2, ANY},
    [RK_MAP_MOD] = {"mod", 2, ANY},
    [RK_MAP_FMOD] = {"fmod", 2, ANY},
    [RK_MAP_POW] = {"pow", 2, ANY},
    [RK_MAP_MIN] = {"min", 2, ANY},
    [RK_MAP_MAX] = {"max", 2, ANY},
    [RK_MAP_AND] = {"and", 2, ANY},
    [RK_MAP_OR] = {"or", 2, ANY},
    [RK_MAP_XOR] = {"xor", 2, ANY},
    [RK_MAP_EQ] = {"eq", 2, ANY},
    [RK_MAP_LT] = {"lt", 2, ANY},
    [RK_MAP_LE] = {"le", 2, ANY},
    [RK_MAP_BITAND] = {"bitand", 2, INTEGERS},
    [RK_MAP_BITOR] = {"bitor", 2, INTEGERS},
    [RK_MAP_BITXOR] = {"bitxor", 2, INTEGERS},
    [RK_MAP_SHL] = {"shl", 2, INTEGERS},
    [RK_MAP_SHR] = {"shr", 2, INTEGERS},
    [RK_MAP_NEG] = {"neg", 1, ANY},
    [RK_MAP_ABS] = {"abs", 1, ANY},
    [RK_MAP_SIGN] = {"sign", 1, ANY},
    [RK_MAP_NOT] = {"not", 1, ANY},
    [RK_MAP_BITNOT] = {"bitnot", 1, INTEGERS},
    [RK_MAP_WHERE] = {"where", 3, ANY},
    [RK_MAP_FLOOR] = {"floor", 1, REALS},
    [RK_MAP_CEIL] = {"ceil", 1, REALS},
    [RK_MAP_ROUND] = {"round", 1, REALS},
    [RK_MAP_TRUNC] = {"trunc", 1, REALS},
    [RK_MAP_ISNAN] = {"isnan", 1, REALS},
    [RK_MAP_ISINF] = {"isinf", 1, REALS},
    [RK_MAP_EXP] = {"exp", 1, REALS},
    [RK_MAP_LOG] = {"log", 1, REALS},
    [RK_MAP_SQRT] = {"sqrt", 1, REALS},
    [RK_MAP_SIN] = {"sin", 1, REALS},
    [RK_MAP_COS] = {"cos", 1, REALS},
    [RK_MAP_TAN] = {"tan", 1, REALS},
    [RK_MAP_ASIN] = {"asin", 1, REALS},
    [RK_MAP_ACOS] = {"acos", 1, REALS},
    [RK_MAP_ATAN] = {"atan", 1, REALS},
    [RK_MAP_SINH] = {"sinh", 1, REALS},
    [RK_MAP_COSH] = {"cosh", 1, REALS},
    [RK_MAP_TANH] = {"tanh", 1, REALS},
    [RK_MAP_ASINH] = {"asinh", 1, REALS},
    [RK_MAP_ACOSH] = {"acosh", 1, REALS},
    [RK_MAP_ATANH] = {"atanh", 1, REALS},
    [RK_MAP_ERF] = {"erf", 1, REALS},
    [RK_MAP_SIGMOID] = {"sigmoid", 1, REALS},
    [RK_MAP_EXPM1] = {"expm1", 1, REALS},
    [RK_MAP_LOG1P] = {"log1p", 1, REALS},
};

typedef RK_VEC(int64_t) words;

static void add(words *list, rk_map_function f, int64_t argument, rk_arena *arena)
{
    *rk_push(arena, list) = f;
    *rk_push(arena, list) = argument;
}

/** A number as the domain holds it; false when the word is none. */
static bool number_of(int64_t *bits, const char *word, rk_domain domain)
{
    char *end;
    rk_scalar value;
    if (domain == RK_DOMAIN_I64)
        value.i = strtoll(word, &end, 10);
    else if (domain == RK_DOMAIN_U64)
        value.u = strtoull(word, &end, 10);
    else
        value.d = strtod(word, &end);
    *bits = value.i;
    return end != word && *end == '\0';
}

/** Compiles one word; how it changes the stack in *change, and what it takes in *takes. */
static const char *compile_word(rk_map_code *out, words *list, const char *word, int *takes,
                                rk_domain domain, rk_arena *arena)
{
    int64_t bits;
    *takes = 0;
    if (word[0] >= 'a' && word[0] < 'a' + RK_MAP_OPERANDS && word[1] == '\0') {
        add(list, RK_MAP_OPERAND, word[0] - 'a', arena);
        out->operands |= 1U << (word[0] - 'a');
        return NULL;
    }
    if (word[0] == 'i' && word[1] >= '0' && word[1] <= '7' && word[2] == '\0') {
        const int dim = word[1] - '0';
        add(list, RK_MAP_COORDINATE, dim, arena);
        out->dims = dim >= out->dims ? dim + 1 : out->dims;
        return NULL;
    }
    for (int f = RK_MAP_DUP; f < RK_MAP_FUNCTIONS; f++)
        if (strcmp(word, functions[f].name) == 0) {
            const bool real = rk_domain_is_real(domain);
            *takes = functions[f].operands;
            add(list, (rk_map_function)f, 0, arena);
            return functions[f].of == (real ? INTEGERS : REALS)
                       ? "the type that it computes in does not have a function of its"
                       : NULL;
        }
    if (!number_of(&bits, word, domain))
        return "a word of it is neither operand, coordinate, number nor function";
    add(list, RK_MAP_NUMBER, bits, arena);
    return NULL;
}

const char *rk_map_compile(rk_map_code *out, const char *text, rk_domain domain, rk_arena *arena)
{
    words list = {0};
    int depth = 0;
    *out = (rk_map_code){0};
    for (const char *at = text; *(at += strspn(at, " "));) {
        const size_t length = strcspn(at, " ");
        const char *word = rk_arena_strndup(arena, at, length);
        int takes;
        const char *problem = compile_word(out, &list, word, &takes, domain, arena);
        if (problem)
            return problem;
        if (depth < takes)
            return "a function of it has too few operands";
        depth += strcmp(word, "dup") == 0 ? 1 : 1 - takes;
        if (depth > RK_MAP_STACK)
            return "it is nested too deep";
        at += length;
    }
    out->words = list.items;
    out->count = list.count;
    return depth == 1 ? NULL : "it does not leave one value";
}

static double real_function(rk_map_function f, double x)
{
    switch (f) {
    case RK_MAP_FLOOR:
        return floor(x);
    case RK_MAP_CEIL:
        return ceil(x);
    case RK_MAP_ROUND:
        return nearbyint(x);
    case RK_MAP_TRUNC:
        return trunc(x);
    case RK_MAP_ISNAN:
        return isnan(x);
    case RK_MAP_ISINF:
        return isinf(x) != 0;
    case RK_MAP_EXP:
        return exp(x);
    case RK_MAP_LOG:
        return log(x);
    case RK_MAP_SQRT:
        return sqrt(x);
    case RK_MAP_SIN:
        return sin(x);
    case RK_MAP_COS:
        return cos(x);
    case RK_MAP_TAN:
        return tan(x);
    case RK_MAP_ASIN:
        return asin(x);
    case RK_MAP_ACOS:
        return acos(x);
    case RK_MAP_ATAN:
        return atan(x);
    case RK_MAP_SINH:
        return sinh(x);
    case RK_MAP_COSH:
        return cosh(x);
    case RK_MAP_TANH:
        return tanh(x);
    case RK_MAP_ASINH:
        return asinh(x);
    case RK_MAP_ACOSH:
        return acosh(x);
    case RK_MAP_ATANH:
        return atanh(x);
    case RK_MAP_ERF:
        return erf(x);
    case RK_MAP_SIGMOID:
        return 1 / (1 + exp(-x));
    case RK_MAP_EXPM1:
        return expm1(x);
    case RK_MAP_LOG1P:
        return log1p(x);
    case RK_MAP_NEG:
        return -x;
    case RK_MAP_ABS:
        return fabs(x);
    case RK_MAP_SIGN:
        return isnan(x) ? x : (x > 0) - (x < 0);
    default:
        return x == 0;
    }
}

static double real_pair(rk_map_function f, double x, double y)
{
    switch (f) {
    case RK_MAP_ADD:
        return x + y;
    case RK_MAP_SUB:
        return x - y;
    case RK_MAP_MUL:
        return x * y;
    case RK_MAP_DIV:
        return x / y;
    case RK_MAP_MOD: {
        const double rest = fmod(x, y);
        return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
    }
    case RK_MAP_FMOD:
        return fmod(x, y);
    case RK_MAP_POW:
        return pow(x, y);
    case RK_MAP_MIN:
        return isnan(x) || x < y ? x : y;
    case RK_MAP_MAX:
        return isnan(x) || x > y ? x : y;
    case RK_MAP_AND:
        return x != 0 && y != 0;
    case RK_MAP_OR:
        return x != 0 || y != 0;
    case RK_MAP_XOR:
        return (x != 0) != (y != 0);
    case RK_MAP_EQ:
        return x == y;
    case RK_MAP_LT:
        return x < y;
    default:
        return x <= y;
    }
}

static uint64_t power(uint64_t x, uint64_t n)
{
    uint64_t result = 1;
    for (; n; n >>= 1, x *= x)
        if (n & 1)
            result *= x;
    return result;
}

/** Arithmetic that wraps is of unsigned numbers; a quotient by 0 is 0. */
static int64_t integer_pair(rk_map_function f, int64_t x, int64_t y, bool is_signed)
{
    const uint64_t u = (uint64_t)x;
    const uint64_t v = (uint64_t)y;
    const bool less = is_signed ? x < y : u < v;
    switch (f) {
    case RK_MAP_ADD:
        return (int64_t)(u + v);
    case RK_MAP_SUB:
        return (int64_t)(u - v);
    case RK_MAP_MUL:
        return (int64_t)(u * v);
    case RK_MAP_DIV:
        if (y == 0)
            return 0;
        if (!is_signed)
            return (int64_t)(u / v);
        return y == -1 ? (int64_t)(0 - u) : x / y;
    case RK_MAP_MOD:
    case RK_MAP_FMOD: {
        if (y == 0 || (is_signed && y == -1))
            return 0;
        if (!is_signed)
            return (int64_t)(u % v);
        const int64_t rest = x % y;
        return f == RK_MAP_MOD && rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
    }
    case RK_MAP_POW:
        return is_signed && y < 0 ? (x == 1    ? 1
                                     : x == -1 ? (y & 1 ? -1 : 1)
                                               : 0)
                                  : (int64_t)power(u, v);
    case RK_MAP_MIN:
        return less ? x : y;
    case RK_MAP_MAX:
        return less ? y : x;
    case RK_MAP_AND:
        return x && y;
    case RK_MAP_OR:
        return x || y;
    case RK_MAP_XOR:
        return !x != !y;
    case RK_MAP_EQ:
        return x == y;
    case RK_MAP_LT:
        return less;
    case RK_MAP_LE:
        return less || x == y;
    case RK_MAP_BITAND:
        return x & y;
    case RK_MAP_BITOR:
        return x | y;
    case RK_MAP_BITXOR:
        return x ^ y;
    case RK_MAP_SHL:
        return v < 64 ? (int64_t)(u << v) : 0;
    default: /* a negative number keeps its sign */
        if (is_signed)
            return x >> (v < 63 ? v : 63);
        return v < 64 ? (int64_t)(u >> v) : 0;
    }
}

static int64_t integer_function(rk_map_function f, int64_t x, bool is_signed)
{
    switch (f) {
    case RK_MAP_NEG:
        return (int64_t)(0 - (uint64_t)x);
    case RK_MAP_ABS:
        return is_signed && x < 0 ? (int64_t)(0 - (uint64_t)x) : x;
    case RK_MAP_SIGN:
        return is_signed && x < 0 ? -1 : x != 0;
    case RK_MAP_BITNOT:
        return ~x;
    default:
        return x == 0;
    }
}

static bool is_true(rk_scalar v, bool real)
{
    return real ? v.d != 0 : v.i != 0;
}

/** A result of f32 is one that f32 holds. */
static double rounded(double x, rk_domain domain)
{
    return domain == RK_DOMAIN_F32 ? (double)(float)x : x;
}

rk_scalar rk_map_run(const rk_map_code *code, const rk_scalar *operands, const int64_t *index,
                     rk_domain domain)
{
    rk_scalar stack[RK_MAP_STACK + 1];
    rk_scalar *top = stack; /* one above the last */
    const bool real = rk_domain_is_real(domain);
    const bool is_signed = domain == RK_DOMAIN_I64;
    for (size_t i = 0; i < code->count; i += 2) {
        const rk_map_function f = (rk_map_function)code->words[i];
        const int64_t argument = code->words[i + 1];
        if (f == RK_MAP_NUMBER) {
            top->i = argument;
            if (real)
                top->d = rounded(top->d, domain);
            top++;
        } else if (f == RK_MAP_OPERAND) {
            *top++ = operands[argument];
        } else if (f == RK_MAP_COORDINATE) {
            *top++ = rk_scalar_of((double)index[argument], domain);
        } else if (f == RK_MAP_DUP) {
            top[0] = top[-1];
            top++;
        } else if (f == RK_MAP_WHERE) {
            top -= 2;
            top[-1] = is_true(top[-1], real) ? top[0] : top[1];
        } else if (functions[f].operands == 1) {
            if (real)
                top[-1].d = rounded(real_function(f, top[-1].d), domain);
            else
                top[-1].i = integer_function(f, top[-1].i, is_signed);
        } else {
            top--;
            if (real)
                top[-1].d = rounded(real_pair(f, top[-1].d, top[0].d), domain);
            else
                top[-1].i = integer_pair(f, top[-1].i, top[0].i, is_signed);
        }
    }
    return stack[0];
}
